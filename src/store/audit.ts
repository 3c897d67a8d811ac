import { DAY, MINUTE } from '../time.ts';
import {
  type AuditVerdict,
  doubtOf,
  forgetAudit,
  GENESIS,
  hasHead,
  hashOf,
  newestKnown,
  type RowProblem,
  type Seen,
  verify,
  wordsAbout,
} from './audit-chain.ts';
import type { AuditEntry, AuditQuery, StoredAuditEntry } from './audit-entry.ts';
import { confirmationOf } from './confirmations.ts';
import { type Args, type Database, type Rows, rowsOf, type Statement } from './database.ts';
import { unhurried } from './guard.ts';
import { isGenuine, macOf, PROTECTIONS, SIGNED_TABLES, type SignedTable } from './protection.ts';
import { reversalOf } from './reversals.ts';
import { type Seal, UNSEALED } from './seal.ts';
import { subscriptionOf } from './subscriptions.ts';

/** Signed rows that the bot did not write, and subscriptions that the audit contradicts. */
async function examine(database: Database, seal: Seal, seen: Seen | undefined): Promise<RowProblem[]> {
  const isWrong = (table: SignedTable, row: Record<string, unknown>): boolean => {
    if (table === 'reversals') return reversalOf(row, seal).unreadable === true;
    if (table !== 'confirmations') return !isGenuine(seal, table, row);
    const { unreadable, emptied, createdAt } = confirmationOf(row, seal);
    return unreadable === true || (emptied === true && createdAt.getTime() > Number(row.now) - DAY);
  };
  const problems: RowProblem[] = [];
  // The audit’s own entries are verified as a chain.
  for (const table of SIGNED_TABLES.filter((one) => one !== 'audit')) {
    for await (const rows of rowsOf(database, table, { ...PROTECTIONS[table], columns: '*, :now AS now' }))
      for (const row of rows) {
        const isGoingOn = table === 'subscriptions' && row.state !== 'ended';
        const what = isWrong(table, row)
          ? 'was not written like this by the bot'
          : isGoingOn && (await doubtOf(database, seal, { ...subscriptionOf(row), seen }));
        const key = String(row[PROTECTIONS[table].key[0]]);
        if (typeof what === 'string') problems.push({ table, key, what });
      }
  }
  return problems.slice(0, 100);
}

/** A step that is stored together with its audit entry, or not at all. */
export interface Step {
  /** An SQL condition. It may use the columns of the entry by name, `:outcome` and `:detail`. */
  where: string;
  args?: Args;
  /** Executed in order. */
  does?: readonly Statement[];
}

const WITHIN_A_DAY = `FROM audit WHERE actor = :actor AND at > :now - ${DAY} AND content ->> 'outcome' = :outcome`;
/** The actor has this outcome less often than `most` within a day. */
export const rarely = (most: number): string => `(SELECT count(*) ${WITHIN_A_DAY}) < ${most}`;
/** The actor has no such outcome with this detail within a day. */
export const NOT_YET = `NOT EXISTS (SELECT 1 ${WITHIN_A_DAY} AND content ->> 'detail' = :detail)`;

/** Without a confirmation these mean that nothing was done and nobody was asked. */
const REFUSALS = ['forbidden', 'refused', 'unreachable', 'error'];
/** The audit must not grow as fast as somebody types forbidden commands. */
const FEW = `(SELECT count(*) FROM audit WHERE actor = :actor AND at > :now - ${MINUTE}
  AND content ->> 'outcome' IN (${REFUSALS.map((outcome) => `'${outcome}'`).join(', ')})) < 10`;

const clip = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 199).trimEnd()}…`);

/** A person without the right chose these texts. */
const clipped = (entry: AuditEntry): AuditEntry => ({
  ...entry,
  target: clip(entry.target),
  detail: clip(entry.detail),
  given: Object.fromEntries(
    Object.entries(entry.given)
      .slice(0, 20)
      .map(([key, text]) => [key, clip(text)]),
  ),
  rule: entry.rule && clip(entry.rule),
});

/** Entries are appended and never changed. */
export type Audit = ReturnType<typeof createAudit>;

const asList = (names: readonly string[] | undefined) => (names === undefined ? null : JSON.stringify(names));

export function createAudit(database: Database, seal: Seal = UNSEALED) {
  /** The newest entry that this process knows, so that nobody can cut it off unnoticed. */
  let seen: Seen | undefined;
  let unread: (() => Promise<Seen | undefined>) | undefined;
  async function believed(): Promise<void> {
    const head = await unread?.();
    if (head !== undefined && (seen?.number ?? 0) < head.number) seen = head;
    unread = undefined;
  }
  async function write(entry: AuditEntry, step: Step = { where: '1 = 1' }): Promise<Rows['rows'] | undefined> {
    const added = await database.inTurn('audit', async (alone) => {
      seen ??= await newestKnown(alone, undefined);
      return append(alone, seal, entry, { seen, step });
    });
    // If the known entry is gone, it stays missing.
    if (added?.isAfterSeen === true) seen = added;
    return added?.rows;
  }
  return {
    /** When a confirmation had this outcome; undefined: it is not known. */
    async knows(confirmation: string, outcome: string) {
      const sql = `SELECT at FROM audit WHERE (content ->> 'confirmation') = :confirmation AND content ->> 'outcome' = :outcome`;
      const [row] = (await database.execute(sql, { confirmation, outcome })).rows;
      return row && new Date(Number(row.at));
    },
    /** Newest first. `operation` is a whole name or its noun. */
    async list({ actor, operation, target, outcome, since, until, before, limit, ...more }: AuditQuery) {
      const { targets = [], changes, without, uncancelled } = more;
      // One actor uses an index of its own, because their last entries may be far back.
      const [one, ...others] = typeof actor === 'string' ? [actor] : (actor ?? []);
      const isOne = others.length === 0;
      const whose = one === undefined ? ':actor IS NULL' : isOne ? 'actor = :actor' : 'actor IN LIST(:actor)';
      const when =
        since === undefined ? ':since IS NULL' : 'number >= (SELECT min(number) FROM audit WHERE at >= :since)';
      const { rows } = await database.execute(
        `SELECT * FROM audit
         WHERE ${whose} AND ${when}
           AND (:operation IS NULL OR operation = :operation OR operation LIKE :operation || ' %')
           AND (:target IS NULL OR lower(target) LIKE lower(:target) ESCAPE '!' OR lower(target) IN LIST(:targets))
           AND (:changes IS NULL OR (operation IN LIST(:changes)
             AND content ->> 'outcome' IN ('done', 'unknown')))
           AND (:without IS NULL OR NOT operation IN LIST(:without))
           AND (:outcome IS NULL OR content ->> 'outcome' = :outcome)
           AND (:uncancelled IS NULL OR content ->> 'outcome' <> 'cancelled')
           AND (:until IS NULL OR at < :until)
           AND (:before IS NULL OR number < :before)
         ORDER BY number DESC LIMIT :limit`,
        {
          actor: one === undefined ? null : isOne ? one : JSON.stringify([one, ...others]),
          operation: operation ?? null,
          target: target === undefined ? null : `%${target.replace(/[!%_]/g, '!$&')}%`,
          targets: JSON.stringify(targets),
          outcome: outcome ?? null,
          uncancelled: uncancelled === true ? 1 : null,
          changes: asList(changes),
          without: asList(without),
          since: since?.getTime() ?? null,
          until: until?.getTime() ?? null,
          before: before ?? null,
          limit,
        },
      );
      return rows.map(entryOf);
    },
    /** At most a thousand people, last seen first. */
    async actors() {
      const { rows } = await database.execute(
        'SELECT actor FROM audit GROUP BY actor ORDER BY max(number) DESC LIMIT 1000',
      );
      return rows.map(({ actor }) => String(actor));
    },
    /** Keeps at most ten of one person’s refusals within a minute. */
    async append(entry: AuditEntry) {
      const isRefusal =
        entry.outcome === 'forbidden' || (entry.confirmation === undefined && REFUSALS.includes(entry.outcome));
      await (isRefusal ? write(clipped(entry), { where: FEW }) : write(entry));
    },
    /** Appends an entry together with a step, if `step.where` holds. Undefined: it does not. Else the rows of the last statement. */
    take: write,
    /** Entries about a change and its undo since it was asked for. Undefined: the audit since then is not intact. */
    async about(confirmation: string, since: Date) {
      await believed();
      const found = await wordsAbout(database, seal, { confirmation, since, seen });
      if ((found?.seen?.number ?? 0) > (seen?.number ?? 0)) seen = found?.seen;
      return found;
    },
    /** Why a subscription’s row may be an older one. Undefined: it is not, or nothing is signed. */
    async doubt({ id, version }: { id: number; version: number }) {
      if (!seal.keyed) return undefined;
      await believed();
      return doubtOf(database, seal, { id, version, seen });
    },
    /**
     * Demands an entry that is known elsewhere. `read` is called now, and again whenever it is needed until it answers. Until then
     * everything that relies on the audit throws what `read` throws.
     */
    async expect(read: () => Promise<Seen | undefined>) {
      unread = read;
      await believed().catch(() => undefined);
    },
    /** Removes entries older than that. Throws if they are not intact. */
    async forget(keptFor: number) {
      await believed();
      while (await forgetAudit(database, seal, keptFor)) await new Promise(setImmediate);
    },
    /** Verifies the whole chain, and whether it has a head that was noted before. */
    verify: (head?: string) =>
      unhurried(async () => {
        const doubt = await believed().then(
          () => undefined,
          (error: Error) => error.message,
        );
        const verdict: AuditVerdict = await verify(database, seal, seen);
        if (doubt !== undefined) Object.assign(verdict, { doubt, newest: undefined });
        if (verdict.problems.length === 0 && verdict.head !== undefined)
          seen = { number: verdict.entries, hash: verdict.head };
        if (head !== undefined) verdict.isHeadGone = !(await hasHead(database, head));
        if (!seal.keyed) return verdict;
        return { ...verdict, rows: await examine(database, seal, seen) };
      }),
  };
}

/** Appends an entry with its step, inside the lock. Undefined: the step may not be taken. */
async function append(
  database: Pick<Database, 'execute' | 'together'>,
  seal: Seal,
  entry: AuditEntry,
  { seen, step: { where, args: more, does = [] } }: { seen: Seen | undefined; step: Step },
): Promise<(Seen & { isAfterSeen: boolean; rows: Rows['rows'] }) | undefined> {
  const { actor, team, channel, operation, target, ...content } = entry;
  const { outcome, detail } = content;
  const { rows } = await database.execute(
    `SELECT :now AS at, coalesce(max(number), 0) AS number, (SELECT hash FROM audit ORDER BY number DESC LIMIT 1) AS hash,
       (SELECT hash FROM audit WHERE number = :seen) AS seen FROM audit`,
    { seen: seen?.number ?? 0 },
  );
  const isAfterSeen = seen === undefined || rows[0]?.seen === seen.hash;
  const number = Number(rows[0]?.number ?? 0) + 1;
  const about = { actor, team, channel, operation, target };
  const row = { number, at: Number(rows[0]?.at), ...about, content: JSON.stringify(content) };
  const signed = { ...row, hash: hashOf(String(rows[0]?.hash ?? GENESIS), row) };
  const insert = {
    sql: `INSERT INTO audit (number, at, actor, team, channel, operation, target, content, hash, mac)
      SELECT :number, :at, :actor, :team, :channel, :operation, :target, :content, :hash, :mac WHERE ${where}`,
    args: { outcome, detail, ...more, ...signed, mac: macOf(seal, 'audit', signed) },
  };
  const done = await database.together([insert, ...does]);
  if (done[0]!.changed === 0) return undefined;
  return { number, hash: signed.hash, isAfterSeen, rows: done.at(-1)!.rows };
}

function entryOf(row: Record<string, unknown>): StoredAuditEntry {
  return {
    number: Number(row.number),
    at: new Date(Number(row.at)),
    actor: String(row.actor),
    team: String(row.team),
    channel: String(row.channel),
    operation: String(row.operation),
    target: String(row.target),
    hash: String(row.hash),
    ...JSON.parse(String(row.content)),
  };
}
