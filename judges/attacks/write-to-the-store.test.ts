import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { requestApproval, vote } from '../../src/changes/approve.ts';
import { cancel } from '../../src/changes/confirm.ts';
import { expire, notified } from '../../src/changes/recover.ts';
import { undo } from '../../src/changes/undo.ts';
import { Secret } from '../../src/secret.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createReportLedger } from '../../src/store/report-ledger.ts';
import { createSeal } from '../../src/store/seal.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { ADA, asked, BEN, CYD, createFixture, type Fixture, MINUTE } from '../../test/changes/fixture.ts';
import { PLAIN } from '../../test/support/subscription.ts';
import { dice, edited, type Rows, type Shape, type World } from './random-edits.ts';

const KEY = 'nobody else knows this key';
const SEAL = createSeal(Secret.of(KEY));
const READER = { locale: 'en', timezone: 'UTC', now: new Date('2026-11-21T12:00:00Z') };
const EDITS = 500;

/** Somebody can write to the store, does not know the key, and wants the bot to do something that nobody asked for. */
describe('whoever can write to the store', () => {
  let database: Database;
  let clock = () => new Date('2026-11-21T12:00:00Z');
  let shape: Shape;
  let world: World & { servers: Map<string, string> };

  /** A process that knows nothing but the store. */
  async function start(): Promise<Fixture> {
    const open = async (now: () => Date) => {
      clock = now;
      return { ...database, close: async () => undefined };
    };
    const fixture = await createFixture({}, { open, key: KEY });
    if (world !== undefined) {
      for (const [name, power] of world.servers) fixture.servers.set(name, power);
      fixture.pass(16 * MINUTE);
    }
    return fixture;
  }

  async function read(): Promise<Rows> {
    const rows: Rows = {};
    for (const [table, columns] of Object.entries(shape)) {
      const names = columns.map(({ name }) => name);
      rows[table] = (await database.execute(`SELECT ${names.join(', ')} FROM ${table}`)).rows;
    }
    return rows;
  }

  async function write(rows: Rows): Promise<void> {
    for (const [table, all] of Object.entries(rows)) {
      await database.execute(`DELETE FROM ${table}`);
      const columns = shape[table]!;
      const values = columns.map(({ name }) => `value ->> '${name}'`);
      await database.execute(
        `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')})
         SELECT ${values.join(', ')} FROM json_each(:rows)`,
        { rows: JSON.stringify(all) },
      );
    }
  }

  /** All that people may press, and what the clock does: what was sent to the platform by it, and what would be posted. */
  async function act(): Promise<string[]> {
    const fixture = await start();
    const round = async () => {
      for (const { id } of await fixture.recover()) await notified(fixture.changes, id);
      await fixture.putBack();
    };
    await round();
    for (const { id, target } of world.rows.confirmations!)
      await fixture.press(String(id), ADA, { typedName: String(target) });
    for (const { confirmation } of world.rows.reversals!)
      await undo(fixture.changes, String(confirmation), ADA, READER);
    fixture.pass(31 * MINUTE);
    await round();
    await expire(fixture.changes);
    // Of the inbox: what another process would go on with, if it is what the bot has written there.
    await database.execute('UPDATE jobs SET holder = NULL, run_at = 0');
    const begun = (await fixture.store.jobs.claim(100)).map(({ key, body }) => {
      return body === undefined || body === payload(key) ? [] : [`${key} is taken for ${String(body)}`];
    });
    const posted: string[] = [];
    for (const one of await createSubscriptions(database, SEAL).list()) {
      const { id, report, channel, muted } = one;
      if ((await fixture.store.audit.doubt(one)) === undefined)
        posted.push(JSON.stringify({ id, report, channel, muted }));
    }
    return [...fixture.done, ...posted, ...begun.flat()];
  }

  beforeAll(async () => {
    database = await openDatabase({ url: ':memory:', clock: () => clock() });
    const fixture = await start();
    shape = await shapeOf(database);
    const { changes, store } = fixture;
    const subscriptions = createSubscriptions(database, SEAL, store.audit);
    const ledger = createReportLedger(database);
    const ask = async (line: string) => asked(await fixture.type(line)).confirmation.id;
    const done = async (line: string) => {
      const { id } = await fixture.do(line);
      await notified(changes, id);
      return id;
    };
    const older: Rows[] = [];
    const subscribe = (channel: string) =>
      subscriptions.add({ ...PLAIN, channel }, () => new Date('2026-11-21T13:00:00Z'));
    const ended = await subscribe('C1');
    await undo(changes, await done('server set web idle'), ADA, READER);
    await ask('alarm test 5');
    fixture.pass(16 * MINUTE);
    for (const { id } of await expire(changes)) await notified(changes, id);
    await fixture.type('server list');
    older.push(await read());
    await subscriptions.end(ended.id);
    const muted = await subscribe('C2');
    await subscribe('C3');
    for (const key of ['command:1', 'action:2']) await store.jobs.add({ kind: 'payload', key, body: payload(key) });
    older.push(await read());
    void store.jobs.release({ key: 'command:1', epoch: 1 });
    while ((await read()).jobs!.every(({ body }) => body !== null)) await new Promise(setImmediate);
    await ask('alarm test 1');
    await ask('backup delete old');
    await cancel(changes, await ask('alarm test 3'), ADA);
    await done('alarm test 4');
    await done('server set web on');
    await done('server set mail on --for 30m');
    await ask('server set billing on');
    older.push(await read());
    await subscriptions.mute(muted.id, { by: 'U2' });
    await ledger.open(muted, [
      { slot: new Date('2026-11-21T12:30:00Z'), state: 'due', notBefore: new Date('2026-11-21T12:30:00Z') },
    ]);
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
      await store.approvals.copied(id, { channel: 'D1', ts: '1.1' });
    }
    for (const { id } of (await database.execute('SELECT id FROM confirmations')).rows)
      await notified(changes, String(id));
    // Whoever writes to the store drops the triggers that are in the way.
    for (const { name } of (await database.execute(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`)).rows)
      if (name !== 'audit_grows') await database.execute(`DROP TRIGGER ${String(name)}`);
    world = { rows: await read(), older, shape, servers: new Map(fixture.servers) };
  });

  it('makes the bot send and post nothing by 500 edits of rows', async () => {
    await write(world.rows);
    const untouched = await act();
    const tables = new Set<string>();
    const wrong: string[] = [];
    for (let seed = 1, edits = 0; edits < EDITS; seed += 1) {
      const { what, rows } = edited(world, dice(seed));
      const changed = Object.keys(rows).filter((table) => !isDeepStrictEqual(rows[table], world.rows[table]));
      // The database refuses some by itself, and some change nothing.
      if (changed.length === 0 || !(await write(rows).then(yes, no))) continue;
      edits += 1;
      for (const table of changed) tables.add(table);
      wrong.push(...without(await act(), untouched).map((one) => `${what}: ${one}`));
    }
    expect(wrong).toEqual([]);
    expect([...tables].sort()).toEqual(
      Object.keys(world.rows)
        .filter((table) => world.rows[table]!.length > 0)
        .sort(),
    );
  }, 300_000);
});

/** The work of a delivery, which is of that one alone. */
const payload = (key: string) => `what ${key} asks for`;

/** Each is taken away once. */
function without(all: readonly string[], those: readonly string[]): string[] {
  const left = [...those];
  return all.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Of every table that there is: whoever writes to the store reads it there. */
async function shapeOf(database: Database): Promise<Shape> {
  const { rows } = await database.execute(
    `SELECT m.name AS "table", c.name, c.type, c.pk FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid`,
  );
  const shape: Shape = {};
  for (const { table, name, type, pk } of rows)
    shape[String(table)] = [
      ...(shape[String(table)] ?? []),
      { name: String(name), type: String(type), isKey: pk !== 0 },
    ];
  return shape;
}

const yes = () => true;
const no = () => false;
