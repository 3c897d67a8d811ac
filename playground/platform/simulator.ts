import { type Account, secretsOf, type UserAuditLog } from './account/account.ts';
import { checkLoggingAccess, checkManagementAccess, checkOriginLogsAccess } from './authentication.ts';
import { createHand, releaseByHand } from './by-hand.ts';
import { startDatabases } from './databases/databases.ts';
import { accessLogRoutes } from './routes/access-logs.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { appRoutes } from './routes/apps.ts';
import { billingRoutes } from './routes/billing.ts';
import { databaseRoutes } from './routes/databases.ts';
import { edgeScriptRoutes } from './routes/edge-scripts.ts';
import { originLogRoutes } from './routes/origin-logs.ts';
import { pullZoneRoutes } from './routes/pull-zones.ts';
import { securityRoutes } from './routes/security.ts';
import { shieldRoutes } from './routes/shield.ts';
import { statisticsRoutes } from './routes/statistics.ts';
import { audited, userAuditRoutes } from './routes/user-audit.ts';
import { type RecordedRequest, type RunningServer, type ServerOptions, startServer } from './server.ts';
import { createSimulation, routesOf, type Simulation, type SimulatorOptions } from './simulation.ts';

export type { Account } from './account/account.ts';
export type { RecordedRequest } from './server.ts';
export type { SimulatorOptions } from './simulation.ts';

/** A platform that runs on this machine. */
export interface PlatformSimulator {
  /** Base addresses without a trailing slash; databases by id. */
  urls: { api: string; originLogs: string; logging: string; databases: Record<string, string> };
  /** The settings that point the bot at it. */
  environment: Record<string, string>;
  /** The live state: requests change it, and answers are made from it. */
  account: Account;
  /** Every secret that exists or ever existed. */
  secrets(): string[];
  /** Valid JWTs: each for its own service only. */
  jwt: { originLogs: string; logging: string };
  /** The last 50,000 requests, oldest first. */
  requests: RecordedRequest[];
  /** The requests that changed something (or would have, like a second deletion). */
  writes(): RecordedRequest[];
  /** What `GET /user/audit/{date}` answers from. */
  audit: UserAuditLog[];
  /** Somebody makes the next of some changes in the dashboard. Returns a sentence about it. */
  byHand(): string;
  /** Somebody publishes a release in the dashboard. Returns a sentence about it. */
  release(): string;
  /** Switches a fault on; call what it returns to switch it off. Throws a RangeError for an unknown one. */
  fault(spec: string): () => void;
  clearFaults(): void;
  close(): Promise<void>;
}

const KEPT_REQUESTS = 50_000;

/** The routes of the management API. */
const API_ROUTES = [
  ...apiKeyRoutes,
  ...edgeScriptRoutes,
  ...pullZoneRoutes,
  ...statisticsRoutes,
  ...billingRoutes,
  ...shieldRoutes,
  ...securityRoutes,
  ...appRoutes,
  ...databaseRoutes,
  ...userAuditRoutes,
];

/** Starts the platform's services on loopback ports. */
export async function startPlatformSimulator(options: SimulatorOptions = {}): Promise<PlatformSimulator> {
  const simulation = await createSimulation(options);
  const { account, faults, jwt } = simulation;
  const requests: RecordedRequest[] = [];
  const { api, originLogs, logging, databases } = await startServers(simulation, options, requests);
  return {
    urls: {
      api: api.url,
      originLogs: originLogs.url,
      logging: logging.url,
      databases: Object.fromEntries(account.databases.map(({ id, url }) => [id, url])),
    },
    environment: {
      PLATFORM_API_URL: api.url,
      PLATFORM_ACCESS_KEY: account.keys[0]?.Key ?? '',
      PLATFORM_ORIGIN_LOGS_URL: originLogs.url,
      PLATFORM_LOGGING_URL: logging.url,
      PLATFORM_DATABASE_API_URL: `${api.url}/database`,
      PLATFORM_DATABASE_HOST: account.databases.map(({ url }) => new URL(url).host).join(','),
    },
    account,
    secrets: () => [...new Set([...simulation.secrets, ...secretsOf(account)])],
    jwt,
    requests,
    writes: () => requests.filter((request) => request.applied),
    audit: simulation.audit,
    byHand: createHand(simulation),
    release: () => releaseByHand(simulation),
    fault: faults.add,
    clearFaults: faults.clear,
    async close() {
      // In order: the databases' folder goes last.
      for (const server of [api, originLogs, logging, ...databases]) {
        await server.close();
      }
    },
  };
}

interface Servers {
  api: RunningServer;
  originLogs: RunningServer;
  logging: RunningServer;
  databases: RunningServer[];
}

async function startServers(
  simulation: Simulation,
  options: SimulatorOptions,
  requests: RecordedRequest[],
): Promise<Servers> {
  const { seed, account, faults, now, specOnly } = simulation;
  const { ports = {}, queryLimitMs = 10_000 } = options;
  const common: Pick<ServerOptions, 'faults' | 'now' | 'specOnly' | 'record'> = {
    faults,
    now,
    specOnly,
    record(request) {
      requests.push(request);
      if (requests.length > KEPT_REQUESTS) {
        requests.splice(0, requests.length - KEPT_REQUESTS);
      }
    },
  };
  return {
    api: await startServer({
      ...common,
      service: 'api',
      port: ports.api ?? 0,
      authenticate: (request) => checkManagementAccess(simulation, request),
      routes: routesOf(simulation, API_ROUTES.map(audited)),
    }),
    originLogs: await startServer({
      ...common,
      service: 'origin-logs',
      port: ports.originLogs ?? 0,
      authenticate: (request) => checkOriginLogsAccess(simulation, request),
      routes: routesOf(simulation, originLogRoutes),
    }),
    logging: await startServer({
      ...common,
      service: 'logging',
      port: ports.logging ?? 0,
      authenticate: (request) => checkLoggingAccess(simulation, request),
      routes: routesOf(simulation, accessLogRoutes),
    }),
    databases: await startDatabases({ ...common, seed, databases: account.databases, limitMs: queryLimitMs }),
  };
}
