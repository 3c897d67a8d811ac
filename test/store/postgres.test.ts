import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAudit } from '../../src/store/audit.ts';
import { unhurried } from '../../src/store/guard.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { sslModeOf } from '../../src/store/postgres.ts';
import { openStore } from '../../src/store/store.ts';
import { HAS_POSTGRES, type Postgres, somePostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

it.each([
  ['postgres://db.example/edgewise', 'verify-full'],
  ['postgres://10.0.0.5/edgewise', 'verify-full'],
  ['postgres://localhost.example/edgewise', 'verify-full'],
  ['postgres://127.0.0.1:5432/edgewise', 'disable'],
  ['postgres://[::1]/edgewise', 'disable'],
  ['postgres://db.example/edgewise?sslmode=disable', 'disable'],
])('a server at %s is reached with sslmode %s', (url, mode) => {
  expect(sslModeOf(new URL(url))).toBe(mode);
});

describe.skipIf(!HAS_POSTGRES)(`a store on a server${WITHOUT_POSTGRES}`, () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await somePostgres();
  });
  afterAll(() => postgres.close());

  it('without TLS is not taken for one that has it', async () => {
    await expect(openStore({ url: `${postgres.url}?sslmode=verify-full` })).rejects.toThrow(/has no TLS\. Write/);
  });

  it('is reached through PgBouncer, which refuses other settings in the first message, and keeps its limits there', async () => {
    const address = new URL(postgres.url);
    const { hostname, port } = address;
    const allowed = ['user', 'database', 'client_encoding', 'application_name', ''];
    const pooler = createServer((client) => {
      client.once('data', (first) => {
        const names = first.toString('latin1', 8).split('\0');
        if (!names.every((name, at) => at % 2 === 1 || allowed.includes(name))) return client.destroy();
        const server = connect(Number(port), hostname, () => server.write(first));
        server.on('error', () => client.destroy());
        client.on('error', () => server.destroy());
        client.pipe(server).pipe(client);
      });
    });
    await once(pooler.listen(0, '127.0.0.1'), 'listening');
    address.port = String((pooler.address() as AddressInfo).port);
    const database = await openDatabase({ url: address.href });
    const names = ['statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout'];
    const { rows } = await database.execute(
      `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`,
    );
    expect(Object.values(rows[0]!)).toEqual(['15s', '15s', '5s']);
    await database.close();
    pooler.close();
  });

  it('of before version 15 is refused', async () => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(
      `CREATE SCHEMA old; CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql AS 'SELECT ''140012'''`,
    );
    await client.end();
    const opened = openStore({ url: `${postgres.url}?options=-c%20search_path%3Dold%2Cpg_catalog` });
    await expect(opened).rejects.toThrow('the server is PostgreSQL 14. Use version 15 or later.');
    await expect(opened).rejects.toMatchObject({ kind: 'settings' });
  });

  it('tells its other replicas, and again once a connection that was cut is back', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => openDatabase({ url: postgres.url })));
    let heard = 0;
    const more = (than: number) => expect.poll(() => heard, { timeout: 10_000 }).toBeGreaterThan(than);
    one!.onTold(() => {
      heard += 1;
    });
    await more(0);
    for (const cut of [false, true]) {
      if (cut) {
        const before = heard;
        await other!.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
        await more(before);
      }
      const before = heard;
      await other!.tell();
      await more(before);
    }
    await Promise.all([one!.close(), other!.close()]);
  });

  it('keeps its connections while it is so busy that statements are given up', async () => {
    const database = await openDatabase({ url: postgres.url, patience: { statement: 100, failures: 1_000 } });
    const other = new pg.Client({ connectionString: postgres.url });
    await other.connect();
    const connections = async () => {
      const sql = "SELECT pid, state FROM pg_stat_activity WHERE application_name = 'edgewise' AND query LIKE '%busy%'";
      return (await other.query(sql)).rows as { pid: number; state: string }[];
    };
    const pids = async () => {
      await expect.poll(async () => (await connections()).every(({ state }) => state === 'idle')).toBe(true);
      return (await connections()).map(({ pid }) => pid).sort();
    };
    const ask = () => database.execute('SELECT pg_sleep(0.3) AS busy');
    await unhurried(() => Promise.all(Array.from({ length: 30 }, ask)));
    const before = await pids();
    expect(before).toHaveLength(10);
    const ended = await Promise.allSettled(Array.from({ length: 30 }, ask));
    expect(ended.map(({ status }) => status)).not.toContain('fulfilled');
    expect(await pids()).toEqual(before);
    await other.end();
    await database.close();
  });

  it('is read while many entries of the audit wait for another replica', async () => {
    const database = await openDatabase({ url: postgres.url, patience: { statement: 20_000 } });
    const audit = createAudit(database);
    const other = new pg.Client({ connectionString: postgres.url });
    await other.connect();
    await other.query(`BEGIN; SELECT pg_advisory_xact_lock(${0xed6e}, hashtext('audit'))`);
    const entry = { actor: 'U1', team: 'T1', channel: 'C1', operation: 'zone show', target: 'shop', given: {} };
    let ended = 0;
    const waiting = Array.from({ length: 30 }, () =>
      audit.append({ ...entry, outcome: 'done', detail: '' }).finally(() => {
        ended += 1;
      }),
    );
    const waiters = async () => (await other.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length;
    await expect.poll(waiters).toBeGreaterThan(0);
    expect((await database.execute('SELECT 1 AS here')).rows).toEqual([{ here: 1 }]);
    expect(ended).toBe(0);
    await other.query('COMMIT');
    await other.end();
    await Promise.all(waiting);
    expect((await audit.verify()).entries).toBe(30);
    await database.close();
  });
});
