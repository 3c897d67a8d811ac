/** One request of a visitor, the same from either version of the log. What is `-` or absent there is undefined here. */
export interface LogRecord {
  /** As it came; `-` when there was nothing to do with the cache. */
  cache: string;
  status: number;
  /** Unix milliseconds. */
  time: number;
  bytes: number;
  zone: number | undefined;
  ip: string | undefined;
  referer: string | undefined;
  /** With its query, which may hold secrets: show `withoutQuery(url)`. */
  url: string;
  edge: string | undefined;
  agent: string | undefined;
  requestId: string | undefined;
  country: string | undefined;
}

/** A record of the v2 log, as far as it is used here (docs/platform.md, Access log). */
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

/** A v2 record as the same; undefined when it has no status or no time. */
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

/** An address or path without its query, which may hold secrets; `?…` says that there was one. Credentials go too. */
export function withoutQuery(address: string): string {
  const cut = address.search(/[?#]/);
  const bare = cut < 0 ? address : `${address.slice(0, cut)}${address[cut] === '?' ? '?…' : ''}`;
  return bare.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}

function present(text: string | null | undefined): string | undefined {
  return text === undefined || text === null || text === '' || text === '-' ? undefined : text;
}
