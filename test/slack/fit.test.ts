import type { AnyBlock } from '@slack/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chart } from '../../src/blocks/chart.ts';
import {
  actions,
  codeBlock,
  commandButton,
  divider,
  fields,
  heading,
  type Message,
  message,
  note,
  type Part,
  section,
} from '../../src/blocks/message.ts';
import { bold, code } from '../../src/blocks/mrkdwn.ts';
import { table } from '../../src/blocks/table.ts';
import { textLengthOf, validateMessage, validateView } from '../../src/playground/slack/block-kit.ts';
import { LIMITS as SLACK } from '../../src/playground/slack/limits.ts';
import { fitBlocks, fitMessage } from '../../src/slack/fit.ts';

const TOO_LONG = /the whole answer is in the attached file/;
const textsOf = (blocks: AnyBlock[]) => JSON.stringify(blocks);
const isTold = (fitted: Message) => TOO_LONG.test(textsOf(fitted.blocks));

const words = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 400 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('a', 'é ', '& <b> ', '👩‍🚒', '`*_', 'long words\n', '```\n'), fc.nat(4_000))
      .map(([piece, times]) => piece.repeat(times)),
  },
);
const cell = fc.oneof(words, fc.integer(), fc.record({ value: fc.double(), text: words }));
const part: fc.Arbitrary<Part> = fc.oneof(
  words.map(section),
  words.map((text) => section(code(text))),
  words.map((text) => section(bold(text))),
  words.map(heading),
  words.map(note),
  words.map(codeBlock),
  fc.constant(divider()),
  fc.array(fc.tuple(words, words), { maxLength: 25 }).map((pairs) => fields(pairs)),
  fc
    .array(fc.tuple(words, words), { maxLength: 30 })
    .map((buttons) => actions(...buttons.map(([label, command]) => commandButton(label, `zone show ${command}`)))),
  fc
    .record({
      caption: words,
      columns: fc.array(
        words.map((label) => ({ label })),
        { maxLength: 25 },
      ),
      rows: fc.array(fc.array(cell, { maxLength: 25 }), { maxLength: 20 }),
    })
    .map(table),
  fc
    .record({ title: words, categories: fc.array(words, { minLength: 1, maxLength: 25 }), name: words })
    .map(({ title, categories, name }) =>
      chart({ title, type: 'bar', categories, series: [{ name, values: categories.map((_, index) => index) }] }),
    ),
);
const messages = fc.array(part, { minLength: 1, maxLength: 70 }).map((parts) => message(...parts));

describe('fitting a message', () => {
  it('cuts a long text at its line ends and loses no line of it', () => {
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index} ${'x'.repeat(10)}`);
    const fitted = fitMessage(message(lines.join('\n')));
    const shown = fitted.blocks.flatMap((block) =>
      'text' in block && typeof block.text === 'object' ? [block.text.text] : [],
    );
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.join('\n').split('\n')).toEqual(lines);
    expect(fitted.files).toBeUndefined();
  });

  it('closes a code block where it is cut, and opens it again', () => {
    const fitted = fitMessage(message(codeBlock('some line of code\n'.repeat(300))));
    expect(fitted.blocks.length).toBeGreaterThan(1);
    for (const block of fitted.blocks) {
      expect(block).toMatchObject({ type: 'section', text: { text: expect.stringMatching(/^```\n[\s\S]+\n```$/) } });
    }
  });

  it('never cuts through a character', () => {
    const fitted = fitMessage(message('👍'.repeat(4_000)));
    expect(textsOf(fitted.blocks)).not.toMatch(/\\ud83d(?!\\udc4d)/);
    expect(textsOf(fitted.blocks)).not.toContain('\ufffd');
  });

  it('attaches the whole answer as a file when it is too long, says so, and keeps the last row of buttons', () => {
    const text = Array.from({ length: 60 }, (_, index) => `paragraph ${index} ${'word '.repeat(100)}`);
    const fitted = fitMessage(message(...text, actions(commandButton('Next page', 'zone list --page 2'))));
    expect(isTold(fitted)).toBe(true);
    expect(fitted.files).toMatchObject([{ name: 'answer.txt', content: expect.stringContaining('paragraph 59') }]);
    expect(fitted.blocks.at(-1)).toMatchObject({ type: 'actions', elements: [{ value: 'zone list --page 2' }] });
  });

  it.each([
    [
      'a title',
      message(heading('T'.repeat(151)).text).text,
      (text: string) => [{ type: 'header', text: { type: 'plain_text', text } }],
    ],
    ['a field', 'f'.repeat(2_001), (text: string) => [{ type: 'section', fields: [{ type: 'mrkdwn', text }] }]],
    ['small print', 'n'.repeat(3_001), (text: string) => [{ type: 'context', elements: [{ type: 'mrkdwn', text }] }]],
  ])('attaches the whole answer when %s has to be shortened', (_, text, blocksOf) => {
    const fitted = fitMessage({ text, blocks: blocksOf(text) as AnyBlock[] });
    expect(textsOf(fitted.blocks)).toContain('…');
    expect(isTold(fitted)).toBe(true);
    expect(fitted.files?.[0]?.content).toBe(text);
  });

  it('shows charts and tables beyond what Slack takes as text', () => {
    const wide = table({
      caption: 'Requests',
      columns: [{ label: 'Path' }, { label: 'Requests' }],
      rows: Array.from({ length: 90 }, (_, index) => [`/${index}/${'p'.repeat(60)}`, index]),
    });
    const line = chart({
      title: 'Days',
      type: 'line',
      categories: ['Mon', 'Tue'],
      series: [{ name: 'a', values: [1, 2] }],
    });
    const fitted = fitMessage(message(line, line, line, wide, wide));
    const types = fitted.blocks.map(({ type }): string => type);
    expect(types.filter((type) => type === 'data_visualization')).toHaveLength(2);
    expect(types.filter((type) => type === 'data_table')).toHaveLength(1);
    expect(validateMessage(fitted)).toEqual([]);
    expect(textsOf(fitted.blocks)).toContain('Days');
  });

  it('never cuts the command behind a button: it leaves the button out and says so', () => {
    const [short, long] = [
      commandButton('A', 'zone list'),
      commandButton('B', `database query db ${'x'.repeat(2_000)}`),
    ];
    const fitted = fitMessage(message(actions(short, long)));
    expect(fitted.blocks[0]).toMatchObject({ type: 'actions', elements: [{ value: 'zone list' }] });
    expect(textsOf(fitted.blocks.slice(1))).toMatch(/its command is too long/);
    expect(fitMessage(message(actions(long))).blocks.map(({ type }) => type)).toEqual(['context']);
  });

  it('tells buttons with the same beginning apart', () => {
    const command = `database query db ${'x'.repeat(300)}`;
    const fitted = fitMessage(message(actions(commandButton('A', `${command}1`), commandButton('B', `${command}2`))));
    const [row] = fitted.blocks as { elements: { action_id: string; value: string }[] }[];
    const ids = row!.elements.map((element) => element.action_id);
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id.startsWith('command:') && id.length <= 255)).toBe(true);
    expect(row!.elements.map((element) => element.value)).toEqual([`${command}1`, `${command}2`]);
  });

  it('leaves nothing that Slack would refuse, whatever an operation says', () => {
    fc.assert(
      fc.property(messages, (given) => {
        const fitted = fitMessage(given);
        expect(validateMessage(fitted)).toEqual([]);
        expect(textLengthOf(fitted.blocks)).toBeLessThanOrEqual(SLACK.blockTextTotal);
        expect(fitted.text.length).toBeLessThanOrEqual(SLACK.messageText);
      }),
      { numRuns: 150 },
    );
  });

  it('changes nothing that fits already, and nothing a second time', () => {
    const small = message(heading('Zones'), 'One', fields([['Id', '1']]), actions(commandButton('Next', 'zone list')));
    expect(fitMessage(small)).toEqual(small);
    fc.assert(
      fc.property(messages, (given) => {
        const once = fitMessage(given);
        expect(fitMessage({ text: once.text, blocks: once.blocks }).blocks).toEqual(once.blocks);
      }),
      { numRuns: 50 },
    );
  });

  it('leaves nothing in a view that Slack would refuse', () => {
    const parts = fc.array(part, { maxLength: 8 });
    fc.assert(
      fc.property(parts, (given) => {
        const blocks = fitBlocks(message(...given).blocks).blocks.filter(
          ({ type }) => !['data_table', 'data_visualization'].includes(type),
        );
        const title = { type: 'plain_text', text: 'Title' };
        expect(validateView({ type: 'modal', title, blocks: blocks.slice(0, SLACK.viewBlocks) }, 'modal')).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});
