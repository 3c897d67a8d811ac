import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { FileError } from '../policy/lines.ts';
import { parseCases, runCases, tableOf } from './policy-cases.ts';

/** `npm run policy-test -- cases.yml [policy.yml]`: decides a table of cases, asking nobody. Exit code 1: one came out otherwise. */
async function main([file, other]: readonly string[]): Promise<number> {
  if (file === undefined) {
    console.error('Usage: npm run policy-test -- cases.yml [policy.yml]');
    return 2;
  }
  let reading = file;
  try {
    const cases = parseCases(readFileSync(file, 'utf8'));
    const named = cases.policy === undefined ? process.env.POLICY_FILE : resolve(dirname(file), cases.policy);
    const policy = other ?? named;
    reading = policy ?? 'the built-in policy';
    const text = policy === undefined ? '' : readFileSync(policy, 'utf8');
    const results = await runCases(cases, text, basename(reading));
    console.log(tableOf(results));
    const wrong = results.filter(({ ok }) => !ok).length;
    console.log(`\n${results.length} cases, ${wrong === 0 ? 'all as expected' : `${wrong} not as expected`}`);
    return wrong === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof FileError) && !(error instanceof Error && 'code' in error)) throw error;
    console.error(`${reading}:\n${error.message}`);
    return 1;
  }
}

process.exit(await main(process.argv.slice(2)));
