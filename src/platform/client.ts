import type { Secret } from '../secret.ts';
import { createLogLimiter, type PermitStore, UNLIMITED } from './rate-limit.ts';
import { createTransport, type TransportOptions } from './request.ts';
import { type AccessLogs, createAccessLogs } from './resources/access-logs.ts';
import { type ApiKeys, createApiKeys } from './resources/api-keys.ts';
import { type Apps, createApps } from './resources/apps.ts';
import { createDatabases, type Databases } from './resources/databases.ts';
import { createEdgeScripts, type EdgeScripts } from './resources/edge-scripts.ts';
import { createOriginErrors, type OriginErrors } from './resources/origin-errors.ts';
import { createPullZones, type PullZones } from './resources/pull-zones.ts';
import { createShieldZones, type ShieldZones } from './resources/shield-zones.ts';
import { createSql, type Sql } from './resources/sql.ts';
import { createStatistics, type Statistics } from './resources/statistics.ts';
import type { Fence, Transport } from './transport.ts';

/** The platform's addresses, the credentials of the bot, and what only tests and other platforms need. */
export interface PlatformOptions extends Omit<TransportOptions, 'limiter'> {
  /** A database token goes to these hosts and those under them only; an entry may carry a port. */
  databaseHosts?: readonly string[] | undefined;
  /** The permits under the logging limit; no limit when not given. */
  permits?: PermitStore | undefined;
  /** False: `GET /statistics` is sent without its extensions (a zone, `load…`). */
  statisticsExtras?: boolean | undefined;
  /** False: `POST {database}/v2/pipeline` ends without a `close` item. */
  pipelineClose?: boolean | undefined;
  /** Told every secret that an answer brings: listed keys, new tokens. */
  onSecret?: ((secret: Secret) => void) | undefined;
  /** The present moment, for the checks before sending; the system's when not given. */
  now?: (() => Date) | undefined;
}

/** The platform as the bot uses it. Wire names are kept; secrets in answers are dropped or `Secret`. */
export interface Platform {
  apiKeys: ApiKeys;
  shieldZones: ShieldZones;
  edgeScripts: EdgeScripts;
  pullZones: PullZones;
  statistics: Statistics;
  originErrors: OriginErrors;
  accessLogs: AccessLogs;
  apps: Apps;
  databases: Databases;
  sql: Sql;
  /** The same platform, for one change: nothing that changes anything leaves once the fence says no. */
  fenced(fence: Fence): Platform;
  /** Waits for what is under way, then closes every connection. */
  close(): Promise<void>;
}

/** Builds the client. Nothing is sent before the first call; `close()` ends its connections. */
export function createPlatform(options: PlatformOptions): Platform {
  const { permits = UNLIMITED } = options;
  return platformOver(createTransport({ ...options, limiter: createLogLimiter({ store: permits }) }), options);
}

/** The platform over any transport. Each resource is made when it is first asked for: a change needs one or two. */
export function platformOver(transport: Transport, options: PlatformOptions): Platform {
  const { now = () => new Date(), onSecret = () => undefined, databaseHosts: hosts = [] } = options;
  return lazily<Platform>({
    apiKeys: () => createApiKeys(transport, { onSecret }),
    shieldZones: () => createShieldZones(transport),
    edgeScripts: () => createEdgeScripts(transport),
    pullZones: () => createPullZones(transport),
    statistics: () => createStatistics(transport, { extras: options.statisticsExtras ?? true, now }),
    originErrors: () => createOriginErrors(transport),
    accessLogs: () => createAccessLogs(transport, { now }),
    apps: () => createApps(transport),
    databases: () => createDatabases(transport, { onSecret }),
    sql: () => createSql(transport, { hosts, close: options.pipelineClose ?? true }),
    fenced: () => (fence) => platformOver(fencedBy(transport, fence), options),
    close: () => () => transport.close(),
  });
}

/** The transport with every request that may change something behind a fence. */
const fencedBy = (transport: Transport, fence: Fence): Transport => ({
  ...transport,
  write: (call, schema, given) => transport.write(call, schema, { ...given, fence }),
  post: (call, given) => transport.post(call, { ...given, fence }),
});

/** A record whose fields are made at their first use, and kept. */
function lazily<T extends object>(makers: { [Key in keyof T]: () => T[Key] }): T {
  const made: Partial<T> = {};
  const fieldOf = (key: keyof T) => ({ enumerable: true, get: () => (made[key] ??= makers[key]()) });
  return Object.defineProperties(
    {} as T,
    Object.fromEntries(Object.keys(makers).map((key) => [key, fieldOf(key as keyof T)])),
  );
}
