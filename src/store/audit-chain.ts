import { createHash } from 'node:crypto';
import type { Database } from './database.ts';
import { isGenuine } from './protection.ts';
import type { Seal } from './seal.ts';

const PAGE = 500;
const MOST_PROBLEMS = 100;
/** The hash before the first entry. */
export const GENESIS = '0'.repeat(64);

/** A row that somebody else has written, or that the audit contradicts. */
export interface RowProblem {
  table: string;
  /** The id of the row, or of the change that it is about. */
  key: string;
  /** Ends a sentence that begins with the row. */
  what: string;
}

/** The number of whole entries before the first broken one, and every broken one. */
export interface AuditVerdict {
  entries: number;
  /** The newest entry's hash, when all are whole: noted elsewhere, it proves that nothing was rewritten up to then. */
  head?: string | undefined;
  /** In the order of their numbers, a hundred at the most. */
  problems: { number: number; what: 'changed' | 'missing' | 'cut off' | 'unsigned' }[];
  /** Rows of other tables that the bot has not written, or that the audit contradicts; only with a key. */
  rows?: RowProblem[];
  /** The head that was given is not the hash of any entry. */
  isHeadGone?: boolean;
}

/** A word of the audit about a change, or about one that undoes it. */
export interface Word {
  confirmation: string;
  outcome: string;
  detail: string;
  actor: string;
  at: Date;
}

/** Over the columns as they are stored, each with its length, so that nothing can be moved from one into another. */
export function hashOf(previous: string, row: Record<string, unknown>): string {
  const hash = createHash('sha256').update(previous);
  for (const column of ['number', 'at', 'actor', 'team', 'channel', 'operation', 'target', 'content']) {
    const value = String(row[column]);
    hash.update(`${column}:${value.length}:${value};`);
  }
  return hash.digest('hex');
}

/** An entry that a process knows. */
export interface Seen {
  number: number;
  hash: string;
}

/** An entry that is known is not there any more, or is another one. */
export const isCut = (seen: Seen | undefined, last: Seen | undefined) =>
  seen !== undefined &&
  (last === undefined || last.number < seen.number || (last.number === seen.number && last.hash !== seen.hash));

/** An entry, and what is wrong with it or before it. */
export type Link = { row: Record<string, unknown>; problem?: 'changed' | 'unsigned' | 'gap' };

/** The entries after a number, each held against the one before it and against its signature. */
export async function* chain(database: Database, seal: Seal, after: number): AsyncGenerator<Link> {
  const before = await database.execute('SELECT hash FROM audit WHERE number = :after', { after });
  // Undefined behind a gap: what the next entry was chained to is not known.
  let previous = after === 0 ? GENESIS : (before.rows[0]?.hash as string | undefined);
  let number = after;
  for (;;) {
    const { rows } = await database.execute('SELECT * FROM audit WHERE number > :number ORDER BY number LIMIT :limit', {
      number,
      limit: PAGE,
    });
    for (const row of rows) {
      const isNext = Number(row.number) === number + 1;
      number = Number(row.number);
      const isChained = !isNext || previous === undefined || hashOf(previous, row) === row.hash;
      const problem = !isChained ? 'changed' : !isGenuine(seal, 'audit', row) ? 'unsigned' : isNext ? undefined : 'gap';
      previous = String(row.hash);
      yield { row, ...(problem === undefined ? {} : { problem }) };
    }
    if (rows.length < PAGE) return;
    // An embedded store answers at once: others get their turn.
    await new Promise(setImmediate);
  }
}

/** Walks the whole chain. */
export async function verify(database: Database, seal: Seal, seen: Seen | undefined): Promise<AuditVerdict> {
  const problems: AuditVerdict['problems'] = [];
  const complain = (number: number, what: AuditVerdict['problems'][number]['what']) => {
    if (problems.length < MOST_PROBLEMS && problems.at(-1)?.number !== number) problems.push({ number, what });
  };
  let number = 0;
  let hash: string | undefined;
  for await (const { row, problem } of chain(database, seal, 0)) {
    const found = Number(row.number);
    for (let gone = number + 1; gone < found && problems.length < MOST_PROBLEMS; gone += 1) complain(gone, 'missing');
    number = found;
    hash = String(row.hash);
    if (problem === 'changed' || problem === 'unsigned') complain(number, problem);
    if (seen?.number === number && seen.hash !== hash) complain(number, 'changed');
  }
  const { rows } = await database.execute('SELECT number, hash FROM audit_head');
  const noted = rows[0] as Seen | undefined;
  if (Math.max(Number(noted?.number ?? 0), seen?.number ?? 0) > number) complain(number + 1, 'cut off');
  if (noted !== undefined && Number(noted.number) === number && noted.hash !== hash) complain(number, 'changed');
  const [first] = problems;
  if (first !== undefined) return { entries: first.number - 1, problems };
  return { entries: number, problems, ...(hash === undefined ? {} : { head: hash }) };
}

/** Every word about a change since it was asked for, with the newest entry. Undefined: the audit is not whole since then. */
export async function wordsAbout(
  database: Database,
  seal: Seal,
  { confirmation, since, seen }: { confirmation: string; since: Date; seen: Seen | undefined },
): Promise<{ words: Word[]; now: Date; seen: Seen | undefined } | undefined> {
  const { rows } = await database.execute(
    'SELECT :now AS now, min(number) - 1 AS number FROM audit WHERE at >= :since',
    {
      since: since.getTime(),
    },
  );
  const words: Word[] = [];
  const after = Math.min(Number(rows[0]?.number ?? Infinity), (seen?.number ?? Infinity) - 1);
  let last: Seen | undefined;
  for await (const { row, problem } of after === Infinity ? [] : chain(database, seal, after)) {
    if (problem !== undefined) return undefined;
    last = { number: Number(row.number), hash: String(row.hash) };
    const { outcome, detail, confirmation: about = '' } = JSON.parse(String(row.content));
    if (about === confirmation || about.startsWith(`undo-${confirmation}`))
      words.push({ confirmation: about, outcome, detail, actor: String(row.actor), at: new Date(Number(row.at)) });
  }
  if (isCut(seen, last)) return undefined;
  return { words, now: new Date(Number(rows[0]?.now)), seen: last };
}
