/** Text inside a PNG, so that a picture says what it shows. */
import { crc32 } from 'node:zlib';

const SIGNATURE_LENGTH = 8;
/** Length and type before a chunk's content, and its checksum after it. */
const [BEFORE, AFTER] = [8, 4];
const KEYWORD = 'Description';

/** The PNG with the text in an `iTXt` chunk before its end. */
export function withText(png: Buffer, text: string): Buffer {
  const end = chunksOf(png).find(({ type }) => type === 'IEND');
  if (!end) throw new Error('This is not a whole PNG.');
  // Neither compressed nor translated, in no particular language.
  const content = Buffer.from(`${KEYWORD}\0\0\0\0\0${text}`);
  const typed = Buffer.concat([Buffer.from('iTXt'), content]);
  const chunk = Buffer.concat([uint32(content.length), typed, uint32(crc32(typed))]);
  return Buffer.concat([png.subarray(0, end.at), chunk, png.subarray(end.at)]);
}

/** The text that `withText` put into the PNG. */
export function textIn(png: Buffer): string | undefined {
  const chunk = chunksOf(png).find(({ type, content }) => type === 'iTXt' && content.indexOf(`${KEYWORD}\0`) === 0);
  return chunk?.content.subarray(KEYWORD.length + 5).toString();
}

function* chunks(png: Buffer): Generator<{ type: string; at: number; content: Buffer }> {
  for (let at = SIGNATURE_LENGTH; at + BEFORE <= png.length; ) {
    const length = png.readUInt32BE(at);
    const content = png.subarray(at + BEFORE, at + BEFORE + length);
    yield { type: png.toString('latin1', at + 4, at + BEFORE), at, content };
    at += BEFORE + length + AFTER;
  }
}

const chunksOf = (png: Buffer) => [...chunks(png)];

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
