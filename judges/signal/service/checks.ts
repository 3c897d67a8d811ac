/** What the documented parameters may be (spec parts 4, 7 and 8; platform.md 6, 7.1 and 10). */

const DAY_MS = 86_400_000;
const RETENTION_MS = 3 * DAY_MS;

export interface LogQuery {
  from: number;
  to: number;
  status: string[];
  cacheStatus: string[];
  country: string[];
  edgeLocation?: string;
  remoteIp?: string;
  urlContains?: string;
  userAgentContains?: string;
  refererContains?: string;
  search: string[];
  requestId?: string;
  limit: number;
  offset: number;
  order: 'asc' | 'desc';
}

const list = (value: string | null): string[] =>
  (value ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

/** An instant of ISO 8601; anything else is not one. */
function instant(value: string): number {
  return /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(value)
    ? Date.parse(value)
    : Number.NaN;
}

const whole = (value: string | null, otherwise: number): number =>
  value === null ? otherwise : /^\d+$/.test(value) ? Number(value) : Number.NaN;

function checkRange(query: LogQuery, now: number): string[] {
  const { from, to } = query;
  if (Number.isNaN(from) || Number.isNaN(to)) return ['from and to must be ISO-8601 instants.'];
  if (from >= to) return ['from must be before to.'];
  const wrong: string[] = [];
  if (to - from > RETENTION_MS) wrong.push('Time range cannot exceed 3 days (log retention window).');
  if (from < now - RETENTION_MS) wrong.push('from must be within the last 3 days (log retention window).');
  return wrong;
}

/** the v2 access log's parameters, or what is wrong with them. */
export function readLogQuery(params: URLSearchParams, now: number): { query: LogQuery; wrong: string[] } {
  const text = (name: string) => {
    const value = params.get(name);
    return value === null || value === '' ? {} : { [name]: value };
  };
  const to = params.get('to') === null ? now : instant(params.get('to')!);
  const query: LogQuery = {
    from: params.get('from') === null ? to - DAY_MS : instant(params.get('from')!),
    to,
    status: list(params.get('status')).map((one) => one.toLowerCase()),
    cacheStatus: list(params.get('cacheStatus')),
    country: list(params.get('country')).map((one) => one.toUpperCase()),
    ...text('edgeLocation'),
    ...text('remoteIp'),
    ...text('urlContains'),
    ...text('userAgentContains'),
    ...text('refererContains'),
    ...text('requestId'),
    search: (params.get('search') ?? '').split(/\s+/).filter(Boolean),
    limit: whole(params.get('limit'), 100),
    offset: whole(params.get('offset'), 0),
    order: params.get('order') === 'asc' ? 'asc' : 'desc',
  };
  const wrong = checkRange(query, now);
  if (query.status.some((one) => !/^[1-5](\d\d|xx)$/.test(one))) wrong.push('status must list codes or classes.');
  if (query.country.some((one) => !/^[A-Z]{2}$/.test(one))) wrong.push('country must list ISO 3166 alpha-2 codes.');
  if (!(query.limit >= 1 && query.limit <= 10_000)) wrong.push('limit must be between 1 and 10000.');
  if (!(query.offset >= 0)) wrong.push('offset must be 0 or more.');
  if (!['asc', 'desc', null].includes(params.get('order'))) wrong.push('order must be asc or desc.');
  if (!['true', 'false', null].includes(params.get('includeOriginShield')))
    wrong.push('includeOriginShield is a boolean.');
  if (query.search.length > 16 || query.search.some((token) => token.length > 128)) {
    wrong.push('search takes at most 16 tokens of 128 characters.');
  }
  if (query.requestId !== undefined) {
    query.requestId = query.requestId.replaceAll('-', '').toLowerCase();
    if (!/^[0-9a-f]{32}$/.test(query.requestId)) wrong.push('requestId must be a UUID.');
  }
  return { query, wrong };
}

export interface StatisticsQuery {
  from: number;
  to: number;
  isHourly: boolean;
  /** Undefined for the whole account. */
  zone?: number;
  loadErrors: boolean;
  loadOriginResponseTimes: boolean;
  loadOriginTraffic: boolean;
  loadGeographicTrafficDistribution: boolean;
}

export interface Refusal {
  ErrorKey: string;
  Field: string;
  Message: string;
}

const refuse = (Field: string, Message: string): Refusal => ({ ErrorKey: 'validation_error', Field, Message });

const BOOLEANS = [
  'hourly',
  'exactRange',
  'loadLatest',
  'loadErrors',
  'loadOriginResponseTimes',
  'loadOriginTraffic',
  'loadRequestsServed',
  'loadBandwidthUsed',
  'loadOriginShieldBandwidth',
  'loadGeographicTrafficDistribution',
  'loadUserBalanceHistory',
];

/** The same day one month back, or the month's last day where it has no such day. */
function monthBack(now: number): number {
  const at = new Date(now);
  const day = at.getUTCDate();
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 0)).getUTCDate();
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1, Math.min(day, last));
}

function checkStatisticsParams(params: URLSearchParams): Refusal | undefined {
  for (const name of BOOLEANS) {
    const value = params.get(name);
    if (value !== null && !/^(true|false)$/i.test(value)) return refuse(name, `The value '${value}' is not valid.`);
  }
  for (const name of ['dateFrom', 'dateTo']) {
    const value = params.get(name);
    if (value !== null && Number.isNaN(instant(value))) return refuse(name, `The value '${value}' is not valid.`);
  }
  for (const name of ['pullZone', 'serverZoneId']) {
    const value = params.get(name);
    if (value !== null && !/^-?\d+$/.test(value)) return refuse(name, `The value '${value}' is not valid.`);
  }
  // Statistics of one region are documented, and not made here: better refused than wrong.
  if (!['-1', null].includes(params.get('serverZoneId'))) return refuse('serverZoneId', 'Only -1 is served here.');
  return undefined;
}

/** `GET /statistics`'s parameters, or the platform's refusal. */
export function readStatisticsQuery(params: URLSearchParams, now: number): StatisticsQuery | Refusal {
  const refusal = checkStatisticsParams(params);
  if (refusal !== undefined) return refusal;
  const isOn = (name: string) => params.get(name)?.toLowerCase() === 'true';
  const isHourly = isOn('hourly');
  const given = params.get('dateFrom');
  const until = params.get('dateTo');
  const to = until === null ? now : instant(until);
  const from = given === null ? (isHourly ? now - 30 * DAY_MS : monthBack(now)) : instant(given);
  if (given !== null && isHourly && from < now - 30 * DAY_MS) {
    return refuse('dateFrom', 'Cannot request hourly statistics older than 30 days. Use daily granularity instead.');
  }
  if (from < now - 366 * DAY_MS) return refuse('dateFrom', 'Cannot request statistics older than 1 year.');
  if (from > to) return refuse('dateFrom', 'dateFrom must be before dateTo.');
  if (to - from > 40 * DAY_MS) return refuse('dateTo', 'The range cannot exceed 40 days.');
  if (isOn('loadLatest') && to - from > DAY_MS) return refuse('dateTo', 'The range cannot exceed 1 day.');
  const unit = isHourly && isOn('exactRange') ? 3_600_000 : DAY_MS;
  const zone = Number(params.get('pullZone') ?? -1);
  return {
    from: Math.floor(from / unit) * unit,
    to: Math.ceil(to / unit) * unit,
    isHourly,
    ...(zone !== -1 && { zone }),
    loadErrors: isOn('loadErrors'),
    loadOriginResponseTimes: isOn('loadOriginResponseTimes'),
    loadOriginTraffic: isOn('loadOriginTraffic'),
    loadGeographicTrafficDistribution: isOn('loadGeographicTrafficDistribution'),
  };
}
