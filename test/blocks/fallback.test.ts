import { expect, test } from 'vitest';
import { chart } from '../../src/blocks/chart.ts';
import { fallbackOf } from '../../src/blocks/fallback.ts';
import { message } from '../../src/blocks/message.ts';
import { table } from '../../src/blocks/table.ts';

/** The text of a paragraph or of a code block. */
const textOf = (block: object): string =>
  JSON.parse(/"text":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(block))?.[1] ?? '""');

const columns = [{ label: 'Path' }, { label: 'Requests', align: 'right' as const }];

test('a message without tables and charts stays as it is', () => {
  const plain = message('Hello');
  expect(fallbackOf(plain)).toBe(plain);
});

test('tables and charts become code blocks in their places', () => {
  const before = message(
    'Above',
    table({ caption: 'Paths', columns, rows: [['/<a>', 12]] }),
    chart({ title: 'Hours', type: 'bar', categories: ['1', '2'], series: [{ name: 'all', values: [1, 2] }] }),
    'Below',
  );
  const after = fallbackOf(before);
  expect(after.text).toBe(before.text);
  expect(after.blocks.map(textOf)).toEqual([
    'Above',
    '*Paths*',
    'Path  Requests\n────  ────────\n/<a>        12',
    '*Hours*',
    'all  ▅█  1 to 2',
    'Below',
  ]);
});

test('a table that is wider than its place is shown row by row', () => {
  const shown = (path: string) =>
    fallbackOf(
      message(
        table({
          caption: 'Paths',
          columns,
          rows: [
            ['/', 12],
            [path, 3],
          ],
        }),
      ),
    ).blocks.map(textOf)[1];
  expect(shown('/orders')).toBe('Path     Requests\n───────  ────────\n/              12\n/orders         3');
  const long = `/${'o'.repeat(50)}`;
  expect(shown(long)).toBe(`Path      /\nRequests  12\n\nPath      ${long}\nRequests  3`);
});

test("what is too much for Slack's limits goes into a file", () => {
  const rows = Array.from({ length: 100 }, (_, index) => [`/<${index}>${'&'.repeat(60)}`, index]);
  const after = fallbackOf(
    message(table({ caption: 'Paths', columns, rows }), table({ caption: 'More', columns, rows })),
  );
  const texts = after.blocks.map((block) =>
    'text' in block && typeof block.text === 'object' ? (block.text?.text ?? '') : '',
  );
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(3000);
  expect(texts.join('').length).toBeLessThanOrEqual(12_000);
  expect(texts.at(-1)).toContain('attached file more.txt');
  expect(after.files?.map((file) => file.name)).toEqual(['paths.txt', 'more.txt']);
  expect(String(after.files?.[0]?.content)).toContain(rows.at(-1)![0]);
});
