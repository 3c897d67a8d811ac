import { createHash } from 'node:crypto';
import type { SubscriptionWord } from './audit-entry.ts';
import { AT_ONCE, type Database, timeOf } from './database.ts';
import { isGenuine, macOf } from './protection.ts';
import type { Seal } from './seal.ts';

const MOST_PROBLEMS = 100;
/** The hash before the first entry. */
export const GENESIS = '0'.repeat(64);

/** A row that somebody else has written, or that the audit contradicts. */
export interface RowProblem {
  table: string;
  /** The id of the row, or of its change. */
  key: string;
  /** Completes a sentence that begins with the row. */
  what: string;
}

/** How many entries are intact up to the first broken one, and which ones are broken. */
export interface AuditVerdict {
  entries: number;
  /** The hash of the newest entry, if all are intact. Noted elsewhere, it proves that nothing before was rewritten. */
  head?: string | undefined;
  /** The newest entry that the bot wrote. Undefined: a known entry is missing. */
  newest?: Seen | undefined;
  /** Why the store may not be the newest copy, as a sentence. */
  doubt?: string;
  /** At most a hundred, by number. */
  problems: { number: number; what: 'changed' | 'missing' | 'cut off' | 'unsigned' }[];
  /** Rows of other tables that the bot did not write, or that the audit contradicts. Only with a key. */
  rows?: RowProblem[];
  /** No entry has the given head as its hash. It may be one that was removed for its age. */
  isHeadGone?: boolean;
  /** The last entry that was removed for its age. */
  start?: Seen;
}

/** An entry about a change or its undo. */
export interface Word {
  confirmation: string;
  outcome: string;
  at: Date;
}

/** Hashes the stored columns, each with its length, so that no text can move into another column. */
export function hashOf(previous: string, row: Record<string, unknown>): string {
  const hash = createHash('sha256').update(previous);
  for (const column of ['number', 'at', 'actor', 'team', 'channel', 'operation', 'target', 'content']) {
    const value = String(row[column]);
    hash.update(`${column}:${value.length}:${value};`);
  }
  return hash.digest('hex');
}

/** An entry that is known to exist. */
export interface Seen {
  number: number;
  hash: string;
}

/** The known entry is gone, or was replaced. */
const isCut = (seen: Seen | undefined, last: Seen | undefined) =>
  seen !== undefined &&
  (last === undefined || last.number < seen.number || (last.number === seen.number && last.hash !== seen.hash));

/** The row replaces the known entry. */
const isOther = (seen: Seen | undefined, row: Record<string, unknown>): boolean =>
  seen !== undefined && Number(row.number) === seen.number && row.hash !== seen.hash;

/** The last entry that was removed for its age, to whose hash the audit is chained. Undefined: none was removed. */
async function startOf(database: Database, seal: Seal): Promise<Seen | undefined> {
  const { rows } = await database.execute(
    'SELECT * FROM audit_starts WHERE number < (SELECT coalesce(min(number), 9000000000000000) FROM audit) ORDER BY number DESC',
  );
  const row = rows.find((one) => isGenuine(seal, 'audit_starts', one));
  return row && { number: Number(row.number), hash: String(row.hash) };
}

/** An entry, with what is wrong with it or before it. */
export type Link = { row: Record<string, unknown>; problem?: 'changed' | 'unsigned' | 'gap' };

/** The entries after a number, each checked against the one before it and against its signature. */
async function* chain(database: Database, seal: Seal, after: number): AsyncGenerator<Link> {
  const behind = await startOf(database, seal);
  let number = Math.max(after, behind?.number ?? 0);
  const before = await database.execute('SELECT hash FROM audit WHERE number = :number', { number });
  // Undefined after a gap, because the entry before is unknown.
  let previous =
    number === 0 ? GENESIS : number === behind?.number ? behind.hash : (before.rows[0]?.hash as string | undefined);
  for (;;) {
    const { rows } = await database.execute('SELECT * FROM audit WHERE number > :number ORDER BY number LIMIT :limit', {
      number,
      limit: AT_ONCE,
    });
    for (const row of rows) {
      const isNext = Number(row.number) === number + 1;
      number = Number(row.number);
      const isChained = !isNext || previous === undefined || hashOf(previous, row) === row.hash;
      const problem = !isChained ? 'changed' : !isGenuine(seal, 'audit', row) ? 'unsigned' : isNext ? undefined : 'gap';
      previous = String(row.hash);
      yield { row, ...(problem === undefined ? {} : { problem }) };
    }
    if (rows.length < AT_ONCE) return;
    await new Promise(setImmediate);
  }
}

/** The newest known entry: what this process saw, or what the row says that is written with each entry. */
export async function newestKnown(
  database: Pick<Database, 'execute'>,
  seen: Seen | undefined,
): Promise<Seen | undefined> {
  const { rows } = await database.execute('SELECT number, hash FROM audit_head');
  const noted = rows[0] && { number: Number(rows[0].number), hash: String(rows[0].hash) };
  return noted === undefined || (seen?.number ?? 0) >= noted.number ? seen : noted;
}

export async function verify(database: Database, seal: Seal, seen: Seen | undefined): Promise<AuditVerdict> {
  const problems: AuditVerdict['problems'] = [];
  const complain = (number: number, what: AuditVerdict['problems'][number]['what']) => {
    if (problems.length < MOST_PROBLEMS && problems.at(-1)?.number !== number) problems.push({ number, what });
  };
  const start = await startOf(database, seal);
  // Read first, so that entries appended meanwhile do not count as missing.
  const noted = await newestKnown(database, undefined);
  let number = start?.number ?? 0;
  let hash: string | undefined;
  let newest: Seen = { number, hash: start?.hash ?? GENESIS };
  for await (const { row, problem } of chain(database, seal, 0)) {
    const found = Number(row.number);
    for (let gone = number + 1; gone < found && problems.length < MOST_PROBLEMS; gone += 1) complain(gone, 'missing');
    number = found;
    hash = String(row.hash);
    if (problem === 'changed' || problem === 'unsigned') complain(number, problem);
    else newest = { number, hash };
    if (isOther(seen, row) || isOther(noted, row)) complain(number, 'changed');
  }
  if (Math.max(noted?.number ?? 0, seen?.number ?? 0) > number) complain(number + 1, 'cut off');
  const [first] = problems;
  const isKnown = !isCut(seen, newest) && (seen === undefined || (await hasHead(database, seen.hash)));
  const found = {
    problems,
    ...(start === undefined ? {} : { start }),
    ...(isKnown ? { newest } : {}),
  };
  if (first !== undefined) return { entries: first.number - 1, ...found };
  return { entries: number, ...found, ...(hash === undefined ? {} : { head: hash }) };
}

/** Whether an entry has this hash, or the last removed one. */
export async function hasHead(database: Database, head: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM audit WHERE hash = :head UNION ALL SELECT 1 FROM audit_starts WHERE hash = :head';
  return (await database.execute(sql, { head })).rows.length > 0;
}

/** The entries about a change since it was asked for. Undefined: the audit since then is not intact. */
export async function wordsAbout(
  database: Database,
  seal: Seal,
  { confirmation, since, seen }: { confirmation: string; since: Date; seen: Seen | undefined },
): Promise<{ words: Word[]; now: Date; seen: Seen | undefined } | undefined> {
  const known = await newestKnown(database, seen);
  const { rows } = await database.execute(
    'SELECT :now AS now, min(number) - 1 AS number FROM audit WHERE at >= :since',
    {
      since: since.getTime(),
    },
  );
  const words: Word[] = [];
  const after = Math.min(Number(rows[0]?.number ?? Infinity), (known?.number ?? Infinity) - 1);
  let last: Seen | undefined;
  for await (const { row, problem } of after === Infinity ? [] : chain(database, seal, after)) {
    if (problem !== undefined || isOther(known, row)) return undefined;
    last = { number: Number(row.number), hash: String(row.hash) };
    const { outcome, confirmation: about = '' } = JSON.parse(String(row.content));
    if (about === confirmation || about.startsWith(`undo-${confirmation}`))
      words.push({ confirmation: about, outcome, at: new Date(Number(row.at)) });
  }
  if (isCut(known, last)) return undefined;
  return { words, now: new Date(Number(rows[0]?.now)), seen: last };
}

/** Why a subscription’s row is outdated, by the last entry about it. Undefined: it is not. */
export async function doubtOf(
  database: Database,
  seal: Seal,
  { id, version, seen }: { id: number; version: number; seen: Seen | undefined },
): Promise<string | undefined> {
  const known = await newestKnown(database, seen);
  const { rows } = await database.execute(
    `SELECT number, hash, (SELECT max(number) FROM audit
       WHERE actor = 'Edgewise' AND CAST(content -> 'subscription' ->> 'id' AS INTEGER) = :id) AS word
     FROM audit ORDER BY number DESC LIMIT 1`,
    { id },
  );
  const [newest] = rows;
  const notWhole = 'may have ended: the audit is not intact';
  if (isCut(known, newest && { number: Number(newest.number), hash: String(newest.hash) })) return notWhole;
  const number = Number(newest?.word ?? 0);
  if (number === 0) return undefined;
  // One entry earlier, to check the chain.
  for await (const { row, problem } of chain(database, seal, number - 2)) {
    if (Number(row.number) < number) continue;
    if (problem !== undefined || isOther(known, row)) return notWhole;
    const { subscription: word } = JSON.parse(String(row.content)) as { subscription: SubscriptionWord };
    if (word.isEnded === true && version <= word.version) return 'has ended, as the audit says';
    return version < word.version ? 'is older than the audit says' : undefined;
  }
  return notWhole;
}

/**
 * Removes the oldest entries that are older than `keptFor` milliseconds, but never the newest, to which the next one is chained.
 * True: there may be more. Throws if they are not intact.
 */
export async function forgetAudit(database: Database, seal: Seal, keptFor: number): Promise<boolean> {
  const at = await timeOf(database);
  const { rows } = await database.execute(
    `SELECT max(number) AS last, count(*) AS count FROM (SELECT number FROM audit
       WHERE at < :before AND number < (SELECT max(number) FROM audit) ORDER BY number LIMIT ${AT_ONCE}) AS oldest`,
    { before: at - keptFor },
  );
  const last = Number(rows[0]?.last ?? 0);
  if (last === 0) return false;
  const behind = await startOf(database, seal);
  let end: Seen = behind ?? { number: 0, hash: GENESIS };
  for await (const { row, problem } of chain(database, seal, 0)) {
    if (Number(row.number) > last || problem !== undefined) break;
    end = { number: Number(row.number), hash: String(row.hash) };
  }
  if (end.number !== last) {
    if ((await startOf(database, seal))?.number !== behind?.number) return true;
    throw new Error(`the audit is not intact after entry ${end.number}: it stays as it is`);
  }
  const start = { ...end, at };
  await database.inTurn('audit', (alone) =>
    alone.together([
      {
        sql: `INSERT INTO audit_starts (number, hash, at, mac) SELECT :number, :hash, :at, :mac
            WHERE NOT EXISTS (SELECT 1 FROM audit_starts WHERE number >= :number)`,
        args: { ...start, mac: macOf(seal, 'audit_starts', start) },
      },
      { sql: 'DELETE FROM audit WHERE number <= :number', args: { number: last } },
      { sql: 'DELETE FROM audit_starts WHERE number < :number', args: { number: last } },
    ]),
  );
  return Number(rows[0]?.count) === AT_ONCE;
}
