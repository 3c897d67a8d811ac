import type { AnyBlock, RichTextBlock } from '@slack/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS as SLACK } from '../../../playground/slack/block-kit/limits.ts';
import { textLengthOf, validateMessage, validateView } from '../../../playground/slack/block-kit/validate.ts';
import { commandButton } from '../../../src/blocks/buttons.ts';
import { chart } from '../../../src/blocks/chart.ts';
import {
  actions,
  codeBlock,
  fields,
  heading,
  type Message,
  message,
  note,
  type Part,
  section,
} from '../../../src/blocks/message.ts';
import { bold, code, shortenToBytes } from '../../../src/blocks/mrkdwn.ts';
import { table } from '../../../src/blocks/table.ts';
import { fitBlocks, fitMessage, fitView } from '../../../src/slack/out/fit.ts';

const TOO_LONG = /the whole answer is in the attached file/;
const textsOf = (blocks: AnyBlock[]) => JSON.stringify(blocks);
/** Half a pair, or what stands for it. */
const TORN = /\p{Cs}|\ufffd/u;
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
  fc.constant<Part>({ blocks: [{ type: 'divider' }], text: '' }),
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

const text = (words: string) => ({ type: 'mrkdwn', text: words });
const paragraph = (words: string) => ({ type: 'section', text: text(words) }) as AnyBlock;
const fitted = (...blocks: object[]) => fitBlocks(blocks as AnyBlock[]);
const button = (label: string, value?: string, action_id?: string) => ({
  type: 'button',
  text: { type: 'plain_text', text: label },
  ...(value === undefined ? {} : { value }),
  ...(action_id === undefined ? {} : { action_id }),
});
const picture = { type: 'image', image_url: 'https://x.example/a.png', alt_text: 'A' };

describe('a message', () => {
  const blocksOf = (count: number) => Array.from({ length: count }, (_, at) => paragraph(`part ${at}`));
  const row = (value: string) => ({ type: 'actions', elements: [button('Go', value)] }) as AnyBlock;

  it('is whole up to 47 blocks, so that there is room for what is said of a file', () => {
    const whole = { text: 'all', blocks: blocksOf(47) };
    expect(fitMessage(whole)).toEqual(whole);
    const cut = fitMessage({ text: 'all &amp; more', blocks: blocksOf(48) });
    expect(cut.blocks.slice(0, 47)).toEqual(blocksOf(47));
    expect(cut.blocks).toHaveLength(48);
    expect(isTold(cut)).toBe(true);
    expect(cut.files).toEqual([{ name: 'answer.txt', title: 'The whole answer', content: 'all & more' }]);
  });

  it('is whole up to 9,000 characters in its blocks, those of tables and buttons not counted', () => {
    const full = ['a', 'b', 'c'].map((letter) => paragraph(letter.repeat(3_000)));
    const wide = table({ caption: 'c'.repeat(200), columns: [{ label: 'l'.repeat(200) }], rows: [['r'.repeat(200)]] });
    const line = chart({ title: 'Days', type: 'line', categories: ['Mon'], series: [{ name: 'a', values: [1] }] });
    const whole = { text: 'all', blocks: [...full, row('a'), ...wide.blocks, ...line.blocks] };
    expect(fitMessage(whole)).toEqual(whole);
    const cut = fitMessage({ text: 'all', blocks: [...full, paragraph('d')] });
    expect(cut.blocks.slice(0, 3)).toEqual(full);
    expect(isTold(cut)).toBe(true);
    const [, , nothing] = [0, 0, { ...full[0], accessory: null }];
    expect(fitMessage({ text: 'all', blocks: [nothing as never] }).blocks).toEqual([nothing]);
  });

  it('is whole up to 39,000 characters of text', () => {
    const whole = { text: 'x'.repeat(39_000), blocks: blocksOf(1) };
    expect(fitMessage(whole)).toEqual(whole);
    const cut = fitMessage({ text: 'x'.repeat(39_001), blocks: blocksOf(1) });
    expect(cut.text).toMatch(/^x{38990,}…$/);
    expect(cut.files?.[0]?.content).toHaveLength(39_001);
  });

  it('keeps of the buttons that are lost the last row, and repeats none that is there', () => {
    const lost = fitMessage({ text: 'all', blocks: [...blocksOf(47), row('first'), row('last')] });
    expect(lost.blocks).toHaveLength(49);
    expect(lost.blocks.at(-1)).toMatchObject({ elements: [{ value: 'last' }] });
    const there = fitMessage({ text: 'all', blocks: [row('first'), ...blocksOf(60)] });
    expect(there.blocks).toHaveLength(48);
    expect(there.blocks.at(-1)).toMatchObject({ type: 'context' });
  });

  it('keeps its files beside the whole answer and beside a table that became one', () => {
    const own = { name: 'own.csv', content: 'a' };
    expect(fitMessage({ text: 'all', blocks: blocksOf(60), files: [own] }).files).toMatchObject([
      own,
      { name: 'answer.txt' },
    ]);
    expect(fitMessage({ text: 'all', blocks: blocksOf(1), files: [own] }).files).toEqual([own]);
    expect(fitMessage({ text: 'all', blocks: blocksOf(1) })).not.toHaveProperty('files');
    const rows = Array.from({ length: 98 }, (_, at) => [`${at}${'p'.repeat(84)}`]);
    const big = (caption: string) => table({ caption, columns: [{ label: 'Path' }], rows });
    const small = table({ caption: 'Small', columns: [{ label: 'Path' }], rows: [['/']] });
    const shown = fitMessage({ ...message(big('One'), big('Two'), small), files: [own] });
    const types = shown.blocks.map(({ type }): string => type);
    expect(types.filter((type) => type === 'data_table')).toHaveLength(2);
    expect([types[0], types.at(-1)]).toEqual(['data_table', 'data_table']);
    expect(shown.files?.[0]).toEqual(own);
    expect(shown.files?.[1]).toMatchObject({ name: 'two.txt' });
    expect(shown.files).toHaveLength(2);
  });
});

describe('a view', () => {
  const view = (count: number) => ({
    type: 'modal' as const,
    title: { type: 'plain_text' as const, text: 'T' },
    blocks: Array.from({ length: count }, (_, at) => paragraph(`part ${at}`)),
  });

  it('has a hundred blocks at the most, and says that there is more', () => {
    expect(fitView(view(100))).toEqual(view(100));
    const cut = fitView(view(101));
    expect(cut).toMatchObject({ type: 'modal', title: { text: 'T' } });
    expect(cut.blocks).toHaveLength(100);
    expect(cut.blocks.slice(0, 99)).toEqual(view(99).blocks);
    expect(cut.blocks.at(-1)).toMatchObject({ elements: [{ text: 'There is more than Slack can show here.' }] });
  });

  it('has its tables as text', () => {
    const { blocks } = message(table({ caption: 'Zones', columns: [{ label: 'Zone' }], rows: [['shop']] }));
    const shown = fitView({ ...view(0), blocks });
    expect(shown.blocks.map(({ type }) => type)).toEqual(['section', 'rich_text']);
    expect(textsOf(shown.blocks)).toContain('shop');
  });
});

describe('a block', () => {
  it('is cut as what it is: mrkdwn with its code closed, plain text as it stands', () => {
    const long = `\`${'x'.repeat(4_000)}`;
    const [context] = fitted({ type: 'context', elements: [text(long)] }).blocks as { elements: { text: string }[] }[];
    expect(context?.elements[0]?.text).toMatch(/^`x+`…$/);
    const [title] = fitted({ type: 'header', text: { type: 'plain_text', text: long } }).blocks as {
      text: { text: string };
    }[];
    expect(title?.text.text).toBe(`${long.slice(0, 149)}…`);
    expect(fitted({ type: 'header', text: { type: 'plain_text', text: '' } }).blocks).toEqual([]);
    expect(fitted({ type: 'divider' })).toEqual({ blocks: [{ type: 'divider' }], isWhole: true });
  });

  it('of small print has ten elements and 3,000 characters at the most, pictures among them, and no empty ones', () => {
    const short = {
      type: 'context',
      elements: [picture, text(''), ...Array.from({ length: 11 }, (_, at) => text(`${at}`))],
    };
    expect(fitted(short).blocks).toEqual([
      { type: 'context', elements: [picture, ...Array.from({ length: 9 }, (_, at) => text(`${at}`))] },
      { type: 'context', elements: [text('9'), text('10')] },
    ]);
    const sizes = (...lengths: number[]) =>
      fitted({ type: 'context', elements: lengths.map((length) => text('x'.repeat(length))) }).blocks.map((block) =>
        (block as unknown as { elements: { text: string }[] }).elements.map((element) => element.text.length),
      );
    expect(sizes(2_000, 500, 500)).toEqual([[2_000, 500, 500]]);
    expect(sizes(2_000, 500, 501)).toEqual([[2_000, 500], [501]]);
    expect(sizes(3_000, 1, 2_999, 1)).toEqual([[3_000], [1, 2_999], [1]]);
  });

  it('of fields has ten at the most, and no empty ones', () => {
    const words = Array.from({ length: 12 }, (_, at) => text(`${at}`));
    expect(fitted({ type: 'section', fields: [text(''), ...words] }).blocks).toEqual([
      { type: 'section', fields: words.slice(0, 10) },
      { type: 'section', fields: words.slice(10) },
    ]);
  });

  it('keeps what stands beside a paragraph with the first of its pieces', () => {
    const long = `${'x'.repeat(2_900)}\n${'y'.repeat(2_900)}`;
    const { blocks } = fitted({ type: 'section', block_id: 'b', text: text(long), accessory: picture });
    expect(blocks).toEqual([
      { type: 'section', block_id: 'b', accessory: picture, text: text('x'.repeat(2_900)) },
      { type: 'section', text: text('y'.repeat(2_900)) },
    ]);
    const exact = 'x'.repeat(3_000);
    expect(fitted(paragraph(exact)).blocks).toEqual([paragraph(exact)]);
    expect(fitted(paragraph('')).blocks).toEqual([]);
    const ending = `${'x'.repeat(3_500)}\`\`\``;
    expect(textsOf(fitted(paragraph(ending)).blocks)).not.toMatch(/```\\n/);
  });

  it('of a table has a caption', () => {
    const of = (caption: string) => ({ type: 'data_table', caption, rows: [] });
    expect(fitted(of(''), of('Zones'), of('z'.repeat(3_001))).blocks).toEqual([
      of('–'),
      of('Zones'),
      of(`${'z'.repeat(2_999)}…`),
    ]);
  });
});

describe('a row of buttons', () => {
  const rowsOf = (...elements: object[]) => fitted({ type: 'actions', elements }).blocks;

  it('takes commands of 2,000 characters and no longer ones', () => {
    const long = button('A', 'x'.repeat(2_000));
    expect(rowsOf(long, button('B'))).toEqual([{ type: 'actions', elements: [long, button('B')] }]);
    expect(rowsOf(button('A', 'x'.repeat(2_001)), button('B'))).toMatchObject([
      { type: 'actions', elements: [button('B')] },
      { type: 'context' },
    ]);
  });

  it('has labels that are there and fit, and leaves selects as they are', () => {
    const select = { type: 'static_select', placeholder: { type: 'plain_text', text: '' }, value: 'x'.repeat(3_000) };
    expect(rowsOf(button(''), button('l'.repeat(75)), button('l'.repeat(76)), select)).toEqual([
      { type: 'actions', elements: [button('–'), button('l'.repeat(75)), button(`${'l'.repeat(74)}…`), select] },
    ]);
  });

  it('has 25 at the most, and the next row the others', () => {
    const all = Array.from({ length: 60 }, (_, at) => button(`${at}`, `${at}`));
    expect(rowsOf(...all)).toEqual([
      { type: 'actions', elements: all.slice(0, 25) },
      { type: 'actions', elements: all.slice(25, 50) },
      { type: 'actions', elements: all.slice(50) },
    ]);
  });

  it('tells those with the same id apart, behind the colon, and leaves those without one alone', () => {
    const ids = ['undo', 'undo', 'command:a', undefined, 'command:a', undefined, 'undo', 'undo:~1'];
    const [row] = rowsOf(...ids.map((id) => button('A', 'v', id))) as unknown as {
      elements: { action_id?: string }[];
    }[];
    expect(row?.elements.map(({ action_id }) => action_id)).toEqual([
      'undo',
      'undo:~1',
      'command:a',
      undefined,
      'command:a~4',
      undefined,
      'undo:~6',
      'undo:~1~7',
    ]);
  });
});

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

  it('makes several code blocks of a long one, and loses no line of it', () => {
    const lines = Array.from({ length: 300 }, (_, index) => `some \`line\` of code ${index}`);
    const { blocks, files } = fitMessage(message(codeBlock(lines.join('\n'))));
    expect(blocks.length).toBeGreaterThan(1);
    expect(blocks.flatMap((block) => (block as RichTextBlock).elements)).toEqual(
      blocks.map(() => ({ type: 'rich_text_preformatted', elements: [{ type: 'text', text: expect.any(String) }] })),
    );
    expect([...textsOf(blocks).matchAll(/some `line` of code (\d+)/g)].map(([, index]) => Number(index))).toEqual(
      lines.map((_, index) => index),
    );
    expect(files).toBeUndefined();
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

  it('cuts to bytes of UTF-8 in no character, at a line end where one is near, and nothing that fits', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 40, max: 600 }), (text, most) => {
        const cut = shortenToBytes(text, most);
        if (Buffer.byteLength(text) <= most) {
          expect(cut).toBe(text);
          return;
        }
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most);
        expect(cut.at(-1)).toBe('…');
        // Half a pair in what was given cannot be written as UTF-8.
        if (TORN.test(text)) return;
        expect(cut).not.toMatch(TORN);
        expect(text.startsWith(cut.replace(/\n?`?…$/u, ''))).toBe(true);
      }),
      { numRuns: 300 },
    );
    const lines = `${'ü'.repeat(30)}\n`.repeat(4);
    expect(shortenToBytes(lines, 200)).toBe(`${lines.slice(0, 31 * 3)}…`);
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
