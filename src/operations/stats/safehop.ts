import { count } from '../../blocks/format.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { pullZone } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { type Line, linesChart, statsMessage } from './points.ts';
import { queryOf, rangeArguments } from './range.ts';

export const showSafehopStats = defineOperation({
  name: 'stats safehop',
  summary: 'Show the requests that SafeHop retried and saved on a zone',
  synonyms: { verbs: 'how many, saved, save, retried, retry, rescued', nouns: 'stats, statistics, safe hop, retries' },
  effect: 'read',
  args: { zone: pullZone(), ...rangeArguments() },
  examples: ['stats safehop shop-assets', 'stats safehop shop-assets --from 7d'],

  run: ({ zone, ...range }, { platform, signal }) => platform.statistics.safehop(zone.Id, queryOf(range), { signal }),

  render(answer, { zone, ...range }, reader) {
    const stretch = { ...range, ...reader };
    const show = (value: number) => count(value, reader);
    const lines: Line[] = [
      { name: 'Retried', points: answer.RequestsRetriedChart, show },
      { name: 'Saved', points: answer.RequestsSavedChart, show },
    ];
    return statsMessage(
      `SafeHop of ${nameWithId(zone)}`,
      lines,
      [
        ['Requests retried', answer.TotalRequestsRetried, show],
        ['Requests saved', answer.TotalRequestsSaved, show],
      ],
      [linesChart('SafeHop', lines, { type: 'line' }, stretch)],
      stretch,
    );
  },
});
