import { closeSync, openSync, readSync } from 'node:fs';
import type { Summariser } from '../logs/summariser.ts';

/** A part of a file: the lines that begin at `start` or behind it, and before `end`. */
export interface FilePart {
  path: string;
  /** Bytes from the beginning of the file. */
  start: number;
  end: number;
}

/** Bytes read at once. */
const PIECE = 256 * 1024;

/** Bytes between two reports of how far it is: a message to another thread costs as much as reading some hundred lines. */
const REPORTED = 8 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Lets the summariser read those lines, waiting for the disk: for threads that have nothing else to do. `onRead` is told
 * now and then how many bytes more were read. Throws what the file system throws.
 */
export function readLines(
  { path, start, end }: FilePart,
  summariser: Summariser,
  onRead: (bytes: number) => void,
): void {
  const file = openSync(path, 'r');
  try {
    let at = start === 0 ? 0 : newlineAt(file, start - 1) + 1;
    let unreported = 0;
    while (at < end) {
      const read = summariser.fill((room) => readSync(file, room, 0, Math.min(room.length, PIECE, end - at), at));
      if (read === 0) return;
      at += read;
      unreported += read;
      if (unreported < REPORTED && at < end) continue;
      onRead(unreported);
      unreported = 0;
    }
    if (at > end || end === 0) return;
    // The last line may reach into the next part.
    const last = newlineAt(file, end - 1);
    while (at <= last) {
      const read = summariser.fill((room) => readSync(file, room, 0, Math.min(room.length, last + 1 - at), at));
      if (read === 0) return;
      at += read;
    }
  } finally {
    closeSync(file);
  }
}

/** The offset of the first newline that is not before `from`; that of the file's end when there is none. */
function newlineAt(file: number, from: number): number {
  const piece = Buffer.alloc(4096);
  for (let at = from; ; at += piece.length) {
    const read = readSync(file, piece, 0, piece.length, at);
    const found = piece.subarray(0, read).indexOf(NEWLINE);
    if (found >= 0) return at + found;
    if (read < piece.length) return at + read;
  }
}
