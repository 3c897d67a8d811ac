import { count } from '../../blocks/format.ts';
import type { ErrorEvent } from '../../logs/error-groups.ts';
import type { RecordFields } from '../../logs/record-filter.ts';
import { PlatformError } from '../../platform/errors.ts';
import type { AccessLogPage } from '../../platform/resources/access-logs.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { DAY } from '../../time.ts';
import { isPlatforms } from '../platform-errors.ts';
import type { ReportContext } from '../report.ts';

const PAGE = 1000;

export interface ZoneErrors {
  events: ErrorEvent[];
  /** When all failures were, filtered ones too, in Unix milliseconds. */
  times: number[];
  /** From this moment on all were read. In Unix milliseconds. */
  from: number;
  isCut: boolean;
  notes: string[];
  failure?: Error;
}

/** `isCut`: the log has more. If these are the `newest`, the others are older. */
interface Read {
  events: ErrorEvent[];
  isCut: boolean;
  newest: boolean;
}

/** `GET {origin_logs_url}/{pullZoneId}/{dateTime}` for each day. */
async function originErrors(
  zone: PullZone,
  name: string,
  { platform, from, to, signal }: ReportContext,
): Promise<Read> {
  const events: ErrorEvent[] = [];
  const seen = new Set<string>();
  let isCut = false;
  // The documents do not say which ones the platform leaves out.
  let newest = true;
  for (let day = from.getTime() - (from.getTime() % DAY); day < to.getTime(); day += DAY) {
    const options = { from, to, signal, priority: 'background' } as const;
    const answer = await platform.originErrors.get(zone.Id, new Date(day), options);
    isCut ||= answer.hasMoreData || answer.isCut;
    newest &&= !answer.hasMoreData;
    for (const { at, error, labels, logId } of answer.logs) {
      if (at < from || at >= to || isKnown(seen, logId)) continue;
      events.push({
        source: 'origin',
        time: at.getTime(),
        zone: name,
        zoneId: zone.Id,
        code: error.ErrorCode,
        status: error.StatusCode,
        message: error.Message,
        address: error.RequestUrl,
        region: labels?.ServerZone,
      });
    }
  }
  return { events, isCut, newest };
}

/** A log may hold a record twice. */
function isKnown(seen: Set<string>, id: string | undefined): boolean {
  if (id === undefined) return false;
  const known = seen.has(id);
  seen.add(id);
  return known;
}

/** `GET {logging_url}/v2/pullzones/{pullZoneId}/logs`, the newest first. */
async function edgeErrors(
  zone: PullZone,
  name: string,
  mostPages: number,
  { platform, from, to, signal }: ReportContext,
): Promise<Read> {
  const events: ErrorEvent[] = [];
  const seen = new Set<string>();
  let offset: number | undefined = 0;
  for (let read = 0; read < mostPages && offset !== undefined; read += 1) {
    const query = { from, to, status: ['5xx'], limit: PAGE, offset, order: 'desc' as const };
    const page: AccessLogPage = await platform.accessLogs.query(zone.Id, query, { signal, priority: 'background' });
    for (const record of page.data) {
      const time = Date.parse(record.timestamp ?? '');
      const { statusCode: status, edgeLocation: region } = record;
      if (Number.isNaN(time) || (status ?? 0) < 500 || isKnown(seen, record.requestId)) continue;
      const address = record.path ?? record.url;
      const of = { zone: name, zoneId: zone.Id };
      events.push({ source: 'edge', time, ...of, code: undefined, status, message: undefined, address, region });
    }
    offset = page.nextOffset;
  }
  return { events, isCut: offset !== undefined, newest: true };
}

/** In Unix milliseconds. For a zone with more failures than are read. */
export async function oldestFailures(zone: PullZone, { platform, from, to, signal }: ReportContext): Promise<number[]> {
  const query = { from, to, status: ['5xx'], limit: PAGE, order: 'asc' as const };
  const { data } = await platform.accessLogs.query(zone.Id, query, { signal, priority: 'background' });
  return data.map(({ timestamp }) => Date.parse(timestamp ?? '')).filter((at) => !Number.isNaN(at));
}

const LOGS = { edge: 'access log', origin: 'origin errors' } as const;

export async function errorsOf(
  zone: PullZone,
  source: ErrorEvent['source'],
  mostPages: number,
  context: ReportContext,
): Promise<ZoneErrors> {
  const name = zone.Name ?? String(zone.Id);
  const found: ZoneErrors = { events: [], times: [], from: context.from.getTime(), isCut: false, notes: [] };
  try {
    const read = await (source === 'edge'
      ? edgeErrors(zone, name, mostPages, context)
      : originErrors(zone, name, context));
    found.times = read.events.map(({ time }) => time);
    found.events = read.events.filter((event) => context.filter(fieldsOf(event)));
    found.isCut = read.isCut;
    if (read.isCut) {
      if (read.newest)
        found.from = read.events.reduce((first, { time }) => Math.min(first, time), context.to.getTime());
      const some = `${read.newest ? 'the last ' : ''}${count(read.events.length)}`;
      found.notes.push(`${name}: only ${some} of the ${LOGS[source]} were read`);
    }
  } catch (error) {
    // A zone without a log has no failures. A log that cannot be read does not fail the others.
    if (!isPlatforms(error)) throw error;
    if (error instanceof PlatformError && error.key === 'logging_disabled') return found;
    found.failure = error;
    found.notes.push(`${name}: the ${LOGS[source]} could not be read (${error.message})`);
  }
  return found;
}

function fieldsOf({ zone, status, code: name, message: words, address, region, source }: ErrorEvent): RecordFields {
  const path = address?.replace(/^https?:\/\/[^/]+/, '');
  return { zone, status, code: name, message: words, path, region, source };
}
