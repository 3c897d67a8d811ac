import { messageTemplate } from '../../src/logs/template.ts';
import { groupingAccuracy, labelledLogs } from '../logs/labelled-logs.ts';
import type { Report } from './figures.ts';

const ROUNDS = 5;

/** How fast and how well messages are grouped: accuracy by set, and lines per second of one core. */
export async function templates(): Promise<Report> {
  const sets = labelledLogs(3000);
  const all = sets.flatMap(([, messages]) => messages.map(({ message }) => message));
  const accuracies = sets.map(([name, messages]): [string, number] => [
    name,
    groupingAccuracy(
      messages.map(({ label }) => label),
      messages.map(({ message }) => messageTemplate(message)),
    ),
  ]);
  const start = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) for (const message of all) messageTemplate(message);
  const { user, system } = process.cpuUsage(start);
  const speed = Math.round((ROUNDS * all.length) / ((user + system) / 1e6));
  const mean = accuracies.reduce((sum, [, accuracy]) => sum + accuracy, 0) / accuracies.length;
  return {
    title: 'Templates of messages: grouping accuracy by set, one configuration for all',
    columns: ['set', 'messages', 'accuracy'],
    rows: accuracies.map(([name, accuracy], index) => [name, String(sets[index]![1].length), accuracy.toFixed(3)]),
    notes: [
      `${speed.toLocaleString('en')} messages per second of one core.`,
      'The sets are made up in the style of well-known logs.',
    ],
    verdicts: [
      { holds: mean > 0.9, text: `mean accuracy ${mean.toFixed(3)}, past 0.9` },
      { holds: speed > 30_000, text: 'more than 30,000 messages per second of one core' },
    ],
  };
}
