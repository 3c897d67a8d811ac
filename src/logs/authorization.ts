import { COUNTRY, createSpans, findPipes, MAX_PIPES, splitLine } from './line.ts';
import { createLineBuffer } from './line-buffer.ts';

export interface AuthorizationRemover {
  /** Returns the finished lines. */
  push(chunk: Uint8Array): Buffer;
  end(): Buffer;
  readonly lines: number;
  /** How many lines were no records, and so may hold anything. */
  readonly leftOut: number;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const LONGEST_LINE = 256 * 1024;

/** Extended logging ends lines with BodyBytesSent|Range|Authorization. */
export function withoutAuthorization(): AuthorizationRemover {
  const room = Buffer.alloc(2 * LONGEST_LINE + 2);
  const pipes = new Int32Array(MAX_PIPES + 1);
  const spans = createSpans();
  let kept: Buffer[] = [];
  let lines = 0;
  let leftOut = 0;

  function line(start: number, end: number): void {
    const last = end > start && room[end - 1] === RETURN ? end - 1 : end;
    if (last === start) return;
    const found = findPipes(room, start, last, pipes);
    if (!splitLine(room, start, last, pipes, found, spans)) {
      leftOut += 1;
      return;
    }
    lines += 1;
    const behind = pipes.subarray(0, found).filter((pipe) => pipe >= spans[2 * COUNTRY + 1]!);
    kept.push(Buffer.concat([room.subarray(start, behind[2] ?? last), Buffer.from('\n')]));
  }

  const reader = createLineBuffer(room, {
    lines(length) {
      for (let start = 0, end = 0; start < length; start = end + 1) {
        end = room.indexOf(NEWLINE, start);
        line(start, end);
      }
    },
    tooLong() {
      leftOut += 1;
    },
    longestLine: LONGEST_LINE,
  });
  function ready(): Buffer {
    const all = Buffer.concat(kept);
    kept = [];
    return all;
  }
  return {
    push(chunk) {
      reader.push(chunk);
      return ready();
    },
    end() {
      reader.end();
      return ready();
    },
    get lines() {
      return lines;
    },
    get leftOut() {
      return leftOut;
    },
  };
}
