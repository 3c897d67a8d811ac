import { fileProblem, StartError } from '../start-error.ts';
import type { Database } from './database.ts';
import { isGenuine } from './protection.ts';
import type { Seal } from './seal.ts';
import { causesOf, StoreError, storeErrorOf } from './store-error.ts';

/** How many of the oldest and of the newest entries of the audit are looked at for the key. */
const SAMPLE = 20;

/** SQLite's errors of an opening, by the beginning of their code. Source: sqlite.org/rescode.html. */
const ABOUT_DATABASES: readonly [code: string, kind: StartError['kind'], says: string, next: string][] = [
  ['SQLITE_NOTADB', 'store', 'is not a database', 'Move it away, or name another one.'],
  ['SQLITE_CORRUPT', 'store', 'is damaged', 'Put back the last copy of it.'],
  ['SQLITE_READONLY', 'refused', 'may not be written to', 'Give it to the user that the bot runs as, with its folder.'],
  ['SQLITE_CANTOPEN', 'create', 'cannot be opened', 'Look whether its folder is there, and whose it is.'],
  ['SQLITE_FULL', 'disk', 'cannot be written to: the disk is full', 'Make room on it.'],
  ['SQLITE_IOERR', 'disk', 'cannot be written to: the disk is full, or fails', 'Make room on it, or look at it.'],
  ['SQLITE_BUSY', 'taken', 'is held by another process', 'End that one.'],
];

/** Why the store cannot be opened, as a StartError or, where waiting may help, a StoreError; or what was thrown. */
export function openingProblem(url: string, error: unknown): unknown {
  if (error instanceof StartError) return error;
  const isFile = url.startsWith('file:');
  const where = isFile ? pathOf(url) : URL.canParse(url) ? new URL(url).host : 'that address';
  const codes = causesOf(error).map(({ code }) => String(code));
  const [, kind, says, next] = ABOUT_DATABASES.find(([begin]) => codes.some((code) => code.startsWith(begin))) ?? [];
  if (kind !== undefined) return new StartError(kind, `STORE_URL: ${where} ${says}. ${next}`, { cause: error });
  if (codes.some((code) => code.startsWith('URL_')))
    return new StartError('settings', 'STORE_URL is not an address of a store. Write it as in `.env.example`.');
  return isFile ? fileProblem('STORE_URL', where, error) : serverProblem(where, error);
}

/** The file of an embedded store. */
export const pathOf = (url: string): string => url.slice('file:'.length).split('?', 1)[0]!;

function serverProblem(host: string, error: unknown): unknown {
  const causes = causesOf(error);
  const status = causes.map((one) => Number(one.status)).find((one) => one > 0) ?? 0;
  if (status === 401 || status === 403 || causes.some(({ code }) => String(code).startsWith('AUTH')))
    return new StartError(
      'refused',
      `The store at ${host} refuses STORE_AUTH_TOKEN. Make a new token of that database.`,
    );
  if (status >= 500 || status === 429) return new StoreError('away', `HTTP ${status}`, { cause: error });
  if (status > 0 || causes.some(({ name }) => name === 'ProtoError' || name === 'SyntaxError'))
    return new StartError(
      'settings',
      `STORE_URL: ${host} is not a libSQL server${status > 0 ? ` (HTTP ${status})` : ''}. Give the address of one, with its database.`,
    );
  return storeErrorOf(error);
}

/**
 * Throws StartError where the store was signed, and nothing that is looked at with the key of the settings: else everything in it
 * would be refused, one by one. A single entry that somebody else has written does not count.
 */
export async function checkKey(database: Database, seal: Seal): Promise<void> {
  const { rows } = await database.execute(
    `SELECT * FROM (SELECT * FROM audit WHERE mac IS NOT NULL ORDER BY number LIMIT ${SAMPLE})
     UNION SELECT * FROM (SELECT * FROM audit WHERE mac IS NOT NULL ORDER BY number DESC LIMIT ${SAMPLE})`,
  );
  if (rows.length === 0) return;
  if (!seal.keyed)
    throw new StartError(
      'settings',
      'EDGEWISE_ENCRYPTION_KEY is missing, and the store was written with one. Give the same key as before.',
    );
  if (!rows.some((row) => isGenuine(seal, 'audit', row)))
    throw new StartError(
      'settings',
      'The store was written with another EDGEWISE_ENCRYPTION_KEY. Give that one, or give it as EDGEWISE_ENCRYPTION_KEY_OLD beside the new one.',
    );
}
