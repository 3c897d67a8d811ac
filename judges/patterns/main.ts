/** `npm run check -- patterns`: every regular expression of the bot judged by recheck, and the slow verdicts kept for the tests. */
import { writeFileSync } from 'node:fs';
import { isOnlyTried, keptPath, patternsIn, slownessOf, written } from '../../test/support/patterns.ts';
import { filesIn } from '../../test/support/source.ts';

/** A verdict that takes longer (ms) is kept. */
const LONG = 10;

process.env.RECHECK_BACKEND = 'pure';
const patterns = filesIn('src').flatMap((file) =>
  patternsIn(file, (where) => console.error(`${where} is made later.`)),
);
const kept: string[] = [];
let slow = 0;
for (const one of new Map(patterns.map((pattern) => [written(pattern), pattern])).values()) {
  if (isOnlyTried(one)) continue;
  const started = performance.now();
  const slowness = slownessOf(one);
  if (slowness !== undefined) {
    slow += 1;
    console.error(`${one.where} ${slowness}\n  ${written(one)}`);
  } else if (performance.now() - started > LONG) kept.push(written(one));
}
writeFileSync(keptPath, `${JSON.stringify(kept.sort(), undefined, 2)}\n`);
console.log(`${patterns.length} regular expressions, ${slow} of them not linear; ${kept.length} verdicts kept.`);
process.exitCode = slow === 0 ? 0 : 1;
