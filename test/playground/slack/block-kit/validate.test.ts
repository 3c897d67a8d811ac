import { describe, expect, test } from 'vitest';
import {
  invalidBlocks,
  textLengthOf,
  validateMessage,
  validateOptions,
  validateView,
} from '../../../../playground/slack/block-kit/validate.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const section = (text: string) => ({ type: 'section', text: mrkdwn(text) });
const option = (text: string) => ({ text: plain(text), value: text });
const button = (fields: object = {}) => ({ type: 'button', action_id: 'press', text: plain('Press'), ...fields });
const actions = (...elements: object[]) => ({ type: 'actions', elements });
const input = (element: object, fields: object = {}) => ({ type: 'input', label: plain('Name'), element, ...fields });
const cell = (text: string) => ({ type: 'raw_text', text });
const modal = (blocks: object[], fields: object = {}) => ({ type: 'modal', title: plain('Form'), blocks, ...fields });
const series = (fields: object = {}) => ({
  type: 'bar',
  series: [{ name: 'hits', data: [{ label: 'Mon', value: 1 }] }],
  axis_config: { categories: ['Mon'] },
  ...fields,
});
const chart = (chart: object, fields: object = {}) => ({
  type: 'data_visualization',
  title: 'Traffic',
  chart,
  ...fields,
});
const table = (rows: object[][]) => ({ type: 'table', rows });
const dataTable = (rows: object[][], fields: object = {}) => ({
  type: 'data_table',
  caption: 'Zones',
  rows,
  ...fields,
});
const select = (fields: object = {}) => ({
  type: 'static_select',
  action_id: 'pick',
  options: [option('a')],
  ...fields,
});

const pointers = (blocks: unknown) => validateMessage({ blocks }).map((each) => each.pointer);

describe('a message of valid blocks passes', () => {
  test.each([
    ['section', section('x'.repeat(3000))],
    ['section with fields and accessory', { type: 'section', fields: [mrkdwn('a')], accessory: button() }],
    ['header', { type: 'header', text: plain('x'.repeat(150)) }],
    ['actions', actions(button(), select(), { type: 'overflow', action_id: 'more', options: [option('a')] })],
    [
      'context',
      {
        type: 'context',
        elements: [mrkdwn('a'), { type: 'image', image_url: 'https://a.example/i.png', alt_text: 'i' }],
      },
    ],
    ['image', { type: 'image', slack_file: { id: 'F1' }, alt_text: 'i', title: plain('t') }],
    ['markdown', { type: 'markdown', text: 'x'.repeat(12_000) }],
    ['table', table([[cell('a')], [{ type: 'raw_number', value: 1, text: '1' }]])],
    [
      'data_table',
      dataTable(
        [
          [cell('a'), cell('b')],
          [cell('1'), cell('2')],
        ],
        { page_size: 10, row_header_column_index: 1 },
      ),
    ],
    ['bar chart', chart(series())],
    ['pie chart', chart({ type: 'pie', segments: [{ label: 'HIT', value: 3 }] })],
    ['card', { type: 'card', title: mrkdwn('a'), actions: [button()] }],
    [
      'container',
      {
        type: 'container',
        title: plain('a'),
        child_blocks: [section('a')],
        is_collapsible: true,
        default_collapsed: true,
      },
    ],
    [
      'rich_text',
      {
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'a', style: { bold: true } }] }],
      },
    ],
    [
      'context_actions',
      {
        type: 'context_actions',
        elements: [{ type: 'icon_button', icon: 'trash', action_id: 'x', text: plain('Delete') }],
      },
    ],
  ])('%s', (_, block) => {
    expect(validateMessage({ blocks: [block] })).toEqual([]);
  });
});

/** A message's blocks, and the pointer of the one complaint about them. */
const REFUSED: [string, unknown, string][] = [
  ['a text that is too long', [section('x'.repeat(3001))], '/blocks/0/text/text'],
  ['an empty text', [section('')], '/blocks/0/text/text'],
  ['a section of nothing', [{ type: 'section' }], '/blocks/0'],
  ['a field that is too long', [{ type: 'section', fields: [mrkdwn('x'.repeat(2001))] }], '/blocks/0/fields/0/text'],
  ['eleven fields', [{ type: 'section', fields: Array(11).fill(mrkdwn('a')) }], '/blocks/0/fields'],
  ['a header in mrkdwn', [{ type: 'header', text: mrkdwn('a') }], '/blocks/0/text/type'],
  ['a header that is too long', [{ type: 'header', text: plain('x'.repeat(151)) }], '/blocks/0/text/text'],
  ['an unknown block', [{ type: 'nonsense' }], '/blocks/0/type'],
  ['an unknown field', [{ type: 'divider', color: 'red' }], '/blocks/0'],
  ['emoji in mrkdwn', [{ type: 'section', text: { ...mrkdwn('a'), emoji: true } }], '/blocks/0/text'],
  ['fifty-one blocks', Array(51).fill({ type: 'divider' }), '/blocks'],
  ['no list', { type: 'divider' }, '/blocks'],
  ['a button label of 76', [actions(button({ text: plain('x'.repeat(76)) }))], '/blocks/0/elements/0/text/text'],
  ['a button value of 2001', [actions(button({ value: 'x'.repeat(2001) }))], '/blocks/0/elements/0/value'],
  ['a made-up button style', [actions(button({ style: 'warning' }))], '/blocks/0/elements/0/style'],
  [
    'a confirm text of 301',
    [actions(button({ confirm: { title: plain('a'), text: plain('x'.repeat(301)) } }))],
    '/blocks/0/elements/0/confirm/text/text',
  ],
  [
    'twenty-six elements',
    [actions(...Array.from({ length: 26 }, (_, i) => button({ action_id: `a${i}` })))],
    '/blocks/0/elements',
  ],
  ['an action id twice', [actions(button(), button())], '/blocks/0/elements/1/action_id'],
  [
    'a block id twice',
    [
      { type: 'divider', block_id: 'b' },
      { type: 'divider', block_id: 'b' },
    ],
    '/blocks/1/block_id',
  ],
  ['a text input among actions', [actions({ type: 'plain_text_input', action_id: 'a' })], '/blocks/0/elements/0/type'],
  [
    'an option value of 151',
    [actions(select({ options: [{ text: plain('a'), value: 'x'.repeat(151) }] }))],
    '/blocks/0/elements/0/options/0/value',
  ],
  ['101 options', [actions(select({ options: Array(101).fill(option('a')) }))], '/blocks/0/elements/0/options'],
  ['no options', [actions(select({ options: [] }))], '/blocks/0/elements/0/options'],
  [
    'an initial option that is none',
    [actions(select({ initial_option: option('b') }))],
    '/blocks/0/elements/0/initial_option',
  ],
  [
    'six overflow options',
    [actions({ type: 'overflow', action_id: 'a', options: Array(6).fill(option('a')) })],
    '/blocks/0/elements/0/options',
  ],
  ['an image without alt text', [{ type: 'image', image_url: 'https://a.example/i.png' }], '/blocks/0'],
  [
    'an image with two sources',
    [{ type: 'image', image_url: 'https://a.example', slack_file: { id: 'F' }, alt_text: 'a' }],
    '/blocks/0',
  ],
  ['an alert', [{ type: 'alert', text: plain('a') }], '/blocks/0/type'],
  ['a table of 101 rows', [table(Array(101).fill([cell('a')]))], '/blocks/0/rows'],
  ['two tables', [table([[cell('a')]]), table([[cell('b')]])], '/blocks'],
  ['a table that is too long', [table([[cell('x'.repeat(5001)), cell('x'.repeat(5000))]])], '/blocks'],
  ['an empty cell', [table([[cell('')]])], '/blocks/0/rows/0/0/text'],
  ['a data_table of a header only', [dataTable([[cell('a')]])], '/blocks/0/rows'],
  ['a data_table without caption', [{ type: 'data_table', rows: [[cell('a')], [cell('b')]] }], '/blocks/0'],
  ['a data_table of 202 rows', [dataTable(Array(202).fill([cell('a')]))], '/blocks/0/rows'],
  [
    'a data_table of 20,001 characters',
    [dataTable([[cell('x'.repeat(9_999))], [cell('x'.repeat(9_999))], [cell('xxx')]])],
    '/blocks/0/rows',
  ],
  ['uneven rows', [dataTable([[cell('a')], [cell('b'), cell('c')]])], '/blocks/0/rows/1'],
  ['a page of 101', [dataTable([[cell('a')], [cell('b')]], { page_size: 101 })], '/blocks/0/page_size'],
  [
    'a row header that is no column',
    [dataTable([[cell('a')], [cell('b')]], { row_header_column_index: 1 })],
    '/blocks/0/row_header_column_index',
  ],
  ['a chart title of 51', [chart(series(), { title: 'x'.repeat(51) })], '/blocks/0/title'],
  [
    'thirteen series',
    [
      chart(
        series({
          series: Array.from({ length: 13 }, (_, i) => ({ name: `s${i}`, data: [{ label: 'Mon', value: 1 }] })),
        }),
      ),
    ],
    '/blocks/0/chart/series',
  ],
  [
    'a series with a gap',
    [chart(series({ axis_config: { categories: ['Mon', 'Tue'] } }))],
    '/blocks/0/chart/series/0/data',
  ],
  [
    'a pie of nothing',
    [chart({ type: 'pie', segments: [{ label: 'a', value: 0 }] })],
    '/blocks/0/chart/segments/0/value',
  ],
  ['three charts', [chart(series()), chart(series()), chart(series())], '/blocks'],
  ['a card of nothing', [{ type: 'card', subtitle: mrkdwn('a') }], '/blocks/0'],
  ['a container without title', [{ type: 'container', child_blocks: [section('a')] }], '/blocks/0'],
  [
    'markdown of 12,001 together',
    [
      { type: 'markdown', text: 'x'.repeat(6001) },
      { type: 'markdown', text: 'x'.repeat(6000) },
    ],
    '/blocks',
  ],
];

describe('a message is refused with a pointer', () => {
  test.each(REFUSED)('%s', (_, blocks, pointer) => {
    expect(pointers(blocks)).toEqual([pointer]);
  });

  test('blocks in attachments are looked at too', () => {
    const [complaint] = validateMessage({ attachments: [{ blocks: [section('')] }] });
    expect(complaint?.pointer).toBe('/attachments/0/blocks/0/text/text');
  });

  test('the answer is worded as Slack words it', () => {
    expect(invalidBlocks(validateMessage({ blocks: [section('x'.repeat(3001))] }))).toEqual({
      errors: ['must be less than 3001 characters [json-pointer:/blocks/0/text/text]'],
      response_metadata: { messages: ['[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]'] },
    });
  });

  test('lengths count UTF-16 units, so that an emoji counts twice', () => {
    expect(validateMessage({ blocks: [{ type: 'header', text: plain('😀'.repeat(76)) }] })).toHaveLength(1);
    expect(validateMessage({ blocks: [{ type: 'header', text: plain('😀'.repeat(75)) }] })).toEqual([]);
  });
});

describe('a view is refused with a pointer', () => {
  const text = { type: 'plain_text_input', action_id: 'a' };
  test.each<[string, unknown, 'modal' | 'home', string]>([
    ['a title of 25', modal([], { title: plain('x'.repeat(25)) }), 'modal', '/view/title/text'],
    ['a modal without title', { type: 'modal', blocks: [] }, 'modal', '/view'],
    ['an input without submit', modal([input(text)]), 'modal', '/view'],
    ['metadata of 3001', modal([], { private_metadata: 'x'.repeat(3001) }), 'modal', '/view/private_metadata'],
    ['101 blocks', modal(Array(101).fill({ type: 'divider' })), 'modal', '/view/blocks'],
    ['a table in a modal', modal([table([[cell('a')]])]), 'modal', '/view/blocks/0/type'],
    ['markdown in a modal', modal([{ type: 'markdown', text: 'a' }]), 'modal', '/view/blocks/0/type'],
    [
      'an alert in the home',
      { type: 'home', blocks: [{ type: 'alert', text: plain('a') }] },
      'home',
      '/view/blocks/0/type',
    ],
    ['a home with a title', { type: 'home', title: plain('a'), blocks: [] }, 'home', '/view'],
    ['a modal where a home belongs', modal([]), 'home', '/view'],
    [
      'eleven files',
      modal([input({ type: 'file_input', action_id: 'a', max_files: 11 })], { submit: plain('Go') }),
      'modal',
      '/view/blocks/0/element/max_files',
    ],
    [
      'two fields with focus',
      modal([input({ ...text, focus_on_load: true }), input({ ...text, focus_on_load: true })], {
        submit: plain('Go'),
      }),
      'modal',
      '/view/blocks',
    ],
    [
      'a number input that says nothing of decimals',
      modal([input({ type: 'number_input', action_id: 'a' })], { submit: plain('Go') }),
      'modal',
      '/view/blocks/0/element',
    ],
    [
      'a date in another form',
      modal([input({ type: 'datepicker', action_id: 'a', initial_date: '1.2.2026' })], { submit: plain('Go') }),
      'modal',
      '/view/blocks/0/element/initial_date',
    ],
  ])('%s', (_, view, type, pointer) => {
    expect(validateView(view, type).map((each) => each.pointer)).toEqual([pointer]);
  });

  test('an alert and every input are valid in a modal', () => {
    const elements = [
      text,
      select(),
      { type: 'file_input', action_id: 'a', filetypes: ['json'], max_files: 1 },
      { type: 'number_input', action_id: 'a', is_decimal_allowed: false },
      { type: 'checkboxes', action_id: 'a', options: [{ text: mrkdwn('*a*'), value: 'a' }] },
      { type: 'radio_buttons', action_id: 'a', options: [option('a')], initial_option: option('a') },
      { type: 'external_select', action_id: 'a', min_query_length: 0 },
      { type: 'datepicker', action_id: 'a', initial_date: '2026-02-01' },
      { type: 'timepicker', action_id: 'a', initial_time: '23:59' },
      { type: 'datetimepicker', action_id: 'a', initial_date_time: 1_700_000_000 },
      {
        type: 'conversations_select',
        action_id: 'a',
        default_to_current_conversation: true,
        filter: { include: ['public'] },
      },
      { type: 'multi_users_select', action_id: 'a' },
    ];
    const view = modal(
      [{ type: 'alert', text: plain('Careful'), level: 'warning' }, ...elements.map((each) => input(each))],
      {
        submit: plain('Go'),
        notify_on_close: true,
      },
    );
    expect(validateView(view, 'modal')).toEqual([]);
  });
});

test('suggestions may be empty, but not both lists, and not too long a text', () => {
  expect(validateOptions({ options: [] })).toEqual([]);
  expect(validateOptions({ option_groups: [{ label: plain('Zones'), options: [option('a')] }] })).toEqual([]);
  expect(validateOptions({ options: [], option_groups: [] })).toHaveLength(1);
  expect(validateOptions({ options: [option('x'.repeat(151))] }).map((each) => each.pointer)).toEqual([
    '/options/0/text/text',
    '/options/0/value',
  ]);
});

test('tables and markdown do not count towards the text of all blocks', () => {
  expect(
    textLengthOf([section('x'.repeat(100)), table([[cell('x'.repeat(500))]]), { type: 'markdown', text: 'xx' }]),
  ).toBe(100);
});
