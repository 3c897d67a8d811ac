import { count } from '../../blocks/format.ts';
import { fields, message } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import type { Chart } from '../../platform/resources/statistics.ts';
import { pullZone, zoneName } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { type Line, linesChart, linesTable, spanOf } from './points.ts';
import { queryOf, rangeArguments } from './range.ts';

const largestOf = (points: Chart | undefined) =>
  points === undefined ? undefined : Object.values(points).reduce((most, value) => Math.max(most, value), 0);

export const showQueueStats = defineOperation({
  name: 'stats queue',
  summary: 'Show the origin shield’s request queue of a zone',
  effect: 'read',
  args: { zone: pullZone(), ...rangeArguments() },
  examples: ['stats queue shop-assets', 'stats queue shop-assets --from 2d --hourly'],

  target: ({ zone }) => zoneName(zone),

  run: ({ zone, ...range }, { platform, signal }) => platform.statistics.queue(zone.Id, queryOf(range), { signal }),

  render(answer, { zone, hourly }, reader) {
    const show = (value: number) => count(value, reader);
    const lines: Line[] = [
      { name: 'Concurrent', points: answer.ConcurrentRequestsChart, show },
      { name: 'Queued', points: answer.QueuedRequestsChart, show },
    ];
    const largest = ({ points }: Line) => {
      const most = largestOf(points);
      return most === undefined ? undefined : show(most);
    };
    return message(
      mrkdwn`${bold(`Origin shield queue of ${zoneName(zone)}`)}\n${spanOf(lines, hourly, reader.now) ?? 'The platform has no points for this range.'}`,
      fields([
        ['Most concurrent', largest(lines[0]!)],
        ['Most queued', largest(lines[1]!)],
      ]),
      linesChart('Requests to the origin', lines, { type: 'line', together: 'largest', hourly }),
      linesTable(lines, hourly),
    );
  },
});
