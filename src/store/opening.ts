import { fileProblem, StartError } from '../start-error.ts';
import type { Database } from './database.ts';
import { isGenuine, SIGNED_TABLES } from './protection.ts';
import type { Seal } from './seal.ts';
import { storeErrorOf } from './store-error.ts';

/** SQLite’s errors when a file is opened, by code. Source: sqlite.org/rescode.html. */
const ABOUT_DATABASES: readonly [code: string, kind: StartError['kind'], says: string, next: string][] = [
  ['SQLITE_NOTADB', 'store', 'is not a database', 'Move it away, or name another one.'],
  ['SQLITE_CORRUPT', 'store', 'is damaged', 'Restore its last backup.'],
  ['SQLITE_READONLY', 'refused', 'may not be written to', 'Give it to the user that the bot runs as, with its folder.'],
  ['SQLITE_CANTOPEN', 'create', 'cannot be opened', 'Check whether its folder is there, and whose it is.'],
  ['SQLITE_FULL', 'disk', 'cannot be written to: the disk is full', 'Make room on it.'],
  ['SQLITE_IOERR', 'disk', 'cannot be written to: the disk is full, or fails', 'Make room on it, or check it.'],
  ['SQLITE_BUSY', 'taken', 'is held by another process', 'End that one.'],
];

/** Final errors of a server, by code. Source: postgresql.org/docs/current/errcodes-appendix.html. */
const ABOUT_SERVERS: readonly [code: RegExp, kind: StartError['kind'], says: string][] = [
  [/^28/, 'refused', 'refuses the user or the password of STORE_URL. Check both.'],
  [/^3D000$/, 'settings', 'has no database of the name in STORE_URL. Make it: `CREATE DATABASE edgewise`.'],
  [/^3F000$/, 'settings', 'has no schema of the name in STORE_URL. Make it: `CREATE SCHEMA edgewise`.'],
  [/^42501$/, 'refused', 'does not let this user make tables. Give it the database, or a schema of its own.'],
  [
    /CERT|^UNABLE_TO_|^ERR_TLS/,
    'refused',
    'has a certificate that is not trusted. Give the file of its issuer in STORE_CA.',
  ],
];

/** Turns an error into a StartError, or into a StoreError if waiting may help. Others stay as they are. */
export function openingProblem(url: string, error: unknown): unknown {
  if (error instanceof StartError) return error;
  const isFile = url.startsWith('file:');
  const where = isFile ? pathOf(url) : new URL(url).host;
  const code = String((error as { code?: unknown }).code ?? '');
  const [, kind, says, next] = ABOUT_DATABASES.find(([begin]) => code === begin) ?? [];
  if (kind !== undefined) return new StartError(kind, `STORE_URL: ${where} ${says}. ${next}`, { cause: error });
  if (isFile) return fileProblem('STORE_URL', where, error);
  const [, what, why] = ABOUT_SERVERS.find(([pattern]) => pattern.test(code)) ?? [];
  if (what !== undefined) return new StartError(what, `STORE_URL: ${where} ${why}`, { cause: error });
  if (/does not support SSL/.test(String(error)))
    return new StartError(
      'settings',
      `STORE_URL: ${where} has no TLS. Write \`?sslmode=disable\` if the network is trusted.`,
    );
  return storeErrorOf(error);
}

export const pathOf = (url: string): string => url.replace(/^file:/, '').split('?', 1)[0]!;

/**
 * Throws StartError if the key of the settings signed nothing that is checked, or if there is a key and nothing is signed. Otherwise
 * everything in the store would be refused, one by one. A single entry of somebody else does not
 * count.
 */
export async function checkKey(database: Pick<Database, 'execute'>, seal: Seal): Promise<void> {
  const { rows: found } = await database.execute(
    SIGNED_TABLES.map((table) => `SELECT mac IS NOT NULL AS signed FROM ${table}`).join(' UNION '),
  );
  const isSigned = found.some(({ signed }) => signed === 1);
  if (seal.keyed && found.length > 0 && !isSigned)
    throw new StartError(
      'store',
      'Nothing in the store is signed: it was written without EDGEWISE_ENCRYPTION_KEY, or by somebody else. Name a new store in STORE_URL, or leave the key out.',
    );
  if (isSigned && !seal.keyed)
    throw new StartError(
      'settings',
      'EDGEWISE_ENCRYPTION_KEY is missing, and the store was written with one. Give the same key as before.',
    );
  // Some of the oldest and of the newest.
  const { rows } = await database.execute(
    `SELECT * FROM (SELECT * FROM audit WHERE mac IS NOT NULL ORDER BY number LIMIT 20) AS oldest
     UNION SELECT * FROM (SELECT * FROM audit WHERE mac IS NOT NULL ORDER BY number DESC LIMIT 20) AS newest`,
  );
  if (rows.length > 0 && !rows.some((row) => isGenuine(seal, 'audit', row)))
    throw new StartError(
      'settings',
      'The store was written with another EDGEWISE_ENCRYPTION_KEY. Give that one, or give it as EDGEWISE_ENCRYPTION_KEY_OLD beside the new one.',
    );
}
