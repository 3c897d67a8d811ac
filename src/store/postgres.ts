import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { backoff, retry } from '../retry.ts';
import type { Secret } from '../secret.ts';
import { StartError } from '../start-error.ts';
import type { Args, Engine, Rows, Statement } from './database.ts';
import { statementSignal } from './guard.ts';
import { INDEXES, TABLES, TRIGGERS, type Trigger } from './schema.ts';

export interface Server {
  /** `postgres://user@host:5432/database?sslmode=verify-full`. */
  url: string;
  password?: Secret | undefined;
  /** The certificate of the server’s issuer, in PEM. */
  ca?: string | undefined;
  /** Only for tests: replaces the clock of the store. */
  clock?: (() => Date) | undefined;
}

/** Separates Edgewise’s advisory locks from others on the same database. */
const FAMILY = 0xed6e;
/** Every running bot holds this lock, shared. */
const BOT = `${FAMILY}, hashtext('bot')`;

/**
 * Opens a pool, without asking the server anything yet. Isolation is READ COMMITTED: a statement sees what is committed when it begins,
 * and checks its conditions again on a row that was changed meanwhile. So decisions are conditions on the row itself, or are made
 * `inTurn`. Errors have the `code` of PostgreSQL (SQLSTATE) or of the system.
 */
export function openServer({ clock, process, ...server }: Server & { process: string }): Engine {
  const settings = {
    ...addressOf(server),
    application_name: 'edgewise',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  };
  const pool = new pg.Pool({
    ...settings,
    max: 10,
    types: {
      // Numbers as numbers, and booleans as 1 and 0, as SQLite has them.
      getTypeParser: (type, format) => {
        if (type === pg.types.builtins.INT8 || type === pg.types.builtins.NUMERIC) return Number;
        if (type === pg.types.builtins.BOOL) return (value: string) => (value === 't' ? 1 : 0);
        return pg.types.getTypeParser(type, format);
      },
    },
    // Longer than anybody waits, so that statements that were given up end too. PgBouncer refuses these in the first message.
    onConnect: (client) =>
      client.query(
        "SET statement_timeout = '15s'; SET idle_in_transaction_session_timeout = '15s'; SET lock_timeout = '5s'",
      ),
    // A server that does not even end the statement is gone, so the connection is closed.
    query_timeout: 20_000,
  });
  // An idle connection broke. The next statement opens another one.
  pool.on('error', () => undefined);

  async function using<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const signal = statementSignal();
    const client = await pool.connect();
    if (signal?.aborted === true) {
      // The statement was given up while it waited for a connection. The connection works and is kept.
      client.release();
      throw signal.reason;
    }
    // If a used connection breaks, its statement fails anyway.
    const broken = () => undefined;
    client.on('error', broken);
    let failed: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      // A server that refuses writes is a standby. The next connection may reach the primary.
      if (!(error instanceof pg.DatabaseError) || error.code === '25006') failed = error as Error;
      throw error;
    } finally {
      client.off('error', broken);
      client.release(failed);
    }
  }

  const query = async (client: pg.PoolClient, sql: string, args: Args = {}): Promise<Rows> => {
    const { rows, rowCount } = await client.query(written(sql, { process, ...args }, clock?.().getTime()));
    return { rows, changed: rowCount ?? 0 };
  };

  async function runAll(client: pg.PoolClient, statements: readonly Statement[]): Promise<Rows[]> {
    const done: Rows[] = [];
    for (const one of statements)
      done.push(
        one.follows === true && done.at(-1)?.changed === 0
          ? { rows: [], changed: 0 }
          : await query(client, one.sql, one.args),
      );
    return done;
  }

  async function transaction<T>(client: pg.PoolClient, begin: string, work: () => Promise<T>): Promise<T> {
    await client.query(begin);
    try {
      const result = await work();
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  let listening: pg.Client | undefined;
  /** Listens on its own connection until that ends. */
  async function listen(listener: () => void): Promise<void> {
    listening = new pg.Client(settings);
    const ended = new Promise((resolve) => listening!.once('end', resolve));
    listening.on('error', () => undefined).on('notification', listener);
    try {
      await listening.connect();
      await listening.query(`LISTEN edgewise; SELECT pg_advisory_lock_shared(${BOT})`);
    } catch (error) {
      await listening.end().catch(() => undefined);
      throw error;
    }
    // Earlier notifications were not received.
    listener();
    await ended;
  }

  return {
    execute: (sql, args) => untilFree(() => using((client) => query(client, sql, args))),
    together: (statements) =>
      untilFree(() => using((client) => transaction(client, 'BEGIN', () => runAll(client, statements)))),
    inTurn(key, work) {
      const lock = `BEGIN; SELECT pg_advisory_xact_lock(${FAMILY}, hashtext('${key}'))`;
      return untilFree(() =>
        using((client) =>
          transaction(client, lock, () =>
            work({
              execute: (sql, args) => query(client, sql, args),
              together: (statements) => runAll(client, statements),
            }),
          ),
        ),
      );
    },
    schema: [...TABLES, ...INDEXES, ...TRIGGERS.map(triggerOf)],
    async isMade() {
      const sql =
        "SELECT to_regclass('schema_hash') IS NOT NULL AS made, current_setting('server_version_num') AS version";
      const { rows } = await using((client) => client.query(sql));
      const version = Math.floor(rows[0].version / 10_000);
      if (version < 15)
        throw new StartError('settings', `STORE_URL: the server is PostgreSQL ${version}. Use version 15 or later.`);
      return rows[0].made === 1;
    },
    async fill(statements) {
      const all = (how: string) =>
        TRIGGERS.map(({ name, table }) => ({ sql: `ALTER TABLE ${table} ${how} TRIGGER ${name}` }));
      await using((client) =>
        transaction(client, 'BEGIN', () => runAll(client, [...all('DISABLE'), ...statements, ...all('ENABLE')])),
      );
    },
    tell: () =>
      using((client) => client.query('NOTIFY edgewise')).then(
        () => undefined,
        () => undefined,
      ),
    async onTold(listener) {
      const pauseAfter = (_: unknown, attempt: number) =>
        pool.ending ? undefined : backoff(attempt, { first: 250, most: 10_000 });
      const wait = (pause: number) => sleep(pause, undefined, { ref: false });
      while (!pool.ending) await retry(() => listen(listener), wait, pauseAfter).catch(() => undefined);
    },
    async isUsed() {
      const { rows } = await using((client) => client.query(`SELECT pg_try_advisory_xact_lock(${BOT}) AS free`));
      return rows[0].free === 0;
    },
    async close() {
      // The background connection shares the pool and closes it, too.
      if (pool.ending) return;
      await Promise.all([pool.end(), listening?.end()]);
    },
  };
}

/** Its `sslmode`, as in libpq. Without one the server is verified, unless it is on this machine. */
export const sslModeOf = (address: URL): string =>
  address.searchParams.get('sslmode') ??
  (/^(localhost|127(\.\d+){3}|\[::1\])$/.test(address.hostname) ? 'disable' : 'verify-full');

/** `require` needs TLS, and verifies the certificate only with STORE_CA. */
function addressOf({ url, password, ca }: Server): pg.PoolConfig {
  const address = new URL(url);
  const mode = sslModeOf(address);
  address.searchParams.delete('sslmode');
  const trusted = ca === undefined ? {} : { ca };
  const ssl = {
    disable: false as const,
    require: { ...trusted, rejectUnauthorized: ca !== undefined, checkServerIdentity: () => undefined },
    'verify-ca': { ...trusted, checkServerIdentity: () => undefined },
    'verify-full': trusted,
  }[mode];
  return {
    connectionString: address.href,
    ...(password === undefined ? {} : { password: password.reveal() }),
    ...(ssl === undefined ? {} : { ssl }),
  };
}

/** The statement in PostgreSQL’s form. Each value needs its type. */
function written(sql: string, args: Args, time: number | undefined): pg.QueryConfig {
  const values: unknown[] = [];
  const places = new Map<string, string>();
  const placeOf = (name: string): string => {
    if (/^now$/.test(name))
      return time === undefined ? '(extract(epoch from clock_timestamp()) * 1000)::bigint' : String(time);
    const value = args[name];
    if (value === undefined) throw new Error(`The statement names :${name}, which is not given.`);
    if (value === null) return 'NULL';
    const known = places.get(name);
    if (known !== undefined) return known;
    values.push(value);
    const type = typeof value === 'string' ? 'text' : Number.isInteger(value) ? 'bigint' : 'float8';
    places.set(name, `$${values.length}::${type}`);
    return places.get(name)!;
  };
  const text = dialect(sql).replace(/(?<!:):(\w+)/g, (_, name: string) => placeOf(name));
  return { text, values };
}

const known = new Map<string, string>();

/** Translates what SQLite and PostgreSQL write differently. */
function dialect(sql: string): string {
  const done = known.get(sql);
  if (done !== undefined) return done;
  const text = sql
    .replace(/\bROWS\(:(\w+), ([^():]*)\) AS (\w+)/g, 'json_to_recordset(:$1::json) AS $3($2)')
    .replace(/\bLIST\(:(\w+)\)/g, '(SELECT json_array_elements_text(:$1::json))')
    .replace(/\b(\w+(?:\.\w+)?)(?= ->>? ')/g, '$1::json')
    .replace(/\bINTEGER\b/g, 'BIGINT');
  known.set(sql, text);
  return text;
}

/** PostgreSQL aborts one of two deadlocked statements. It did nothing, so it is tried again. */
const untilFree = <T>(run: () => Promise<T>): Promise<T> =>
  retry(run, sleep, (error, attempt) =>
    (error as { code?: unknown }).code === '40P01' && attempt < 10 && statementSignal()?.aborted !== true
      ? Math.random() * 10 * attempt
      : undefined,
  );

const triggerOf = ({ name, table, event, where = 'true', does }: Trigger): string =>
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF ${where} THEN ${'run' in does ? does.run : `RAISE EXCEPTION '${does.refuse}'`}; END IF; RETURN coalesce(new, old); END $$;
   CREATE TRIGGER ${name} ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${name}()`;
