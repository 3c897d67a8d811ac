import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../playground/launcher/bot-process.ts';
import {
  type PlatformSimulator,
  type RecordedRequest,
  startPlatformSimulator,
} from '../../playground/platform/simulator.ts';
import { type SlackEmulator, startSlackEmulator } from '../../playground/slack/emulator.ts';
import type { Conversation } from '../../playground/slack/people/person.ts';
import { Secret } from '../../src/secret.ts';
import { type Audit, createAudit } from '../../src/store/audit.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createSeal } from '../../src/store/seal.ts';
import { createKillableBot, type KillableBot } from '../../test/support/built-bot.ts';
import { isTrial } from '../../test/support/changes.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { type CountingProxy, createCountingProxy } from './proxy.ts';

/** Slack takes one message a second in each channel: so the changes are made all over the place. */
const CHANNELS = ['ops', 'releases', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8'];

/** What Ada does on the zone `docs` wants Ben's approval, on `staging` Cyd's too; everything else is hers to do alone. */
const POLICY = `
approval:
  - operations: [ssl force]
    where: { zone: docs }
    approvers: { people: [U0BEN000002] }
    breakGlass: { channel: C0RELEASES2 }
  - operations: [ssl force]
    where: { zone: staging }
    approvers: { people: [U0BEN000002, U0CYD000004] }
    count: 2
  - operations: [app delete]
    where: { app: held-* }
    approvers: { people: [U0BEN000002] }
roles:
  all:
    people: [U0ADA000001, U0BEN000002, U0CYD000004]
    allow: ['*']
`;

/** A platform, a Slack, a store on a PostgreSQL server, and the bot behind the counting proxy. */
const KEY = 'a key for this test only';
/** As the bot seals and signs. */
export const SEAL = createSeal(Secret.of(KEY));

export interface World {
  platform: PlatformSimulator;
  slack: SlackEmulator;
  proxy: CountingProxy;
  bot: KillableBot;
  /** The bot's store, not by way of the proxy. */
  database: Database;
  audit: Audit;
  /** Counts the changes, so that each has names of its own. */
  turn(): number;
  /** The next channel, as Ada sees it. */
  channel(): Conversation;
  /** What changed something at the platform since its `from`-th request; the bot's own store and what is only tried left out. */
  writes(from: number): RecordedRequest[];
  /** What came to its end so far is told, so that nobody tells it once more in between. */
  settle(): Promise<void>;
  /** Lets the leases of a dead process run out at once, and the pause before what failed. */
  age(): Promise<void>;
  close(): Promise<void>;
}

export async function startWorld(main: string): Promise<World> {
  const platform = await startPlatformSimulator({ faults: ['deletion=1'] });
  const proxy = createCountingProxy();
  const [shop] = platform.account.databases;
  if (shop === undefined) throw new Error('the account has no databases');
  const store = await startPostgres('fsync=off', 'full_page_writes=off');
  const urls = {
    slack: await proxy.open('slack', ''),
    api: await proxy.open('api', platform.urls.api),
    originLogs: await proxy.open('origin-logs', platform.urls.originLogs),
    logging: await proxy.open('logging', platform.urls.logging),
    shop: await proxy.open('database', shop.url),
    store: await proxy.openStore(store.url),
  };
  shop.url = urls.shop;
  const slack = await startSlackEmulator({
    publicUrl: `${urls.slack}/`,
    workspace: {
      users: [{ id: 'U0CYD000004', name: 'cyd' }],
      channels: CHANNELS.slice(2).map((name) => ({ name })),
    },
    patience: 20_000,
    ackTimeout: 20_000,
  });
  proxy.redirect('slack', slack.url.replace(/\/$/, ''));
  const folder = await mkdtemp(join(tmpdir(), 'edgewise-kill-'));
  await writeFile(join(folder, 'policy.yml'), POLICY);
  await writeFile(join(folder, 'token.env'), '', { mode: 0o600 });
  const port = await freePort();
  const bot = createKillableBot(main, {
    ...platform.environment,
    ...slack.environment,
    PLATFORM_API_URL: urls.api,
    PLATFORM_DATABASE_API_URL: `${urls.api}/database`,
    PLATFORM_ORIGIN_LOGS_URL: urls.originLogs,
    PLATFORM_LOGGING_URL: urls.logging,
    PLATFORM_DATABASE_HOST: new URL(urls.shop).host,
    STORE_URL: urls.store,
    POLICY_FILE: join(folder, 'policy.yml'),
    TOKEN_ENV_FILE: join(folder, 'token.env'),
    EDGEWISE_ENCRYPTION_KEY: KEY,
    PORT: String(port),
    LOG_LEVEL: 'info',
  });
  slack.deliverTo({ eventsUrl: `http://127.0.0.1:${port}/slack/events` });
  const database = await openDatabase({ url: store.url });
  let turns = 0;
  return {
    platform,
    slack,
    proxy,
    bot,
    database,
    audit: createAudit(database, SEAL),
    turn: () => {
      turns += 1;
      return turns;
    },
    channel: () => slack.person('ada').in(`#${CHANNELS[turns % CHANNELS.length]}`),
    writes: (from) => platform.requests.slice(from).filter((request) => request.applied && !isTrial(request)),
    async settle() {
      await database.execute("UPDATE jobs SET body = NULL WHERE kind = 'change'");
    },
    async age() {
      await database.execute('UPDATE jobs SET lease_until = 1 WHERE lease_until IS NOT NULL');
      await database.execute("UPDATE jobs SET run_at = 1 WHERE kind = 'change' AND body IS NOT NULL");
      // What could not be done is tried again in a minute; what is not due yet is found not to be.
      await database.execute(
        "UPDATE jobs SET run_at = 1 WHERE kind IN ('reversal', 'planned') AND holder IS NULL AND body IS NOT NULL",
      );
    },
    async close() {
      bot.kill();
      await bot.gone();
      await database.close();
      await proxy.close();
      await store.close();
      await slack.close();
      await platform.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
