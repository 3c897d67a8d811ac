import { bytes, count, percent } from '../../blocks/format.ts';
import { fields, message, note } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { regionsTable } from '../../blocks/regions-table.ts';
import type { Chart, StatisticsAnswer } from '../../platform/resources/statistics.ts';
import { flag, optional } from '../arguments/plain.ts';
import { pullZone, zoneName } from '../arguments/resources/zones.ts';
import type { Reader } from '../context.ts';
import { defineOperation } from '../operation.ts';
import { type Line, linesChart, linesTable, spanOf, sumOf } from './points.ts';
import { queryOf, rangeArguments } from './range.ts';

/** The platform's charts as lines, in the order of the table's columns. */
function linesOf(answer: StatisticsAnswer, reader: Reader) {
  const counted = (value: number) => count(value, reader);
  const sized = (value: number) => bytes(value, reader);
  const line = (name: string, points: Chart | undefined, show: Line['show']): Line => ({ name, points, show });
  return {
    requests: line('Requests', answer.RequestsServedChart, counted),
    pulled: line('Not from cache', answer.PullRequestsPulledChart, counted),
    bandwidth: line('Bandwidth', answer.BandwidthUsedChart, sized),
    hitRate: line('Cache hit rate', answer.CacheHitRateChart, (value) => percent(value, reader)),
    origin: line('Origin traffic', answer.OriginTrafficChart, sized),
    response: line('Origin response', answer.OriginResponseTimeChart, (value) => `${counted(value)} ms`),
    redirects: line('3xx', answer.Error3xxChart, counted),
    refusals: line('4xx', answer.Error4xxChart, counted),
    failures: line('5xx', answer.Error5xxChart, counted),
  };
}

export const showStats = defineOperation({
  name: 'stats show',
  summary: 'Show traffic statistics of a zone or of the whole account',
  effect: 'read',
  args: {
    zone: optional(pullZone()),
    ...rangeArguments(),
    exactRange: flag('Exact hours', { hint: 'With hours only: keeps the times of day of both dates' }),
    loadLatest: flag('Latest figures', { hint: 'Needs both dates, at most one day apart' }),
  },
  examples: ['stats show', 'stats show shop-assets --from 7d', 'stats show shop-assets --from yesterday --hourly'],
  toTry: 'Show the traffic',

  target: ({ zone }) => (zone === undefined ? 'whole account' : zoneName(zone)),

  run: ({ zone, exactRange, loadLatest, ...range }, { platform, signal }) =>
    platform.statistics.get({ ...queryOf(range), pullZone: zone?.Id, exactRange, loadLatest }, { signal }),

  render(answer, { zone, hourly }, reader) {
    const lines = linesOf(answer, reader);
    const { requests, pulled, redirects, refusals, failures } = lines;
    const all = Object.values(lines);
    const counted = (value: number | undefined) => (value === undefined ? undefined : count(value, reader));
    const sized = (value: number | undefined) => (value === undefined ? undefined : bytes(value, reader));
    const response = answer.AverageOriginResponseTime;
    const regions = regionsTable(answer.GeoTrafficDistribution ?? {}, reader);
    return message(
      mrkdwn`${bold(zone === undefined ? 'Whole account' : zoneName(zone))}\n${spanOf(all, hourly, reader.now) ?? 'The platform has no points for this range.'}`,
      fields([
        ['Requests', counted(answer.TotalRequestsServed)],
        ['Bandwidth', sized(answer.TotalBandwidthUsed)],
        ['Cache hit rate', answer.CacheHitRate === undefined ? undefined : percent(answer.CacheHitRate, reader)],
        ['Origin traffic', sized(answer.TotalOriginTraffic)],
        ['Average origin response', response === undefined ? undefined : `${count(response, reader)} ms`],
        ['3xx', counted(sumOf(redirects.points))],
        ['4xx', counted(sumOf(refusals.points))],
        ['5xx', counted(sumOf(failures.points))],
      ]),
      linesChart('Requests', [requests, pulled], { type: 'line', hourly }),
      linesChart('Redirects and errors', [redirects, refusals, failures], { type: 'bar', hourly }),
      regions,
      linesTable(all, hourly),
      (answer.TotalRequestsServed ?? 0) === 0 && note('There were no requests.'),
    );
  },
});
