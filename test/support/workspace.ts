import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  type PlatformSimulator,
  type SimulatorOptions,
  startPlatformSimulator,
} from '../../playground/platform/simulator.ts';
import { type EmulatorOptions, type SlackEmulator, startSlackEmulator } from '../../playground/slack/emulator.ts';
import { type App, type Outside, startApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config.ts';
import { EVENTS, SCOPES } from '../../src/manifest.ts';
import { createPlatform, type PlatformOptions } from '../../src/platform/client.ts';
import type { Allowance } from '../../src/slack/in/allowance.ts';
import { createHttpServer } from '../../src/slack/in/http-server.ts';
import { SOCKET_TIMES, type SocketTimes } from '../../src/slack/in/socket-mode.ts';
import type { StopPatience } from '../../src/stop.ts';
import type { Jobs } from '../../src/store/jobs.ts';
import type { StoreOptions } from '../../src/store/open-database.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { unreadableIn } from './readable.ts';

/** How long a wait lasts at the most, in milliseconds: longer than a busy machine needs. */
const PATIENCE = 60_000;

/**
 * How far a delivery comes: it is written down, or that takes a while, and it is not begun; it is written down, and the store’s word for it is lost; it is
 * answered, and nothing says so.
 */
export type Stage = 'written' | 'slowly written' | 'unsaid' | 'answered';

/** A whole workspace in one process: the simulator, the emulator, and the unmodified bot between them. */
export interface TestWorkspace {
  slack: SlackEmulator;
  platform: PlatformSimulator;
  app: App;
  /** The file of the store. */
  storeFile: string;
  /** Every line that the bot logged. */
  logged: string[];
  /** From now on the process comes no further than this with anything that is delivered to it. */
  stall(at: Stage): void;
  /** The process is gone as after `kill -9`; then another one starts on the same store. */
  kill(): Promise<void>;
  /** Stops the bot and starts it again on the same store. */
  restart(patience?: StopPatience): Promise<void>;
  close(): Promise<void>;
}

export interface TestWorkspaceOptions {
  platform?: SimulatorOptions;
  slack?: EmulatorOptions;
  /** More settings of the bot, or others; of this platform, where they depend on it. */
  environment?: Record<string, string> | ((platform: PlatformSimulator) => Record<string, string>);
  now?: () => Date;
  socket?: boolean;
  /** How patient the bot is with Slack. */
  times?: Partial<SocketTimes>;
  /** Called before the bot is started. */
  prepare?: (slack: SlackEmulator) => void;
  /** How patient the platform's client is. */
  patience?: Pick<PlatformOptions, 'timeout' | 'retryDelay'>;
  /** How patient the bot is with its store. */
  storePatience?: StoreOptions['patience'];
  /** How long a request may take to arrive, in milliseconds. */
  arrival?: number;
  /** Its world writes what it likes, and nothing that it writes is read for how well it reads. */
  isHostile?: boolean;
  /** How much one person may have begun: tests type faster than people. */
  allowance?: Allowance;
}

export async function startTestWorkspace(options: TestWorkspaceOptions = {}): Promise<TestWorkspace> {
  const { now } = options;
  const clock = now === undefined ? {} : { now };
  const platform = await startPlatformSimulator({ ...clock, ...options.platform });
  const slack = await startSlackEmulator({
    ...clock,
    ...(options.socket === true ? { deliverTo: 'socket' as const } : {}),
    patience: PATIENCE,
    scopes: Object.keys(SCOPES),
    events: [...EVENTS],
    ...options.slack,
  });
  options.prepare?.(slack);
  const folder = await mkdtemp(join(tmpdir(), 'edgewise-test-'));
  const storeFile = join(folder, 'edgewise.db');
  const logged: string[] = [];
  let stage: Stage | undefined;
  let opened: Store | undefined;
  const dead: App[] = [];
  const outside: Partial<Outside> = {
    ...clock,
    write: (line) => void logged.push(line),
    async openStore(given) {
      const store = await openStore({ ...given, clock: now, patience: options.storePatience });
      opened = store;
      return { ...store, jobs: stalling(store.jobs, () => stage) };
    },
    // What the platform is asked stays what people ask for.
    lookAtPlatform: async () => undefined,
    createPlatform: (given) => createPlatform({ ...given, retryDelay: 10, ...options.patience }),
    times: { ...SOCKET_TIMES, ...options.times },
    allowance: options.allowance ?? { burst: 1_000_000, perSecond: 0, underway: 1_000_000 },
    createHttpServer: (routes, log) => createHttpServer(routes, log, { arrival: options.arrival }),
  };
  const config = () =>
    parseConfig({
      ...platform.environment,
      ...slack.environment,
      // No test waits for its turn to ask for statistics.
      STATISTICS_PER_SECOND: '100',
      PORT: '0',
      LOG_LEVEL: 'debug',
      STORE_URL: `file:${storeFile}`,
      EDGEWISE_ADMINS: slack.workspace.user('ada').id,
      EDGEWISE_ENCRYPTION_KEY: 'a key for this test only',
      ...(typeof options.environment === 'function' ? options.environment(platform) : options.environment),
    });
  let app = await startApp(config(), outside);
  const connect = () => {
    if (options.socket !== true) slack.deliverTo({ eventsUrl: `http://127.0.0.1:${app.port}/slack/events` });
  };
  connect();
  return {
    slack,
    platform,
    storeFile,
    get app() {
      return app;
    },
    logged,
    stall(at) {
      stage = at;
    },
    async kill() {
      dead.push(app);
      await opened?.close();
      stage = undefined;
      app = await startApp(config(), outside);
      connect();
    },
    async restart(patience) {
      await app.stop(patience);
      stage = undefined;
      app = await startApp(config(), outside);
      connect();
    },
    async close() {
      await Promise.all([app, ...dead].map((one) => one.stop({ reads: 0 })));
      await slack.close();
      await platform.close();
      await rm(folder, { recursive: true, force: true });
      if (options.isHostile !== true)
        expect(slack.outgoing.flatMap(unreadableIn), 'what can be read at a glance').toEqual([]);
    },
  };
}

/** Jobs of a process that comes no further than a stage with what Slack sends. */
function stalling(jobs: Jobs, stage: () => Stage | undefined): Jobs {
  const never = () => new Promise<never>(() => undefined);
  return {
    ...jobs,
    async add(job) {
      const at = job.kind === 'payload' ? stage() : undefined;
      if (at === 'slowly written') await setTimeout(200);
      const isFirst = await jobs.add(job);
      if (at === 'unsaid') throw new StoreError('slow', 'no answer in time');
      return at === 'written' || at === 'slowly written' ? never() : isFirst;
    },
    async release(job, delay) {
      if (stage() !== 'answered') await jobs.release(job, delay);
    },
  };
}
