import type { Secret } from '../secret.ts';
import { createLogLimiter, type PermitStore, UNLIMITED } from './rate-limit.ts';
import { createTransport, type TransportOptions } from './request.ts';
import { createAccessLogs } from './resources/access-logs.ts';
import { createApiKeys } from './resources/api-keys.ts';
import { createApps } from './resources/apps.ts';
import { createBilling } from './resources/billing.ts';
import { createDatabases } from './resources/databases.ts';
import { createEdgeScripts } from './resources/edge-scripts.ts';
import { createOriginErrors } from './resources/origin-errors.ts';
import { createPullZones } from './resources/pull-zones.ts';
import { createSecurity, type SecuritySettings } from './resources/security.ts';
import { createShieldZones } from './resources/shield-zones.ts';
import { createSql } from './resources/sql.ts';
import { createStatistics } from './resources/statistics.ts';
import { createUserAudit } from './resources/user-audit.ts';
import type { Fence, Transport } from './transport.ts';

export interface PlatformOptions extends Omit<TransportOptions, 'limiter'>, SecuritySettings {
  /** Tokens go only to these hosts and hosts under them. An entry may have a port. */
  databaseHosts?: readonly string[] | undefined;
  /** Without it there is no limit. */
  permits?: PermitStore | undefined;
  /** False: sends no extensions (a zone, `load…`). */
  statisticsExtras?: boolean | undefined;
  /** In US dollars a month. */
  budget?: number | undefined;
  /** Called with listed keys and new tokens. */
  onSecret?: ((secret: Secret) => void) | undefined;
  /** For checks before sending. */
  now?: (() => Date) | undefined;
}

/** Uses the platform’s wire names. Secrets in answers are dropped, or become `Secret`. */
export interface Platform extends ReturnType<typeof resourcesOver> {
  /** For one change. Once the fence is closed, no write leaves. */
  fenced(fence: Fence): Platform;
  /** Waits for requests under way. */
  close(): Promise<void>;
}

/** Sends nothing before the first call. */
export function createPlatform(options: PlatformOptions): Platform {
  const { permits = UNLIMITED } = options;
  return platformOver(createTransport({ ...options, limiter: createLogLimiter({ store: permits }) }), options);
}

export const platformOver = (transport: Transport, options: PlatformOptions): Platform => ({
  ...resourcesOver(transport, options),
  fenced: (fence) => platformOver(fencedBy(transport, fence), options),
  close: () => transport.close(),
});

function resourcesOver(transport: Transport, options: PlatformOptions) {
  const {
    now = () => new Date(),
    onSecret = () => undefined,
    databaseHosts: hosts = [],
    statisticsExtras: extras = true,
  } = options;
  return {
    apiKeys: createApiKeys(transport, { onSecret }),
    shieldZones: createShieldZones(transport),
    security: createSecurity(transport, options),
    edgeScripts: createEdgeScripts(transport),
    pullZones: createPullZones(transport),
    statistics: createStatistics(transport, { extras, now }),
    originErrors: createOriginErrors(transport),
    accessLogs: createAccessLogs(transport, { now }),
    apps: createApps(transport),
    databases: createDatabases(transport, { onSecret }),
    sql: createSql(transport, { hosts }),
    billing: createBilling(transport, { budget: options.budget, extras }),
    userAudit: createUserAudit(transport),
  };
}

/** Puts every write behind the fence. */
const fencedBy = (transport: Transport, fence: Fence): Transport => ({
  ...transport,
  write: (call, schema, given) => transport.write(call, schema, { ...given, fence }),
  post: (call, given) => transport.post(call, { ...given, fence }),
});
