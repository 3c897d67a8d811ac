import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { HIDDEN } from '../../secret.ts';
import type { SecretFilter } from './secrets.ts';

/** In bytes: a piece at a time, of which so much is looked at again with what follows. */
const PIECE = 128 * 1024;
const OVERLAP = 8 * 1024;

/** Piece by piece, so that a long file holds nothing up. A piece ends where no secret crosses its end. */
export async function hiddenInBytes({ hide }: SecretFilter, content: Buffer): Promise<Buffer> {
  const coding = isUtf8(content) ? 'utf8' : 'latin1';
  const pieces: Buffer[] = [];
  let open = '';
  for (let from = 0; from < content.length; await setImmediate()) {
    const end = characterEnd(content, from + PIECE);
    const all = hide(open + content.toString(coding, from, end));
    let [next, rest] = [end, end < content.length ? undefined : ''];
    for (let behind = OVERLAP; rest === undefined && behind < end - from; behind *= 2) {
      next = lineEnd(content, from, end - behind);
      rest = hide(content.toString(coding, next, end));
      if (!all.endsWith(rest)) [next, rest] = [end, undefined];
    }
    pieces.push(Buffer.from(all.slice(open === '' ? 0 : HIDDEN.length, all.length - (rest ?? '').length), coding));
    // For what follows a key that is longer than a piece.
    open = rest === undefined ? '-----BEGIN PRIVATE KEY-----' : '';
    from = next;
  }
  return Buffer.concat(pieces);
}

function lineEnd(content: Buffer, from: number, to: number): number {
  const line = content.subarray(from, to).lastIndexOf(0x0a) + 1;
  return line > 0 ? from + line : characterEnd(content, to);
}

function characterEnd(content: Buffer, to: number): number {
  let end = Math.min(to, content.length);
  while (end > to - 4 && ((content[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
