import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { HAS_POSTGRES, type Postgres, somePostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';

/** A kind of store that the same tests run on. */
export interface StoreKind {
  name: string;
  /** There is none on this system. */
  isMissing: boolean;
  /** Whether several connections may be open at the same time. */
  several: boolean;
  /** Prepares an empty store. */
  prepare(): Promise<OpenStore>;
  /** Stops what the stores of this kind share. */
  end(): Promise<void>;
}

/** An empty store: `open` opens a connection as another replica would, `close` closes all of them and removes it. */
export interface OpenStore {
  open(clock?: () => Date): Promise<Database>;
  close(): Promise<void>;
}

/** A file on this machine. */
export const embedded: StoreKind = {
  name: 'an embedded store',
  isMissing: false,
  several: false,
  async prepare() {
    const folder = await mkdtemp(join(tmpdir(), 'edgewise-store-'));
    const open: Database[] = [];
    return {
      async open(clock) {
        const database = await openDatabase({ url: `file:${join(folder, 'edgewise.db')}`, clock });
        open.push(database);
        return database;
      },
      async close() {
        for (const database of open) await database.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
  end: async () => undefined,
};

/** A PostgreSQL server, as several replicas share one. */
const server: StoreKind = {
  name: `a PostgreSQL server${WITHOUT_POSTGRES}`,
  isMissing: !HAS_POSTGRES,
  several: true,
  async prepare() {
    running ??= somePostgres();
    const url = await (await running).fresh();
    const open: Database[] = [];
    return {
      async open(clock) {
        // A busy machine takes its time to begin so many connections.
        const opened = await openDatabase({ url, clock, patience: { statement: 20_000 } });
        open.push(opened);
        return opened;
      },
      async close() {
        for (const database of open) await database.close();
      },
    };
  },
  async end() {
    await (await running)?.close();
    running = undefined;
  },
};

/** Declares the same tests for each kind of store. */
export function onEachKind(tests: (kind: StoreKind) => void): void {
  for (const kind of [embedded, server])
    describe.skipIf(kind.isMissing)(`on ${kind.name}`, () => {
      afterAll(() => kind.end());
      tests(kind);
    });
}

/** Shared by the tests of a file. */
let running: Promise<Postgres> | undefined;
