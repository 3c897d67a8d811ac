import { isIP } from 'node:net';
import { UsageError } from '../../errors.ts';
import { CACHE_STATUSES, parseCacheStatus } from '../../platform/enums.ts';
import type { AccessLogQuery } from '../../platform/resources/access-logs.ts';
import { countryOf } from '../arguments/attackers.ts';
import { flag, flagged, text } from '../arguments/plain.ts';
import { flagsOf } from '../grammar.ts';
import type { ArgumentKind, ValuesOf } from '../operation.ts';

/** `404,5xx` */
function several(
  label: string,
  parse: (item: string) => string,
  options: { hint: string; placeholder: string },
): ArgumentKind<string[]> {
  const itemsOf = (typed: string) =>
    typed
      .split(/[\s,;]+/)
      .filter((item) => item !== '')
      .map(parse);
  return {
    ...text(label, { ...options, maxLength: 500 }),
    check(typed) {
      if (itemsOf(typed).length === 0) throw new UsageError(`${label} is empty.`, { hint: options.hint });
    },
    resolve: (typed) => itemsOf(typed ?? ''),
    textOf: (values) => values.join(','),
  };
}

function matching(pattern: RegExp, wrong: string, written: (item: string) => string) {
  return (item: string) => {
    if (!pattern.test(item)) throw new UsageError(`“${item.slice(0, 60)}” is not ${wrong}.`);
    return written(item);
  };
}

const ip = text('IP address', { placeholder: '203.0.113.7', maxLength: 45 });

/** A function, because each operation needs arguments of its own. */
export const filterArguments = () => ({
  status: flagged(
    several(
      'Status',
      matching(/^[1-5](\d\d|xx)$/i, 'an HTTP status', (item) => item.toLowerCase()),
      { hint: 'Codes and classes, such as 404 or 404,5xx', placeholder: '404,5xx' },
    ),
    { fromMessage: 'status' },
  ),
  cache: flagged(
    several('Cache status', parseCacheStatus, {
      hint: `One or several of ${Object.keys(CACHE_STATUSES).join(', ')}`,
      placeholder: 'MISS,STALE',
    }),
    { also: ['cache', 'cache status'], fromMessage: 'cache status' },
  ),
  country: flagged(
    several('Country', matching(/^[a-z]{2}$/i, 'a country: use two letters, such as DE', countryOf), {
      hint: 'Two-letter codes',
      placeholder: 'DE,FR',
    }),
    { fromMessage: 'country' },
  ),
  edge: flagged(
    text('Edge location', {
      hint: 'Its code, such as DE',
      placeholder: 'DE',
      maxLength: 20,
      pattern: /^[a-z0-9-]+$/i,
      wrong: 'An edge location is a code of letters and digits, such as DE.',
    }),
  ),
  // The platform compares the anonymised address.
  ip: flagged(
    {
      ...ip,
      check(typed: string, now: Date) {
        ip.check(typed, now);
        if (isIP(typed.trim()) === 0)
          throw new UsageError(`“${typed}” is not an IP address.`, { hint: 'Write it whole, such as 203.0.113.7.' });
      },
    },
    { fromMessage: 'IP address' },
  ),
  url: flagged(text('URL contains', { placeholder: '/images/', maxLength: 500 }), { fromMessage: 'path' }),
  agent: flagged(text('User agent contains', { placeholder: 'bot', maxLength: 500 }), {
    also: ['user agent', 'agent'],
    fromMessage: 'agent',
  }),
  referer: flagged(text('Referer contains', { placeholder: 'example.com', maxLength: 500 }), {
    also: ['referer', 'referrer', 'referred by'],
  }),
  search: flagged(text('Search', { hint: 'Words that may be in any column, at most 16', maxLength: 2000 }), {
    also: ['containing', 'contain', 'matching', 'mentioning', 'for'],
  }),
  requestId: flagged(
    text('Request id', {
      hint: '32 hexadecimal digits',
      maxLength: 36,
      pattern: /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i,
      wrong: 'A request id has 32 hexadecimal digits, with or without hyphens.',
    }),
    { fromMessage: 'request id' },
  ),
  originShield: flag('Requests of the origin shield too'),
});

export type Filters = ValuesOf<ReturnType<typeof filterArguments>>;

export function filterQuery(filters: Filters): AccessLogQuery {
  return {
    status: filters.status,
    cacheStatus: filters.cache,
    country: filters.country,
    edgeLocation: filters.edge?.toUpperCase(),
    remoteIp: filters.ip,
    urlContains: filters.url,
    userAgentContains: filters.agent,
    refererContains: filters.referer,
    search: filters.search,
    requestId: filters.requestId,
    includeOriginShield: filters.originShield || undefined,
  };
}

/** As typed: `--status 404,5xx --url "a b"` */
export const filterWords = (filters: Filters): string => flagsOf(filterArguments(), filters);

/** `203.0.113.0/24` if the log shortens addresses. Undefined: it has none. */
export const keptAddress = (address: string): string | undefined =>
  /^(::ffff:)?[-0.:]*$/i.test(address) ? undefined : address.replace(/\.0$/, '.0/24').replace(/::$/, '::/64');

/** `status 404,5xx, country DE`. `found`: the address in the log’s form. */
export function filtersInWords(filters: Filters, found = filters.ip ?? ''): string {
  const { originShield, ...rest } = filters;
  const called: Readonly<Record<string, string>> = {
    ip: 'IP address',
    url: 'URL with',
    agent: 'user agent with',
    referer: 'referer with',
    search: 'with',
    requestId: 'request id',
  };
  const ip = rest.ip && (keptAddress(found) ?? rest.ip);
  const words = Object.entries({ ...rest, ip })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${called[name] ?? name} ${Array.isArray(value) ? value.join(',') : String(value)}`);
  return [...words, ...(originShield ? ['requests of the origin shield too'] : [])].join(', ');
}
