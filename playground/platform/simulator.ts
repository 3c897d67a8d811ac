import { type Account, secretsOf, seedAccount } from './account/account.ts';
import { signedText } from './account/tokens.ts';
import type { Service } from './answers.ts';
import { loggingAuthentication, managementAuthentication, originLogsAuthentication } from './authentication.ts';
import { startDatabases } from './databases/databases.ts';
import { createFaults } from './faults.ts';
import { createRandom } from './random.ts';
import { accessLogRoutes } from './routes/access-logs.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { appRoutes } from './routes/apps.ts';
import { databaseControlRoutes } from './routes/databases.ts';
import { edgeScriptRoutes } from './routes/edge-scripts.ts';
import { originLogRoutes } from './routes/origin-logs.ts';
import { pullZoneRoutes } from './routes/pull-zones.ts';
import { shieldRoutes } from './routes/shield.ts';
import { statisticsRoutes } from './routes/statistics.ts';
import { type RecordedRequest, type RunningService, startService } from './server.ts';
import type { Simulation } from './simulation.ts';
import { loadLog } from './traffic/log-file.ts';
import { createLogStore } from './traffic/log-store.ts';
import type { Incidents } from './traffic/traffic.ts';

export type { Account } from './account/account.ts';
export type { RecordedRequest } from './server.ts';

/** How a simulator is started; everything has a default. */
export interface SimulatorOptions {
  /** Everything seeded is a function of it; 1. */
  seed?: number;
  /** Statistics and logs are functions of seed, zone and time; the real time. */
  now?: () => Date;
  /** Milliseconds, the clock of the rate limit; the real one. For replays, in which an hour passes at once. */
  elapsed?: () => number;
  /** Answers 404 to everything outside spec.md. */
  specOnly?: boolean;
  /** A real v1 log that is loaded onto a zone (the first), shifted by whole days so that its last date is yesterday. */
  accessLog?: { file: string; zone?: number };
  /** What goes wrong with the traffic of which zone on which day; as the seed has it. */
  incidents?: Incidents;
  /** Faults in the syntax of faults.ts. */
  faults?: string[];
  /** How long one database request may run before the database's process is killed, milliseconds; 10,000. */
  queryLimitMs?: number;
  /** Ports; 0 picks one. */
  ports?: { api?: number; originLogs?: number; logging?: number };
}

/** A platform that runs on this machine. */
export interface PlatformSimulator {
  /** Base addresses without a trailing slash; databases by id. */
  urls: { api: string; originLogs: string; logging: string; databases: Record<string, string> };
  /** The settings that point the bot at it. */
  environment: Record<string, string>;
  /** The live state: what requests change is seen here, and what is changed here is seen by requests. */
  account: Account;
  /** Every secret that exists or ever existed. */
  secrets(): string[];
  /** Valid JWTs: each for its own service only. */
  jwt: { originLogs: string; logging: string };
  /** The last 50,000 requests, oldest first. */
  requests: RecordedRequest[];
  /** The requests that changed something (or would have, like a second deletion). */
  writes(): RecordedRequest[];
  /** Switches a fault on; call what it returns to switch it off. Throws a RangeError for an unknown one. */
  fault(spec: string): () => void;
  clearFaults(): void;
  close(): Promise<void>;
}

const KEPT_REQUESTS = 50_000;

/** Starts the platform's services on loopback ports. */
export async function startPlatformSimulator(options: SimulatorOptions = {}): Promise<PlatformSimulator> {
  const seed = options.seed ?? 1;
  const now = options.now ?? (() => new Date());
  const account = seedAccount(seed, now());
  const random = createRandom(seed, 'jwt');
  const jwt = {
    originLogs: signedText({ sub: 'account-7001', aud: 'origin-logs', jti: random.text(12) }, random.text(16)),
    logging: signedText({ sub: 'account-7001', aud: 'logging', jti: random.text(12) }, random.text(16)),
  };
  const viewerToken = signedText({ sub: 'viewer', aud: 'video', jti: random.text(12) }, random.text(16));
  const everSecret = new Set([...secretsOf(account), jwt.originLogs, jwt.logging, viewerToken]);
  const zoneId = options.accessLog?.zone ?? account.zones[0]?.Id ?? 0;
  if (!account.zones.some((zone) => zone.Id === zoneId)) {
    throw new RangeError(`There is no pull zone ${zoneId} to load the access log onto.`);
  }
  const loaded = options.accessLog ? { ...(await loadLog(options.accessLog.file, now())), zoneId } : undefined;
  const faults = createFaults(options.faults);
  const requests: RecordedRequest[] = [];
  const simulation: Simulation = {
    seed,
    specOnly: options.specOnly ?? false,
    account,
    logs: createLogStore(seed, now, loaded, options.incidents),
    incidents: options.incidents,
    faults,
    now,
    elapsed: options.elapsed ?? (() => performance.now()),
    remember: (secret) => everSecret.add(secret),
    viewerToken,
  };

  const record = (request: RecordedRequest): void => {
    requests.push(request);
    if (requests.length > KEPT_REQUESTS) {
      requests.splice(0, requests.length - KEPT_REQUESTS);
    }
  };
  const common = { faults, now, record, specOnly: simulation.specOnly };
  const services: RunningService[] = [];
  const start = async (
    service: Service,
    rest: Omit<Parameters<typeof startService>[0], keyof typeof common | 'service'>,
  ) => {
    const running = await startService({ ...common, ...rest, service });
    services.push(running);
    return running.url;
  };

  const api = await start('api', {
    port: options.ports?.api ?? 0,
    authenticate: managementAuthentication(account.keys),
    routes: [
      ...apiKeyRoutes(simulation),
      ...edgeScriptRoutes(simulation),
      ...pullZoneRoutes(simulation),
      ...statisticsRoutes(simulation),
      ...shieldRoutes(simulation),
      ...appRoutes(simulation),
      ...databaseControlRoutes(simulation),
    ],
  });
  const originLogs = await start('origin-logs', {
    port: options.ports?.originLogs ?? 0,
    authenticate: originLogsAuthentication(account.keys, jwt.originLogs),
    routes: originLogRoutes(simulation),
  });
  const logging = await start('logging', {
    port: options.ports?.logging ?? 0,
    authenticate: loggingAuthentication(account.keys, jwt.logging),
    routes: accessLogRoutes(simulation),
  });

  const { databases } = account;
  services.push(...(await startDatabases({ ...common, seed, databases, limitMs: options.queryLimitMs ?? 10_000 })));

  return {
    urls: {
      api,
      originLogs,
      logging,
      databases: Object.fromEntries(databases.map(({ id, url }) => [id, url])),
    },
    environment: {
      PLATFORM_API_URL: api,
      PLATFORM_ACCESS_KEY: account.keys[0]?.Key ?? '',
      PLATFORM_ORIGIN_LOGS_URL: originLogs,
      PLATFORM_LOGGING_URL: logging,
      PLATFORM_DATABASE_API_URL: `${api}/database`,
      PLATFORM_DATABASE_HOST: databases.map(({ url }) => new URL(url).host).join(','),
    },
    account,
    secrets: () => [...new Set([...everSecret, ...secretsOf(account)])],
    jwt,
    requests,
    writes: () => requests.filter((request) => request.applied),
    fault: faults.add,
    clearFaults: faults.clear,
    async close() {
      // In order: the databases' folder goes last.
      for (const service of services) {
        await service.close();
      }
    },
  };
}
