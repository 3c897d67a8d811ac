/** `npm run check -- policy [--decisions N] [--seed N] [--trait NAME]`: the policy beside a naive judge, by random questions. */
import { parseArgs } from 'node:util';
import { type Finding, inWords, minimised, run } from './compare.ts';
import { runLines } from './lines.ts';
import { TRAITS, type Trait } from './spellings.ts';

const { values } = parseArgs({
  options: {
    decisions: { type: 'string', default: '2000000' },
    seed: { type: 'string', default: '1' },
    trait: { type: 'string', multiple: true },
  },
});

const wanted = Number(values.decisions);
const kinds: readonly string[] = values.trait ?? ['plain', ...TRAITS, 'mixed'];
const findings: Finding[] = [];
let decided = 0;
for (const kind of kinds) {
  const traits = kind === 'mixed' ? TRAITS : TRAITS.filter((one) => one === kind);
  const began = performance.now();
  const one = run(kind, traits as readonly Trait[], {
    from: Number(values.seed),
    decisions: Math.ceil(wanted / kinds.length),
  });
  decided += one.decided;
  findings.push(...one.findings);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `${kind.padEnd(12)}${String(one.decided).padStart(9)} decisions  ${one.findings.length} differences  ${seconds} s`,
  );
}

const lines = await runLines({ from: Number(values.seed), lines: values.trait ? 0 : Math.ceil(wanted / 100) });
findings.push(...lines.findings);
console.log(
  `lines       ${String(lines.decided).padStart(9)} of which ${lines.unread} name nothing  ${lines.findings.length} differences`,
);

const sorts = new Map<string, Finding[]>();
for (const finding of findings) {
  const sort = `${finding.trait}: ${finding.kind}`;
  sorts.set(sort, [...(sorts.get(sort) ?? []), finding]);
}
for (const [sort, all] of sorts) console.log(`${String(all.length).padStart(9)}  ${sort}`);
const firsts = [...sorts.values()].flatMap((all) => all.slice(0, 2)).slice(0, 20);
for (const finding of firsts) console.log(`\n${inWords(minimised(finding))}`);
console.log(`${decided + lines.decided} decisions, ${findings.length} differences`);
process.exitCode = findings.length > 0 ? 1 : 0;
