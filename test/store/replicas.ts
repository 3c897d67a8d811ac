import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { type PlatformSimulator, startPlatformSimulator } from '../../playground/platform/simulator.ts';
import { Secret } from '../../src/secret.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';

/** A kind of store that the same tests run on. */
export interface StoreKind {
  name: string;
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

/** A libSQL server that is spoken to over HTTP, as several replicas do: one of the simulator's databases. */
export const server: StoreKind = {
  name: 'a libSQL server',
  several: true,
  async prepare() {
    running ??= startPlatformSimulator();
    const simulator = await running;
    const { url, seeded } = simulator.account.databases[1]!;
    const open: Database[] = [];
    await empty(url, seeded.fullAccess);
    return {
      async open(clock) {
        const opened = await openDatabase({ url, authToken: Secret.of(seeded.fullAccess), clock });
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

/** Shared by the tests of a file: it starts its databases in processes of their own. */
let running: Promise<PlatformSimulator> | undefined;

/** Removes what an earlier test left. */
async function empty(url: string, authToken: string): Promise<void> {
  const client = createClient({ url, authToken });
  const { rows } = await client.execute(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  await client.batch(
    rows.map((row) => `DROP TABLE "${String(row.name)}"`),
    'write',
  );
  client.close();
}
