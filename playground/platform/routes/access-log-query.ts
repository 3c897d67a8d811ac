import { DAY } from '../clock.ts';
import type { LogRecord } from '../traffic/records.ts';

/** The parameters of a v2 query (platform facts 10.1), with their defaults filled in. */
export interface AccessLogQuery {
  /** Milliseconds; `from` is included, `to` is not. */
  from: number;
  to: number;
  /** Codes (`404`) and classes (`5xx`). */
  status: string[];
  cacheStatus: string[];
  country: string[];
  edgeLocation: string | undefined;
  remoteIp: string | undefined;
  urlContains: string;
  userAgentContains: string;
  refererContains: string;
  search: string[];
  requestId: string | undefined;
  limit: number;
  offset: number;
  order: 'asc' | 'desc';
}

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** Reads the parameters, or says everything that is wrong with them. */
export function parseQuery(
  query: URLSearchParams,
  now: number,
  retention: number,
): AccessLogQuery | { details: string[] } {
  const details: string[] = [];
  const text = (name: string): string => query.get(name)?.trim() ?? '';
  const list = (name: string): string[] =>
    text(name)
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);

  function instant(name: string, fallback: () => number): number {
    const value = text(name);
    if (value === '') {
      return fallback();
    }
    const time = INSTANT.test(value)
      ? Date.parse(/T.*(Z|[+-]\d\d:?\d\d)$|^[^T]*$/.test(value) ? value : `${value}Z`)
      : Number.NaN;
    if (Number.isNaN(time)) {
      details.push(`${name} must be an ISO-8601 date-time.`);
      return fallback();
    }
    return time;
  }

  function integer(name: string, low: number, high: number, fallback: number): number {
    const value = text(name);
    if (value === '') {
      return fallback;
    }
    if (!/^-?\d+$/.test(value) || Number(value) < low || Number(value) > high) {
      details.push(
        high === Number.MAX_SAFE_INTEGER
          ? `${name} must not be negative.`
          : `${name} must be between ${low} and ${high}.`,
      );
      return fallback;
    }
    return Number(value);
  }

  const to = instant('to', () => now);
  const from = instant('from', () => to - DAY);
  if (from >= to) {
    details.push('from must be before to.');
  } else if (to - from > retention) {
    details.push('Time range cannot exceed 3 days (log retention window).');
  } else if (from < now - retention - 60_000) {
    details.push('from must be within the log retention window of 3 days.');
  }
  const status = list('status').map((item) => item.toLowerCase());
  for (const item of status) {
    if (!/^[1-5](\d\d|xx)$/.test(item)) {
      details.push(`status: "${item}" is neither a code nor a class such as 5xx.`);
    }
  }
  const country = list('country').map((item) => item.toUpperCase());
  for (const item of country) {
    if (!/^[A-Z]{2}$/.test(item)) {
      details.push(`country: "${item}" is not an ISO 3166 alpha-2 code.`);
    }
  }
  const search = text('search').toLowerCase().split(/\s+/).filter(Boolean);
  if (search.length > 16 || search.some((token) => token.length > 128)) {
    details.push('search accepts at most 16 tokens of at most 128 characters.');
  }
  const requestId = text('requestId').replaceAll('-', '').toLowerCase();
  if (requestId !== '' && !/^[0-9a-f]{32}$/.test(requestId)) {
    details.push('requestId must be a UUID.');
  }
  const order = text('order').toLowerCase() || 'desc';
  if (order !== 'asc' && order !== 'desc') {
    details.push('order must be asc or desc.');
  }
  const parsed: AccessLogQuery = {
    from: Math.max(from, now - retention),
    to,
    status,
    cacheStatus: list('cacheStatus'),
    country,
    edgeLocation: text('edgeLocation') || undefined,
    remoteIp: text('remoteIp') || undefined,
    urlContains: text('urlContains').toLowerCase(),
    userAgentContains: text('userAgentContains').toLowerCase(),
    refererContains: text('refererContains').toLowerCase(),
    search,
    requestId: requestId || undefined,
    limit: integer('limit', 1, 10_000, 100),
    offset: integer('offset', 0, Number.MAX_SAFE_INTEGER, 0),
    order: order === 'asc' ? 'asc' : 'desc',
  };
  return details.length > 0 ? { details } : parsed;
}

/** The /24 of an IPv4 address, as anonymised addresses are compared. */
const networkOf = (ip: string): string => ip.replace(/\.\d+$/, '.0');

/** Whether the record passes everything that is looked at while fetching. */
export function matches(record: LogRecord, query: AccessLogQuery): boolean {
  const code = String(record.statusCode);
  return (
    (query.status.length === 0 || query.status.some((item) => item === code || item === `${code[0]}xx`)) &&
    (query.cacheStatus.length === 0 || query.cacheStatus.includes(record.cacheStatus)) &&
    (query.edgeLocation === undefined || query.edgeLocation === record.edgeLocation) &&
    (query.remoteIp === undefined || networkOf(query.remoteIp) === networkOf(record.remoteIp)) &&
    (query.requestId === undefined || query.requestId === record.requestId) &&
    contains(`https://${record.host}${record.path}`, query.urlContains) &&
    contains(record.userAgent, query.userAgentContains) &&
    contains(record.referer ?? '', query.refererContains)
  );
}

/** Whether the record passes what is looked at after fetching: country and search. */
export function matchesLate(record: LogRecord, query: AccessLogQuery): boolean {
  if (query.country.length > 0 && !query.country.includes(record.countryCode)) {
    return false;
  }
  if (query.search.length === 0) {
    return true;
  }
  const { host, path, userAgent, referer, statusCode, cacheStatus, remoteIp, edgeLocation, requestId } = record;
  const columns = [
    host + path,
    userAgent,
    referer,
    statusCode,
    cacheStatus,
    remoteIp,
    edgeLocation,
    requestId,
    record.countryCode,
  ];
  const text = columns.join('\n').toLowerCase();
  return query.search.some((token) => text.includes(token));
}

const contains = (text: string, wanted: string): boolean => wanted === '' || text.toLowerCase().includes(wanted);
