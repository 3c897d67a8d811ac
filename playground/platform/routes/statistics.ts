import type { PullZone } from '../account/account.ts';
import { type Answer, coreError } from '../answers.ts';
import { chartKey, DAY, HOUR, startOfDay, startOfHour } from '../clock.ts';
import { fractionOf } from '../random.ts';
import { booleanIn } from '../requests.ts';
import type { Incoming } from '../server.ts';
import { type Simulation, type SimulationRoute, zoneOf } from '../simulation.ts';
import { balanceChart } from './billing.ts';
import { parseRange, type StatisticsRange } from './statistics-range.ts';
import { addTotals, emptyTotals, type Totals, totalsOfHour } from './statistics-totals.ts';

type Chart = Record<string, number>;

/** One point of a chart: the start of its hour or day, and its totals. */
interface Point {
  key: string;
  totals: Totals;
}

/** The statistics of the account and of single zones. */
export const statisticsRoutes: SimulationRoute[] = [
  { method: 'GET', path: '/statistics', spec: true, answer: showStatistics },
  { method: 'GET', path: '/pullzone/{id}/optimizer/statistics', spec: true, answer: ofZone(optimizerStatistics) },
  { method: 'GET', path: '/pullzone/{id}/originshield/queuestatistics', spec: true, answer: ofZone(queueStatistics) },
  { method: 'GET', path: '/pullzone/{id}/safehop/statistics', spec: true, answer: ofZone(safeHopStatistics) },
];

/** Answers with the charts of the pull zone in the path. */
function ofZone(charts: (zone: PullZone, points: readonly Point[]) => object): SimulationRoute['answer'] {
  return (simulation, { query, params }) => {
    const zone = zoneOf(simulation.account, params.id);
    if (!zone) {
      return coreError(404, 'pullZone.not_found', 'PullZone', 'The requested Pull Zone was not found');
    }
    const range = parseRange(query, simulation.now().getTime(), false);
    return { status: 200, body: charts(zone, pointsOf(simulation, [zone], range)) };
  };
}

/** `GET /statistics` of one pull zone, or of all of them. */
function showStatistics(simulation: Simulation, { query }: Incoming): Answer {
  const range = parseRange(query, simulation.now().getTime(), true);
  const wanted = query.get('pullZone') ?? '-1';
  const zones = wanted === '-1' ? simulation.account.zones : [zoneOf(simulation.account, wanted)];
  const known = zones.filter((zone) => zone !== undefined);
  const points = pointsOf(simulation, known, range);
  // Charts beyond the common ones come when they are asked for; the specification knows no such parameters.
  const isWanted = (name: string): boolean => simulation.specOnly || booleanIn(query, name);
  const past = { ...range, to: Math.min(range.to, simulation.now().getTime()) };
  return { status: 200, body: accountStatistics(simulation.seed, points, isWanted, past) };
}

function pointsOf(simulation: Simulation, zones: readonly PullZone[], range: StatisticsRange): Point[] {
  const step = range.hourly ? HOUR : DAY;
  const first = range.hourly ? startOfHour(range.from) : startOfDay(range.from);
  const now = simulation.now().getTime();
  const points: Point[] = [];
  for (let start = first; start < range.to && start <= now; start += step) {
    const totals = emptyTotals();
    for (let hour = start; hour < start + step && hour < now; hour += HOUR) {
      for (const zone of zones) {
        if (!zone.Suspended && zone.Enabled) {
          addTotals(totals, totalsOfHour(simulation, zone, hour, now));
        }
      }
    }
    points.push({ key: chartKey(start), totals });
  }
  return points;
}

const round = (value: number, digits = 0): number => Math.round(value * 10 ** digits) / 10 ** digits;

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

function chartOf(points: readonly Point[], value: (totals: Totals) => number): Chart {
  return Object.fromEntries(points.map(({ key, totals }) => [key, value(totals)]));
}

const sumOf = (points: readonly Point[], value: (totals: Totals) => number): number =>
  points.reduce((sum, { totals }) => sum + value(totals), 0);

const REGIONS: readonly (readonly [string, number])[] = [
  ['EU: Frankfurt, DE', 0.31],
  ['EU: London, UK', 0.12],
  ['EU: Paris, FR', 0.1],
  ['NA: New York City, NY', 0.16],
  ['NA: Los Angeles, CA', 0.11],
  ['ASIA: Singapore, SG', 0.08],
  ['ASIA: Tokyo, JP', 0.05],
  ['SA: Sao Paulo, BR', 0.04],
  ['OCE: Sydney, SYD', 0.03],
];

function accountStatistics(
  seed: number,
  points: readonly Point[],
  isWanted: (name: string) => boolean,
  range: StatisticsRange,
): object {
  const chart = (value: (totals: Totals) => number): Chart => chartOf(points, value);
  const when = (name: string, value: (totals: Totals) => number): Chart => (isWanted(name) ? chart(value) : {});
  const requests = sumOf(points, (totals) => totals.requests);
  const bytes = sumOf(points, (totals) => totals.bytes);
  const pulled = sumOf(points, (totals) => totals.pulled);
  return {
    TotalBandwidthUsed: bytes,
    TotalOriginTraffic: sumOf(points, (totals) => totals.originBytes),
    AverageOriginResponseTime: round(
      ratio(
        sumOf(points, (totals) => totals.originMs * totals.pulled),
        pulled,
      ),
    ),
    OriginResponseTimeChart: when('loadOriginResponseTimes', (totals) => round(totals.originMs)),
    TotalRequestsServed: requests,
    CacheHitRate: round(
      100 *
        ratio(
          sumOf(points, (totals) => totals.cached),
          requests,
        ),
      2,
    ),
    BandwidthUsedChart: chart((totals) => totals.bytes),
    BandwidthCachedChart: chart((totals) => totals.bytes - totals.originBytes),
    CacheHitRateChart: chart((totals) => round(100 * ratio(totals.cached, totals.requests), 2)),
    RequestsServedChart: chart((totals) => totals.requests),
    PullRequestsPulledChart: chart((totals) => totals.pulled),
    OriginShieldBandwidthUsedChart: when('loadOriginShieldBandwidth', (totals) => round(totals.originBytes * 0.4)),
    OriginShieldInternalBandwidthUsedChart: when('loadOriginShieldBandwidth', (totals) =>
      round(totals.originBytes * 0.1),
    ),
    OriginTrafficChart: when('loadOriginTraffic', (totals) => totals.originBytes),
    UserBalanceHistoryChart: isWanted('loadUserBalanceHistory') ? balanceChart(seed, range.from, range.to) : {},
    GeoTrafficDistribution: isWanted('loadGeographicTrafficDistribution')
      ? Object.fromEntries(REGIONS.map(([region, share]) => [region, round(bytes * share)]))
      : {},
    Error3xxChart: when('loadErrors', (totals) => totals.status3xx),
    Error4xxChart: when('loadErrors', (totals) => totals.status4xx),
    Error5xxChart: when('loadErrors', (totals) => totals.status5xx),
  };
}

function optimizerStatistics(zone: PullZone, points: readonly Point[]): object {
  if (!zone.OptimizerEnabled) {
    return {
      RequestsOptimizedChart: null,
      AverageCompressionChart: null,
      TrafficSavedChart: null,
      AverageProcessingTimeChart: null,
      TotalRequestsOptimized: 0,
      TotalTrafficSaved: 0,
      AverageProcessingTime: 0,
      AverageCompressionRatio: 0,
    };
  }
  const optimized = (totals: Totals): number => round(totals.requests * 0.34);
  const saved = (totals: Totals): number => round(totals.bytes * 0.52);
  const compression = (key: string): number => round(55 + fractionOf(zone.Id, key, 'compression') * 18);
  const processing = (key: string): number => round(9 + fractionOf(zone.Id, key, 'processing') * 14);
  const mean = (value: (key: string) => number): number =>
    round(
      ratio(
        points.reduce((sum, { key }) => sum + value(key), 0),
        points.length,
      ),
      2,
    );
  return {
    RequestsOptimizedChart: chartOf(points, optimized),
    AverageCompressionChart: Object.fromEntries(points.map(({ key }) => [key, compression(key)])),
    TrafficSavedChart: chartOf(points, saved),
    AverageProcessingTimeChart: Object.fromEntries(points.map(({ key }) => [key, processing(key)])),
    TotalRequestsOptimized: sumOf(points, optimized),
    TotalTrafficSaved: sumOf(points, saved),
    AverageProcessingTime: mean(processing),
    AverageCompressionRatio: mean(compression),
  };
}

function queueStatistics(zone: PullZone, points: readonly Point[]): object {
  const concurrent = (totals: Totals): number =>
    zone.EnableOriginShield ? round(totals.pulled * totals.originMs * 2.8e-6, 0) : 0;
  const queued = (totals: Totals): number => Math.max(0, concurrent(totals) - 4);
  return { ConcurrentRequestsChart: chartOf(points, concurrent), QueuedRequestsChart: chartOf(points, queued) };
}

function safeHopStatistics(zone: PullZone, points: readonly Point[]): object {
  const retried = (totals: Totals): number =>
    zone.EnableSafeHop ? round(totals.status5xx * 1.6 + totals.pulled * 0.001) : 0;
  const saved = (totals: Totals): number => round(retried(totals) * 0.6);
  return {
    RequestsRetriedChart: zone.EnableSafeHop ? chartOf(points, retried) : null,
    RequestsSavedChart: zone.EnableSafeHop ? chartOf(points, saved) : null,
    TotalRequestsRetried: sumOf(points, retried),
    TotalRequestsSaved: sumOf(points, saved),
  };
}
