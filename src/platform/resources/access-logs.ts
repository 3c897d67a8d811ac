import { BlockList, isIP, isIPv6 } from 'node:net';
import * as z from 'zod';
import { UsageError } from '../../errors.ts';
import { checkLogDay, checkLogRange, monthFirst, startWithinRetention, toWireInstant } from '../dates.ts';
import { instant, maybe, maybeBoolean, maybeNumber, maybeString, numericId } from '../shapes.ts';
import { type CallOptions, endpoint, type QueryValue, type Transport } from '../transport.ts';

/** Source: the logging OpenAPI file. */
export const ACCESS_LOG_LIMIT = [1, 10_000] as const;

// No `authorizationHeader` of extended logging: it never leaves the parser.
const record = z.object({
  timestamp: maybe(instant.transform((at) => at.toISOString())),
  pullZoneId: maybeNumber,
  requestId: maybeString,
  cacheStatus: maybeString,
  statusCode: maybeNumber,
  bytesSent: maybeNumber,
  remoteIp: maybeString,
  // A longer text is not a country, and may be a secret.
  countryCode: maybe(z.string().regex(/^[a-z]{2}$/i)),
  edgeLocation: maybeString,
  path: maybeString,
  url: maybeString,
  userAgent: maybeString,
  referer: maybeString,
});

const restOfPage = z.object({
  data: z.array(z.unknown()),
  pagination: maybe(
    z.object({ offset: maybeNumber, limit: maybeNumber, returned: maybeNumber, hasMore: maybeBoolean }),
  ),
});

/** `path` and `url` contain queries, which may hold secrets. */
export type AccessLogRecord = z.output<typeof record>;

/** A page may be short or empty while there are more. */
export interface AccessLogPage {
  data: AccessLogRecord[];
  hasMore: boolean;
  /** Absent on the last page. It advances by the limit, not by the records returned. */
  nextOffset?: number;
}

/** Its parameters are extensions (docs/platform.md, Core and extensions). */
export interface AccessLogQuery {
  /** Inclusive; by default 24 hours before `to`. */
  from?: Date | undefined;
  /** Exclusive; by default now. */
  to?: Date | undefined;
  /** `404`, `5xx` */
  status?: readonly string[] | undefined;
  cacheStatus?: readonly string[] | undefined;
  country?: readonly string[] | undefined;
  edgeLocation?: string | undefined;
  remoteIp?: string | undefined;
  urlContains?: string | undefined;
  userAgentContains?: string | undefined;
  refererContains?: string | undefined;
  /** Searches all columns. */
  search?: string | undefined;
  requestId?: string | undefined;
  includeOriginShield?: boolean | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
  order?: 'asc' | 'desc' | undefined;
}

/** Source: the logging OpenAPI file. */
function checkSearch(search = ''): void {
  const words = search.split(/\s+/).filter(Boolean);
  if (words.length <= 16 && words.every((word) => word.length <= 128)) return;
  throw new UsageError('A search takes at most 16 words of 128 characters.', { argument: 'search' });
}

/** What the platform should have left out is left out here. An address may be in capitals, and with its signs encoded. */
function isAsked(query: AccessLogQuery, given: Record<string, unknown>): boolean {
  const { status, cacheStatus, country, requestId, urlContains: url } = query;
  const plain = (value: unknown) =>
    String(value ?? '')
      .replace(/-|%[2-7][0-9a-f]/gi, (sign) => (sign === '-' ? '' : Buffer.from(sign.slice(1), 'hex').toString()))
      .toUpperCase();
  const asked = { statusCode: status, cacheStatus, countryCode: country, requestId: requestId?.split(' '), url };
  return Object.entries(asked).every(([key, wanted = []]) => {
    const value = plain(given[key]);
    if (typeof wanted === 'string') return value.includes(plain(wanted));
    return wanted.length === 0 || wanted.some((one) => value.startsWith(plain(one).replace(/^(\d)XX$/, '$1')));
  });
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** The platform returns unfiltered records if a log has no addresses, and whole networks if it shortens them. */
function checkAddresses(asked: string, data: readonly AccessLogRecord[]): void {
  const network = new BlockList();
  network.addSubnet(asked, isIPv6(asked) ? 64 : 24, familyOf(asked));
  if (data.every(({ remoteIp = '' }) => isIP(remoteIp) !== 0 && network.check(remoteIp, familyOf(remoteIp)))) return;
  throw new UsageError(`The platform did not filter by ${asked}: the log of this zone does not keep such addresses.`, {
    hint: 'Leave `--ip` out.',
    argument: 'ip',
  });
}

/** Both share the platform’s rate limit for logs. */
export function createAccessLogs(transport: Transport, settings: { now: () => Date }) {
  return {
    /** Throws `UsageError` beyond the retention. */
    async query(zoneId: number, query: AccessLogQuery = {}, options?: CallOptions) {
      const now = settings.now();
      checkLogRange(query, now);
      checkSearch(query.search);
      const { from, to, offset: start } = query;
      const wire: Record<string, QueryValue> = {
        ...query,
        from: from && toWireInstant(startWithinRetention(from, now)),
        to: to && toWireInstant(to),
        status: query.status?.join(',') || undefined,
        cacheStatus: query.cacheStatus?.join(',') || undefined,
        country: query.country?.join(',') || undefined,
        includeOriginShield: query.includeOriginShield || undefined,
        offset: start || undefined,
      };
      const asked = endpoint('GET {logging_url}/v2/pullzones/{pullZoneId}/logs', numericId(zoneId, 'pull zone'));
      const isWanted = (given: unknown) => isAsked(query, given as Record<string, unknown>);
      const wanted = { list: 'data', schema: record, isWanted, rest: restOfPage, most: ACCESS_LOG_LIMIT[1] };
      const read = await transport.readRecords({ ...asked, query: wire, limitedZone: zoneId }, wanted, options);
      const { records: data, rest: behind, isCut } = read;
      if (query.remoteIp !== undefined) checkAddresses(query.remoteIp, data);
      // Continues after the records already received.
      if (isCut) return { data, hasMore: true, nextOffset: (start ?? 0) + data.length };
      const pagination = behind?.pagination;
      if (!pagination?.hasMore) return { data, hasMore: false };
      const offset = pagination.offset ?? start ?? 0;
      const step = pagination.limit || query.limit || 100;
      return { data, hasMore: true, nextOffset: offset + step };
    },

    /** One UTC day, decoded. The stream fails with `PlatformConnectionError`. */
    async download(zoneId: number, day: Date, options?: CallOptions) {
      checkLogDay(day, settings.now());
      const [month, date, year] = monthFirst(day).split('-') as [string, string, string];
      const places = [month, date, year.slice(2), numericId(zoneId, 'pull zone')];
      const asked = endpoint('GET {logging_url}/{MM}-{DD}-{YY}/{pullZoneId}.log', ...places);
      return transport.stream({ ...asked, limitedZone: zoneId }, options);
    },
  };
}
