import { commandButton } from '../../blocks/buttons.ts';
import { countOf, share } from '../../blocks/format.ts';
import { actions, message, note, section } from '../../blocks/message.ts';
import { bold, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { regionsTable } from '../../blocks/regions-table.ts';
import type { AccountStatisticsQuery, Chart } from '../../platform/resources/statistics.ts';
import { DAY, isoDay } from '../../time.ts';
import { parseMoment } from '../arguments/dates.ts';
import { flag, optional } from '../arguments/plain.ts';
import { nameWithId, wordsFor } from '../arguments/resources/look-up.ts';
import { pullZone, type ZoneRef } from '../arguments/resources/zones.ts';
import type { Reader } from '../context.ts';
import { troubleOf } from '../now.ts';
import { defineOperation } from '../operation.ts';
import { comparison, readBoth, stretchesOf } from './compare.ts';
import { type Line, linesChart, statsMessage, sumOf } from './points.ts';
import { figuresFor, queryOf, type Range, rangeArguments, rangeWords } from './range.ts';

type InHours = Range & Record<'exactRange' | 'slow', boolean>;

/** By the day, a range of less than a day would show the whole day. */
function inHours({ from: typed, to, hourly, exactRange, slow }: InHours, now: Date) {
  const from = slow && typed === undefined && to === undefined ? parseMoment('6h', now) : typed;
  const isShort = from !== undefined && from.day === undefined && now.getTime() - from.instant.getTime() < DAY;
  return { from, to, hourly: hourly || isShort, exactRange: exactRange || isShort };
}

/** `Hit rate: 30% (54% in the 5 hours before)`: the newest point that was counted beside the mean of those before it. */
function paceOf(
  { name, points = {}, show }: Line,
  weights: Chart = {},
  unit: string,
  isTime = false,
): Words | undefined {
  const known = Object.entries(points).filter(([at, value = -1]) => value >= 0 && (weights[at] ?? 0) > 0);
  const [, last] = known.pop() ?? [];
  if (last === undefined) return undefined;
  const all = known.reduce((sum, [at]) => sum + weights[at]!, 0);
  const mean = known.reduce((sum, [at, value]) => sum + (value! * weights[at]!) / all, 0);
  const before = all > 0 ? ` (${show(mean)} in the ${countOf(known.length, unit)} before)` : '';
  const verdict = !isTime || all === 0 ? '' : `${last > 1.5 * mean ? 'Slower' : 'No slower'} than before. `;
  return mrkdwn`${bold(verdict)}${name}: ${bold(show(last))}${before}`;
}

/** `Today so far (UTC): 1.7% of 13,376 requests failed with 5xx; 0.4% in the 30 days before.` */
function todayOf(requests: Chart = {}, failed: Chart = {}, reader: Reader): string {
  const today = Object.keys(requests).find((at) => at.startsWith(isoDay(reader.now)));
  if (today === undefined) return '';
  const { [today]: served = 0, ...before } = requests;
  const { [today]: bad = 0, ...past } = failed;
  const usual = share(sumOf(past) ?? 0, sumOf(before) ?? 0, reader);
  return `Today so far (UTC): ${share(bad, served, reader)} of ${countOf(served, 'request', reader)} failed with 5xx; ${usual} in the ${countOf(Object.keys(before).length, 'day')} before.`;
}

export const showStats = defineOperation({
  name: 'stats show',
  summary: 'Show traffic statistics of a zone or of the whole account',
  synonyms: {
    verbs: 'how many, how much, how is, how are, count, compare, slow, cache hit rate, cache hit ratio',
    nouns:
      'statistics, stat, traffic, bandwidth, requests, visits, visitors, numbers, usage, hits, account, hit rate, hit ratio, latency, response times, how fast',
  },
  effect: 'read',
  args: {
    zone: optional(pullZone()),
    ...rangeArguments(),
    exactRange: flag('Exact hours', { hint: 'With hours only: keeps the times of day of both dates' }),
    loadLatest: flag('Latest figures', { hint: 'Needs both dates, at most one day apart' }),
    compare: flag('Compare with a week before', { hint: 'Whole days (or hours) only; a week when no date is given' }),
    slow: flag('Whether the origin is slow', {
      also: ['slow', 'slower', 'slowly', 'latency', 'response times', 'how fast'],
      hint: 'The last six hours when no date is given',
    }),
    all: flag('All columns'),
  },
  examples: [
    'stats show',
    'stats show shop-assets --from 7d',
    'stats show shop-assets --from yesterday --hourly',
    'stats show shop-assets --compare',
  ],
  toTry: 'Show the traffic',

  target: ({ zone }) => (zone === undefined ? 'whole account' : nameWithId(zone)),

  async run(args, context) {
    const { platform, now, signal } = context;
    const { zone, loadLatest, compare } = args;
    const { exactRange, ...range } = inHours(args, now);
    const read = (query: AccountStatisticsQuery) =>
      platform.statistics.get({ ...query, pullZone: zone?.Id }, { signal });
    const { to } = range;
    // In a range that is not exact, the platform goes on to the end of the last day.
    const whole = exactRange && to?.day !== undefined ? { dateTo: new Date(to.end.getTime() - 1000) } : {};
    const query = { ...queryOf(range), ...whole, exactRange, loadLatest };
    const answer = await (compare ? readBoth(range, now, read) : read(query));
    const { parts: trouble } = await troubleOf({ zone: zone === undefined ? [] : [[String(zone.Id)]] }, context);
    const mayKnow = zone !== undefined && context.policy.may('errors show', { zone: [wordsFor(zone)] });
    return { ...answer, trouble, well: mayKnow && trouble.length === 0 ? 'No trouble reported. ' : '' };
  },

  render(answer, args, reader) {
    const { zone, all, slow } = args;
    const range = inHours(args, reader.now);
    const { hourly } = range;
    const title = zone === undefined ? 'Whole account' : nameWithId(zone);
    const leads = leadOn(zone, range, reader);
    if ('stretches' in answer) {
      const shown = ['stats show', zone?.Id, rangeWords(range)].filter((word) => word !== undefined && word !== '');
      return message(
        ...answer.trouble,
        comparison(title, answer, { hourly, reading: reader }),
        actions(leads.lastHour, commandButton('All figures', shown.join(' ')), leads.errors),
      );
    }
    const stretch = { ...range, ...reader };
    const unit = hourly ? 'hour' : 'day';
    const today = hourly ? '' : todayOf(answer.RequestsServedChart, answer.Error5xxChart, reader);
    const standing = zone === undefined || range.from !== undefined ? '' : `${answer.well}${today}`;
    const inCharts = sumOf(answer.RequestsServedChart);
    const served = answer.TotalRequestsServed ?? inCharts;
    const { counted, sized, milliseconds, rate } = figuresFor(reader);
    const requests: Line = { name: 'Requests', points: answer.RequestsServedChart, show: counted };
    const pulled: Line = { name: 'Not from cache', points: answer.PullRequestsPulledChart, show: counted };
    const rates: Line = { name: 'Hit rate', points: answer.CacheHitRateChart, show: rate };
    const origin: Line = { name: 'Origin response', points: answer.OriginResponseTimeChart, show: milliseconds };
    const errors: Line[] = [
      { name: '3xx', points: answer.Error3xxChart, show: counted },
      { name: '4xx', points: answer.Error4xxChart, show: counted },
      { name: '5xx', points: answer.Error5xxChart, show: counted },
    ];
    return message(
      ...answer.trouble,
      ...(slow ? [paceOf(origin, pulled.points, unit, true), paceOf(rates, requests.points, unit)] : []),
      standing !== '' && section(standing),
      statsMessage(
        title,
        [
          requests,
          ...(slow ? [origin] : []),
          { name: 'Bandwidth', points: answer.BandwidthUsedChart, show: sized },
          rates,
          ...errors.slice(1),
          ...(all
            ? [
                pulled,
                { name: 'Origin traffic', points: answer.OriginTrafficChart, show: sized },
                ...(slow ? [] : [origin]),
                ...errors.slice(0, 1),
              ]
            : []),
        ],
        [
          ['Requests', served, counted],
          ['Bandwidth', answer.TotalBandwidthUsed, sized],
          ['Cache hit rate', answer.CacheHitRate, rate],
          ...(all
            ? ([
                ['Origin traffic', answer.TotalOriginTraffic, sized],
                ['Average origin response', answer.AverageOriginResponseTime, milliseconds],
              ] as const)
            : []),
          ...errors.slice(all ? 0 : 2).map(({ name, points }) => [name, sumOf(points), counted] as const),
        ],
        [
          slow
            ? linesChart('Origin response', [origin], { type: 'line', unit: 'ms' }, stretch)
            : linesChart('Requests', [requests, pulled], { type: 'line' }, stretch),
          all ? linesChart('Redirects and errors', errors, { type: 'bar' }, stretch) : undefined,
          all ? regionsTable(answer.GeoTrafficDistribution ?? {}, reader) : undefined,
        ],
        stretch,
      ),
      answer.TotalRequestsServed === 0 && !inCharts && note('There were no requests.'),
      actions(slow && leads.failing, leads.lastHour, leads.compare, leads.errors, !all && leads.more),
    );
  },
});

function leadOn(zone: ZoneRef | undefined, range: Range, { now }: Reader) {
  const command = ['stats show', ...(zone === undefined ? [] : [zone.Id])].join(' ');
  const words = [command, rangeWords(range)].join(' ').trim();
  const stretches = stretchesOf(range, now);
  // The platform keeps no older hours.
  const isKept = stretches !== undefined && now.getTime() - stretches.before.from.getTime() < 30 * DAY;
  const { from, to } = range;
  const last = to === undefined || to.instant > now ? now : to.instant;
  return {
    lastHour: commandButton('Last hour', `${command} --from 1h --hourly --exact-range`),
    compare: stretches !== undefined && (isKept || !range.hourly) && commandButton('Compare', `${words} --compare`),
    failing:
      zone !== undefined &&
      from !== undefined &&
      commandButton('Failing requests', `log search ${zone.Id} --status 5xx --from ${from.instant.toISOString()}`),
    errors: zone !== undefined && commandButton('Errors', `errors show ${zone.Id} ${isoDay(last)}`),
    more: commandButton('More', `${words} --all`),
  };
}
