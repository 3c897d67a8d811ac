import { DAY } from '../clock.ts';
import type { LogRecord } from '../traffic/records.ts';

/** The parameters of `GET /v2/pullzones/{zone}/logs`, with their defaults filled in. */
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

/** Parameters that are being read, and everything that is wrong with them so far. */
interface Reading {
  query: URLSearchParams;
  details: string[];
}

/** Reads the parameters, or says everything that is wrong with them. `retention` is milliseconds. */
export function parseQuery(
  query: URLSearchParams,
  now: number,
  retention: number,
): AccessLogQuery | { details: string[] } {
  const reading: Reading = { query, details: [] };
  const range = rangeIn(reading, now, retention);
  const status = listIn(query, 'status').map((item) => item.toLowerCase());
  const country = listIn(query, 'country').map((item) => item.toUpperCase());
  const search = textIn(query, 'search').toLowerCase().split(/\s+/).filter(Boolean);
  const requestId = textIn(query, 'requestId').replaceAll('-', '').toLowerCase();
  const order = textIn(query, 'order').toLowerCase() || 'desc';
  const { details } = reading;
  for (const item of status) {
    if (!/^[1-5](\d\d|xx)$/.test(item)) {
      details.push(`status: "${item}" is neither a code nor a class such as 5xx.`);
    }
  }
  for (const item of country) {
    if (!/^[A-Z]{2}$/.test(item)) {
      details.push(`country: "${item}" is not an ISO 3166 alpha-2 code.`);
    }
  }
  if (search.length > 16 || search.some((token) => token.length > 128)) {
    details.push('search accepts at most 16 tokens of at most 128 characters.');
  }
  if (requestId !== '' && !/^[0-9a-f]{32}$/.test(requestId)) {
    details.push('requestId must be a UUID.');
  }
  if (order !== 'asc' && order !== 'desc') {
    details.push('order must be asc or desc.');
  }
  const parsed: AccessLogQuery = {
    ...range,
    status,
    cacheStatus: listIn(query, 'cacheStatus'),
    country,
    edgeLocation: textIn(query, 'edgeLocation') || undefined,
    remoteIp: textIn(query, 'remoteIp') || undefined,
    urlContains: textIn(query, 'urlContains').toLowerCase(),
    userAgentContains: textIn(query, 'userAgentContains').toLowerCase(),
    refererContains: textIn(query, 'refererContains').toLowerCase(),
    search,
    requestId: requestId || undefined,
    limit: integerIn(reading, 'limit', 1, 10_000, 100),
    offset: integerIn(reading, 'offset', 0, Number.MAX_SAFE_INTEGER, 0),
    order: order === 'asc' ? 'asc' : 'desc',
  };
  return details.length > 0 ? { details } : parsed;
}

function textIn(query: URLSearchParams, name: string): string {
  return query.get(name)?.trim() ?? '';
}

function listIn(query: URLSearchParams, name: string): string[] {
  return textIn(query, name)
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}

function rangeIn(reading: Reading, now: number, retention: number): Pick<AccessLogQuery, 'from' | 'to'> {
  const to = instantIn(reading, 'to') ?? now;
  const from = instantIn(reading, 'from') ?? to - DAY;
  if (from >= to) {
    reading.details.push('from must be before to.');
  } else if (to - from > retention) {
    reading.details.push('Time range cannot exceed 3 days (log retention window).');
  } else if (from < now - retention - 60_000) {
    reading.details.push('from must be within the log retention window of 3 days.');
  }
  return { from: Math.max(from, now - retention), to };
}

function instantIn({ query, details }: Reading, name: string): number | undefined {
  const value = textIn(query, name);
  if (value === '') {
    return undefined;
  }
  const zoned = /T.*(Z|[+-]\d\d:?\d\d)$|^[^T]*$/.test(value) ? value : `${value}Z`;
  const time = INSTANT.test(value) ? Date.parse(zoned) : Number.NaN;
  if (Number.isNaN(time)) {
    details.push(`${name} must be an ISO-8601 date-time.`);
    return undefined;
  }
  return time;
}

function integerIn({ query, details }: Reading, name: string, low: number, high: number, otherwise: number): number {
  const value = textIn(query, name);
  if (value === '') {
    return otherwise;
  }
  if (!/^-?\d+$/.test(value) || Number(value) < low || Number(value) > high) {
    const bounds = high === Number.MAX_SAFE_INTEGER ? 'must not be negative' : `must be between ${low} and ${high}`;
    details.push(`${name} ${bounds}.`);
    return otherwise;
  }
  return Number(value);
}

/** The /24 of an IPv4 address, as anonymised addresses are compared. */
const networkOf = (ip: string): string => ip.replace(/\.\d+$/, '.0');

/** Passes a record by everything that is looked at while fetching. */
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

/** Passes a record by country and search, which are looked at after fetching. */
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
