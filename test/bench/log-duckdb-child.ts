/** The same summary by DuckDB: `log-duckdb-child <path> <threads>`; `BENCH_TOOLS` is the folder that it is installed in. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Outcome } from './log-contenders.ts';

/** As much of `@duckdb/node-api` as is used here: it is no dependency. */
interface DuckDb {
  DuckDBInstance: {
    create(
      path: string,
      options: Record<string, string>,
    ): Promise<{
      connect(): Promise<{ runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Record<string, unknown>[] }> }>;
    }>;
  };
}

const [path = '', threads = '1'] = process.argv.slice(2);
const tools = createRequire(join(process.env.BENCH_TOOLS ?? process.cwd(), 'package.json'));
const { DuckDBInstance } = tools('@duckdb/node-api') as DuckDb;
const connection = await (await DuckDBInstance.create(':memory:', { threads })).connect();

const columns = [
  'cache',
  'status',
  'time',
  'bytes',
  'zone',
  'address',
  'referer',
  'url',
  'edge',
  'agent',
  'request',
  'country',
];
const types: Record<string, string> = { status: 'USMALLINT', time: 'BIGINT', bytes: 'BIGINT' };
const sql = `
  SELECT count(*) AS lines, sum(bytes) AS bytes, count(*) FILTER (status = 404) AS missing,
    histogram(status) AS statuses, histogram(cache) AS caches, histogram(time // 3600000) AS hours,
    approx_top_k(path, 100) AS paths, approx_top_k(path, 100) FILTER (status = 404) AS missing_paths,
    approx_top_k(path, 100) FILTER (status >= 500) AS failing_paths, approx_top_k(agent, 100) AS agents,
    approx_top_k(country, 100) AS countries, approx_top_k(address, 100) AS addresses, min(time) AS first, max(time) AS last
  FROM (
    SELECT * REPLACE (split_part(split_part(referer, '?', 1), '#', 1) AS referer),
      substr(bare, strpos(substr(bare, 9), '/') + 8) AS path
    FROM (
      SELECT *, split_part(split_part(url, '?', 1), '#', 1) AS bare
      FROM read_csv('${path}', delim = '|', header = false, quote = '', escape = '', auto_detect = false,
        columns = {${columns.map((name) => `'${name}': '${types[name] ?? 'VARCHAR'}'`).join(', ')}})
    )
  )`;

const before = process.cpuUsage();
const start = performance.now();
const [row = {}] = (await connection.runAndReadAll(sql)).getRowObjectsJson();
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(before);
const outcome: Outcome = {
  lines: Number(row.lines),
  bytes: Number(row.bytes),
  missing: Number(row.missing),
  seconds,
  cpu: (user + system) / 1e6,
  peak: process.memoryUsage.rss(),
};
console.log(JSON.stringify(outcome));
