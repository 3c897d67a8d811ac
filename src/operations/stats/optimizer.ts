import { bytes, count, percent } from '../../blocks/format.ts';
import { fields, message } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { pullZone, zoneName } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';
import { type Line, linesChart, linesTable, spanOf } from './points.ts';
import { queryOf, rangeArguments } from './range.ts';

export const showOptimizerStats = defineOperation({
  name: 'stats optimizer',
  summary: 'Show what the optimizer saved on a zone',
  effect: 'read',
  args: { zone: pullZone(), ...rangeArguments() },
  examples: ['stats optimizer shop-assets', 'stats optimizer shop-assets --from 7d'],

  target: ({ zone }) => zoneName(zone),

  run: ({ zone, ...range }, { platform, signal }) => platform.statistics.optimizer(zone.Id, queryOf(range), { signal }),

  render(answer, { zone, hourly }, reader) {
    const { TotalRequestsOptimized, TotalTrafficSaved, AverageProcessingTime, AverageCompressionRatio } = answer;
    const milliseconds = (value: number) => `${count(value, reader)} ms`;
    const optimized: Line = {
      name: 'Optimized',
      points: answer.RequestsOptimizedChart,
      show: (value) => count(value, reader),
    };
    const saved: Line = { name: 'Saved', points: answer.TrafficSavedChart, show: (value) => bytes(value, reader) };
    const lines: Line[] = [
      optimized,
      saved,
      { name: 'Compression', points: answer.AverageCompressionChart, show: (value) => percent(value, reader) },
      { name: 'Processing', points: answer.AverageProcessingTimeChart, show: milliseconds },
    ];
    return message(
      mrkdwn`${bold(`Optimizer of ${zoneName(zone)}`)}\n${spanOf(lines, hourly, reader.now) ?? 'The platform has no points for this range.'}`,
      fields([
        [
          'Requests optimized',
          TotalRequestsOptimized === undefined ? undefined : count(TotalRequestsOptimized, reader),
        ],
        ['Traffic saved', TotalTrafficSaved === undefined ? undefined : bytes(TotalTrafficSaved, reader)],
        [
          'Average processing time',
          AverageProcessingTime === undefined ? undefined : milliseconds(AverageProcessingTime),
        ],
        [
          'Average compression',
          AverageCompressionRatio === undefined ? undefined : percent(AverageCompressionRatio, reader),
        ],
      ]),
      linesChart('Requests optimized', [optimized], { type: 'line', hourly }),
      linesChart('Traffic saved', [saved], { type: 'bar', unit: 'bytes', hourly }),
      linesTable(lines, hourly),
    );
  },
});
