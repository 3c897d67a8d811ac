import { COUNTRY, createSpans, findPipes, MAX_PIPES, splitLine } from './line.ts';

export interface AuthorizationRemover {
  /** Returns what is ready. */
  push(chunk: Buffer): Buffer;
  end(): Buffer;
  readonly lines: number;
  /** Lines that are no records: nobody knows what is in them. */
  readonly leftOut: number;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Extended logging ends lines with BodyBytesSent|Range|Authorization. */
export function withoutAuthorization(): AuthorizationRemover {
  const pipes = new Int32Array(MAX_PIPES + 1);
  const spans = createSpans();
  let carry: Buffer = Buffer.alloc(0);
  let tooLong = false;
  let lines = 0;
  let leftOut = 0;

  function line(source: Buffer, start: number, end: number, kept: Buffer[]): void {
    const last = end > start && source[end - 1] === RETURN ? end - 1 : end;
    if (last === start) return;
    const found = findPipes(source, start, last, pipes);
    if (!splitLine(source, start, last, pipes, found, spans)) {
      leftOut += 1;
      return;
    }
    lines += 1;
    const behind = pipes.subarray(0, found).filter((pipe) => pipe >= spans[2 * COUNTRY + 1]!);
    kept.push(source.subarray(start, behind[2] ?? last), Buffer.from('\n'));
  }

  return {
    push(chunk) {
      const source = carry.length === 0 ? chunk : Buffer.concat([carry, chunk]);
      const kept: Buffer[] = [];
      let start = 0;
      if (tooLong) {
        const end = source.indexOf(NEWLINE);
        if (end < 0) return Buffer.alloc(0);
        start = end + 1;
        tooLong = false;
      }
      for (let end = source.indexOf(NEWLINE); end >= 0; end = source.indexOf(NEWLINE, start)) {
        line(source, start, end, kept);
        start = end + 1;
      }
      // A copy: a slice would keep the whole chunk alive.
      carry = Buffer.from(source.subarray(start));
      // A longer line is no record.
      if (carry.length > 256 * 1024) {
        carry = Buffer.alloc(0);
        tooLong = true;
        leftOut += 1;
      }
      return Buffer.concat(kept);
    },
    end() {
      const kept: Buffer[] = [];
      line(carry, 0, carry.length, kept);
      carry = Buffer.alloc(0);
      return Buffer.concat(kept);
    },
    get lines() {
      return lines;
    },
    get leftOut() {
      return leftOut;
    },
  };
}
