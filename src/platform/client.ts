import type { Secret } from '../secret.ts';
import { createLogLimiter, createMemoryPermits, type PermitStore } from './rate-limit.ts';
import { createTransport } from './request.ts';
import { createAccessLogs } from './resources/access-logs.ts';
import { createApiKeys } from './resources/api-keys.ts';
import { createApps } from './resources/apps.ts';
import { createDatabases } from './resources/databases.ts';
import { createEdgeScripts } from './resources/edge-scripts.ts';
import { createOriginErrors } from './resources/origin-errors.ts';
import { createPullZones } from './resources/pull-zones.ts';
import { createShieldZones } from './resources/shield-zones.ts';
import { createSql } from './resources/sql.ts';
import { createStatistics } from './resources/statistics.ts';

export type { CallOptions } from './transport.ts';

/** Where the platform is and how the bot proves who it is. Base addresses may have a path. */
export interface PlatformOptions {
  /** The management API. */
  apiUrl: string;
  originLogsUrl?: string | undefined;
  loggingUrl?: string | undefined;
  /** The database control plane; default `${apiUrl}/database`. */
  databaseApiUrl?: string | undefined;
  /** A database token goes to these hosts and those under them only; an entry may carry a port. */
  databaseHosts?: readonly string[] | undefined;
  accessKey: Secret;
  /** Instead of the key at the origin error log service: the whole `Authorization` value. */
  originLogsJwt?: Secret | undefined;
  /** Instead of the key at the access log service, v1 and v2: sent as `Bearer`. */
  loggingJwt?: Secret | undefined;
  /** The permits under the logging limit; default in memory, for one process. */
  permits?: PermitStore | undefined;
  /** Whether row 7 sends what the specification does not show (a zone, `load…`); default true. */
  statisticsExtras?: boolean | undefined;
  /** Whether row 16 ends with a `close` item; default true. */
  pipelineClose?: boolean | undefined;
  /** Milliseconds for one attempt of one request; default 20,000. */
  timeout?: number | undefined;
  /** How often a read is tried again; default 2. */
  retries?: number | undefined;
  /** Milliseconds before the first repetition, doubled for each further one; default 250. */
  retryDelay?: number | undefined;
  userAgent?: string | undefined;
  /** Told every secret that an answer brings: listed keys, new tokens. */
  onSecret?: ((secret: Secret) => void) | undefined;
  /** The present moment, for the checks before sending; default the system's. */
  now?: (() => Date) | undefined;
}

/** The platform as the bot uses it. Wire names are kept; secrets in answers are dropped or `Secret`. */
export type Platform = ReturnType<typeof createPlatform>;

/** Builds the client. Nothing is sent before the first call; `close()` ends its connections. */
export function createPlatform(options: PlatformOptions) {
  const now = options.now ?? (() => new Date());
  const onSecret = options.onSecret ?? (() => undefined);
  const transport = createTransport({
    ...options,
    limiter: createLogLimiter({ store: options.permits ?? createMemoryPermits() }),
  });
  return {
    apiKeys: createApiKeys(transport, { onSecret }),
    shieldZones: createShieldZones(transport),
    edgeScripts: createEdgeScripts(transport),
    pullZones: createPullZones(transport),
    statistics: createStatistics(transport, { extras: options.statisticsExtras ?? true, now }),
    originErrors: createOriginErrors(transport, { now }),
    accessLogs: createAccessLogs(transport, { now }),
    apps: createApps(transport),
    databases: createDatabases(transport, { onSecret }),
    sql: createSql(transport, { hosts: options.databaseHosts ?? [], close: options.pipelineClose ?? true }),
    /** Waits for what is under way, then closes every connection. */
    close: (): Promise<void> => transport.close(),
  };
}
