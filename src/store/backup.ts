import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileProblem, StartError } from '../start-error.ts';
import { createAudit } from './audit.ts';
import type { AuditVerdict } from './audit-chain.ts';
import { connect } from './open-database.ts';
import { openingProblem, pathOf } from './opening.ts';
import type { Seal } from './seal.ts';

/** A copy of the store, and what its audit comes to. */
export interface Backup {
  bytes: number;
  audit: AuditVerdict;
}

/**
 * Writes one file that is the store at one moment, whether the bot runs or not: from a process of its own, which reads beside the
 * bot and holds nobody up. The copy is believed once it is whole by itself, and is removed where it is not. Throws StartError.
 */
export async function backUp(url: string, to: string, seal: Seal): Promise<Backup> {
  if (!url.startsWith('file:')) throw onServer(url);
  if (!existsSync(pathOf(url))) throw new StartError('create', `STORE_URL: there is no store at ${pathOf(url)}.`);
  try {
    closeSync(openSync(to, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileProblem('The copy', to, error);
    throw new StartError('create', `${to} is there already. Name another file: no copy takes the place of another.`);
  }
  try {
    await copy(url, to);
    return { bytes: statSync(to).size, audit: await verifyCopy(to, seal) };
  } catch (error) {
    rmSync(to, { force: true });
    throw openingProblem(url, error);
  }
}

async function copy(url: string, to: string): Promise<void> {
  const { client, database } = connect({ url });
  try {
    await client.execute({ sql: 'VACUUM INTO ?', args: [resolve(to)] });
  } finally {
    await database.close();
  }
  const file = openSync(to, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/** Reads the whole copy. */
async function verifyCopy(file: string, seal: Seal): Promise<AuditVerdict> {
  const { database } = connect({ url: pathToFileURL(resolve(file)).href });
  try {
    const { rows } = await database.execute('PRAGMA integrity_check');
    const said = String(rows[0]?.integrity_check);
    if (said !== 'ok')
      throw new StartError('store', `The copy is not whole: ${said}. The store itself may be damaged.`);
    return await createAudit(database, seal).verify();
  } finally {
    await database.close();
  }
}

/** A server copies its database itself: it does not take VACUUM INTO. Source: libsql-server 0.24.32, tried. */
function onServer(url: string): StartError {
  const host = URL.canParse(url) ? new URL(url).host : 'it';
  return new StartError(
    'settings',
    `The store is on a server, which copies it itself. For one of your own: curl -fH "Authorization: Bearer $STORE_AUTH_TOKEN" https://${host}/dump > edgewise.sql`,
  );
}
