/** Registers of the sketch: 2^14. */
const REGISTERS = 2 ** 14;

/** Bits of a hash behind those that name the register; a register's run of zeros, plus one, goes from 1 to one more. */
const RUN = 50;

/** The standard error of `uniqueClients`, as a part of the number: two thirds of all estimates are within it. */
export const CLIENTS_ERROR = 1.04 / Math.sqrt(REGISTERS);

/** `0` is the character of an empty register; the others follow it in ASCII. */
const ZERO = 48;

/** The registers as text, one character each; empty where nothing was seen. */
export function clientSketchOf(registers: Uint8Array): string {
  if (registers.every((run) => run === 0)) return '';
  return Buffer.from(registers.map((run) => run + ZERO)).toString('latin1');
}

/** About how many different clients a sketch saw (HyperLogLog, by the estimator of Ertl 2017, arXiv 1702.01284). */
export function uniqueClients(sketch: string): number {
  if (sketch === '') return 0;
  const counts = new Array<number>(RUN + 2).fill(0);
  for (let index = 0; index < REGISTERS; index += 1) counts[sketch.charCodeAt(index) - ZERO]! += 1;
  let sum = REGISTERS * tau(1 - counts[RUN + 1]! / REGISTERS);
  for (let run = RUN; run >= 1; run -= 1) sum = 0.5 * (sum + counts[run]!);
  sum += REGISTERS * sigma(counts[0]! / REGISTERS);
  return Math.round(REGISTERS ** 2 / (2 * Math.LN2) / sum);
}

/** What the empty registers stand for: x + x² + 2x⁴ + 4x⁸ + … */
function sigma(share: number): number {
  let power = share;
  let factor = 1;
  let sum = share;
  for (let before = -1; sum !== before; factor *= 2) {
    before = sum;
    power *= power;
    sum += power * factor;
  }
  return sum;
}

/** What the full registers stand for. */
function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let root = share;
  let factor = 1;
  let sum = 1 - share;
  for (let before = -1; sum !== before; ) {
    before = sum;
    root = Math.sqrt(root);
    factor /= 2;
    sum -= (1 - root) ** 2 * factor;
  }
  return sum / 3;
}
