/** A whole local workspace: platform simulator, Slack emulator with its page, and the bot beside them. */
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PlatformSimulator, startPlatformSimulator } from '../platform/simulator.ts';
import { type EmulatorOptions, type SlackEmulator, startSlackEmulator } from '../slack/emulator.ts';
import type { WorkspaceSeed } from '../slack/workspace.ts';
import { installedApp } from './app-manifest.ts';
import { type BotProcess, createBotProcess, freePort } from './bot-process.ts';
import { BY_HAND, CHIPS, RELEASE, SWITCH_ORIGIN } from './demo.ts';
import { FlagError, type PlaygroundFlags } from './flags.ts';
import { createPage } from './page-server.ts';
import { createTroubles, type Troubles, zoneNamed } from './troubles.ts';

/** A playground that runs; the bot in it is started on its own. */
export interface Playground {
  /** The page's address, without a trailing slash. */
  url: string;
  simulator: PlatformSimulator;
  slack: SlackEmulator;
  bot: BotProcess;
  /** With `secondBot`. */
  second: BotProcess | undefined;
  /** The bot's store, log and token file. */
  folder: string;
  logFile: string;
  /** Ends the bot, then what it talks to. */
  close(): Promise<void>;
}

/** The flags, and settings that tests give beside them. */
export interface StartOptions extends Partial<PlaygroundFlags> {
  /** More settings of the bot, or others than the playground's. */
  environment?: Record<string, string>;
  /** The clock of Slack and of the platform; the real one. The bot has its own. */
  now?: () => Date;
  onBotExit?(reason: string): void;
  /** The bot runs for long, and is not ready. */
  onBotWaiting?(reason: string): void;
}

const usualPort = 4400;

/** Whoever is on this machine may leave marks. */
export const MARKS_TOKEN = 'marks-of-this-playground';

/** The policy of a demonstration. */
const EXAMPLE_POLICY = fileURLToPath(new URL('../../docs/policy.example.yml', import.meta.url));

/** The people, groups and channels of docs/policy.example.yml: somebody who asks, and others who approve. */
const COLLEAGUES: WorkspaceSeed = {
  users: [
    { id: 'U0CLEO00005', name: 'cleo', realName: 'Cleo Shop' },
    { id: 'U0DORA00006', name: 'dora', realName: 'Dora Lead', tz: 'Asia/Singapore' },
  ],
  channels: [
    { name: 'ops', members: ['ada', 'ben', 'gus', 'cleo', 'dora'] },
    { name: 'shop', topic: 'What customers see' },
    { name: 'incidents', topic: 'What is on fire' },
  ],
  userGroups: [
    { handle: 'shop-team', name: 'Shop team', members: ['cleo'] },
    { handle: 'leads', name: 'Leads', members: ['ada', 'ben', 'dora'] },
    { handle: 'data', name: 'Data', members: ['ben'] },
  ],
};

/** Starts everything but the bot: call `bot.start()` for that. */
export async function startPlayground(options: StartOptions = {}): Promise<Playground> {
  const folder = options.folder ? resolve(options.folder) : await mkdtemp(join(tmpdir(), 'edgewise-'));
  await mkdir(folder, { recursive: true });
  const [port, secondPort] = [await freePort(), await freePort()];
  const { secondBot } = options;
  const app = installedApp();
  const { demo = false, policy = demo ? EXAMPLE_POLICY : undefined } = options;
  const { seed = 1, troubles = {}, now = () => new Date() } = options;
  const { incidents, switchOrigin } = createTroubles({ seed, troubles, demo, now });
  const simulator = await startSimulator(options, incidents);
  const tries: string[] = [];
  const page = await createPage(() => ({ tries, chips: demo ? CHIPS : [] }));
  const slack = await startOnPort(options.port, {
    ...app,
    second:
      secondBot === undefined
        ? undefined
        : {
            name: `edgewise-${secondBot}`,
            realName: `Edgewise ${secondBot}`,
            commands: app.commands?.map((one) => ({ ...one, command: `${one.command}-${secondBot}` })),
            shortcuts: app.shortcuts,
            deliverTo: options.socket ? 'socket' : { eventsUrl: `http://127.0.0.1:${secondPort}/slack/events` },
          },
    builtIns: {
      [SWITCH_ORIGIN]: { description: 'Playground: break an origin, or heal it again', run: switchOrigin },
      [RELEASE]: { description: 'Playground: publish a release in the platform’s dashboard', run: simulator.release },
      [BY_HAND]: { description: 'Playground: change something in the platform’s dashboard', run: simulator.byHand },
    },
    // The bot is a process of its own, with the real clock.
    ...(options.now ? { now: options.now, dated: () => new Date() } : {}),
    page,
    workspace: { ...COLLEAGUES, grid: options.grid },
    // The bot may have much to do at first.
    patience: 30_000,
    plainBlocksOnly: options.plainBlocks ?? false,
    deliverTo: options.socket ? 'socket' : { eventsUrl: `http://127.0.0.1:${port}/slack/events` },
  });
  try {
    for (const fault of options.slackFaults ?? []) slack.fault(fault);
  } catch (error) {
    await Promise.all([slack.close(), simulator.close()]);
    if (error instanceof RangeError) throw new FlagError(`--slack-fault: ${error.message}`);
    throw error;
  }
  tries.push(...thingsToTry(simulator), ...(secondBot === undefined ? [] : [`/edge-${secondBot} help`]));

  /** A bot with a folder of its own, beside Slack and the account that it operates. */
  const createBot = async (own: OwnSettings): Promise<BotProcess> => {
    await mkdir(own.folder, { recursive: true });
    return createBotProcess({
      port: own.port,
      logFile: join(own.folder, 'edgewise.log'),
      onExit: options.onBotExit ?? (() => {}),
      ...(options.onBotWaiting ? { onWaiting: options.onBotWaiting } : {}),
      environment: {
        ...own.platform.environment,
        EDGEWISE_ADMINS: slack.workspace.user('ada').id,
        STORE_URL: `file:${join(own.folder, 'edgewise.db')}`,
        TOKEN_ENV_FILE: join(own.folder, 'token.env'),
        MARKS_TOKEN,
        // Nothing here is secret, and what is sealed in the store is to be read after a restart.
        EDGEWISE_ENCRYPTION_KEY: 'the playground of this machine',
        LOG_LEVEL: 'info',
        STOP_GRACE: '0',
        ...(policy === undefined ? {} : { POLICY_FILE: resolve(policy) }),
        // Nobody who looks at a demonstration waits for five minutes.
        ...(demo ? { ERROR_SUMMARY_CRON: process.env.ERROR_SUMMARY_CRON ?? 'every minute' } : {}),
        ...(options.specOnly ? databaseInSettings(own.platform) : {}),
        ...own.environment,
        ...options.environment,
      },
    });
  };
  const bot = await createBot({
    folder,
    port,
    platform: simulator,
    environment: { ...slack.environment, REPORT_CHANNEL: slack.workspace.channel('ops').id },
  });
  const others = secondBot === undefined ? [] : [await startSimulator({ ...options, seed: seed + 1 })];
  const [second] = await Promise.all(
    others.map((platform) =>
      createBot({
        folder: join(folder, secondBot ?? ''),
        port: secondPort,
        platform,
        environment: { ...slack.second, EDGEWISE_COMMAND: `/edge-${secondBot}`, EDGEWISE_LABEL: secondBot ?? '' },
      }),
    ),
  );
  return {
    url: slack.url.replace(/\/$/, ''),
    simulator,
    slack,
    bot,
    second,
    folder,
    logFile: join(folder, 'edgewise.log'),
    async close() {
      await Promise.all([bot.stop(), second?.stop()]);
      await Promise.all([slack.close(), simulator.close(), ...others.map((other) => other.close())]);
    },
  };
}

interface OwnSettings {
  folder: string;
  port: number;
  platform: PlatformSimulator;
  environment: Record<string, string>;
}

async function startSimulator(
  { seed = 1, specOnly = false, faults = [], accessLog, now }: StartOptions,
  incidents?: Troubles['incidents'],
): Promise<PlatformSimulator> {
  const common = { seed, specOnly, ...(incidents ? { incidents } : {}), ...(now ? { now } : {}) };
  const zone = accessLog?.zone === undefined ? {} : { zone: zoneNamed('--access-log-zone', seed, accessLog.zone) };
  const log = accessLog ? { accessLog: { file: accessLog.file, ...zone } } : {};
  const simulator = await startPlatformSimulator({ ...common, ...log });
  try {
    for (const fault of faults) simulator.fault(fault);
  } catch (error) {
    await simulator.close();
    if (error instanceof RangeError) throw new FlagError(`--fault: ${error.message}`);
    throw error;
  }
  return simulator;
}

/**
 * Without the control plane nobody gives the bot a token: a database in the settings is all there is. Its address begins with
 * its id, as the specification has it, so that it can be typed.
 */
export function databaseInSettings({ account, environment }: PlatformSimulator): Record<string, string> {
  const [database] = account.databases;
  if (database === undefined) return {};
  const { port } = new URL(database.url);
  return {
    PLATFORM_DATABASE_HOST: `localhost:${port},${environment.PLATFORM_DATABASE_HOST}`,
    PLATFORM_DATABASE_URL: `http://${database.id}.localhost:${port}`,
    PLATFORM_DATABASE_AUTH_TOKEN: database.seeded.fullAccess,
  };
}

/** On the port that was asked for; on the usual one, or on any where that is taken. */
async function startOnPort(wanted: number | undefined, options: EmulatorOptions): Promise<SlackEmulator> {
  try {
    return await startSlackEmulator({ ...options, port: wanted ?? usualPort });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    if (wanted !== undefined) throw new FlagError(`--port: ${wanted} is taken by another program`);
    return startSlackEmulator({ ...options, port: 0 });
  }
}

/** Lines that work on this account, from harmless to bold. */
function thingsToTry({ account }: PlatformSimulator): string[] {
  const zone = account.zones[0];
  const hostname =
    zone?.Hostnames.find(({ IsSystemHostname, ForceSSL }) => !IsSystemHostname && !ForceSSL) ?? zone?.Hostnames[0];
  return [
    '/edge help',
    ...(hostname ? [`/edge ssl force ${hostname.Value} on`] : []),
    ...(zone ? [`/edge stats show ${zone.Name}`, `/edge log summary ${zone.Name} --date yesterday`] : []),
    '/edge app delete',
  ];
}
