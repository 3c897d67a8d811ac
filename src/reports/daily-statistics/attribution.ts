import { causeIn } from '../../logs/causes.ts';
import type { Chart } from '../../platform/resources/statistics.ts';
import { DAY, HOUR } from '../../time.ts';
import { inSentence } from '../in-sentence.ts';
import { isPlatforms } from '../platform-errors.ts';
import type { ReportContext } from '../report.ts';
import type { ReportDay } from './days.ts';
import { pointsWithin } from './figures.ts';

/** Why something changed, as far as the platform's own logs say. */
export interface Cause {
  /** The window that has most of it; `to` is undefined when it went on to the end of the day. */
  from: Date | undefined;
  to: Date | undefined;
  /** The most frequent error between edge and origin, in words. */
  words: string | undefined;
}

/** So much of what is beyond the usual. */
const MOST = 0.85;
/** Hours outside have at most this part of the excess share of those inside. */
const NEAR = 0.15;
/** Fewer records than these say nothing about what most of them are. */
const FEW_RECORDS = 10;

const WORDS: Record<string, string> = {
  http_timeout: 'origin time-outs',
  network_socket_exception: 'refused connections to the origin',
  dns_lookup: 'origin names that do not resolve',
  http_request_failure: 'errors of the origin itself',
  http_request_exception: 'broken connections to the origin',
};

/**
 * The hours of a zone's failures from `GET /statistics`, and their kind from `GET {origin_logs_url}/{pullZoneId}/{dateTime}`.
 * A report does without what cannot be read.
 */
export async function causeOf(
  zone: number,
  day: ReportDay,
  part: 'Error5xxChart' | 'Error4xxChart',
  usual: number,
  { platform, signal }: ReportContext,
): Promise<Cause> {
  const options = { signal, priority: 'background' } as const;
  const window = await unless(async () => {
    const query = { pullZone: zone, dateFrom: day.from, dateTo: day.to, hourly: true, exactRange: true };
    const { [part]: failed, RequestsServedChart: requests } = await platform.statistics.get(query, options);
    return stretchOf(pointsWithin(failed, day, true), requests, usual, day);
  });
  const words =
    part === 'Error4xxChart'
      ? undefined
      : await unless(async () => {
          const kinds: string[] = [];
          for (let at = day.from.getTime(); at < day.to.getTime() + DAY; at += DAY) {
            const { logs } = await platform.originErrors.get(zone, new Date(Math.min(at, day.to.getTime() - 1)), {
              ...options,
              from: window?.from ?? day.from,
              to: window?.to ?? day.to,
            });
            for (const { at: time, error } of logs) {
              if (time === undefined || time < (window?.from ?? day.from) || time >= (window?.to ?? day.to)) continue;
              const { ErrorCode: code = 'unknown', Message: said = '' } = error;
              kinds.push(WORDS[code] ?? inSentence(causeIn(said)?.means ?? code));
            }
            if (Math.floor(at / DAY) >= Math.floor((day.to.getTime() - 1) / DAY)) break;
          }
          return mostly(kinds);
        });
  return { from: window?.from, to: window?.to, words };
}

/**
 * The shortest run of hours that holds most of what is beyond the usual share, where the other hours are near the usual;
 * undefined when it is spread over the day, and whenever that is not certain.
 */
function stretchOf(
  failed: readonly [string, number][],
  requests: Chart | undefined,
  usual: number,
  day: ReportDay,
): { from: Date; to: Date | undefined } | undefined {
  const hours = failed.map(([key, value]) => {
    const served = requests?.[key] ?? 0;
    return { at: Date.parse(key), served, more: value - (usual / 100) * served };
  });
  const beyond = (some: typeof hours) => some.reduce((sum, { more }) => sum + more, 0);
  const share = (some: typeof hours) =>
    beyond(some) /
    Math.max(
      1,
      some.reduce((sum, { served }) => sum + served, 0),
    );
  const whole = beyond(hours);
  if (whole <= 0) return undefined;
  for (let length = 1; length <= day.hours / 2; length += 1) {
    const starts = hours.map((_, index) => index).filter((index) => index + length <= hours.length);
    const held = (start: number) => beyond(hours.slice(start, start + length));
    const best = starts.reduce((one, other) => (held(other) > held(one) ? other : one), 0);
    if (held(best) < MOST * whole) continue;
    // The hours in which it began and ended belong to it.
    const level = share(hours.slice(best, best + length)) / 2;
    let [first, last] = [best, best + length - 1];
    while (first > 0 && share([hours[first - 1]!]) > level) first -= 1;
    while (last < hours.length - 1 && share([hours[last + 1]!]) > level) last += 1;
    const inside = hours.slice(first, last + 1);
    if (inside.length > day.hours / 2) return undefined;
    const outside = hours.filter((hour) => !inside.includes(hour));
    if (share(outside) > NEAR * share(inside)) return undefined;
    const end = inside.at(-1)!.at + HOUR;
    return { from: new Date(inside[0]!.at), to: end >= day.to.getTime() ? undefined : new Date(end) };
  }
  return undefined;
}

function mostly(kinds: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  if (most === undefined || kinds.length < FEW_RECORDS || most[1] < kinds.length / 2) return undefined;
  return most[0];
}

async function unless<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isPlatforms(error)) return undefined;
    throw error;
  }
}
