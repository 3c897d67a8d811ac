import type { Secret } from '../secret.ts';
import { createLogLimiter, type PermitStore, UNLIMITED } from './rate-limit.ts';
import { createTransport, type TransportOptions } from './request.ts';
import { type AccessLogs, createAccessLogs } from './resources/access-logs.ts';
import { type ApiKeys, createApiKeys } from './resources/api-keys.ts';
import { type Apps, createApps } from './resources/apps.ts';
import { type BillingReads, createBilling } from './resources/billing.ts';
import { createDatabases, type Databases } from './resources/databases.ts';
import { createEdgeScripts, type EdgeScripts } from './resources/edge-scripts.ts';
import { createOriginErrors, type OriginErrors } from './resources/origin-errors.ts';
import { createPullZones, type PullZones } from './resources/pull-zones.ts';
import { createSecurity, type Security, type SecuritySettings } from './resources/security.ts';
import { createShieldZones, type ShieldZones } from './resources/shield-zones.ts';
import { createSql, type Sql } from './resources/sql.ts';
import { createStatistics, type Statistics } from './resources/statistics.ts';
import { createUserAudit, type UserAudit } from './resources/user-audit.ts';
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
export interface Platform {
  apiKeys: ApiKeys;
  shieldZones: ShieldZones;
  security: Security;
  edgeScripts: EdgeScripts;
  pullZones: PullZones;
  statistics: Statistics;
  originErrors: OriginErrors;
  accessLogs: AccessLogs;
  apps: Apps;
  databases: Databases;
  sql: Sql;
  billing: BillingReads;
  userAudit: UserAudit;
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

export function platformOver(transport: Transport, options: PlatformOptions): Platform {
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
    fenced: (fence) => platformOver(fencedBy(transport, fence), options),
    close: () => transport.close(),
  };
}

/** Puts every write behind the fence. */
const fencedBy = (transport: Transport, fence: Fence): Transport => ({
  ...transport,
  write: (call, schema, given) => transport.write(call, schema, { ...given, fence }),
  post: (call, given) => transport.post(call, { ...given, fence }),
});
