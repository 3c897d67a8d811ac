import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';

/** Names in lower case. */
export type Headers = Record<string, string | string[] | undefined>;

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The body is larger than the bot reads. */
export class TooLarge extends Error {
  override name = 'TooLarge';
}

/** Whether a text is safe to parse and to work with. */
function isModest(text: string): boolean {
  let depth = 0;
  let values = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) {
      for (index += 1; index < text.length && text.charCodeAt(index) !== 0x22; index += 1) {
        if (text.charCodeAt(index) === 0x5c) index += 1;
      }
    } else if (code === 0x2c) values += 1;
    else if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    // Deeper JSON would overflow the stack. More values would block the main thread.
    if (depth > 100 || values > 500_000) return false;
  }
  return true;
}

export const joined = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join(', ') : header);
/** The text is not JSON, or is not safe to work with. */
export const NOT_JSON = Symbol('not JSON');

/** Ignores the content type. `undefined` for an empty body. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined || text.trim() === '') return undefined;
  if (!isModest(text)) return NOT_JSON;
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the body, which may hold a secret.
    return NOT_JSON;
  }
}

/** By content type or first characters. */
export function isHtml({ headers, text }: { headers: Headers; text: string | undefined }): boolean {
  return (
    /\bhtml\b/i.test(joined(headers['content-type']) ?? '') || /^\s*<(!doctype|!--|html|head|body)/i.test(text ?? '')
  );
}

export function decoded(response: Dispatcher.ResponseData): Readable {
  const encoding = joined(response.headers['content-encoding'])?.toLowerCase();
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? // A day's log in pieces of 16 KiB takes half as long again.
        createGunzip({ chunkSize: 64 * 1024 })
      : encoding === 'br'
        ? createBrotliDecompress()
        : encoding === 'deflate'
          ? createInflate()
          : undefined;
  if (!decoder) return response.body;
  response.body.on('error', (error) => decoder.destroy(error));
  decoder.on('close', () => response.body.destroy());
  return response.body.pipe(decoder);
}

/** Reports bytes as they arrive. */
export async function* counted(body: AsyncIterable<Buffer>, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    onBytes(chunk.length);
    yield chunk;
  }
}

/** Peeks: the beginning stays in the body. */
export async function beginningOf(body: Readable): Promise<string> {
  const begun = new AbortController();
  const comes = (event: string) => once(body, event, { signal: begun.signal });
  await Promise.race([comes('readable'), comes('end')]);
  begun.abort();
  const chunk: Buffer | null = body.read();
  if (chunk === null) return '';
  body.unshift(chunk);
  return chunk.toString('utf8');
}

/** The stream fails with the result of `describe`. */
export function fileOf(source: Readable, describe: (error: Error) => Error, onEnd: () => void): PassThrough {
  const file = new PassThrough();
  source.on('error', (error: Error) => file.destroy(describe(error)));
  file.on('close', () => {
    onEnd();
    // Nobody reads the rest.
    if (!source.destroyed) source.destroy();
  });
  return source.pipe(file);
}

/** Throws `TooLarge` beyond `most` decoded bytes. */
export async function readBody(response: Dispatcher.ResponseData, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decoded(response)) {
    size += chunk.length;
    if (size > most) {
      response.body.destroy();
      throw new TooLarge('The answer is too large.');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}
