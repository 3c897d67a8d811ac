import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { forgetOld } from '../../src/store/forget.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { PROTECTIONS, type Protection } from '../../src/store/protection.ts';
import { openStore } from '../../src/store/store.ts';

const SOURCE = 'src/store/protection.ts';
const FILE = 'test/store/protection.test.ts';

const LEASE = 'a lease: at worst something is done later, or looked at twice';
const BELIEVED = 'believed only as far as the audit allows';
const REPORTS = 'memory of reports: nothing is commanded with it';

/**
 * Of every table: the columns that are neither sealed nor signed, and why that gives nobody anything (`all`: every one that is not
 * named); and how long a row is kept, or else what bounds their number.
 */
const TABLES: Readonly<
  Record<string, { free?: Readonly<Record<string, string>>; kept: { for: string } | { atMost: string } }>
> = {
  confirmations: {
    free: {
      state: BELIEVED,
      sent_mac: 'a signature: what is said to be sent has it, and nothing that waits',
      glass_broken: BELIEVED,
      expires_at: BELIEVED,
      reason: 'shown to those who approve, and in the audit as it was given',
      outcome: 'words about an end; an attempt to undo is followed by one at most that the audit has no end of',
      interaction: 'an id in lines of the log: nothing is decided by it',
      post_channel: 'the place of a message of the bot’s own',
      post_ts: 'the place of a message of the bot’s own',
    },
    kept: { for: 'a month after it ended' },
  },
  approvals: { kept: { for: 'as long as its change' } },
  approval_copies: { free: { all: 'the places of messages of the bot’s own' }, kept: { for: 'as long as its change' } },
  reversals: { free: { state: BELIEVED }, kept: { for: 'as long as its change' } },
  subscriptions: {
    free: {
      state: 'the audit says which have ended',
      reason: 'words about a failure',
      owner_told: 'at worst somebody is told twice, or not',
      slots_until: LEASE,
      next_slot: LEASE,
    },
    kept: { for: 'two months after it ended' },
  },
  audit: { free: { all: 'covered by the hash' }, kept: { atMost: 'AUDIT_KEEP_DAYS, if that is given' } },
  audit_starts: { free: { at: 'when it was made' }, kept: { atMost: 'one row' } },
  channel_moves: { kept: { atMost: 'one row a channel to which Slack has given another id' } },
  audit_head: { free: { all: 'compared with the newest entry' }, kept: { atMost: 'one row' } },
  results: { free: { expires_at: 'at worst it is shown for longer' }, kept: { for: 'an hour' } },
  jobs: {
    free: {
      kind: 'sealed with the body',
      run_at: 'how long it is remembered, or when it is due: what is sealed has its own time',
      tries: 'at worst it is begun once more, or not',
      all: 'leases; without its row a payload that is repeated is taken again: presses are held once by what they press',
    },
    kept: { for: 'two hours after it is done' },
  },
  log_slots: { free: { all: LEASE }, kept: { atMost: 'some rows for each zone' } },
  channel_turns: { free: { all: LEASE }, kept: { for: 'a day after the last post' } },
  report_ledger: { free: { all: REPORTS }, kept: { for: 'two months' } },
  anchors: { free: { at: 'how long it is kept' }, kept: { for: 'as long as its subscription; of zones two days' } },
  agent_tokens: { kept: { for: 'three months, or until its person ends it' } },
  marks: {
    free: { all: 'shown beside failures: nothing is commanded or decided with it' },
    kept: { for: 'two weeks' },
  },
  schema_hash: { free: { all: 'another one ends the start' }, kept: { atMost: 'one row' } },
};

const PROTECTED: Readonly<Record<string, Protection>> = PROTECTIONS;

function namedOf(table: string): string[] {
  const { key = [], sealed = [], signed = [] } = PROTECTED[table] ?? {};
  return [...key, ...sealed, ...signed, ...Object.keys(TABLES[table]?.free ?? {}).filter((column) => column !== 'all')];
}

describe('the tables of the store', () => {
  let database: Database;
  const columns = new Map<string, string[]>();

  beforeAll(async () => {
    database = await openDatabase({ url: ':memory:' });
    const { rows } = await database.execute(
      `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
       WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
    );
    for (const { table, column } of rows)
      columns.set(String(table), [...(columns.get(String(table)) ?? []), String(column)]);
  });
  afterAll(() => database.close());

  it('say of every column whether it is sealed, signed, or why it is neither', () => {
    const missing = [...columns].flatMap(([table, all]) => {
      if (TABLES[table] === undefined) return [`${FILE}: add “${table}: { free: { column: 'why' }, kept: {…} },”`];
      const { free = {} } = TABLES[table];
      const named = namedOf(table);
      const left = all.filter((column) => column !== 'mac' && !named.includes(column) && free.all === undefined);
      return left.map((column) => `${SOURCE}: seal or sign ${table}.${column}, or say in ${FILE} why it is free`);
    });
    expect(missing).toEqual([]);
  });

  it('have the columns that are named, each once, and no others', () => {
    for (const table of new Set([...Object.keys(PROTECTIONS), ...Object.keys(TABLES)])) {
      const named = namedOf(table);
      expect(columns.get(table), `${table} is no table`).toBeDefined();
      expect(new Set(named).size, table).toBe(named.length);
      expect(
        named.filter((column) => columns.get(table)?.includes(column) !== true),
        table,
      ).toEqual([]);
    }
  });

  it('have a column for the signature exactly where something is signed', () => {
    for (const [table, all] of columns) expect(all.includes('mac'), table).toBe(PROTECTED[table]?.signed !== undefined);
  });

  it('forget a row when its time is over, or say what bounds their number', async () => {
    const now = new Date('2030-01-01T12:00:00Z');
    const store = await openStore({ url: ':memory:', clock: () => now });
    const { rows: triggers } = await store.database.execute(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`);
    for (const { name } of triggers) await store.database.execute(`DROP TRIGGER ${String(name)}`);
    const ends: Record<string, string> = { confirmations: 'done', subscriptions: 'ended' };
    const left: string[] = [];
    for (const [table, { kept }] of Object.entries(TABLES)) {
      if (!('for' in kept)) continue;
      await store.database.execute(`DELETE FROM ${table}`);
      const all = columns.get(table)!.filter((column) => column !== 'origin');
      const special: Record<string, string> = { state: `'${ends[table] ?? 'done'}'`, body: 'NULL' };
      const values = all.map((column) => special[column] ?? '0');
      await store.database.execute(`INSERT INTO ${table} (${all.join(', ')}) VALUES (${values.join(', ')})`);
    }
    // The newest subscription stays, so that no id comes twice.
    await store.database.execute(
      `INSERT INTO subscriptions (id, settings, created_at, slots_until) VALUES (1, '{}', 0, 0)`,
    );
    // What hangs on another one goes with it, an hour later at the most.
    for (const _ of [1, 2]) await forgetOld(store.database);
    for (const [table, { kept }] of Object.entries(TABLES)) {
      const { rows } = await store.database.execute(`SELECT count(*) AS rows FROM ${table}`);
      if ('for' in kept && rows[0]?.rows !== (table === 'subscriptions' ? 1 : 0))
        left.push(`src/store/forget.ts: ${table} is kept for ever, not for ${kept.for}`);
    }
    expect(left).toEqual([]);
    await store.close();
  });
});
