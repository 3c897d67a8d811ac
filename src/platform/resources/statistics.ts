import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import { checkStatisticsRange, toWireInstant } from '../dates.ts';
import { maybe, maybeNumber, numericId } from '../shapes.ts';
import { type Call, type CallOptions, endpoint, type QueryValue, type Transport } from '../transport.ts';

/**
 * The parameters of `GET /statistics` that are extensions and always sent; so is `pullZone` when a zone is given.
 * `PlatformOptions.statisticsExtras: false` turns all of them off.
 */
const EXTRAS = {
  loadErrors: true,
  loadRequestsServed: true,
  loadBandwidthUsed: true,
  loadOriginTraffic: true,
  loadOriginResponseTimes: true,
  loadGeographicTrafficDistribution: true,
};

/** A year of hours has 8,784 points; what has more than these is no chart. */
const MOST_POINTS = 20_000;

/** An instant in the one form that all charts have; without a zone it is of UTC. Undefined: it is none. */
function instantIn(key: string): string | undefined {
  const at = Date.parse(/[Z+-]/.test(key.slice(10)) || key.length <= 10 ? key : `${key}Z`);
  if (Number.isNaN(at)) return undefined;
  return /T\d\d:\d\d:\d\dZ$/.test(key) ? key : toWireInstant(new Date(at));
}

/** A chart as the platform sends it, in order of time. A point without a number stays as one without a figure. */
const chart = maybe(
  z.record(z.string(), z.unknown()).transform((given, context): Chart | undefined => {
    const points: Record<string, number | undefined> = {};
    const named = Object.entries(given);
    if (named.length > MOST_POINTS) {
      context.addIssue('too many points');
      return z.NEVER;
    }
    for (const [key, value] of named) {
      const at = instantIn(key);
      if (at !== undefined) points[at] = (typeof value === 'number' ? value : maybeNumber.parse(value)) ?? points[at];
    }
    const sorted = Object.entries(points).sort(([one], [other]) => (one < other ? -1 : 1));
    return sorted.length === 0 ? undefined : Object.fromEntries(sorted);
  }),
);

/** Traffic by region. */
const regions = maybe(
  z.record(z.string(), z.unknown()).transform((given) => {
    const known = Object.entries(given).filter((region): region is [string, number] => typeof region[1] === 'number');
    return Object.fromEntries(known.slice(0, MOST_POINTS));
  }),
);

const accountStatistics = z.object({
  TotalBandwidthUsed: maybeNumber,
  TotalOriginTraffic: maybeNumber,
  AverageOriginResponseTime: maybeNumber,
  TotalRequestsServed: maybeNumber,
  CacheHitRate: maybeNumber,
  BandwidthUsedChart: chart,
  CacheHitRateChart: chart,
  RequestsServedChart: chart,
  PullRequestsPulledChart: chart,
  OriginTrafficChart: chart,
  OriginResponseTimeChart: chart,
  GeoTrafficDistribution: regions,
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

/** Points by their instant (ISO, UTC), in order; undefined: the platform has no figure for it. Absent when it sent none at all. */
export type Chart = Readonly<Record<string, number | undefined>>;
/** Bandwidth and traffic in bytes, response time in ms, `CacheHitRate` in percent from 0 to 100. */
export type StatisticsAnswer = z.output<typeof accountStatistics>;
/** Traffic in bytes, time in ms, ratio in percent. */
type OptimizerStatistics = z.output<typeof optimizerStatistics>;
/** Requests to the origin at once, and those that waited. */
type QueueStatistics = z.output<typeof queueStatistics>;
/** Requests that were retried, and those that this saved. */
type SafehopStatistics = z.output<typeof safehopStatistics>;

/** Parameters of all statistics. Those that are not given are not sent: the platform's own default applies. */
export interface StatisticsQuery {
  dateFrom?: Date | undefined;
  dateTo?: Date | undefined;
  /** One point per hour; else one per day. */
  hourly?: boolean | undefined;
}

/** The other parameters of `GET /statistics`. */
export interface AccountStatisticsQuery extends StatisticsQuery {
  /** One zone; without it, the whole account. */
  pullZone?: number | undefined;
  exactRange?: boolean | undefined;
  loadLatest?: boolean | undefined;
}

/** The statistics. Each throws `UsageError` for ranges that the platform cannot answer, before sending. */
export interface Statistics {
  /** The whole account's, or one zone's. */
  get(query?: AccountStatisticsQuery, options?: CallOptions): Promise<StatisticsAnswer>;
  optimizer(zoneId: number, query?: StatisticsQuery, options?: CallOptions): Promise<OptimizerStatistics>;
  queue(zoneId: number, query?: StatisticsQuery, options?: CallOptions): Promise<QueueStatistics>;
  safehop(zoneId: number, query?: StatisticsQuery, options?: CallOptions): Promise<SafehopStatistics>;
}

/** Exactly the three parameters that all statistics endpoints share; dates only when they were given. */
const commonQuery = (query: StatisticsQuery): Record<string, QueryValue> => ({
  dateFrom: query.dateFrom && toWireInstant(query.dateFrom),
  dateTo: query.dateTo && toWireInstant(query.dateTo),
  hourly: query.hourly === true,
});

/** Statistics over a transport. Without `extras`, nothing that is an extension is sent. */
export function createStatistics(
  transport: Transport,
  { extras, now }: { extras: boolean; now: () => Date },
): Statistics {
  const ofZone =
    <T>(name: Call['endpoint'], schema: z.ZodType<T>) =>
    async (zoneId: number, { dateFrom, dateTo, hourly }: StatisticsQuery = {}, options?: CallOptions): Promise<T> => {
      const query = { dateFrom, dateTo, hourly };
      checkStatisticsRange(query, { of: 'zone', now: now() });
      const asked = endpoint(name, numericId(zoneId, 'pull zone'));
      return transport.read({ ...asked, query: commonQuery(query) }, schema, options);
    };
  return {
    async get(query = {}, options) {
      checkStatisticsRange(query, { of: 'account', now: now() });
      if (query.pullZone !== undefined && !extras) {
        throw new UsageError('Statistics of a single zone are switched off in the settings.', {
          hint: 'Leave the zone out to see the whole account.',
          argument: 'zone',
        });
      }
      const zone = query.pullZone === undefined ? undefined : numericId(query.pullZone, 'pull zone');
      const wanted = {
        ...commonQuery(query),
        exactRange: query.exactRange || undefined,
        loadLatest: query.loadLatest || undefined,
        ...(extras ? { pullZone: zone, ...EXTRAS } : {}),
      };
      return transport.read({ ...endpoint('GET /statistics'), query: wanted }, accountStatistics, options);
    },
    optimizer: ofZone('GET /pullzone/{pullZoneId}/optimizer/statistics', optimizerStatistics),
    queue: ofZone('GET /pullzone/{pullZoneId}/originshield/queuestatistics', queueStatistics),
    safehop: ofZone('GET /pullzone/{pullZoneId}/safehop/statistics', safehopStatistics),
  };
}
