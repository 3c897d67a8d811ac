import type { Secret } from '../secret.ts';

/** The services a request can go to. Shield and statistics live at the management address but are listed apart (see below). */
export type Service = 'management' | 'shield' | 'statistics' | 'originLogs' | 'logging' | 'databaseControl' | 'sql';

/** The secrets that requests are made with. A JWT stands in for the key at its own service only. */
export interface Credentials {
  accessKey: Secret;
  originLogsJwt?: Secret | undefined;
  loggingJwt?: Secret | undefined;
}

type AuthHeader = readonly [name: string, value: string];

const accountKey = ({ accessKey }: Credentials): AuthHeader => ['AccessKey', accessKey.reveal()];

/**
 * Rows 2 and 3 (spec part 5: not shown) and rows 7 to 10 (absent from its table) take the account's key, as the rest of the
 * management API does. Source: platform.md 3.1 (the shield OpenAPI file's security scheme) and 7.1.
 */
const NOT_SHOWN = accountKey;

/** Exactly one header per service, never both (spec part 5). The SQL endpoint has its own, from the database's token. */
export const AUTHENTICATION: Record<Exclude<Service, 'sql'>, (credentials: Credentials) => AuthHeader> = {
  management: accountKey,
  shield: NOT_SHOWN,
  statistics: NOT_SHOWN,
  originLogs: (credentials) =>
    credentials.originLogsJwt ? ['Authorization', credentials.originLogsJwt.reveal()] : accountKey(credentials),
  logging: (credentials) =>
    credentials.loggingJwt ? ['Authorization', `Bearer ${credentials.loggingJwt.reveal()}`] : accountKey(credentials),
  // Source: platform.md 11 (the official command line sends the account's key).
  databaseControl: accountKey,
};

/** The header of row 16 (spec part 5). */
export const databaseAuthorization = (token: Secret): AuthHeader => ['Authorization', `Bearer ${token.reveal()}`];

/** What people call the services, in errors. */
export const SERVICE_NAMES: Record<Service, string> = {
  management: 'the platform',
  shield: 'the platform (shield)',
  statistics: 'the platform (statistics)',
  originLogs: 'the origin error log service',
  logging: 'the access log service',
  databaseControl: 'the database service',
  sql: 'the database',
};
