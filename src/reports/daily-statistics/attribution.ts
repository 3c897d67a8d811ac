import { DAY, HOUR } from '../../time.ts';
import { isPlatforms } from '../platform-errors.ts';
import type { ReportContext } from '../report.ts';
import { median } from './changes.ts';
import type { ReportDay } from './days.ts';
import { pointsWithin } from './figures.ts';

/** Why something changed, as far as the platform's own logs say. */
export interface Cause {
  /** The stretch that has most of it; `to` is undefined when it went on to the end of the day. */
  from: Date | undefined;
  to: Date | undefined;
  /** The most frequent error between edge and origin, in words. */
  words: string | undefined;
}

/** So much of what is beyond the usual. */
const MOST = 0.7;
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
  { platform, signal }: ReportContext,
): Promise<Cause> {
  const options = { signal, priority: 'background' } as const;
  const stretch = await unless(async () => {
    const query = { pullZone: zone, dateFrom: day.from, dateTo: day.to, hourly: true, exactRange: true };
    const { [part]: failed } = await platform.statistics.get(query, options);
    return stretchOf(pointsWithin(failed, day, true), day);
  });
  const words =
    part === 'Error4xxChart'
      ? undefined
      : await unless(async () => {
          const codes: string[] = [];
          for (let at = day.from.getTime(); at < day.to.getTime() + DAY; at += DAY) {
            const { logs } = await platform.originErrors.get(zone, new Date(Math.min(at, day.to.getTime() - 1)), {
              ...options,
              from: stretch?.from ?? day.from,
              to: stretch?.to ?? day.to,
            });
            for (const { at: time, error } of logs) {
              if (time === undefined || time < (stretch?.from ?? day.from) || time >= (stretch?.to ?? day.to)) continue;
              codes.push(error.ErrorCode ?? 'unknown');
            }
            if (Math.floor(at / DAY) >= Math.floor((day.to.getTime() - 1) / DAY)) break;
          }
          return mostly(codes);
        });
  return { from: stretch?.from, to: stretch?.to, words };
}

/** The shortest run of hours that holds most of what is beyond the usual hour; undefined when it is spread over the day. */
function stretchOf(
  points: readonly [string, number][],
  day: ReportDay,
): { from: Date; to: Date | undefined } | undefined {
  const usual = median(points.map(([, value]) => value)) ?? 0;
  const excess = points.map(([key, value]) => ({ at: Date.parse(key), more: Math.max(0, value - usual) }));
  const whole = excess.reduce((sum, { more }) => sum + more, 0);
  if (whole === 0) return undefined;
  const isHigh = (index: number) => (excess[index]?.more ?? 0) > Math.max(usual, whole / 20);
  for (let hours = 1; hours <= day.hours / 2; hours += 1) {
    const held = (start: number) => excess.slice(start, start + hours).reduce((sum, { more }) => sum + more, 0);
    const starts = excess.map((_, index) => index).filter((index) => index + hours <= excess.length);
    const best = starts.reduce((one, other) => (held(other) > held(one) ? other : one), 0);
    if (held(best) < MOST * whole) continue;
    let [first, last] = [best, best + hours - 1];
    // The hours in which it began and ended belong to it.
    while (isHigh(first - 1)) first -= 1;
    while (isHigh(last + 1)) last += 1;
    const end = excess[last]!.at + HOUR;
    return { from: new Date(excess[first]!.at), to: end >= day.to.getTime() ? undefined : new Date(end) };
  }
  return undefined;
}

function mostly(codes: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  if (most === undefined || codes.length < FEW_RECORDS || most[1] < codes.length / 2) return undefined;
  return WORDS[most[0]] ?? most[0];
}

async function unless<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isPlatforms(error)) return undefined;
    throw error;
  }
}
