/** Reading request bodies in the three forms that clients of Slack send. */

import type { IncomingMessage } from 'node:http';

/** A request's body as it came, and its fields. */
export interface Body {
  raw: Buffer;
  fields: Record<string, unknown>;
  /** The files of a multipart body. */
  files: { field: string; name: string; bytes: Buffer }[];
}

/** The whole body of a request, and its fields when it is a form, JSON or multipart. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) return readMultipart(raw, type);
  if (type.startsWith('application/json')) {
    let parsed: unknown;
    try {
      parsed = JSON.parse(raw.toString() || '{}');
    } catch {
      parsed = {};
    }
    const fields = typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
    return { raw, fields, files: [] };
  }
  const query = Object.fromEntries(new URL(request.url ?? '/', 'http://localhost').searchParams);
  if (!type.startsWith('application/x-www-form-urlencoded')) return { raw, fields: query, files: [] };
  return { raw, fields: { ...query, ...Object.fromEntries(new URLSearchParams(raw.toString())) }, files: [] };
}

async function readMultipart(raw: Buffer, type: string): Promise<Body> {
  const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': type } }).formData();
  const body: Body = { raw, fields: {}, files: [] };
  for (const [field, value] of form) {
    if (typeof value === 'string') body.fields[field] = value;
    else body.files.push({ field, name: value.name, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  return body;
}
