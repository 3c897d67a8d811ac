import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { ChangeServices } from './changes/services.ts';
import { type Config, readPolicy } from './config.ts';
import { createCollectReport } from './delivery/collect.ts';
import { createReportsView } from './delivery/reports-view.ts';
import { createReportRunner } from './delivery/run.ts';
import { createScheduler } from './delivery/scheduler.ts';
import { keepSettingsSubscriptions, settingsSubscriptions } from './delivery/settings-subscriptions.ts';
import { createHealth } from './health.ts';
import { createCatalogue } from './operations/catalogue.ts';
import type { NamesView } from './operations/context.ts';
import { operations } from './operations/index.ts';
import { commandOf } from './operations/policy-names.ts';
import { subscriptionsMessage } from './operations/report/list.ts';
import { createEnvironmentFile } from './operations/token/environment-file.ts';
import { createPlatform, type PlatformOptions } from './platform/client.ts';
import { KEPT_FOR_PEOPLE, LEASE, LOGGING_LIMIT } from './platform/rate-limit.ts';
import { Secret } from './platform/secret.ts';
import { isChannelId } from './policy/directory.ts';
import { referencesOf } from './policy/document.ts';
import { createPolicy } from './policy/policy.ts';
import { stateOf } from './policy/state.ts';
import { reports } from './reports/index.ts';
import { createChannels } from './slack/channels.ts';
import { createClients, identify } from './slack/clients.ts';
import { createConversation } from './slack/conversation.ts';
import { createDirectory, NO_REFERENCES, REFRESH_EVERY } from './slack/directory.ts';
import { fetchFile } from './slack/in/files.ts';
import { createHttpServer, type Route } from './slack/in/http-server.ts';
import { createSlack } from './slack/in/listeners.ts';
import { createOutgoing } from './slack/out/outgoing.ts';
import { createPosts } from './slack/out/posts.ts';
import { createSecretFilter, type SecretFilter } from './slack/out/secrets.ts';
import { createPeople } from './slack/people.ts';
import { createRecovery } from './slack/recovery.ts';
import { createChannelPace } from './store/channel-pace.ts';
import { createStoredGroupMemory } from './store/error-groups.ts';
import { createLogPermits } from './store/log-permits.ts';
import { createReportLedger } from './store/report-ledger.ts';
import { openStore } from './store/store.ts';
import { createSubscriptions } from './store/subscriptions.ts';
import {
  ledgerWithoutSecrets,
  memoryWithoutSecrets,
  subscriptionsWithoutSecrets,
  withoutSecrets,
} from './store/without-secrets.ts';
import { createDefinitionReader } from './workers/definition-reader.ts';
import { createLogWorkers } from './workers/log-worker-pool.ts';

/** How often what a process that died had begun is looked for, in milliseconds. */
const RECOVER_EVERY = 15_000;
const FORGET_EVERY = 3_600_000;

/** What tests put in place of the real thing. */
export interface AppOptions {
  now?: (() => Date) | undefined;
  /** Where the log goes, line by line; standard output. */
  logTo?: ((line: string) => void) | undefined;
  /** How patient the platform's client is; its own defaults. */
  patience?: Pick<PlatformOptions, 'timeout' | 'retryDelay'> | undefined;
  /** How long a request may take to arrive, in milliseconds; the server's own default. */
  arrival?: number | undefined;
}

/** The running bot. */
export interface App {
  port: number;
  /** Does what is due now, as happens every minute by itself. */
  tick(): Promise<void>;
  /** Takes nothing new, finishes what is under way, closes everything. */
  stop(): Promise<void>;
}

/** Every secret of the settings: what must never leave. */
export function secretsOf(config: Config): Secret[] {
  return Object.values(config).filter((value) => value instanceof Secret);
}

/** One JSON object a line, on standard output unless told otherwise, with every secret that is known or looks like one hidden. */
export function createLog(
  level: string,
  secrets: SecretFilter,
  write: (line: string) => void = (line) => void process.stdout.write(line),
): Logger {
  return pino({ level }, { write: (line: string) => write(secrets.hide(line)) });
}

/** Builds the whole bot from its settings and starts it. Throws when Slack or the store say no. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const now = options.now ?? (() => new Date());
  const secrets = createSecretFilter(secretsOf(config));
  const hide = secrets.hideIn;
  const log = createLog(config.LOG_LEVEL, secrets, options.logTo);

  const document = readPolicy(config, operations.map(commandOf));
  const storeUrl = config.STORE_URL === 'platform' ? (config.PLATFORM_DATABASE_URL ?? '') : config.STORE_URL;
  const store = await openStore({
    url: storeUrl,
    authToken: config.STORE_URL === 'platform' ? config.PLATFORM_DATABASE_AUTH_TOKEN : config.STORE_AUTH_TOKEN,
    encryptionKey: config.EDGEWISE_ENCRYPTION_KEY,
    clock: options.now,
  });
  const platform = createPlatform({
    apiUrl: config.PLATFORM_API_URL,
    originLogsUrl: config.PLATFORM_ORIGIN_LOGS_URL,
    loggingUrl: config.PLATFORM_LOGGING_URL,
    databaseApiUrl: config.PLATFORM_DATABASE_API_URL,
    databaseHosts: config.PLATFORM_DATABASE_HOST,
    accessKey: config.PLATFORM_ACCESS_KEY,
    originLogsJwt: config.PLATFORM_ORIGIN_LOGS_JWT,
    loggingJwt: config.PLATFORM_LOGGING_JWT,
    permits: createLogPermits(store.background, { ...LOGGING_LIMIT, kept: KEPT_FOR_PEOPLE, lease: LEASE }),
    ...options.patience,
    onSecret: secrets.learn,
    statisticsExtras: config.PLATFORM_STATISTICS_EXTRAS,
    pipelineClose: config.PLATFORM_SQL_CLOSE,
    now,
  });
  const logWorkers = createLogWorkers();
  const closers: (() => Promise<void>)[] = [() => store.close(), () => platform.close(), () => logWorkers.close()];
  const closeAll = async () => {
    for (const close of closers.reverse())
      await close().catch((error: unknown) => log.error({ err: error }, 'could not be closed'));
  };

  try {
    const { interactive, background } = createClients(config.SLACK_BOT_TOKEN, config.SLACK_API_URL, log);
    const identity = await identify(interactive);
    const slackHosts =
      config.SLACK_API_URL === 'https://slack.com/api'
        ? ['hooks.slack.com', 'hooks.slack-gov.com', 'files.slack.com', 'slack-files.com']
        : [new URL(config.SLACK_API_URL).host];
    const directory = createDirectory({
      client: background,
      // The built-in policy names only EDGEWISE_ADMINS: Slack need not be asked.
      references: config.POLICY_FILE === undefined ? NO_REFERENCES : referencesOf(document),
      now,
      log,
    });
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
    const outgoing = createOutgoing({ interactive, background, secrets, log, responseHosts: slackHosts, wait });
    const subscriptions = subscriptionsWithoutSecrets(createSubscriptions(store.background), hide);
    const ledger = ledgerWithoutSecrets(createReportLedger(store.background), hide);
    const poster = createPosts({ outgoing, pace: createChannelPace(store.background), now, wait, log });
    const collecting = { platform, zones: () => catalogue.zones(), now };
    const memory = (scope: string) => memoryWithoutSecrets(createStoredGroupMemory(store.background, scope), hide);
    const collect = createCollectReport({ ...collecting, memory });
    // What somebody only tries is not remembered.
    const collectTrial = createCollectReport({
      ...collecting,
      memory: (scope) => ({ recall: memory(scope).recall }),
    });
    const channels = createChannels({ client: interactive, now, log });
    const people = createPeople({ client: interactive, teamId: identity.teamId, now, log });
    const names: NamesView = {
      async person(id) {
        const { actor, handle } = await people.find(id, identity.teamId);
        return actor.name === undefined ? undefined : { name: actor.name, handle };
      },
      channel: async (id) =>
        isChannelId(id) ? channels.nameOf(id) : id.startsWith('D') ? 'direct message' : 'Home tab',
    };
    const reportsView = createReportsView({
      reports,
      subscriptions,
      ledger,
      collect: collectTrial,
      poster,
      channels,
      names,
      now,
    });
    // Names of the platform's may hold one too: what is changed is called the same when it is asked, confirmed and kept.
    const named = operations.map((operation) => ({
      ...operation,
      target: (values: Record<string, unknown>) => hide(operation.target(values)),
    }));
    const changes: ChangeServices = {
      operations: named,
      platform,
      catalogue,
      reports: reportsView,
      store: withoutSecrets(store, hide),
      policy,
      health,
      names,
      log,
      now,
      file: (id, maxBytes) =>
        fetchFile({ client: interactive, token: config.SLACK_BOT_TOKEN, hosts: slackHosts }, id, maxBytes),
      summariseLog: logWorkers.summarise,
      outlineDefinition: createDefinitionReader(),
      environmentFile: config.TOKEN_ENV_FILE === undefined ? undefined : createEnvironmentFile(config.TOKEN_ENV_FILE),
      configuredDatabase:
        config.PLATFORM_DATABASE_URL === undefined || config.PLATFORM_DATABASE_AUTH_TOKEN === undefined
          ? undefined
          : { url: config.PLATFORM_DATABASE_URL, token: config.PLATFORM_DATABASE_AUTH_TOKEN },
      ownDatabaseHost: /^(libsql|https?|wss?):/.test(storeUrl) ? new URL(storeUrl).host : undefined,
      unnotified: new Set(),
    };
    const conversation = createConversation({
      operations: named,
      permitted: ({ actor }) =>
        operations.filter((operation) => policy.decide(operation, actor, { channelId: actor.id }).allowed),
      onHome: async (reader) => subscriptionsMessage(await reportsView.subscriptions(), reader),
      changes,
      outgoing,
      people,
      results: store.results,
      deliveries: store.deliveries,
      approvals: store.approvals,
      secrets,
      log,
      now,
    });
    const slack = createSlack({
      botToken: config.SLACK_BOT_TOKEN,
      appToken: config.SLACK_APP_TOKEN,
      signingSecret: config.SLACK_SIGNING_SECRET,
      apiUrl: config.SLACK_API_URL,
      identity,
      client: interactive,
      conversation,
      deliveries: store.deliveries,
      log,
      now,
      count: metrics.received,
    });

    const routes = new Map<string, Route>([
      ['GET /health/live', (_, response) => void response.writeHead(200).end('alive')],
      [
        'GET /health/ready',
        async (_, response) => {
          await store.database.execute('SELECT 1');
          response.writeHead(slack.connected() ? 200 : 503).end(slack.connected() ? 'ready' : 'stopping');
        },
      ],
      [
        'GET /metrics',
        async (_, response) => {
          response
            .writeHead(200, { 'content-type': metrics.registry.contentType })
            .end(await metrics.registry.metrics());
        },
      ],
    ]);
    if (slack.route !== undefined) routes.set('POST /slack/events', slack.route);
    const http = createHttpServer(routes, log, { arrival: options.arrival });
    const port = await http.listen(config.PORT);
    closers.push(() => http.close());
    await slack.start();
    closers.push(() => slack.stop());

    await keepSettingsSubscriptions(settingsSubscriptions(config, reports, identity.teamId), subscriptions);
    const elapsed = () => performance.now();
    const reportRunner = createReportRunner({ reports, subscriptions, ledger, collect, poster, log, wait, elapsed });
    const scheduler = createScheduler({ reports, subscriptions, ledger, runner: reportRunner, log });
    scheduler.start();
    closers.push(() => scheduler.stop());

    const recover = createRecovery({
      changes,
      conversation,
      // Nobody reads this in a language of their own: it is for the channel.
      reader: () => ({ locale: 'en-US', timezone: config.REPORT_TIMEZONE, now: now() }),
      log,
    });
    const forget = async () => {
      await store.deliveries.forget();
      await store.results.forget();
      await store.confirmations.forget();
      await ledger.forget();
    };
    const complain = (what: string) => (error: unknown) => log.error({ err: error }, what);
    const recovering = setInterval(() => recover().catch(complain('what was begun could not be ended')), RECOVER_EVERY);
    const looking = setInterval(
      () => directory.refresh().catch(complain('the directory could not be read')),
      REFRESH_EVERY,
    );
    const forgetting = setInterval(() => forget().catch(complain('old rows could not be removed')), FORGET_EVERY);
    closers.push(async () => {
      clearInterval(recovering);
      clearInterval(forgetting);
      clearInterval(looking);
    });
    await recover().catch(complain('what was begun could not be ended'));
    log.info({ port, mode: slack.route === undefined ? 'socket' : 'http', team: identity.teamId }, 'Edgewise is ready');
    return { port, tick: () => scheduler.tick(), stop: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function createMetrics(): { registry: Registry; received: (kind: string) => void } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const received = new Counter({
    name: 'edgewise_slack_payloads_total',
    help: 'Payloads that came from Slack, by kind',
    labelNames: ['kind'],
    registers: [registry],
  });
  return { registry, received: (kind) => received.inc({ kind }) };
}

/** By the process's own clock, which nobody sets. */
async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
}
