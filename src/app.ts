import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  type Config,
  configuredDatabase,
  ownDatabaseHost,
  platformSettings,
  readPolicy,
  secretsOf,
  slackHosts,
  storeSettings,
} from './config.ts';
import { createReporting } from './delivery/reporting.ts';
import type { Scheduler } from './delivery/scheduler.ts';
import { keepSettingsSubscriptions, settingsSubscriptions } from './delivery/settings-subscriptions.ts';
import { createHealth, healthRoutes } from './health.ts';
import { createLog } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createCatalogue } from './operations/catalogue.ts';
import { operations } from './operations/index.ts';
import type { AnyOperation } from './operations/operation.ts';
import { commandOf } from './operations/policy-names.ts';
import { subscriptionsMessage } from './operations/report/list.ts';
import { createEnvironmentFile } from './operations/token/environment-file.ts';
import { createPlatform, type Platform } from './platform/client.ts';
import { KEPT_FOR_PEOPLE, LEASE, LOGGING_LIMIT } from './platform/rate-limit.ts';
import { type PolicyDocument, referencesOf } from './policy/document.ts';
import { createPolicy } from './policy/policy.ts';
import { stateOf } from './policy/state.ts';
import { reports } from './reports/index.ts';
import { createChannels } from './slack/channels.ts';
import { createClients, identify } from './slack/clients.ts';
import { createDirectory, NO_REFERENCES, type SlackDirectory } from './slack/directory.ts';
import { fetchFile } from './slack/in/files.ts';
import { createHttpServer } from './slack/in/http-server.ts';
import { createSlack, type Slack } from './slack/in/listeners.ts';
import { createNames } from './slack/names.ts';
import { createOutgoing } from './slack/out/outgoing.ts';
import { createPosts } from './slack/out/posts.ts';
import { createSecretFilter, type SecretFilter } from './slack/out/secrets.ts';
import { createPeople } from './slack/people.ts';
import { recoverAll } from './slack/recover.ts';
import type { SlackServices } from './slack/services.ts';
import { createLogPermits } from './store/log-permits.ts';
import { type OpenStore, openStore } from './store/store.ts';
import { type Hide, withoutSecrets } from './store/without-secrets.ts';
import { startTimers } from './timers.ts';
import { createDefinitionReader } from './workers/definition-reader.ts';
import { createLogWorkers, type LogWorkers } from './workers/log-worker-pool.ts';

/** The world around the bot: the clock, the place of its log line by line, and the builders of its three ways out. */
export interface Outside {
  now(): Date;
  write(line: string): void;
  openStore: typeof openStore;
  createPlatform: typeof createPlatform;
  createHttpServer: typeof createHttpServer;
}

const outside: Outside = {
  now: () => new Date(),
  write: (line) => void process.stdout.write(line),
  openStore,
  createPlatform,
  createHttpServer,
};

/** The running bot. */
export interface App {
  port: number;
  /** Does what is due now, as happens every minute by itself. */
  tick(): Promise<void>;
  /** Takes nothing new, finishes what is under way, closes everything. */
  stop(): Promise<void>;
}

/** The services that all others stand on. */
interface Ground {
  config: Config;
  secrets: SecretFilter;
  log: Logger;
  now: () => Date;
  document: PolicyDocument;
  store: OpenStore;
  platform: Platform;
  logWorkers: LogWorkers;
}

/** The services that are started once all are built. */
interface Services {
  slack: Slack;
  teamId: string;
  metrics: Metrics;
  directory: SlackDirectory;
  scheduler: Scheduler;
  /** Ends what a process that died had begun. */
  recover(): Promise<void>;
}

/** The services that are closed at the end, the last first. */
type Closers = (() => Promise<void>)[];

/** Builds the whole bot from its settings and starts it. Throws when Slack or the store say no. */
export async function startApp(config: Config, given: Partial<Outside> = {}): Promise<App> {
  const world = { ...outside, ...given };
  const secrets = createSecretFilter(secretsOf(config));
  const log = createLog(config.LOG_LEVEL, secrets, world.write);
  const closers: Closers = [];
  const stop = async () => {
    for (const close of closers.reverse())
      await close().catch((error: unknown) => log.error({ err: error }, 'could not be closed'));
  };
  try {
    const ground = await openGround(config, world, secrets, log, closers);
    const services = await buildServices(ground);
    const port = await start(ground, services, world.createHttpServer, closers);
    return { port, tick: () => services.scheduler.tick(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openGround(
  config: Config,
  { now, ...open }: Outside,
  secrets: SecretFilter,
  log: Logger,
  closers: Closers,
): Promise<Ground> {
  const document = readPolicy(config, operations.map(commandOf));
  const store = await open.openStore({ ...storeSettings(config), encryptionKey: config.EDGEWISE_ENCRYPTION_KEY });
  closers.push(() => store.close());
  const platform = open.createPlatform({
    ...platformSettings(config),
    permits: createLogPermits(store.background, { ...LOGGING_LIMIT, kept: KEPT_FOR_PEOPLE, lease: LEASE }),
    onSecret: secrets.learn,
    now,
  });
  closers.push(() => platform.close());
  const logWorkers = createLogWorkers();
  closers.push(() => logWorkers.close());
  return { config, secrets, log, now, document, store: withoutSecrets(store, secrets.hideIn), platform, logWorkers };
}

/** Everything that the bot is made of, each from what it needs. Asks Slack who the bot is. */
async function buildServices({ config, document, logWorkers, ...ground }: Ground): Promise<Services> {
  const { secrets, log, now, store, platform } = ground;
  const { interactive, background } = createClients(config.SLACK_BOT_TOKEN, config.SLACK_API_URL, log);
  const identity = await identify(interactive);
  const { teamId } = identity;
  const hosts = slackHosts(config);
  // The built-in policy names only EDGEWISE_ADMINS: Slack need not be asked.
  const references = config.POLICY_FILE === undefined ? NO_REFERENCES : referencesOf(document);
  const directory = createDirectory({ client: background, references, now, log });
  await directory.refresh();
  const policy = createPolicy(document, directory);
  const health = createHealth({
    platform,
    database: store.database,
    mode: config.SLACK_APP_TOKEN === undefined ? 'http' : 'socket',
    policy: () => stateOf(document, directory.problems()),
    startedAt: now(),
  });
  const metrics = createMetrics();
  const catalogue = createCatalogue(platform, now);
  const outgoing = createOutgoing({ interactive, background, secrets, log, responseHosts: hosts, wait });
  const channels = createChannels({ client: interactive, now, log });
  const people = createPeople({ client: interactive, teamId, now, log });
  const names = createNames({ people, channels, teamId });
  const poster = createPosts({ outgoing, pace: store.pace, now, wait, log });
  const zones = () => catalogue.zones();
  const reporting = createReporting({ ...ground, reports, zones, poster, channels, names, wait });
  const services: SlackServices = {
    ...ground,
    operations: operations.map((operation) => withoutSecretTarget(operation, secrets.hideIn)),
    catalogue,
    reports: reporting.view,
    policy,
    health,
    names,
    file: (id, maxBytes) => fetchFile({ client: interactive, token: config.SLACK_BOT_TOKEN, hosts }, id, maxBytes),
    summariseLog: logWorkers.summarise,
    outlineDefinition: createDefinitionReader(),
    environmentFile: config.TOKEN_ENV_FILE === undefined ? undefined : createEnvironmentFile(config.TOKEN_ENV_FILE),
    configuredDatabase: configuredDatabase(config),
    ownDatabaseHost: ownDatabaseHost(config),
    outgoing,
    people,
    onHome: async (reader) => subscriptionsMessage(await reporting.view.subscriptions(), reader),
    unnotified: new Set(),
    running: new Map(),
    pressed: new Set(),
  };
  const connection = {
    botToken: config.SLACK_BOT_TOKEN,
    appToken: config.SLACK_APP_TOKEN,
    signingSecret: config.SLACK_SIGNING_SECRET,
    apiUrl: config.SLACK_API_URL,
    identity,
    client: interactive,
    count: metrics.received,
  };
  const slack = createSlack(connection, services);
  // Nobody reads this in a language of their own: it is for the channel.
  const recover = () => recoverAll(services, { locale: 'en-US', timezone: config.REPORT_TIMEZONE, now: now() });
  return { slack, teamId, metrics, directory, scheduler: reporting.scheduler, recover };
}

/** Opens the doors, then does what is due; from then on the closers end it. Returns the port. */
async function start(
  { config, store, log }: Ground,
  { slack, teamId, metrics, directory, scheduler, recover }: Services,
  createServer: Outside['createHttpServer'],
  closers: Closers,
): Promise<number> {
  const routes = new Map([...healthRoutes({ database: store.database, ...slack }), ['GET /metrics', metrics.route]]);
  if (slack.route !== undefined) routes.set('POST /slack/events', slack.route);
  const http = createServer(routes, log);
  const port = await http.listen(config.PORT);
  closers.push(() => http.close());
  await slack.start();
  closers.push(() => slack.stop());
  await keepSettingsSubscriptions(settingsSubscriptions(config, reports, teamId), store.subscriptions);
  scheduler.start();
  closers.push(() => scheduler.stop());
  const stopTimers = await startTimers({ store, directory, recover, log });
  closers.push(async () => stopTimers());
  log.info({ port, mode: slack.route === undefined ? 'socket' : 'http', team: teamId }, 'Edgewise is ready');
  return port;
}

/** A name of the platform's may hold a secret: what is changed is called the same when it is asked, confirmed and kept. */
function withoutSecretTarget(operation: AnyOperation, hide: Hide): AnyOperation {
  return { ...operation, target: (values) => hide(operation.target(values)) };
}

/** By the process's own clock, which nobody sets. */
async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
}
