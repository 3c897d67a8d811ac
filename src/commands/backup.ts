import { existsSync } from 'node:fs';
import { toRun } from '../own-name.ts';
import { StartError } from '../start-error.ts';
import { backUp } from '../store/backup.ts';
import { createSeal } from '../store/seal.ts';
import { keysOf } from './store-keys.ts';

/** Exit code 1: the audit is not whole, and the copy is kept all the same. */
async function main([file, ...more]: string[]): Promise<number> {
  if (file === undefined || file.startsWith('-') || more.length > 0) {
    console.error(`Usage: ${toRun('backup', 'FILE')}
Copies the store (STORE_URL, in .env too) to one file, while the bot runs or not, and proves that the copy is whole.`);
    return 2;
  }
  if (existsSync('.env')) process.loadEnvFile('.env');
  const [key, old] = keysOf(process.env);
  const { bytes, audit } = await backUp(process.env.STORE_URL || 'file:data/edgewise.db', file, createSeal(key, old));
  const { entries, head, problems, rows = [] } = audit;
  console.log(`${file}: ${bytes} bytes, whole by itself.`);
  if (problems.length + rows.length > 0) {
    console.log('Its audit is not whole, and neither is that of the store: the command `audit verify` says where.');
    return 1;
  }
  const isWritten = key === undefined ? '' : ', and written by the bot';
  console.log(`Its audit is whole: ${entries} ${entries === 1 ? 'entry' : 'entries'}${isWritten}.`);
  if (head !== undefined) console.log(`Head of the audit, to be noted elsewhere: ${head}`);
  return 0;
}

process.exit(
  await main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof StartError ? error.message : error);
    return 2;
  }),
);
