import { vi } from 'vitest';
import type { AccessLogPage, AccessLogQuery } from '../../../src/platform/resources/access-logs.ts';
import type { OriginErrorDay } from '../../../src/platform/resources/origin-errors.ts';
import type { StatisticsAnswer } from '../../../src/platform/resources/statistics.ts';
import { errorSummary } from '../../../src/reports/error-summary/error-summary.ts';
import type { ReportContext } from '../../../src/reports/report.ts';
import { MINUTE } from '../../../src/time.ts';
import { contextOf, UTC, zone } from '../asking.ts';

/** An error that the origin's log has. */
export function originError(at: string, message: string): OriginErrorDay['logs'][number] {
  return {
    at: new Date(at),
    labels: { ServerZone: 'DE' },
    error: { ErrorCode: 'error', StatusCode: 504, Message: message, RequestUrl: '/items/7?token=hush' },
  };
}

/** A platform with these logs, and statistics that say nothing. */
export function platformOf(logs: OriginErrorDay['logs'], pages: AccessLogPage[]) {
  const get = vi.fn(async (_zone: number, _day: Date) => ({ logs, hasMoreData: false, isCut: false }));
  const query = vi.fn(async (_zone: number) => pages.shift() ?? { data: [], hasMore: false });
  // Statistics that say nothing.
  const statistics = vi.fn(async (): Promise<StatisticsAnswer> => ({}));
  return { originErrors: { get }, accessLogs: { query }, statistics: { get: statistics } };
}

export const NOON = Date.parse('2026-11-21T12:00:00Z');
const QUARTER = { from: new Date(NOON + 15 * MINUTE), to: new Date(NOON + 30 * MINUTE) };

interface Given {
  /** Of the hours before: what share fails of so many requests a minute. */
  usual?: number;
  requests?: number;
  /** What share failed in the hours before noon of the day before. */
  yesterday?: number;
  /** What share of this hour fails every day. */
  daily?: number;
  /** Failures in each minute of the last half an hour. */
  failures: readonly number[];
  message?: string | ((minute: number) => string);
  /** From a minute on it has so many requests. */
  fewer?: { since: number; requests: number };
  /** The regions in which requests failed before, in equal parts, a failure a minute of a day. All others are in DE. */
  before?: readonly string[];
  /** Of its requests, in equal parts. Failures are in DE. */
  regions?: readonly string[];
}

/** Each zone fails as it is given, with records of both logs and statistics that agree. */
export function failing(zones: Record<number, Given>) {
  const eventsOf = ({ failures, message = 'Connection refused' }: Given, doubled = 1) =>
    failures.flatMap((many, minute) =>
      Array.from({ length: many * doubled }, (_, index) => {
        const id = `${minute}-${Math.floor(index / doubled)}`;
        const at = new Date(NOON + (minute + (index + 0.5) / (many * doubled)) * MINUTE);
        return { ...originError(at.toISOString(), typeof message === 'string' ? message : message(minute)), logId: id };
      }),
    );
  const platform = platformOf([], []);
  platform.originErrors.get.mockImplementation(async (id: number) => ({
    logs: eventsOf(zones[id]!),
    hasMoreData: false,
    isCut: false,
  }));
  /** Requests of all kinds, evenly. */
  const requestsOf = ({ requests = 100, regions, fewer }: Given, { from, to }: { from: Date; to: Date }) => {
    const change = fewer === undefined ? to.getTime() : NOON + fewer.since * MINUTE;
    const timesIn = (begin: number, end: number, rate: number) =>
      Array.from(
        { length: Math.max(0, Math.round((rate * (end - begin)) / MINUTE)) },
        (_, index) => end - ((index + 1) * MINUTE) / rate,
      );
    const all = [
      ...timesIn(Math.max(from.getTime(), change), to.getTime(), fewer?.requests ?? requests),
      ...timesIn(from.getTime(), Math.min(to.getTime(), change), requests),
    ];
    const data = all.slice(0, 1000).map((at, index) => ({
      requestId: String(index),
      timestamp: new Date(at).toISOString(),
      edgeLocation: regions?.[index % regions.length],
    }));
    return { data, hasMore: all.length > 1000 };
  };
  const failuresOf = (
    id: number,
    { from, to, limit = 1000, offset = 0, order }: AccessLogQuery & { from: Date; to: Date },
  ) => {
    const { before = [] } = zones[id]!;
    const earlier = before.length === 0 ? [] : Array.from({ length: 24 * 60 }, (_, minute) => NOON - minute * MINUTE);
    const all = [
      ...earlier.map((at, index) => ({ at, requestId: String(at), edgeLocation: before[index % before.length]! })),
      ...eventsOf(zones[id]!).map(({ at, logId }) => ({ at: at!.getTime(), requestId: logId, edgeLocation: 'DE' })),
    ]
      .filter(({ at }) => at >= from.getTime() && at < to.getTime())
      .sort((a, b) => a.at - b.at)
      .map(({ at, ...rest }) => ({
        timestamp: new Date(at).toISOString(),
        statusCode: 504,
        path: '/items/7',
        ...rest,
      }));
    const data = (order === 'desc' ? all.reverse() : all).slice(offset, offset + limit);
    const hasMore = offset + limit < all.length;
    return { data, hasMore, ...(hasMore && { nextOffset: offset + limit }) };
  };
  platform.accessLogs.query.mockImplementation((async (id: number, asked: AccessLogQuery & { from: Date; to: Date }) =>
    asked.status === undefined
      ? requestsOf(zones[id]!, asked)
      : failuresOf(id, asked)) as typeof platform.accessLogs.query);
  platform.statistics.get.mockImplementation(async (query?: { pullZone?: number; dateFrom?: Date; dateTo?: Date }) => {
    const { usual = 0, requests = 100, yesterday = usual, daily = usual } = zones[query!.pullZone!]!;
    const hours = { RequestsServedChart: {}, Error5xxChart: {} } as Record<string, Record<string, number>>;
    for (let at = query!.dateFrom!.getTime(); at < Math.min(NOON, query!.dateTo!.getTime()); at += 60 * MINUTE) {
      hours.RequestsServedChart![new Date(at).toISOString()] = 60 * requests;
      const isNear = Math.abs(NOON - 24 * 60 * MINUTE - at) <= 120 * MINUTE;
      const share = isNear
        ? Math.max(yesterday, daily)
        : at % (24 * 60 * MINUTE) === NOON % (24 * 60 * MINUTE)
          ? daily
          : usual;
      hours.Error5xxChart![new Date(at).toISOString()] = Math.round(60 * requests * share);
    }
    return hours;
  });
  const ask = async (more: Partial<ReportContext> = {}) => {
    const listed = Object.keys(zones).map((id) => zone(Number(id), `zone-${id}`));
    const context = { ...contextOf(platform, listed, QUARTER), ...more };
    const collected = await errorSummary.collect(errorSummary.args, context);
    const said = errorSummary.render(collected, errorSummary.args, UTC);
    return {
      text: said?.text ?? '',
      said,
      collected,
      troubles: errorSummary.troubles?.(collected, errorSummary.args),
    };
  };
  return { ask, platform };
}
/** So many failures a minute from a minute on. */
export const minutes = (begin: number, many: number) => Array.from({ length: 30 }, (_, at) => (at < begin ? 0 : many));
