import { parseCron } from '../../src/schedule/cron.ts';
import { slotsBetween } from '../../src/schedule/slots.ts';
import { walk } from './walker.ts';

/** How many slots agree, and the first few that do not, in words. */
export interface Comparison {
  slots: number;
  differences: string[];
}

const MOST_DIFFERENCES = 10;

/** All expressions in one zone: our slots beside those of the walker, one by one. */
export function compare(expressions: readonly string[], timezone: string, from: Date, to: Date): Comparison {
  const differences: string[] = [];
  const differ = (expression: number, ours: number | undefined, walked: number | undefined) => {
    const words = (at: number | undefined) => (at === undefined ? 'nothing' : new Date(at).toISOString());
    if (differences.length < MOST_DIFFERENCES)
      differences.push(`${timezone} “${expressions[expression]}”: ours ${words(ours)}, walked ${words(walked)}`);
  };
  // Up to and including `from` is not ours, but the walker's.
  const ours = expressions.map((expression) =>
    slotsBetween(parseCron(expression), timezone, from.getTime() - 1, to.getTime()),
  );
  const lost = new Set<number>();
  let slots = 0;
  walk(expressions, timezone, from, to, (expression, at) => {
    if (lost.has(expression)) return;
    const { value } = ours[expression]!.next();
    slots += 1;
    if (value === at) return;
    lost.add(expression);
    differ(expression, value ?? undefined, at);
  });
  for (const [expression, rest] of ours.entries()) {
    if (lost.has(expression)) continue;
    const { value, done } = rest.next();
    if (done !== true) differ(expression, value, undefined);
  }
  return { slots, differences };
}
