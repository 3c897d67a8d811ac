import { createSpans, FIELD, findPipes, LONGEST_LINE, MAX_PIPES, splitLine } from './line.ts';

/** Extended logging ends lines with BodyBytesSent|Range|Authorization. `push` returns the finished lines. */
export function withoutAuthorization() {
  const pipes = new Int32Array(MAX_PIPES + 1);
  const spans = createSpans();
  let begun = '';
  let lines = 0;
  let leftOut = 0;

  function cleaned(written: string): string {
    const line = Buffer.from(written.endsWith('\r') ? written.slice(0, -1) : written, 'latin1');
    if (line.length === 0) return '';
    const found = findPipes(line, 0, line.length, pipes);
    if (line.length > LONGEST_LINE || !splitLine(line, 0, line.length, pipes, found, spans)) {
      leftOut += 1;
      return '';
    }
    lines += 1;
    const behind = pipes.subarray(0, found).filter((pipe) => pipe >= spans[2 * FIELD.country + 1]!);
    return `${line.toString('latin1', 0, behind[2] ?? line.length)}\n`;
  }

  return {
    push(chunk: Buffer): Buffer {
      const written = (begun + chunk.toString('latin1')).split('\n');
      begun = written.pop()!.slice(0, LONGEST_LINE + 2);
      return Buffer.from(written.map(cleaned).join(''), 'latin1');
    },
    end: (): Buffer => Buffer.from(cleaned(begun), 'latin1'),
    counts: () => ({
      lines,
      /** Lines that were not records, and so may hold anything. */
      leftOut,
    }),
  };
}
