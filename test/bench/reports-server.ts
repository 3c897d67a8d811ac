/** The bot in a process of its own with a hundred subscriptions that are due at the same moment: `reports-server.ts <json>`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config.ts';
import { nextSlotOf } from '../../src/delivery/scheduler.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { openStore } from '../../src/store/store.ts';
import { createSubscriptions, type SubscriptionSettings } from '../../src/store/subscriptions.ts';

/** What the bench tells the bot's process. */
export interface ReportsSetting {
  environment: Record<string, string>;
  subscriptions: SubscriptionSettings[];
  /** The process's clock is so far ahead, in milliseconds. */
  ahead: number;
  /** Unix milliseconds by that clock: when everything has been subscribed to. */
  subscribedAt: number;
}

/** To do what is due, or to say how it went. */
export interface ReportsQuestion {
  kind: 'tick' | 'state';
}

/** What it answers, also at first. */
export interface ReportsState {
  port: number;
  /** How long its main thread was held at most since the tick, in milliseconds. */
  held: number;
  /** Everything that was due has been settled; an error summary may have nothing to say. */
  done: boolean;
}

const setting = JSON.parse(process.argv[2] ?? '{}') as ReportsSetting;
const folder = mkdtempSync(join(tmpdir(), 'edgewise-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const url = `file:${join(folder, 'edgewise.db')}`;
const database = await openDatabase({ url, clock: () => new Date(setting.subscribedAt) });
const subscriptions = createSubscriptions(database);
for (const settings of setting.subscriptions) await subscriptions.add(settings, nextSlotOf(settings));
await database.close();

const now = () => new Date(Date.now() + setting.ahead);
const app = await startApp(parseConfig({ ...setting.environment, STORE_URL: url, PORT: '0', LOG_LEVEL: 'warn' }), {
  now,
  write: (line) => process.stderr.write(line),
  openStore: (given) => openStore({ ...given, clock: now }),
});
const RESOLUTION = 5;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
let done = false;
const state = (): ReportsState => ({ port: app.port, held: Math.max(0, delay.max / 1e6 - RESOLUTION), done });
process.on('message', ({ kind }: ReportsQuestion) => {
  if (kind === 'tick') {
    delay.enable();
    void app.tick().then(() => {
      done = true;
    });
  }
  process.send?.(state());
});
process.on('disconnect', () => process.exit(0));
process.send?.(state());
