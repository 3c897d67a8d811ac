import { beforeAll, describe, expect, it } from 'vitest';
import { requestApproval, vote } from '../../../src/changes/approve.ts';
import { cancel } from '../../../src/changes/confirm.ts';
import { expire, notified, recover } from '../../../src/changes/recover.ts';
import { putBackDue, undo } from '../../../src/changes/undo.ts';
import type { Database } from '../../../src/store/database.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { PROTECTIONS, type Protection } from '../../../src/store/protection.ts';
import { ADA, asked, BEN, CYD, createFixture, type Fixture, MINUTE } from '../../changes/fixture.ts';

const KEY = 'nobody else knows this key';
const TABLES = ['confirmations', 'approvals', 'reversals', 'audit', 'audit_head'] as const;
const READER = { locale: 'en', timezone: 'UTC', now: new Date('2026-11-21T12:00:00Z') };
const EDITS = 500;
/** So many are tried together, and each alone. */
const AT_ONCE = 10;

type Row = Record<string, unknown>;
type Rows = Record<(typeof TABLES)[number], Row[]>;

/** The same numbers in every run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

/** Somebody can write to the store, does not know the key, and wants the bot to do something that nobody asked for. */
describe('whoever can write to the store', () => {
  let database: Database;
  let clock: () => Date;
  let world: { rows: Rows; older: Rows[]; servers: Map<string, string>; minutes: number };

  /** A process that knows nothing but the store. */
  async function start(): Promise<Fixture> {
    const open = async (now: () => Date) => {
      clock = now;
      return { ...database, close: async () => undefined };
    };
    return createFixture({}, { open, key: KEY });
  }

  async function read(): Promise<Rows> {
    const rows = {} as Rows;
    for (const table of TABLES) rows[table] = (await database.execute(`SELECT * FROM ${table}`)).rows;
    return rows;
  }

  async function write(rows: Rows): Promise<void> {
    for (const table of TABLES) {
      await database.execute(`DELETE FROM ${table}`);
      const [first] = rows[table];
      if (first === undefined) continue;
      const columns = Object.keys(first);
      await database.execute(
        `INSERT OR REPLACE INTO ${table} (${columns.join(', ')})
         SELECT ${columns.map((column) => `value ->> '${column}'`).join(', ')} FROM json_each(:rows)`,
        { rows: JSON.stringify(rows[table]) },
      );
    }
  }

  /** All that people may press and the clock does; what was sent to the platform by it. */
  async function act(fixture: Fixture): Promise<string[]> {
    for (const [name, power] of world.servers) fixture.servers.set(name, power);
    fixture.pass(world.minutes * MINUTE);
    const from = fixture.done.length;
    const round = async () => {
      for (const { confirmation } of await recover(fixture.changes)) await notified(fixture.changes, confirmation.id);
      await putBackDue(fixture.changes, READER);
    };
    await round();
    const ids = (await database.execute('SELECT id, target FROM confirmations ORDER BY id')).rows;
    for (const { id, target } of ids) await fixture.press(String(id), ADA, { typedName: String(target) });
    for (const { confirmation } of (await database.execute('SELECT confirmation FROM reversals')).rows)
      await undo(fixture.changes, String(confirmation), ADA, READER);
    fixture.pass(31 * MINUTE);
    await round();
    await expire(fixture.changes);
    return fixture.done.slice(from).sort();
  }

  beforeAll(async () => {
    database = await openDatabase({ url: ':memory:', clock: () => clock() });
    const fixture = await start();
    const { changes } = fixture;
    const ask = async (line: string) => asked(await fixture.type(line)).confirmation.id;
    const done = async (line: string) => {
      const { id } = await fixture.do(line);
      await notified(changes, id);
      return id;
    };
    const older: Rows[] = [];
    await undo(changes, await done('server set web idle'), ADA, READER);
    await ask('alarm test 5');
    fixture.pass(16 * MINUTE);
    for (const { id } of await expire(changes)) await notified(changes, id);
    older.push(await read());
    await ask('alarm test 1');
    await ask('backup delete old');
    await cancel(changes, await ask('alarm test 3'), ADA);
    await done('alarm test 4');
    await done('server set web on');
    await done('server set mail on --for 30m');
    await ask('server set billing on');
    older.push(await read());
    for (const [line, votes] of [
      ['server set billing idle', []],
      ['server set archive idle', [[BEN, 'approved']]],
      ['server set billing on', [[BEN, 'rejected']]],
      ['server set billing on', [[CYD, 'approved']]],
    ] as const) {
      const id = await ask(line);
      await requestApproval(changes, id, ADA, 'because');
      await notified(changes, id);
      older.push(await read());
      for (const [person, verdict] of votes) await vote(changes, id, person, verdict, 'so');
      await notified(changes, id);
    }
    for (const { id } of (await database.execute('SELECT id FROM confirmations')).rows)
      await notified(changes, String(id));
    world = { rows: await read(), older, servers: new Map(fixture.servers), minutes: 16 };
    // Whoever writes to the store drops the triggers that are in the way.
    for (const trigger of ['confirmations_begin', 'confirmations_move', 'reversals_begin', 'reversals_move'])
      await database.execute(`DROP TRIGGER ${trigger}`);
    for (const trigger of ['audit_stays', 'audit_keeps']) await database.execute(`DROP TRIGGER ${trigger}`);
  });

  /** One edit of rows, in words; undefined where it would change nothing. */
  function edit(rows: Rows, seed: number): { what: string; at: string } | undefined {
    const roll = dice(seed);
    const pick = <T>(all: readonly T[]): T => all[roll(all.length)]!;
    const table = pick(['confirmations', 'confirmations', 'approvals', 'reversals', 'audit'] as const);
    const all = rows[table];
    const row = pick(all);
    const { key, sealed = [], signed = [] }: Protection = PROTECTIONS[table];
    const at = String(row[key[0]!]);
    switch (roll(6)) {
      case 0: {
        rows[table] = all.filter((one) => one !== row);
        return { what: `${table} ${at} is deleted`, at };
      }
      case 1: {
        const other = pick(all);
        const copy = { ...other, [key[0]!]: table === 'audit' ? all.length + 1 : at };
        if (table === 'approvals') copy.confirmation = pick(rows.confirmations).id as string;
        if (all.some((one) => JSON.stringify(one) === JSON.stringify(copy))) return undefined;
        rows[table] = [...all.filter((one) => key.some((column) => one[column] !== copy[column])), copy];
        return { what: `${table} ${String(other[key[0]!])} is copied to ${String(copy[key[0]!])}`, at };
      }
      case 2: {
        const before = pick(world.older)[table].find((one) => key.every((column) => one[column] === row[column]));
        if (before === undefined || JSON.stringify(before) === JSON.stringify(row)) return undefined;
        all[all.indexOf(row)] = before;
        return { what: `${table} ${at} is put back as it was (${String(row.state)} → ${String(before.state)})`, at };
      }
      case 3: {
        const states =
          table === 'reversals' ? ['kept', 'open', 'claimed', 'done'] : ['asked', 'approved', 'done', 'sent'];
        const state = pick(states);
        if (!('state' in row) || row.state === state) return undefined;
        const more = { expires_at: 9e12, lease_until: 1, notify_after: 1, glass_broken: 1, due_at: 1 };
        for (const [column, value] of Object.entries(more)) if (column in row && roll(2) === 0) row[column] = value;
        row.state = state;
        return { what: `${table} ${at} becomes ${state}`, at };
      }
      case 4: {
        // Without a key that is how it looks.
        for (const column of sealed) row[column] = column === 'preview' ? '{"after":{}}' : '{"times":"9","server":"1"}';
        row.mac = pick([null, 'f'.repeat(64), row.mac]);
        return sealed.length === 0 ? undefined : { what: `${table} ${at} is written without a seal`, at };
      }
      default: {
        const column = pick(table === 'audit' ? ['actor', 'target', 'content', 'at'] : [...sealed, ...signed, 'mac']);
        const said = String(row.content).replace(/"outcome":"\w+"/, '"outcome":"failed"');
        const value =
          column === 'content' ? said : pick([pick(all)[column], pick(rows.confirmations).actor, 'UBEN', 1, null]);
        if (value === row[column] || (value === null && table === 'audit')) return undefined;
        row[column] = typeof row[column] === 'number' ? Number(value ?? 1) || 1 : value;
        return { what: `${table} ${at} has another ${column}`, at };
      }
    }
  }

  it('makes the bot send nothing by 500 edits of rows, and each is noticed or refused', async () => {
    await write(world.rows);
    const untouched = await act(await start());
    expect(untouched).toEqual(['alarm 1', 'billing off', 'billing on', 'deleted old', 'mail off', 'web off']);
    const sent: string[] = [];
    let noticed = 0;
    let together: { what: string; seed: number }[] = [];
    for (let seed = 1, edits = 0; edits < EDITS; seed += 1) {
      const rows = structuredClone(world.rows);
      const edited = edit(rows, seed);
      if (edited === undefined) continue;
      // The database refuses some by itself.
      if (!(await write(rows).then(yes, no))) continue;
      edits += 1;
      const { what, at } = edited;
      const fixture = await start();
      fixture.pass(world.minutes * MINUTE);
      const { problems, rows: wrong = [] } = await fixture.store.audit.verify();
      if (problems.length > 0 || wrong.length > 0) noticed += 1;
      else {
        await fixture.press(at, ADA, { typedName: 'old' });
        await undo(fixture.changes, at, ADA, READER);
        sent.push(...fixture.done.map((one) => `${what}, which nothing notices: ${one}`));
      }
      together.push({ what, seed });
      if (together.length < AT_ONCE) continue;
      // Several at once, and everybody presses everything.
      const all = structuredClone(world.rows);
      for (const one of together) edit(all, one.seed);
      const left = [...untouched];
      for (const one of (await write(all).then(yes, no)) ? await act(await start()) : [])
        if (left.includes(one)) left.splice(left.indexOf(one), 1);
        else sent.push(`${together.map((each) => each.what).join(', ')}: ${one}`);
      together = [];
    }
    expect(sent).toEqual([]);
    // The rest is refused when read, such as a change that is over and looks as if it waited.
    expect(noticed).toBeGreaterThan(EDITS * 0.8);
  }, 120_000);
});

const yes = () => true;
const no = () => false;
