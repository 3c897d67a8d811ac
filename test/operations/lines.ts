import { operations } from '../../src/operations/index.ts';

/** Changes as they are typed; those of reports happen in the store, and are read in `test/flows`. */
export const CHANGES = [
  'ssl force dl.example.com on', 'ssl force dl.example.com on --for 30m', 'certificate request cdn.example.com',
  'certificate complete cdn.example.com', 'bot set shop seo block', 'block add shop 198.51.100.7',
  'block add staging 198.51.100.7 --for 2h', 'limit add shop /login 10 1m', 'attack on shop', 'attack on staging', 'variable add geo-redirect PLAIN one',
  'script publish geo-redirect previous', 'app restart mailer',
  'cache purge https://dl.example.com/a.zip', 'cache purge tag:news --zone shop', 'cache clear shop',
  'token create shop --both --expiry 30d', 'token regenerate shop', 'token invalidate shop',
  'database execute events CREATE TABLE kept (id)', 'app delete mailer',
  'token-for-agents create', 'token-for-agents revoke',
  { operation: 'guardian upload', given: { zone: 'assets', file: 'F0000001' } },
  { operation: 'guardian upload', given: { zone: 'api', file: 'F0000001' } },
] as const; // biome-ignore format: a list of lines reads better as a block

/** Reads that need no argument: a new list is read wherever all are, without a line of its own. */
export const BARE_READS = operations
  .filter(({ effect, args }) => effect === 'read' && Object.values(args).every(({ required }) => !required))
  .map(({ name }) => name);

/** What reads the store, logs that a worker sums up and the origin's errors is read in `test/flows`. */
export const READ_IN_FLOWS = /^(audit|changes|approval|report|status|help|can-i|now|errors show|log summary)/;

/** Reads as they are typed. */
export const READS = [
  ...BARE_READS.filter((name) => !READ_IN_FLOWS.test(name)), 'zone show shop', 'bot list shop', 'security summary shop --from 1h', 'block list shop', 'block list staging', 'guardian show api',
  'log search main-site', 'log search main-site --status 5xx', 'log download main-site yesterday',
  'stats show main-site', 'stats show main-site --hourly', 'stats optimizer main-site', 'stats queue main-site', 'stats safehop main-site',
  'variable list geo-redirect', 'script releases geo-redirect', 'app show mailer', 'volume list mailer', 'database query events SELECT 1',
] as const; // biome-ignore format: a list of lines reads better as a block

/** A file that can be given to what takes one. */
export const DEFINITION =
  'openapi: 3.0.3\ninfo: { title: Shop, version: "1" }\npaths: { /carts: { get: { responses: {} } } }\n';

/** So many lines are read before the fold: Slack shows the beginning of what is longer. */
export const BEFORE_THE_FOLD = 12;
