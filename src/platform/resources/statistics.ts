import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import { checkStatisticsRange, toWireInstant } from '../dates.ts';
import { numericId } from '../ids.ts';
import { maybe, maybeNumber } from '../shapes.ts';
import type { CallOptions, QueryValue, Transport } from '../transport.ts';

/**
 * Row 7's parameters beyond spec 2.6 (spec part 4: not shown). `pullZone` is sent only when a zone is given, the others
 * always. `PlatformOptions.statisticsExtras: false` turns all of them off. Source: platform.md 7.1 and 7.2.
 */
export const STATISTICS_EXTRAS = {
  pullZone: 'pullZone',
  load: {
    loadErrors: true,
    loadRequestsServed: true,
    loadBandwidthUsed: true,
    loadOriginTraffic: true,
    loadOriginResponseTimes: true,
    loadGeographicTrafficDistribution: true,
  },
} as const;

/** A year of hours has 8,784 points; what has more than these is no chart. */
const MOST_POINTS = 20_000;

/** A chart as the platform sends it, made safe: values that are no numbers are left out, keys in order of time. */
const chart = maybe(
  z.record(z.string(), z.unknown()).transform((points, context) => {
    const sorted = Object.entries(points).filter((point): point is [string, number] => typeof point[1] === 'number');
    if (sorted.length > MOST_POINTS) {
      context.addIssue('too many points');
      return z.NEVER;
    }
    return Object.fromEntries(sorted.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  }),
);

const accountStatistics = z.object({
  TotalBandwidthUsed: maybeNumber,
  TotalOriginTraffic: maybeNumber,
  AverageOriginResponseTime: maybeNumber,
  TotalRequestsServed: maybeNumber,
  CacheHitRate: maybeNumber,
  BandwidthUsedChart: chart,
  BandwidthCachedChart: chart,
  CacheHitRateChart: chart,
  RequestsServedChart: chart,
  PullRequestsPulledChart: chart,
  OriginShieldBandwidthUsedChart: chart,
  OriginShieldInternalBandwidthUsedChart: chart,
  OriginTrafficChart: chart,
  OriginResponseTimeChart: chart,
  UserBalanceHistoryChart: chart,
  GeoTrafficDistribution: chart,
  Error3xxChart: chart,
  Error4xxChart: chart,
  Error5xxChart: chart,
});

const optimizerStatistics = z.object({
  TotalRequestsOptimized: maybeNumber,
  TotalTrafficSaved: maybeNumber,
  AverageProcessingTime: maybeNumber,
  AverageCompressionRatio: maybeNumber,
  RequestsOptimizedChart: chart,
  AverageCompressionChart: chart,
  TrafficSavedChart: chart,
  AverageProcessingTimeChart: chart,
});

const queueStatistics = z.object({ ConcurrentRequestsChart: chart, QueuedRequestsChart: chart });

const safehopStatistics = z.object({
  TotalRequestsRetried: maybeNumber,
  TotalRequestsSaved: maybeNumber,
  RequestsRetriedChart: chart,
  RequestsSavedChart: chart,
});

/** Points by their instant (ISO), in order. Absent when the platform sent none. */
export type Chart = Record<string, number>;
/** Row 7 (platform.md 7.2). Bandwidth and traffic in bytes, response time in ms, `CacheHitRate` in percent from 0 to 100. */
export type StatisticsAnswer = z.output<typeof accountStatistics>;
/** Row 8 (platform.md 7.3). Traffic in bytes, time in ms, ratio in percent. */
export type OptimizerStatistics = z.output<typeof optimizerStatistics>;
/** Row 9 (platform.md 7.3). */
export type QueueStatistics = z.output<typeof queueStatistics>;
/** Row 10 (platform.md 7.3). */
export type SafehopStatistics = z.output<typeof safehopStatistics>;

/** What rows 7 to 10 take (spec 2.6). What is not given is not sent, and the platform's own default applies. */
export interface StatisticsQuery {
  dateFrom?: Date | undefined;
  dateTo?: Date | undefined;
  /** One point per hour; else one per day. */
  hourly?: boolean | undefined;
}

/** What row 7 takes besides. */
export interface AccountStatisticsQuery extends StatisticsQuery {
  /** One zone; without it, the whole account. */
  pullZone?: number | undefined;
  exactRange?: boolean | undefined;
  loadLatest?: boolean | undefined;
}

/** Exactly the three parameters that all statistics endpoints share; dates only when they were given. */
const commonQuery = (query: StatisticsQuery): Record<string, QueryValue> => ({
  dateFrom: query.dateFrom && toWireInstant(query.dateFrom),
  dateTo: query.dateTo && toWireInstant(query.dateTo),
  hourly: query.hourly === true,
});

export function createStatistics(transport: Transport, settings: { extras: boolean; now: () => Date }) {
  async function ofZone<T>(
    zoneId: number,
    path: string,
    query: StatisticsQuery,
    schema: z.ZodType<T>,
    options?: CallOptions,
  ): Promise<T> {
    const { dateFrom, dateTo, hourly } = query;
    checkStatisticsRange({ dateFrom, dateTo, hourly }, { row: 'zone', now: settings.now() });
    return transport.read(
      {
        service: 'statistics',
        method: 'GET',
        path: `/pullzone/${numericId(zoneId, 'pull zone')}${path}`,
        query: commonQuery(query),
      },
      schema,
      options,
    );
  }

  return {
    /** Row 7. Throws `UsageError` for ranges that the platform cannot answer (spec part 8), before sending. */
    async get(query: AccountStatisticsQuery = {}, options?: CallOptions): Promise<StatisticsAnswer> {
      checkStatisticsRange(query, { row: 'account', now: settings.now() });
      if (query.pullZone !== undefined && !settings.extras) {
        throw new UsageError('Statistics of a single zone are switched off in the settings.', {
          hint: 'Leave the zone out to see the whole account.',
          argument: 'zone',
        });
      }
      const zone = query.pullZone === undefined ? undefined : numericId(query.pullZone, 'pull zone');
      return transport.read(
        {
          service: 'statistics',
          method: 'GET',
          path: '/statistics',
          query: {
            ...commonQuery(query),
            exactRange: query.exactRange || undefined,
            loadLatest: query.loadLatest || undefined,
            ...(settings.extras ? { [STATISTICS_EXTRAS.pullZone]: zone, ...STATISTICS_EXTRAS.load } : {}),
          },
        },
        accountStatistics,
        options,
      );
    },

    /** Row 8. */
    async optimizer(zoneId: number, query: StatisticsQuery = {}, options?: CallOptions): Promise<OptimizerStatistics> {
      return ofZone(zoneId, '/optimizer/statistics', query, optimizerStatistics, options);
    },

    /** Row 9. */
    async queue(zoneId: number, query: StatisticsQuery = {}, options?: CallOptions): Promise<QueueStatistics> {
      return ofZone(zoneId, '/originshield/queuestatistics', query, queueStatistics, options);
    },

    /** Row 10. */
    async safehop(zoneId: number, query: StatisticsQuery = {}, options?: CallOptions): Promise<SafehopStatistics> {
      return ofZone(zoneId, '/safehop/statistics', query, safehopStatistics, options);
    },
  };
}
