/** Changes as they are typed; those of reports happen in the store, and are read in `test/flows`. */
export const CHANGES = [
  'ssl force dl.example.com on', 'ssl force dl.example.com on --for 30m', 'certificate request cdn.example.com',
  'certificate complete cdn.example.com', 'bot set shop seo block', 'variable add geo-redirect PLAIN one',
  'cache purge https://dl.example.com/a.zip', 'cache purge tag:news --zone shop', 'cache clear shop',
  'token create shop --both --expiry 30d', 'token regenerate shop', 'token invalidate shop',
  'database execute events CREATE TABLE kept (id)', 'app delete mailer',
  { operation: 'guardian upload', given: { zone: 'assets', file: 'F0000001' } },
  { operation: 'guardian replace', given: { zone: 'api', file: 'F0000001' } },
] as const; // biome-ignore format: a list of lines reads better as a block

/**
 * Reads as they are typed. Those of the store (audit, approvals, reports, status), of logs that a worker sums up and of the origin's
 * errors are read in `test/flows`.
 */
export const READS = [
  'key list', 'zone list', 'zone show shop', 'bot list shop', 'guardian show api',
  'log search main-site', 'log search main-site --status 5xx', 'log download main-site yesterday', 'stats show',
  'stats show main-site', 'stats show main-site --hourly', 'stats optimizer main-site', 'stats queue main-site', 'stats safehop main-site',
  'variable list geo-redirect', 'script list', 'app list', 'volume list mailer', 'database list', 'database query events SELECT 1',
] as const; // biome-ignore format: a list of lines reads better as a block

/** A file that can be given to what takes one. */
export const DEFINITION =
  'openapi: 3.0.3\ninfo: { title: Shop, version: "1" }\npaths: { /carts: { get: { responses: {} } } }\n';

/** So many lines are read before the fold: Slack shows the beginning of what is longer. */
export const BEFORE_THE_FOLD = 12;
