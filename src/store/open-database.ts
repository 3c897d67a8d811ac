import { currentInteraction } from '../interaction.ts';
import type { Observe } from '../observe.ts';
import { StartError } from '../start-error.ts';
import { type Database, type Engine, observed } from './database.ts';
import { createGuard, type PATIENCE, unhurried } from './guard.ts';
import { beat, createSelf } from './jobs.ts';
import { pathOf } from './opening.ts';
import { openServer, type Server } from './postgres.ts';
import { SCHEMA_HASH } from './schema.ts';
import { lockFile, openFile } from './sqlite.ts';
import type { StoreError } from './store-error.ts';

/** `url`: `file:` and a path, or `postgres://…` */
export interface StoreOptions extends Server {
  /** Called with the trouble when an outage begins, and without it when the store answers again. */
  onTrouble?: ((trouble?: StoreError) => void) | undefined;
  /** Only for tests. */
  patience?: Partial<typeof PATIENCE> | undefined;
  /** Measures each statement. */
  observe?: Observe | undefined;
}

/** `:memory:` is for tests. */
const isFile = ({ url }: StoreOptions): boolean => url.startsWith('file:') || url === ':memory:';

/**
 * Opens the store, and makes the tables of a new one. A file belongs to one process. Throws StartError for a store that is in use or
 * of another version, and errors of the engine, the network or the server.
 */
export async function openDatabase(options: StoreOptions): Promise<Database> {
  const unlock = options.url.startsWith('file:') ? lockFile(pathOf(options.url)) : undefined;
  const opened = connect(options);
  const database = {
    ...opened.database,
    async close() {
      await opened.database.close();
      unlock?.();
    },
  };
  try {
    await makeTables(opened.engine);
    await beat(database, database.self);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * The same store. For a file it is another connection, which does not wait for the disk at each statement. A crash of the process
 * loses nothing. What a power failure loses has to be looked up or is asked for again.
 */
export function openQuick(options: StoreOptions, database: Database): Database {
  return options.url.startsWith('file:') ? connect(options, database, 'NORMAL').database : database;
}

/**
 * For work that nobody waits for: one statement for each turn of the event loop. An embedded store runs on the main thread, so a
 * hundred reports that begin together would block it until the last one has its claim.
 */
export function yielding(database: Database): Database {
  let last: Promise<void> = Promise.resolve();
  return {
    ...database,
    async execute(sql, args) {
      last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
      await last;
      const run = () => database.execute(sql, args);
      return currentInteraction() === undefined ? unhurried(run) : run();
    },
  };
}

/** A connection. It shares the guard and the process of `known`. */
function connect(
  options: StoreOptions,
  known?: Database,
  synchronous: 'FULL' | 'NORMAL' = 'FULL',
): { database: Database & Required<Pick<Database, 'self'>>; engine: Engine } {
  const { url, password, ca, clock, onTrouble, patience, observe } = options;
  const self = known?.self ?? createSelf(!isFile(options));
  const file = self.isShared ? undefined : openFile(pathOf(url), { clock, synchronous, process: self.id });
  const engine = file ?? openServer({ url, password, ca, clock, process: self.id });
  const guard =
    known?.guard ??
    createGuard({
      isServer: file === undefined,
      probe: () => engine.execute('UPDATE schema_hash SET hash = hash WHERE 1 = 0'),
      onTrouble,
      patience,
    });
  const guarded = {
    execute: (sql, args) => guard.run(() => engine.execute(sql, args)),
    together: (statements) => guard.run(() => engine.together(statements)),
  } satisfies Pick<Database, 'execute' | 'together'>;
  let before: Promise<unknown> = Promise.resolve();
  /** On a server one connection at a time waits for a lock, and the others stay free. */
  const queued = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = before.then(work);
    before = mine.catch(() => undefined);
    return mine;
  };
  const database = {
    ...engine,
    self,
    guard,
    ...guarded,
    inTurn: (key, work) =>
      file === undefined ? guard.run(() => queued(() => engine.inTurn(key, work))) : queued(() => work(guarded)),
    fill: (statements) => guard.run(() => engine.fill(statements)),
    async close() {
      guard.close();
      await engine.close();
    },
  } satisfies Database;
  return { database: observed(database, observe), engine };
}

/** The first replica makes the tables of a new store. Throws StartError if those of another version are there. */
function makeTables(engine: Engine): Promise<void> {
  return engine.inTurn('tables', async ({ execute, together }) => {
    if (!(await engine.isMade()))
      await together([
        ...engine.schema.map((sql) => ({ sql })),
        { sql: 'INSERT INTO schema_hash (hash) VALUES (:hash)', args: { hash: SCHEMA_HASH } },
      ]);
    const { rows } = await execute('SELECT hash FROM schema_hash');
    if (rows[0]?.hash !== SCHEMA_HASH)
      throw new StartError(
        'store',
        'The store was written by another version of Edgewise. Start that version, or name a new store in STORE_URL.',
      );
  });
}
