import type { Secret } from '../secret.ts';

/** The services that a request can go to. Shield and statistics live at the management address, but are listed apart. */
export type Service = 'management' | 'shield' | 'statistics' | 'originLogs' | 'logging' | 'databaseControl' | 'sql';

/** The secrets that requests are made with. A JWT stands in for the key at its own service only. */
export interface Credentials {
  accessKey: Secret;
  /** The whole `Authorization` value. */
  originLogsJwt?: Secret | undefined;
  /** Sent as `Bearer`, for v1 and v2 of the access log. */
  loggingJwt?: Secret | undefined;
}

type AuthHeader = readonly [name: string, value: string];

const accountKey = ({ accessKey }: Credentials): AuthHeader => ['AccessKey', accessKey.reveal()];

/** One header per service, never two (docs/platform.md, Authentication). Databases have their own, from their token. */
export const AUTHENTICATION: Record<Exclude<Service, 'sql'>, (credentials: Credentials) => AuthHeader> = {
  management: accountKey,
  // Of shield, statistics and the control plane no table tells: they take the account's key.
  shield: accountKey,
  statistics: accountKey,
  databaseControl: accountKey,
  originLogs: (credentials) =>
    credentials.originLogsJwt ? ['Authorization', credentials.originLogsJwt.reveal()] : accountKey(credentials),
  logging: (credentials) =>
    credentials.loggingJwt ? ['Authorization', `Bearer ${credentials.loggingJwt.reveal()}`] : accountKey(credentials),
};

/** The header of statements on a database. */
export const databaseAuthorization = (token: Secret): AuthHeader => ['Authorization', `Bearer ${token.reveal()}`];

/** The services as people call them, in errors. */
export const SERVICE_NAMES: Record<Service, string> = {
  management: 'the platform',
  shield: 'the platform (shield)',
  statistics: 'the platform (statistics)',
  originLogs: 'the origin error log service',
  logging: 'the access log service',
  databaseControl: 'the database service',
  sql: 'the database',
};
