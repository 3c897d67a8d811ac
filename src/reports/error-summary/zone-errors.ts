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

/** The errors of one zone, from both of its logs. */
export interface ZoneErrors {
  events: ErrorEvent[];
  notes: string[];
  /** The last error that kept a log of it from being read. */
  failure?: Error;
}

/** `GET {origin_logs_url}/{pullZoneId}/{dateTime}` for each day of the stretch. `whole` is false when there are more than were read. */
async function originErrors(
  zone: PullZone,
  name: string,
  { platform, from, to, signal }: ReportContext,
): Promise<{ events: ErrorEvent[]; whole: boolean }> {
  const events: ErrorEvent[] = [];
  let whole = true;
  for (let day = from.getTime() - (from.getTime() % DAY); day < to.getTime(); day += DAY) {
    const options = { from, to, signal, priority: 'background' } as const;
    const { logs, hasMoreData, isCut } = await platform.originErrors.get(zone.Id, new Date(day), options);
    whole &&= !(hasMoreData || isCut);
    for (const { at, error, labels } of logs) {
      if (at === undefined || at < from || at >= to) continue;
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
  return { events, whole };
}

/**
 * `GET {logging_url}/v2/pullzones/{pullZoneId}/logs`: failures that visitors got. `whole` is false when there are more than were
 * read.
 */
async function edgeErrors(
  zone: PullZone,
  name: string,
  mostPages: number,
  { platform, from, to, signal }: ReportContext,
) {
  const events: ErrorEvent[] = [];
  let offset: number | undefined = 0;
  for (let read = 0; read < mostPages && offset !== undefined; read += 1) {
    const query = { from, to, status: ['5xx'], limit: PAGE, offset, order: 'asc' as const };
    const page: AccessLogPage = await platform.accessLogs.query(zone.Id, query, { signal, priority: 'background' });
    for (const record of page.data) {
      const at = Date.parse(record.timestamp ?? '');
      if (Number.isNaN(at) || (record.statusCode ?? 0) < 500) continue;
      events.push({
        source: 'edge',
        time: at,
        zone: name,
        zoneId: zone.Id,
        code: undefined,
        status: record.statusCode,
        message: undefined,
        address: record.path ?? record.url,
        region: record.edgeLocation,
      });
    }
    offset = page.nextOffset;
  }
  return { events, whole: offset === undefined };
}

/** Reads both logs of a zone; a log that cannot be read is noted and takes nothing from the other. */
export async function errorsOf(zone: PullZone, mostPages: number, context: ReportContext): Promise<ZoneErrors> {
  const name = zone.Name ?? String(zone.Id);
  const found: ZoneErrors = { events: [], notes: [] };
  const attempt = async (what: string, read: () => Promise<void>) => {
    try {
      await read();
    } catch (error) {
      // A zone without a log has nothing to tell; one that cannot be read is named, and takes nothing from the others.
      if (error instanceof PlatformError && error.key === 'logging_disabled') return;
      if (!isPlatforms(error)) throw error;
      found.failure = error;
      found.notes.push(`${name}: the ${what} could not be read (${error.message})`);
    }
  };
  await attempt('origin errors', async () => {
    const { events, whole } = await originErrors(zone, name, context);
    // Not spread into arguments: there may be more of them than a call takes.
    for (const event of events) found.events.push(event);
    if (!whole) found.notes.push(`${name}: only the first ${count(events.length)} origin errors were read`);
  });
  if (zone.EnableLogging !== false) {
    await attempt('access log', async () => {
      const { events, whole } = await edgeErrors(zone, name, mostPages, context);
      found.events.push(...events);
      if (!whole) found.notes.push(`${name}: only the first ${count(events.length)} failed requests were read`);
    });
  }
  return found;
}

/** The fields of an error that filters may ask for. */
export function fieldsOf({
  zone,
  status,
  code: name,
  message: words,
  address,
  region,
  source,
}: ErrorEvent): RecordFields {
  const path = address?.replace(/^https?:\/\/[^/]+/, '');
  return { zone, status, code: name, message: words, path, region, source };
}
