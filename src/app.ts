import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { commandOf, refusalNow } from './changes/permission.ts';
import {
  type Config,
  configuredDatabase,
  metricsPort,
  platformSettings,
  readPolicy,
  secretsOf,
  slackSettings,
  storeSettings,
  UNSEALED,
} from './config.ts';
import { changesAround, lastEmptied } from './delivery/changes-before.ts';
import { createReporting } from './delivery/reporting.ts';
import type { Scheduler } from './delivery/scheduler.ts';
import { keepSettingsSubscriptions, settingsSubscriptions } from './delivery/settings-subscriptions.ts';
import { stillMay } from './delivery/standing.ts';
import { logged } from './errors.ts';
import { createHealth, type Health } from './health.ts';
import { createRunner, LOOK_EVERY, type Runner } from './jobs.ts';
import { createLog } from './log.ts';
import { createMarksRoute } from './marks.ts';
import { createMetrics, createObserver, watchGauges } from './metrics.ts';
import type { Observe } from './observe.ts';
import { createCatalogue } from './operations/catalogue.ts';
import { createElsewhere } from './operations/changes/elsewhere.ts';
import { createTimeLine } from './operations/changes/time-line.ts';
import { operations } from './operations/index.ts';
import type { AnyOperation } from './operations/operation.ts';
import { createEnvironmentFile } from './operations/token/environment-file.ts';
import { useOwnName } from './own-name.ts';
import { createPlatform, type Platform } from './platform/client.ts';
import { LOGGING_LIMIT } from './platform/rate-limit.ts';
import { referencesOf, stateOf } from './policy/document.ts';
import { createPolicy, tooFewToApprove } from './policy/policy.ts';
import { reports } from './reports/index.ts';
import { publishHead, recallHead } from './slack/audit-head.ts';
import { NO_REFERENCES } from './slack/directory.ts';
import { ALLOWANCE } from './slack/in/allowance.ts';
import { createHttpServer, type Route } from './slack/in/http-server.ts';
import { createSlack, type Slack } from './slack/in/listeners.ts';
import { createPresence, type Presence } from './slack/in/presence.ts';
import { SOCKET_TIMES } from './slack/in/socket-mode.ts';
import { createSecretFilter } from './slack/out/secrets.ts';
import { stopPressed } from './slack/progress.ts';
import { doPlannedChange, endExpired, putBack, recoverChange } from './slack/recover.ts';
import type { Bot } from './slack/services.ts';
import { openWorkspace, type Workspace } from './slack/workspace.ts';
import { lookAtPlatform, portProblem, whenStoreAnswers } from './start-up.ts';
import { type StopPatience, stopWork } from './stop.ts';
import { CHANGE, PLANNED } from './store/confirmations.ts';
import { forgetOld } from './store/forget.ts';
import { BEAT_EVERY } from './store/jobs.ts';
import { createLogPermits } from './store/log-permits.ts';
import { REVERSAL } from './store/reversals.ts';
import { openStore, type Store } from './store/store.ts';
import type { StoreError } from './store/store-error.ts';
import type { Subscription } from './store/subscriptions.ts';
import { type Hide, withoutSecrets } from './store/without-secrets.ts';
import { DAY, HOUR, MINUTE, unlessAborted, within } from './time.ts';
import { createDefinitionReader } from './workers/definition-reader.ts';
import { createLogWorkers, type LogWorkers } from './workers/log-worker-pool.ts';

/** Tests replace these. */
const outside = {
  now: () => new Date(),
  write: (line: string): void => void process.stdout.write(line),
  openStore,
  createPlatform,
  lookAtPlatform,
  createHttpServer,
  times: SOCKET_TIMES,
  allowance: ALLOWANCE,
};

export interface Outside extends Readonly<typeof outside> {
  /** Ends a start that still waits. */
  signal: AbortSignal;
}

export interface App {
  port: number;
  log: Logger;
  /** Does at once what otherwise happens every minute or more often. For tests. */
  tick(): Promise<void>;
  /** Resolves once no job is running or due. For tests. */
  idle(): Promise<void>;
  stop(patience?: StopPatience): Promise<void>;
}

interface Services extends Bot {
  store: Store;
  workspace: Workspace;
  scheduler: Scheduler;
  slack: Slack;
  health: Health;
  presence: Presence;
  port: number;
}

/** Closed in reverse order. */
type Closers = ((patience?: StopPatience) => Promise<void>)[];

/** Waits for Slack and the store’s server. Throws StartError if waiting cannot help. */
export async function startApp(config: Config, given: Partial<Outside> = {}): Promise<App> {
  const world = { ...outside, signal: new AbortController().signal, ...given };
  useOwnName({ command: config.EDGEWISE_COMMAND, label: config.EDGEWISE_LABEL });
  const secrets = createSecretFilter(secretsOf(config));
  const log = createLog(config.LOG_LEVEL, secrets, world.write);
  const closers: Closers = [];
  const stop = async (patience?: StopPatience) => {
    const [work, ...others] = closers.reverse();
    const closed = (close: Closers[number]) => close(patience).catch(logged(log, 'error', 'could not be closed'));
    if (work !== undefined) await closed(work);
    // Milliseconds.
    for (const close of others) await within(2_000, closed(close));
  };
  try {
    const services = await buildServices(config, world, { secrets, log, now: world.now }, closers);
    const runner = await start(config, world, services, closers);
    const tick = async () => {
      await services.scheduler.tick();
      await runner.tick();
    };
    return { log, port: services.port, tick, idle: runner.idle, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function buildServices(
  config: Config,
  world: Outside,
  base: Pick<Services, 'secrets' | 'log' | 'now'>,
  closers: Closers,
): Promise<Services> {
  const { secrets, now } = base;
  const document = readPolicy(config, operations.map(commandOf));
  const { ok: isAble, detail } = stateOf(document, []);
  if (!isAble) base.log.warn(detail);
  const presence = createPresence(config.SLACK_APP_TOKEN === undefined ? 'http' : 'socket', now());
  const metrics = createMetrics(config.METRICS_TOKEN);
  const health = createHealth(presence, now);
  const observe = createObserver(metrics, base.log, health);
  const watched = new Map([['GET /metrics', metrics.route]]);
  const isTogether = config.METRICS_PORT === undefined && metricsPort(config) !== undefined;
  const routes = new Map([...health.routes, ...(isTogether ? watched : [])]);
  let there: ReturnType<Parameters<typeof createMarksRoute>[1]>;
  if (config.MARKS_TOKEN !== undefined)
    routes.set(
      'POST /marks',
      createMarksRoute(config.MARKS_TOKEN, () => there),
    );
  const port = await listen('PORT', config, world, routes, base.log, closers);
  if (config.METRICS_PORT !== undefined) {
    const apart = await listen('METRICS_PORT', config, world, watched, base.log, closers);
    base.log.info({ port: apart }, 'metrics have a port of their own');
  }
  const { store, platform, logWorkers } = await openGround(config, world, { ...base, observe, health }, closers);
  const elsewhere = createElsewhere({ platform, now });
  health.opened({
    ...store,
    platform,
    refused: {
      'Changes made elsewhere': elsewhere.refused,
      Shields: async () => (await catalogue.shieldZones()).missing,
    },
    policy: async () => {
      const { directory, described } = workspace;
      return stateOf(document, [...directory.problems(), ...(await tooFewToApprove(document, directory, described))]);
    },
  });
  const settings = slackSettings(config);
  const ending = new AbortController();
  closers.push(async () => ending.abort(new Error('stopped')));
  const signal = AbortSignal.any([world.signal, ending.signal]);
  const waiting = { pauses: world.times, log: base.log, wait, signal };
  // Without a policy file, the policy names only EDGEWISE_ADMINS.
  const references = config.POLICY_FILE === undefined ? NO_REFERENCES : referencesOf(document);
  const [workspace] = await Promise.all([
    openWorkspace({
      ...base,
      ...settings,
      ...waiting,
      references,
      admitted: referencesOf(document).people,
      observe,
      store,
    }),
    world.lookAtPlatform(platform, waiting),
  ]);
  const { directory, identity, client } = workspace;
  const catalogue = createCatalogue(platform, now);
  const zones = () => catalogue.zones();
  there = { marks: store.marks, catalogue };
  const timeLine = createTimeLine({ operations, ...store, catalogue, elsewhere, now });
  const policy = createPolicy(document, directory);
  const shared = { ...base, ...workspace, platform, store, policy, observe };
  const mayStill = (subscription: Subscription): Promise<void> => stillMay(services, subscription);
  const reporting = createReporting({
    ...{ ...shared, reports, zones, wait, stillMay: mayStill, refusalNow: (spoken) => refusalNow(services, spoken) },
    changesAround: (subscription, zones) => changesAround(services, subscription, zones),
    emptied: (zone, since) => lastEmptied(services, zone, since),
    timeLine,
    looked: (ok) => health.saw('scheduler', ok),
    statisticsPerSecond: config.STATISTICS_PER_SECOND,
  });
  const services: Omit<Services, 'workspace' | 'slack' | 'port' | 'scheduler' | 'presence'> = {
    ...shared,
    operations: operations.map((operation) => withoutSecretTarget(operation, secrets.hideIn)),
    catalogue,
    timeLine,
    reports: reporting.view,
    hours: reporting.hours,
    subscriptions: store.subscriptions,
    health,
    summariseLog: logWorkers.summarise,
    outlineDefinition: createDefinitionReader(),
    environmentFile:
      config.TOKEN_ENV_FILE === undefined
        ? undefined
        : createEnvironmentFile(config.TOKEN_ENV_FILE, config.PLATFORM_DATABASE_HOST),
    configuredDatabase: configuredDatabase(config),
    unnotified: new Set<string>(),
    running: new Map(),
    pressed: new Set<string>(),
  };
  const connection = {
    ...settings,
    identity,
    client,
    presence,
    times: world.times,
    allowance: world.allowance,
    observe,
  };
  const slack = createSlack(connection, services);
  watchGauges(metrics, { health, presence, slack, logWorkers });
  // Slack checks the certificate with GET.
  if (slack.route !== undefined) for (const how of ['GET', 'POST']) routes.set(`${how} /slack/events`, slack.route);
  let agents: Promise<Route> | undefined;
  // Loaded for the first agent: its library is 12 MB of memory.
  const mcp: Route = async (...exchange) => {
    agents ??= import('./mcp.ts').then(({ createMcpRoute }) =>
      createMcpRoute({ ...services, ...settings, identity, presence, allowance: world.allowance }),
    );
    await (await agents)(...exchange);
  };
  for (const how of ['GET', 'POST', 'DELETE']) routes.set(`${how} /mcp`, mcp);
  return { ...services, presence, workspace, slack, port, scheduler: reporting.scheduler };
}

async function openGround(
  config: Config,
  world: Outside,
  { secrets, log, now, observe, health }: Pick<Services, 'secrets' | 'log' | 'now' | 'health'> & { observe: Observe },
  closers: Closers,
): Promise<{ store: Store; platform: Platform; logWorkers: LogWorkers }> {
  const onTrouble = (trouble?: StoreError) => {
    health.saw('store', trouble === undefined);
    if (trouble === undefined) log.warn('the store answers again');
    else log.error({ err: trouble, trouble: trouble.kind }, 'the store does nothing: it is asked again every second');
  };
  const open = () => world.openStore({ ...storeSettings(config), onTrouble, observe });
  const opened = await whenStoreAnswers(open, { pauses: world.times, log, wait, signal: world.signal });
  const store = withoutSecrets(opened, secrets.hideIn);
  const permits = createLogPermits(store.background, LOGGING_LIMIT);
  const platform = world.createPlatform({
    ...platformSettings(config),
    permits,
    onSecret: secrets.learn,
    now,
    observe,
  });
  const logWorkers = createLogWorkers();
  // Closers run in reverse: the HTTP server asks the store for its health, so it is closed first.
  closers.unshift(
    () => opened.close(),
    () => platform.close(),
    () => logWorkers.close(),
  );
  return { store, platform, logWorkers };
}

/** Opened early, so that health answers while the bot waits for Slack or the store. Routes may be added later. */
async function listen(
  setting: 'PORT' | 'METRICS_PORT',
  config: Config,
  world: Outside,
  routes: ReadonlyMap<string, Route>,
  log: Logger,
  closers: Closers,
): Promise<number> {
  const http = world.createHttpServer(routes, log);
  const { [setting]: wanted = 0, HOST: host } = config;
  const port = await http.listen(wanted, host).catch((error: NodeJS.ErrnoException) => {
    throw portProblem(setting, { port: wanted, host }, error);
  });
  closers.push(() => http.close());
  return port;
}

/** The closers end whatever it has begun, even if it fails halfway. */
async function start(
  config: Config,
  { signal, times: pauses }: Outside,
  services: Services,
  closers: Closers,
): Promise<Runner> {
  const { log, slack, store, scheduler, workspace, now, port } = services;
  const { teamId } = workspace.identity;
  closers.push(() => slack.stop());
  signal.addEventListener('abort', () => void slack.stop());
  const isAdopting = config.EDGEWISE_STORE_ADOPT === true;
  if (config.AUDIT_CHANNEL !== undefined && !isAdopting)
    await unlessAborted(recallHead({ ...services, ...workspace }, config.AUDIT_CHANNEL), signal);
  await slack.start();
  const begin = async () => {
    await keepSettingsSubscriptions(settingsSubscriptions(config, teamId), store.subscriptions);
    await store.jobs.add({ kind: 'retention', key: 'retention', body: '', delay: HOUR });
    await store.jobs.arm('expiry', 'expiry', 0);
  };
  await whenStoreAnswers(begin, { pauses, log, wait, signal });
  scheduler.start();
  closers.push(() => scheduler.stop());
  // For a channel, which has no single reader.
  const reader = () => ({ locale: 'en-US', timezone: config.REPORT_TIMEZONE, now: now() });
  const runner = createRunner(
    store.jobs,
    [
      // Changes of dead processes are ended before their payloads are done again.
      { [CHANGE]: (job) => recoverChange(services, job) },
      {
        [REVERSAL]: (job) => putBack(services, job, reader()),
        [PLANNED]: (job) => doPlannedChange(services, job, reader()),
      },
      {
        ...slack.kinds,
        expiry: () => endExpired(services).then(() => MINUTE),
        retention: () => retain(config, store).then(() => HOUR),
      },
    ],
    log,
  );
  const stopTimers = startTimers(services, runner, config.AUDIT_CHANNEL);
  // From here on `stopWork` ends the work, before all other closers.
  closers.splice(-2);
  closers.push((patience = {}) => stopWork({ ...services, runner, stopTimers }, patience));
  if (isAdopting)
    log.warn('EDGEWISE_STORE_ADOPT is on: leave it out from the next start on, so that an older store is noticed');
  if (config.EDGEWISE_ENCRYPTION_KEY_OLD !== undefined)
    log.warn('the key of the store was changed: leave EDGEWISE_ENCRYPTION_KEY_OLD out from the next start on');
  if (config.EDGEWISE_ENCRYPTION_KEY === undefined) log.warn(UNSEALED);
  services.health.started();
  log.info({ port, mode: slack.route === undefined ? 'socket' : 'http', team: teamId }, 'Edgewise is ready');
  return runner;
}

async function retain(config: Config, { background, audit }: Store): Promise<void> {
  const { AUDIT_KEEP_DAYS: entries } = config;
  await forgetOld(background);
  if (entries !== undefined) await audit.forget(entries * DAY);
}

/** Looks for what others left, until the returned function is called. */
function startTimers(services: Services, runner: Runner, auditChannel?: string): () => void {
  const { store, log, workspace } = services;
  const looked = () => {
    void runner.tick();
    if (!store.jobs.isShared) return;
    const failed = logged(log, 'error', 'what other processes have noted could not be read');
    // At a stop, this process wakes itself too with its last `tell`, while its store closes.
    Promise.all([store.channelMoves.read(), stopPressed(services)]).catch((error) => isStopped || failed(error));
  };
  const beaten = () => store.jobs.beat().catch(logged(log, 'error', 'could not report that this process lives'));
  store.database.onTold(looked);
  const timers = [setInterval(looked, LOOK_EVERY), ...(store.jobs.isShared ? [setInterval(beaten, BEAT_EVERY)] : [])];
  // Not a job: whoever can write to the store must not be able to hold the head back. It is posted after the start has
  // undone what was due.
  let next: NodeJS.Timeout | undefined;
  let isStopped = false;
  const headed = async () => {
    const delay = await publishHead({ ...services, poster: workspace.poster, auditChannel });
    if (!isStopped) next = setTimeout(headed, delay).unref();
  };
  void runner.tick().then(runner.idle).then(headed);
  return () => {
    isStopped = true;
    clearTimeout(next);
    timers.forEach(clearInterval);
  };
}

/** A name on the platform may hold a secret. It has to be hidden the same way in preview, confirmation and audit. */
function withoutSecretTarget(operation: AnyOperation, hide: Hide): AnyOperation {
  return { ...operation, target: (values) => hide(operation.target(values)) };
}

/** By the monotonic clock. */
async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
}
