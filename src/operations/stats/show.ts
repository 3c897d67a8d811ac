import { bytes, count, percent } from '../../blocks/format.ts';
import { message, note } from '../../blocks/message.ts';
import { regionsTable } from '../../blocks/regions-table.ts';
import { flag, optional } from '../arguments/plain.ts';
import { pullZone, zoneName } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { type Line, linesChart, statsMessage, sumOf } from './points.ts';
import { queryOf, rangeArguments } from './range.ts';

export const showStats = defineOperation({
  name: 'stats show',
  summary: 'Show traffic statistics of a zone or of the whole account',
  synonyms: {
    verbs: 'how many, how much, count',
    nouns: 'statistics, stat, traffic, bandwidth, requests, visits, visitors, numbers, usage, hits, account, hit rate',
  },
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
    const counted = (value: number) => count(value, reader);
    const sized = (value: number) => bytes(value, reader);
    const rate = (value: number) => percent(value, reader);
    const milliseconds = (value: number) => `${counted(value)} ms`;
    const requests: Line = { name: 'Requests', points: answer.RequestsServedChart, show: counted };
    const pulled: Line = { name: 'Not from cache', points: answer.PullRequestsPulledChart, show: counted };
    const errors: Line[] = [
      { name: '3xx', points: answer.Error3xxChart, show: counted },
      { name: '4xx', points: answer.Error4xxChart, show: counted },
      { name: '5xx', points: answer.Error5xxChart, show: counted },
    ];
    return message(
      statsMessage(
        zone === undefined ? 'Whole account' : zoneName(zone),
        [
          requests,
          pulled,
          { name: 'Bandwidth', points: answer.BandwidthUsedChart, show: sized },
          { name: 'Cache hit rate', points: answer.CacheHitRateChart, show: rate },
          { name: 'Origin traffic', points: answer.OriginTrafficChart, show: sized },
          { name: 'Origin response', points: answer.OriginResponseTimeChart, show: milliseconds },
          ...errors,
        ],
        [
          ['Requests', answer.TotalRequestsServed, counted],
          ['Bandwidth', answer.TotalBandwidthUsed, sized],
          ['Cache hit rate', answer.CacheHitRate, rate],
          ['Origin traffic', answer.TotalOriginTraffic, sized],
          ['Average origin response', answer.AverageOriginResponseTime, milliseconds],
          ...errors.map(({ name, points }) => [name, sumOf(points), counted] as const),
        ],
        [
          linesChart('Requests', [requests, pulled], { type: 'line', hourly }),
          linesChart('Redirects and errors', errors, { type: 'bar', hourly }),
          regionsTable(answer.GeoTrafficDistribution ?? {}, reader),
        ],
        { hourly, now: reader.now },
      ),
      (answer.TotalRequestsServed ?? 0) === 0 && note('There were no requests.'),
    );
  },
});
