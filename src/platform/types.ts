// Every type that the platform's answers and questions have, in one place for those who use the client.
export type { CacheStatus } from './access-log-status.ts';
export type { BotAction } from './bots.ts';
export type { Platform, PlatformOptions } from './client.ts';
export type { AccessLogPage, AccessLogQuery, AccessLogRecord } from './resources/access-logs.ts';
export type { ApiKey, ApiKeyPage } from './resources/api-keys.ts';
export type { App, AppEndpoint, Volume, VolumeList } from './resources/apps.ts';
export type { Database, GeneratedToken, TokenAuthorization } from './resources/databases.ts';
export type { EdgeScript, EdgeScriptVariable, NewVariable } from './resources/edge-scripts.ts';
export type { OriginError, OriginErrorDay, OriginErrorDetail } from './resources/origin-errors.ts';
export type { CertificateRequest, Hostname, PullZone } from './resources/pull-zones.ts';
export type {
  BotCategory,
  BotCategoryAction,
  Guardian,
  GuardianConfiguration,
  GuardianEndpoint,
  GuardianParameters,
  ShieldZone,
  ShieldZoneMapping,
  SpecificationUpload,
} from './resources/shield-zones.ts';
export type { SqlColumn, SqlResult, SqlTarget, SqlValue, Tried, TriedStatement } from './resources/sql.ts';
export type {
  AccountStatisticsQuery,
  Chart,
  OptimizerStatistics,
  QueueStatistics,
  SafehopStatistics,
  StatisticsAnswer,
  StatisticsQuery,
} from './resources/statistics.ts';
export type { Done, Listed } from './shapes.ts';
export type { CallOptions, Priority } from './transport.ts';
