import { type Counted, emptySummary, LISTS, type ListName, type LogSummary } from '../../src/logs/summary.ts';

const LONGEST_LINE = 256 * 1024;
const LONGEST_VALUE = 1024;

type Fields = Record<'cache' | 'status' | 'time' | 'bytes' | 'address' | 'url' | 'agent' | 'country', string>;

/** The first of the fields from `from` to `to` that fits; `otherwise` when none does. */
function firstOf(
  parts: string[],
  from: number,
  to: number,
  fits: (part: string) => boolean,
  otherwise: number,
): number {
  for (let at = from; at <= to; at += 1) if (fits(parts[at] ?? '')) return at;
  return otherwise;
}

const isAddress = (part: string) => part.startsWith('/') || /^htt.{5}/s.test(part);
const isEdge = (part: string) => /^[A-Z0-9]{2,4}$/.test(part);

function fieldsOf(line: string): Fields | undefined {
  const parts = line.split('|');
  if (parts.length < 12 || parts.length > 513) return undefined;
  const [cache = '', status = '', time = '', bytes = '', , address = ''] = parts;
  if (!/^\d{3}$/.test(status) || !/^\d{1,15}$/.test(time) || !/^\d{1,15}$/.test(bytes)) return undefined;
  let [url, edge, request] = [7, 8, 10];
  if (parts.length > 12) {
    const behind = (at: number) => parts.slice(at + 1).join('|');
    const found = parts.findIndex(
      (part, at) =>
        at >= 10 &&
        ((/^[0-9a-f]{32}$/i.test(part.replaceAll('-', '')) &&
          part.length <= 36 &&
          /^[^|]{0,2}(\||$)/.test(behind(at))) ||
          /^(-|[a-z]*)\|(-|\d*)\|.*\|/is.test(behind(at))),
    );
    const isFound = found >= 0 && found < parts.length - 1;
    // What stands at the end may be a secret, and no country.
    if (!isFound && (parts.length > 14 || !/^(-|[a-z]{0,3})$/i.test(parts.at(-1)!))) return undefined;
    request = isFound ? found : parts.length - 2;
    url = firstOf(parts, 7, request - 2, isAddress, 7);
    edge = firstOf(parts, url + 1, request - 2, isEdge, url + 1);
  }
  return {
    cache,
    status,
    time,
    bytes,
    address,
    url: parts.slice(url, edge).join('|'),
    agent: parts.slice(edge + 1, request).join('|'),
    country: parts[request + 1] ?? '',
  };
}

const withoutQuery = (address: string) => address.replace(/[?#].*/s, '');

function pathOf(url: string): string {
  const path = withoutQuery(url).replace(/^[^/]*?:\/\/[^/]*/s, '');
  return path === '' ? '/' : path;
}

class Counts {
  readonly #counts = new Map<string, { requests: number; bytes: number }>();

  add(value: string, bytes: number): void {
    const text = Buffer.from(value.slice(0, LONGEST_VALUE), 'latin1').toString('utf8');
    const sums = this.#counts.get(text) ?? { requests: 0, bytes: 0 };
    this.#counts.set(text, { requests: sums.requests + 1, bytes: sums.bytes + bytes });
  }

  list(): Counted[] {
    return [...this.#counts]
      .map(([value, sums]) => ({ value, ...sums }))
      .sort((a, b) => b.requests - a.requests || (a.value < b.value ? -1 : 1));
  }
}

/**
 * What a v1 log comes to, read slowly and simply: whole, as Latin-1 text (an index for each byte), with a map for each list and
 * nothing left out.
 */
export function referenceOf(log: Buffer): LogSummary {
  const lists = Object.fromEntries(Object.keys(LISTS).map((name) => [name, new Counts()])) as Record<ListName, Counts>;
  const summary = emptySummary();
  const hours = new Map<number, LogSummary['hours'][number]>();
  const cache = new Counts();
  const present = (list: Counts, value: string, bytes: number) =>
    value !== '' && value !== '-' && list.add(value, bytes);

  for (const whole of log.toString('latin1').split('\n')) {
    const line = whole.replace(/\r$/, '');
    if (line === '') continue;
    const fields = whole.length > LONGEST_LINE ? undefined : fieldsOf(line);
    if (fields === undefined) {
      summary.unreadable += 1;
      continue;
    }
    const [status, time, bytes] = [Number(fields.status), Number(fields.time), Number(fields.bytes)];
    summary.requests += 1;
    summary.bytes += bytes;
    summary.from = Math.min(time, summary.from ?? time);
    summary.to = Math.max(time, summary.to ?? time);
    const name = String(status);
    summary.statuses[name] = (summary.statuses[name] ?? 0) + 1;
    const start = time - (time % 3_600_000);
    const hour = hours.get(start) ?? { start, requests: 0, errors: 0, bytes: 0 };
    hours.set(start, hour);
    hour.requests += 1;
    hour.errors += status >= 500 ? 1 : 0;
    hour.bytes += bytes;
    cache.add(fields.cache === '' ? '-' : fields.cache, bytes);
    const path = pathOf(fields.url);
    lists.topPaths.add(path, bytes);
    if (status === 404) lists.topMissing.add(path, bytes);
    if (status >= 500) lists.topErrors.add(path, bytes);
    if (status >= 500) lists.failures.add(`${fields.status} ${start / 3_600_000} ${path}`, bytes);
    present(lists.topAgents, fields.agent, bytes);
    if (/^[a-z]{2}$/i.test(fields.country)) lists.topCountries.add(fields.country, bytes);
    present(lists.topClients, fields.address, bytes);
  }
  for (const name of Object.keys(LISTS) as ListName[]) summary[name] = lists[name].list();
  summary.cache = Object.fromEntries(cache.list().map(({ value, requests }) => [value, requests]));
  summary.hours = [...hours.values()].sort((a, b) => a.start - b.start);
  return summary;
}
