import { count } from '../../blocks/format.ts';
import { fields, message } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { pullZone, zoneName } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { type Line, linesChart, linesTable, spanOf } from './points.ts';
import { queryOf, rangeArguments } from './range.ts';

export const showSafehopStats = defineOperation({
  name: 'stats safehop',
  summary: 'Show the requests that SafeHop retried and saved on a zone',
  effect: 'read',
  args: { zone: pullZone(), ...rangeArguments() },
  examples: ['stats safehop shop-assets', 'stats safehop shop-assets --from 7d'],

  target: ({ zone }) => zoneName(zone),

  run: ({ zone, ...range }, { platform, signal }) => platform.statistics.safehop(zone.Id, queryOf(range), { signal }),

  render(answer, { zone, hourly }, reader) {
    const { TotalRequestsRetried, TotalRequestsSaved } = answer;
    const show = (value: number) => count(value, reader);
    const lines: Line[] = [
      { name: 'Retried', points: answer.RequestsRetriedChart, show },
      { name: 'Saved', points: answer.RequestsSavedChart, show },
    ];
    return message(
      mrkdwn`${bold(`SafeHop of ${zoneName(zone)}`)}\n${spanOf(lines, hourly, reader.now) ?? 'The platform has no points for this range.'}`,
      fields([
        ['Requests retried', TotalRequestsRetried === undefined ? undefined : show(TotalRequestsRetried)],
        ['Requests saved', TotalRequestsSaved === undefined ? undefined : show(TotalRequestsSaved)],
      ]),
      linesChart('SafeHop', lines, { type: 'line', hourly }),
      linesTable(lines, hourly),
    );
  },
});
