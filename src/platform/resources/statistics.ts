import * as z from 'zod';
import { UsageError } from '../../errors.ts';
import { DAY, HOUR } from '../../time.ts';
import { checkStatisticsRange, toWireInstant } from '../dates.ts';
import { maybe, maybeNumber, momentOf, numericId } from '../shapes.ts';
import { type Call, type CallOptions, endpoint, type QueryValue, type Transport } from '../transport.ts';

/** One point per hour or day (UTC): the sum, or the mean of averages. A point without a number stays. */
const chartBy = (unit: number, isAverage: boolean) =>
  maybe(
    z.record(z.string(), z.unknown()).transform((given, context): Chart | undefined => {
      const named = Object.entries(given);
      // A year has 8,784 hours.
      if (named.length > 20_000) {
        context.addIssue('too many points');
        return z.NEVER;
      }
      const instants = new Map<number, number | undefined>();
      for (const [key, value] of named) {
        const at = momentOf(key);
        if (!Number.isNaN(at)) instants.set(at, maybeNumber.parse(value) ?? instants.get(at));
      }
      const units = new Map<number, (number | undefined)[]>();
      for (const [at, value] of [...instants].sort(([one], [other]) => one - other)) {
        const start = Math.floor(at / unit) * unit;
        units.set(start, units.get(start) ?? []);
        units.get(start)!.push(value);
      }
      const points = [...units].map(([start, values]) => {
        const sum = values.reduce(
          (all, value) => (all === undefined || value === undefined ? undefined : all + value),
          0,
        );
        return [toWireInstant(new Date(start)), sum && isAverage ? sum / values.length : sum] as const;
      });
      return points.length === 0 ? undefined : Object.fromEntries(points);
    }),
  );

const regions = maybe(
  z.record(z.string(), z.unknown()).transform((given) => {
    const known = Object.entries(given).filter((region): region is [string, number] => typeof region[1] === 'number');
    return Object.fromEntries(known);
  }),
);

function schemasBy(unit: number) {
  const [chart, averages] = [chartBy(unit, false), chartBy(unit, true)];
  return {
    account: z.object({
      TotalBandwidthUsed: maybeNumber,
      TotalOriginTraffic: maybeNumber,
      AverageOriginResponseTime: maybeNumber,
      TotalRequestsServed: maybeNumber,
      CacheHitRate: maybeNumber,
      BandwidthUsedChart: chart,
      CacheHitRateChart: averages,
      RequestsServedChart: chart,
      PullRequestsPulledChart: chart,
      OriginTrafficChart: chart,
      OriginResponseTimeChart: averages,
      GeoTrafficDistribution: regions,
      Error3xxChart: chart,
      Error4xxChart: chart,
      Error5xxChart: chart,
    }),
    optimizer: z.object({
      TotalRequestsOptimized: maybeNumber,
      TotalTrafficSaved: maybeNumber,
      AverageProcessingTime: maybeNumber,
      AverageCompressionRatio: maybeNumber,
      RequestsOptimizedChart: chart,
      AverageCompressionChart: averages,
      TrafficSavedChart: chart,
      AverageProcessingTimeChart: averages,
    }),
    queue: z.object({ ConcurrentRequestsChart: averages, QueuedRequestsChart: chart }),
    safehop: z.object({
      TotalRequestsRetried: maybeNumber,
      TotalRequestsSaved: maybeNumber,
      RequestsRetriedChart: chart,
      RequestsSavedChart: chart,
    }),
  };
}

const SCHEMAS = { hourly: schemasBy(HOUR), daily: schemasBy(DAY) };
const schemasFor = ({ hourly }: StatisticsQuery) => SCHEMAS[hourly === true ? 'hourly' : 'daily'];

/** ISO instant → figure; undefined: the platform has none. No chart: the platform sent none. */
export type Chart = Readonly<Record<string, number | undefined>>;
/** In bytes, ms, and percent from 0 to 100. */
export type StatisticsAnswer = z.output<(typeof SCHEMAS)['daily']['account']>;

/** A parameter that is left out is not sent. */
export interface StatisticsQuery {
  dateFrom?: Date | undefined;
  dateTo?: Date | undefined;
  /** Otherwise by the day. */
  hourly?: boolean | undefined;
}

export interface AccountStatisticsQuery extends StatisticsQuery {
  /** Otherwise the whole account. */
  pullZone?: number | undefined;
  exactRange?: boolean | undefined;
  loadLatest?: boolean | undefined;
}

const commonQuery = (query: StatisticsQuery): Record<string, QueryValue> => ({
  dateFrom: query.dateFrom && toWireInstant(query.dateFrom),
  dateTo: query.dateTo && toWireInstant(query.dateTo),
  hourly: query.hourly === true,
});

/** All throw `UsageError` for ranges that the platform cannot answer. `extras` false: no extension is sent. */
export function createStatistics(transport: Transport, { extras, now }: { extras: boolean; now: () => Date }) {
  const ofZone =
    <T>(name: Call['endpoint'], schemaOf: (schemas: typeof SCHEMAS.daily) => z.ZodType<T>) =>
    async (zoneId: number, { dateFrom, dateTo, hourly }: StatisticsQuery = {}, options?: CallOptions): Promise<T> => {
      const query = { dateFrom, dateTo, hourly };
      checkStatisticsRange(query, { of: 'zone', now: now() });
      const asked = endpoint(name, numericId(zoneId, 'pull zone'));
      return transport.read({ ...asked, query: commonQuery(query) }, schemaOf(schemasFor(query)), options);
    };
  return {
    async get(query: AccountStatisticsQuery = {}, options?: CallOptions) {
      checkStatisticsRange(query, { of: 'account', now: now() });
      if (query.pullZone !== undefined && !extras) {
        throw new UsageError('Statistics of a single zone are switched off in the settings.', {
          hint: 'Leave the zone out to see the whole account.',
          argument: 'zone',
        });
      }
      const zone = query.pullZone === undefined ? undefined : numericId(query.pullZone, 'pull zone');
      const extensions = {
        pullZone: zone,
        loadErrors: true,
        loadRequestsServed: true,
        loadBandwidthUsed: true,
        loadOriginTraffic: true,
        loadOriginResponseTimes: true,
        loadGeographicTrafficDistribution: true,
      };
      const wanted = {
        ...commonQuery(query),
        exactRange: query.exactRange || undefined,
        loadLatest: query.loadLatest || undefined,
        ...(extras ? extensions : {}),
      };
      return transport.read({ ...endpoint('GET /statistics'), query: wanted }, schemasFor(query).account, options);
    },
    optimizer: ofZone('GET /pullzone/{pullZoneId}/optimizer/statistics', ({ optimizer }) => optimizer),
    queue: ofZone('GET /pullzone/{pullZoneId}/originshield/queuestatistics', ({ queue }) => queue),
    safehop: ofZone('GET /pullzone/{pullZoneId}/safehop/statistics', ({ safehop }) => safehop),
  };
}
