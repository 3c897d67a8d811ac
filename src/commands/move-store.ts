import { existsSync } from 'node:fs';
import { addressOfStore } from '../config.ts';
import { toRun } from '../own-name.ts';
import { Secret } from '../secret.ts';
import { StartError } from '../start-error.ts';
import { moveStore } from '../store/move-store.ts';
import { openingProblem } from '../store/opening.ts';
import { createSeal } from '../store/seal.ts';
import { keysOf } from './store-keys.ts';

const USAGE = `Usage: ${toRun('move-store', 'FROM TO')}
Copies a store (file:…, postgres://…) into an empty one, while no bot runs, and proves the audit before and after.
EDGEWISE_ENCRYPTION_KEY and STORE_CA are taken from .env too.`;

/** Exit code 1: the audit of the copy is not whole. */
async function main([from, to, ...more]: string[]): Promise<number> {
  if (from === undefined || to === undefined || more.length > 0) {
    console.error(USAGE);
    return 2;
  }
  if (existsSync('.env')) process.loadEnvFile('.env');
  const [key] = keysOf(process.env);
  const at = (address: string) => ({ ...addressOfStore(Secret.of(address)), ca: process.env.STORE_CA });
  const { rows, audit } = await moveStore(at(from), at(to), createSeal(key)).catch((error: unknown) => {
    throw openingProblem(at(to).url, error);
  });
  const { entries, head, problems, rows: wrong = [] } = audit;
  console.log(`${rows} rows were copied.`);
  if (problems.length + wrong.length > 0) {
    console.log('The audit of the copy is not whole. Do not use it.');
    return 1;
  }
  console.log(`The audit of both is whole: ${entries} ${entries === 1 ? 'entry' : 'entries'}.`);
  if (head !== undefined) console.log(`Head of the audit, the same in both: ${head}`);
  return 0;
}

process.exit(
  await main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof StartError ? error.message : error);
    return 2;
  }),
);
