import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { backup } from '@photostructure/sqlite';
import { fileProblem, StartError } from '../start-error.ts';
import { createAudit } from './audit.ts';
import type { AuditVerdict } from './audit-chain.ts';
import { checkKey, openingProblem, pathOf } from './opening.ts';
import type { Seal } from './seal.ts';
import { openFile } from './sqlite.ts';

/**
 * Copies the store of one moment into one file. The bot may run: the copy blocks nothing and never checkpoints.
 * The copy is verified by itself, and removed if it is damaged. Throws StartError.
 */
export async function backUp(url: string, to: string, seal: Seal): Promise<{ bytes: number; audit: AuditVerdict }> {
  if (!url.startsWith('file:'))
    throw new StartError(
      'settings',
      'The store is on a PostgreSQL server. Copy it with pg_dump, or as your provider does it: `pg_dump --format=custom --schema=public --file=edgewise.dump "$STORE_URL"`.',
    );
  if (!existsSync(pathOf(url))) throw new StartError('create', `STORE_URL: there is no store at ${pathOf(url)}.`);
  try {
    closeSync(openSync(to, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileProblem('The copy', to, error);
    throw new StartError('create', `${to} already exists. Name another file: a copy never overwrites another.`);
  }
  try {
    await copy(pathOf(url), to);
    return { bytes: statSync(to).size, audit: await verifyCopy(to, seal) };
  } catch (error) {
    rmSync(to, { force: true });
    throw openingProblem(url, error);
  }
}

async function copy(from: string, to: string): Promise<void> {
  const store = openFile(from, { readOnly: true });
  try {
    // Its errors have codes, and those of `backup` have none.
    await store.execute('SELECT 1 FROM sqlite_schema');
    // All pages in one step. With several steps each write of the bot would restart the copy.
    await backup(store.file, resolve(to), { rate: -1 });
  } finally {
    await store.close();
  }
  const file = openSync(to, 'r+');
  fsyncSync(file);
  closeSync(file);
}

async function verifyCopy(file: string, seal: Seal): Promise<AuditVerdict> {
  const opened = openFile(resolve(file));
  try {
    // The copy has to be one file, without a WAL.
    opened.file.exec('PRAGMA journal_mode = DELETE');
    const { rows } = await opened.execute('PRAGMA integrity_check');
    const said = String(rows[0]?.integrity_check);
    if (said !== 'ok')
      throw new StartError('store', `The copy is damaged: ${said}. The store itself may be damaged too.`);
    if (seal.keyed) await checkKey(opened, seal);
    return await createAudit(opened, seal).verify();
  } finally {
    await opened.close();
  }
}
