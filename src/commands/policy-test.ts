import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { toRun } from '../own-name.ts';
import { FileError } from '../policy/lines.ts';
import { loadEnvironment, settingsOf } from '../setting-checks.ts';
import { parseCases, runCases, tooFewIn } from './policy-cases.ts';

/** Exit code 1: a case came out differently. */
async function main([file, other]: readonly string[]): Promise<number> {
  if (file === undefined) {
    console.error(`Usage: ${toRun('policy-test', 'cases.yml [policy.yml]')}`);
    return 2;
  }
  loadEnvironment();
  let reading = file;
  try {
    const cases = parseCases(readFileSync(file, 'utf8'));
    const named =
      cases.policy === undefined ? settingsOf(process.env).POLICY_FILE : resolve(dirname(file), cases.policy);
    const policy = other ?? named;
    reading = policy ?? 'the built-in policy';
    const text = policy === undefined ? '' : readFileSync(policy, 'utf8');
    const results = await runCases(cases, text, basename(reading));
    for (const { ok, line, who, where, command, expected, came, rule } of results)
      console.log(
        `${ok ? 'ok   ' : 'WRONG'} line ${line}: ${who}, ${where}, ${command}: ${came}${ok ? '' : `, not ${expected}`} (${rule})`,
      );
    const tooFew = await tooFewIn(cases, text, basename(reading));
    for (const complaint of tooFew) console.log(`WRONG ${complaint}`);
    const wrong = results.filter(({ ok }) => !ok).length;
    console.log(
      `${results.length} ${results.length === 1 ? 'case' : 'cases'} against ${reading}, ${wrong === 0 ? 'all as expected' : `${wrong} not as expected`}`,
    );
    return wrong + tooFew.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof FileError) && !(error instanceof Error && 'code' in error)) throw error;
    console.error(`${reading}:\n${error.message}`);
    return 1;
  }
}

process.exit(await main(process.argv.slice(2)));
