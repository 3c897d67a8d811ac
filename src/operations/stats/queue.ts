import { count } from '../../blocks/format.ts';
import type { Chart } from '../../platform/resources/statistics.ts';
import { pullZone, zoneName } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { type Line, linesChart, statsMessage } from './points.ts';
import { queryOf, rangeArguments } from './range.ts';

const largestOf = (points: Chart | undefined) =>
  points === undefined ? undefined : Object.values(points).reduce((most, value) => Math.max(most, value), 0);

export const showQueueStats = defineOperation({
  name: 'stats queue',
  summary: 'Show the origin shield’s request queue of a zone',
  synonyms: { verbs: 'filling', nouns: 'stats, statistics, origin shield, shield, waiting, queued, concurrency' },
  effect: 'read',
  args: { zone: pullZone(), ...rangeArguments() },
  examples: ['stats queue shop-assets', 'stats queue shop-assets --from 2d --hourly'],

  target: ({ zone }) => zoneName(zone),

  run: ({ zone, ...range }, { platform, signal }) => platform.statistics.queue(zone.Id, queryOf(range), { signal }),

  render({ ConcurrentRequestsChart: concurrent, QueuedRequestsChart: queued }, { zone, hourly }, reader) {
    const show = (value: number) => count(value, reader);
    const lines: Line[] = [
      { name: 'Concurrent', points: concurrent, show },
      { name: 'Queued', points: queued, show },
    ];
    return statsMessage(
      `Origin shield queue of ${zoneName(zone)}`,
      lines,
      [
        ['Most concurrent', largestOf(concurrent), show],
        ['Most queued', largestOf(queued), show],
      ],
      [linesChart('Requests to the origin', lines, { type: 'line', hourly, now: reader.now })],
      { hourly, now: reader.now },
    );
  },
});
