import { nameWithId } from '../arguments/resources/look-up.ts';
import { pullZone } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { type Line, linesChart, statsMessage } from './points.ts';
import { figuresFor, queryOf, rangeArguments } from './range.ts';

export const showOptimizerStats = defineOperation({
  name: 'stats optimizer',
  summary: 'Show what the optimizer saved on a zone',
  synonyms: { verbs: 'saved', nouns: 'statistics, optimizer, optimiser, optimization, image, webp, savings' },
  effect: 'read',
  args: { zone: pullZone(), ...rangeArguments() },
  examples: ['stats optimizer shop-assets', 'stats optimizer shop-assets --from 7d'],

  run: ({ zone, ...range }, { platform, signal }) => platform.statistics.optimizer(zone.Id, queryOf(range), { signal }),

  render(answer, { zone, ...range }, reader) {
    const stretch = { ...range, ...reader };
    const { counted, sized, milliseconds, rate } = figuresFor(reader);
    const optimized: Line = { name: 'Optimized', points: answer.RequestsOptimizedChart, show: counted };
    const saved: Line = { name: 'Saved', points: answer.TrafficSavedChart, show: sized };
    return statsMessage(
      `Optimizer of ${nameWithId(zone)}`,
      [
        optimized,
        saved,
        { name: 'Compression', points: answer.AverageCompressionChart, show: rate },
        { name: 'Processing', points: answer.AverageProcessingTimeChart, show: milliseconds },
      ],
      [
        ['Requests optimized', answer.TotalRequestsOptimized, counted],
        ['Traffic saved', answer.TotalTrafficSaved, sized],
        ['Average processing time', answer.AverageProcessingTime, milliseconds],
        ['Average compression', answer.AverageCompressionRatio, rate],
      ],
      [
        linesChart('Requests optimized', [optimized], { type: 'line' }, stretch),
        linesChart('Traffic saved', [saved], { type: 'bar', unit: 'bytes' }, stretch),
      ],
      stretch,
    );
  },
});
