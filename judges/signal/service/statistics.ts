import { MINUTE_MS } from '../model/calendar.ts';
import { REGIONS } from '../model/places.ts';
import { addTotals, noTotals, pullsOf, type Totals } from '../model/totals.ts';
import type { Model, Zone } from '../model.ts';
import type { StatisticsQuery } from './checks.ts';
import { countedUntil, type View } from './faults.ts';

type Chart = Record<string, number>;

/** The account is the sum of its zones; each may be shown up to another moment. */
type ViewOf = (zone: Zone) => View;

interface Point {
  key: string;
  totals: Totals;
}

const keyOf = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');

function pointsOf(
  model: Model,
  query: StatisticsQuery,
  asked: { zones: readonly Zone[]; viewOf: ViewOf; now: number; lagShows: 'zero' | 'absent' },
): Point[] {
  const step = query.isHourly ? 3_600_000 : 86_400_000;
  const views = asked.zones.map((zone) => [zone, asked.viewOf(zone)] as const);
  const points: Point[] = [];
  for (let at = query.from; at < query.to && at <= asked.now; at += step) {
    const totals = noTotals();
    let isCounted = false;
    for (const [zone, view] of views) {
      const until = countedUntil(view, at, at + step);
      if (until <= at) continue;
      isCounted = true;
      addTotals(totals, model.totals(zone, at / MINUTE_MS, Math.floor(until / MINUTE_MS)));
    }
    if (isCounted || asked.lagShows === 'zero') points.push({ key: keyOf(at), totals });
  }
  return points;
}

const chart = (points: readonly Point[], value: (totals: Totals) => number): Chart =>
  Object.fromEntries(points.map(({ key, totals }) => [key, value(totals)]));

const hitRate = ({ hits, requests }: Totals): number => (requests > 0 ? (hits / requests) * 100 : 0);
const response = (totals: Totals): number => {
  const pulls = pullsOf(totals);
  return pulls > 0 ? Math.round(totals.waited / pulls) : 0;
};

function geography(zones: readonly Zone[], bytes: number): Chart {
  const weights = new Map<string, number>();
  const all = zones.reduce((sum, zone) => sum + zone.rate * zone.bytes, 0);
  for (const zone of zones) {
    for (const { value, share } of zone.regions) {
      const region = REGIONS.find(({ code }) => code === value)!;
      const name = `${region.continent}: ${region.name}, ${region.country}`;
      weights.set(name, (weights.get(name) ?? 0) + (share * zone.rate * zone.bytes) / all);
    }
  }
  return Object.fromEntries([...weights].map(([name, weight]) => [name, Math.round(weight * bytes)]));
}

/**
 * `GET /statistics`'s answer. The error charts, the response times, the origin's traffic and the geography are filled when they are
 * asked for, the others always: what the flags do to those is not documented (platform.md 7.2).
 */
export function statisticsAnswer(
  model: Model,
  query: StatisticsQuery,
  asked: { viewOf: ViewOf; now: number; lagShows: 'zero' | 'absent' },
) {
  const zones = model.zones.filter(({ id }) => query.zone === undefined || id === query.zone);
  const points = pointsOf(model, query, { ...asked, zones });
  const sum = noTotals();
  for (const { totals } of points) addTotals(sum, totals);
  const when = (isAsked: boolean, value: (totals: Totals) => number) => chart(points, isAsked ? value : () => 0);
  const nothing = when(false, () => 0);
  return {
    TotalBandwidthUsed: sum.bytes,
    TotalOriginTraffic: sum.originBytes,
    AverageOriginResponseTime: response(sum),
    TotalRequestsServed: sum.requests,
    CacheHitRate: hitRate(sum),
    BandwidthUsedChart: chart(points, ({ bytes }) => bytes),
    BandwidthCachedChart: chart(points, ({ cachedBytes }) => cachedBytes),
    CacheHitRateChart: chart(points, hitRate),
    RequestsServedChart: chart(points, ({ requests }) => requests),
    PullRequestsPulledChart: chart(points, pullsOf),
    OriginShieldBandwidthUsedChart: nothing,
    OriginShieldInternalBandwidthUsedChart: nothing,
    OriginTrafficChart: when(query.loadOriginTraffic, ({ originBytes }) => originBytes),
    OriginResponseTimeChart: when(query.loadOriginResponseTimes, response),
    UserBalanceHistoryChart: {},
    GeoTrafficDistribution: query.loadGeographicTrafficDistribution ? geography(zones, sum.bytes) : {},
    Error3xxChart: when(query.loadErrors, ({ redirects }) => redirects),
    Error4xxChart: when(query.loadErrors, ({ clientErrors }) => clientErrors),
    Error5xxChart: when(query.loadErrors, ({ serverErrors }) => serverErrors),
  };
}
