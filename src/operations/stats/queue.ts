import { count } from '../../blocks/format.ts';
import type { Chart } from '../../platform/resources/statistics.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { pullZone } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { type Line, linesChart, statsMessage } from './points.ts';
import { queryOf, rangeArguments } from './range.ts';

const largestOf = (points: Chart = {}) => {
  const known = Object.values(points).filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};

export const showQueueStats = defineOperation({
  name: 'stats queue',
  summary: 'Show the origin shield’s request queue of a zone',
  synonyms: { verbs: 'filling', nouns: 'stats, statistics, origin shield, shield, waiting, queued, concurrency' },
  effect: 'read',
  args: { zone: pullZone(), ...rangeArguments() },
  examples: ['stats queue shop-assets', 'stats queue shop-assets --from 2d --hourly'],

  run: ({ zone, ...range }, { platform, signal }) => platform.statistics.queue(zone.Id, queryOf(range), { signal }),

  render({ ConcurrentRequestsChart: concurrent, QueuedRequestsChart: queued }, { zone, ...range }, reader) {
    const stretch = { ...range, ...reader };
    const show = (value: number) => count(value, reader);
    const lines: Line[] = [
      { name: 'Concurrent', points: concurrent, show },
      { name: 'Queued', points: queued, show },
    ];
    return statsMessage(
      `Origin shield queue of ${nameWithId(zone)}`,
      lines,
      [
        ['Most concurrent', largestOf(concurrent), show],
        ['Most queued', largestOf(queued), show],
      ],
      [linesChart('Requests to the origin', lines, { type: 'line' }, stretch)],
      stretch,
    );
  },
});
