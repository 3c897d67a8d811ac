import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { causeIn } from '../../src/logs/causes.ts';
import { messageTemplate } from '../../src/logs/template.ts';
import { groupingAccuracy, labelledLogs } from '../logs/labelled-logs.ts';
import { catalogueLogs } from '../logs/message-catalogues.ts';
import { createDrain } from './drain.ts';
import type { Report } from './figures.ts';

const ROUNDS = 5;

/** What people have said of each message: which kind it is. */
interface LabelledSet {
  name: string;
  messages: string[];
  labels: number[];
}

/** The rows of a CSV file with quotes, as Python writes it. */
function rowsOf(csv: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n\r]*))(,|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',') rows.push([]);
  }
  return rows;
}

/** The public sets have a file each, `…_structured.csv`, with the columns `Content` and `EventId`. */
function setsIn(folder: string): LabelledSet[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /_structured(_corrected)?\.csv$/.test(file),
  );
  return files.sort().map((file) => {
    const [columns = [], ...rows] = rowsOf(readFileSync(join(folder, file), 'utf8'));
    const [content, id] = [columns.indexOf('Content'), columns.indexOf('EventId')];
    const whole = rows.filter((row) => row.length === columns.length);
    const kinds = new Map<string, number>();
    const labels = whole.map((row) => {
      const kind = row[id] ?? '';
      kinds.set(kind, kinds.get(kind) ?? kinds.size);
      return kinds.get(kind) as number;
    });
    return { name: basename(file).replace('.log', ''), messages: whole.map((row) => row[content] ?? ''), labels };
  });
}

function generatedSets(): LabelledSet[] {
  return [...labelledLogs(3000), ...catalogueLogs(3000)].map(([name, all]) => ({
    name,
    // As they come from a log, in bytes: strings that were put together are read more slowly.
    messages: all.map(({ message }) => Buffer.from(message).toString()),
    labels: all.map(({ label }) => label),
  }));
}

/** What the bot groups a message by. */
const groupOf = (message: string) => causeIn(message)?.id ?? messageTemplate(message);

/** Messages per second of processor time. */
function speedOf(messages: readonly string[], group: () => (message: string) => unknown): number {
  const start = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) {
    const read = group();
    for (const message of messages) read(message);
  }
  const { user, system } = process.cpuUsage(start);
  return Math.round((ROUNDS * messages.length) / ((user + system) / 1e6));
}

const meanOf = (figures: readonly number[]) => figures.reduce((sum, figure) => sum + figure, 0) / figures.length;

/**
 * How fast and how well messages are grouped: accuracy by set, and messages per second of one core, beside Drain. `folder`
 * holds other sets than the generated ones.
 */
export async function templates(folder: string | undefined): Promise<Report> {
  const sets = folder === undefined ? generatedSets() : setsIn(folder);
  const all = sets.flatMap(({ messages }) => messages);
  const found = sets.map(({ name, messages, labels }) => {
    const drain = createDrain();
    const ours = groupingAccuracy(labels, messages.map(messageTemplate));
    const withCauses = groupingAccuracy(labels, messages.map(groupOf));
    // Drain's groups have numbers of their own.
    const drains = groupingAccuracy(
      labels,
      messages.map((message) => String(drain(message))),
    );
    return { name, messages: messages.length, ours, withCauses, drains };
  });
  const [ours, withCauses, drains] = [
    meanOf(found.map((one) => one.ours)),
    meanOf(found.map((one) => one.withCauses)),
    meanOf(found.map((one) => one.drains)),
  ];
  const speeds = [speedOf(all, () => groupOf), speedOf(all, createDrain)] as const;
  const perSecond = (speed: number) => `${speed.toLocaleString('en')} messages`;
  return {
    title: 'Templates of messages: grouping accuracy by set, one configuration for all',
    columns: ['set', 'messages', 'template', 'cause, else template', 'Drain'],
    rows: [
      ...found.map((one) => [
        one.name,
        String(one.messages),
        one.ours.toFixed(3),
        one.withCauses.toFixed(3),
        one.drains.toFixed(3),
      ]),
      ['mean', '', ours.toFixed(3), withCauses.toFixed(3), drains.toFixed(3)],
    ],
    notes: [
      `Per second of one core: ${perSecond(speeds[0])}, Drain ${perSecond(speeds[1])}.`,
      folder === undefined
        ? 'The sets are made up in the style of well-known logs; `--sets FOLDER` measures others (…_structured.csv).'
        : `The sets are those in ${folder}.`,
      'The sets label wordings; a cause takes several wordings for one problem, which counts against it here.',
      'Drain learns its groups from the messages before: another order makes others. A template is of its message alone.',
    ],
    verdicts: [
      { holds: ours > 0.85, text: `mean accuracy ${ours.toFixed(3)}, past 0.85` },
      { holds: ours > drains, text: `more than Drain’s ${drains.toFixed(3)}` },
      { holds: speeds[0] > 250_000, text: 'more than 250,000 messages per second of one core' },
    ],
  };
}
