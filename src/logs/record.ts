/** A record of either version of the log. `-` becomes undefined. */
export interface LogRecord {
  /** `-`: the request did not use the cache. */
  cache: string;
  status: number;
  /** Unix milliseconds. */
  time: number;
  bytes: number;
  zone: number | undefined;
  ip: string | undefined;
  referer: string | undefined;
  /** Its query may hold secrets, so show `withoutQuery(url)`. */
  url: string;
  edge: string | undefined;
  agent: string | undefined;
  requestId: string | undefined;
  country: string | undefined;
}

/** docs/platform.md, Access log. */
export interface RecordV2 {
  timestamp?: string | number | null | undefined;
  pullZoneId?: number | null | undefined;
  requestId?: string | null | undefined;
  cacheStatus?: string | null | undefined;
  statusCode?: number | null | undefined;
  bytesSent?: number | null | undefined;
  remoteIp?: string | null | undefined;
  countryCode?: string | null | undefined;
  edgeLocation?: string | null | undefined;
  path?: string | null | undefined;
  url?: string | null | undefined;
  userAgent?: string | null | undefined;
  referer?: string | null | undefined;
}

/** Undefined without a status or a time. */
export function recordOf(record: RecordV2): LogRecord | undefined {
  const time = typeof record.timestamp === 'number' ? record.timestamp : Date.parse(record.timestamp ?? '');
  const { statusCode: status } = record;
  if (!Number.isFinite(time) || typeof status !== 'number' || !(status >= 100 && status < 1000)) return undefined;
  return {
    cache: present(record.cacheStatus) ?? '-',
    status,
    time,
    bytes: typeof record.bytesSent === 'number' && record.bytesSent >= 0 ? record.bytesSent : 0,
    zone: record.pullZoneId ?? undefined,
    ip: present(record.remoteIp),
    referer: present(record.referer),
    url: record.url ?? record.path ?? '',
    edge: present(record.edgeLocation),
    agent: present(record.userAgent),
    requestId: present(record.requestId),
    country: present(record.countryCode),
  };
}

/** Replaces the query by `?…`, because it may hold secrets. Removes credentials, too. */
export function withoutQuery(address: string): string {
  const cut = address.search(/[?#]/);
  const bare = cut < 0 ? address : `${address.slice(0, cut)}${address[cut] === '?' ? '?…' : ''}`;
  return bare.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}

function present(text: string | null | undefined): string | undefined {
  return text === undefined || text === null || text === '' || text === '-' ? undefined : text;
}
