import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { verifyArchive } from '../store/archive-file.ts';
import { GENESIS } from '../store/audit-chain.ts';
import { createSeal } from '../store/seal.ts';
import { keysOf } from './store-keys.ts';

const USAGE = `Usage: npm run verify-archive -- [--head HEAD] FILES
Proves that no entry of the audit was changed or removed in its archive. With EDGEWISE_ENCRYPTION_KEY (in .env too) also that
the bot has written them; EDGEWISE_ENCRYPTION_KEY_OLD is tried as well. --head: is it one of their entries?`;

/** `npm run verify-archive -- data/audit/*.jsonl`: files in any order, each by itself and to the one before. Exit code 1: one is not whole. */
async function main(args: string[]): Promise<number> {
  const {
    values: { head: wanted },
    positionals,
  } = parseArgs({ args, allowPositionals: true, options: { head: { type: 'string' } } });
  if (positionals.length === 0) {
    console.error(USAGE);
    return 2;
  }
  if (existsSync('.env')) process.loadEnvFile('.env');
  const [key, old] = keysOf(process.env);
  const seal = createSeal(key, old);
  const found = await Promise.all(
    positionals.map(async (path) => ({ file: basename(path), ...(await verifyArchive(path, seal, wanted)) })),
  );
  let before: (typeof found)[number] | undefined;
  let isWhole = true;
  for (const one of found.sort((a, b) => a.first - b.first)) {
    const { file, first, last, head, broken } = one;
    const follows = before === undefined ? one.before === GENESIS || first > 1 : one.before === before.head;
    if (broken !== undefined) console.log(`${file}: entry ${broken.number} ${WHAT[broken.what]}`);
    else if (!follows) console.log(`${file}: does not go on from ${before?.file ?? 'the beginning'}`);
    else
      console.log(
        `${file}: entries ${first} to ${last} are whole${key === undefined ? '' : ', and written by the bot'}; head ${head}`,
      );
    isWhole &&= broken === undefined && follows;
    before = one;
  }
  if (before !== undefined && isWhole)
    console.log('`/edge audit verify` names the head of the last file: is it the same?');
  if (wanted === undefined) return isWhole ? 0 : 1;
  const has = found.find(({ hasHead }) => hasHead);
  console.log(has === undefined ? 'The head is in none of these files.' : `The head is in ${has.file}.`);
  return isWhole && has !== undefined ? 0 : 1;
}

const WHAT = {
  changed: 'was changed after it had been written',
  missing: 'is missing',
  unsigned: 'was not written by the bot, or with another key',
};

process.exit(
  await main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }),
);
