/** Every kind of block and element that the page draws, as a bot would send them. */
import type { AnyBlock, KnownBlock } from '@slack/types';

export const plain = (text: string) => ({ type: 'plain_text' as const, text, emoji: true });
export const mrkdwn = (text: string) => ({ type: 'mrkdwn' as const, text });
export const option = (label: string, value = label.toLowerCase(), description?: string) => ({
  text: plain(label),
  value,
  ...(description ? { description: plain(description) } : {}),
});

const confirm = {
  title: plain('Delete the app?'),
  text: mrkdwn('This deletes *checkout*. It cannot be undone.'),
  confirm: plain('Delete'),
  deny: plain('Keep it'),
  style: 'danger' as const,
};

/** Text in all its forms. */
export const textBlocks: KnownBlock[] = [
  { type: 'header', text: plain('Force SSL on shop.example :lock:') },
  {
    type: 'section',
    text: mrkdwn(
      'This is *bold*, _italic_, ~struck~, `code` and <https://edge.example/zones|a link>.\nSnake_case_words and 2*3*4 stay as they are. &lt;b&gt;not markup&lt;/b&gt; <script>alert(1)</script>\n> A quote over\n> two lines\n• first point\n• second point, which is long enough that it has to go around the end of the line and hang below its own first word\n```\ncurl -I https://shop.example\nHTTP/2 200\n```\nHello <@U0ADA000001>, see <#C0OPS000001>, on call <!subteam^S0ONCALL001>, on <!date^1792000000^{date_short} at {time}|a date>. :white_check_mark: :warning: :unknown_one:',
    ),
  },
  {
    type: 'section',
    text: mrkdwn('*Zone* `shop`'),
    fields: [
      mrkdwn('*Hostname*\nshop.example'),
      mrkdwn('*Certificate*\nvalid'),
      mrkdwn('*Now*\nForce SSL off'),
      mrkdwn('*After*\nForce SSL *on*'),
    ],
  },
  { type: 'divider' },
  {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'Rich text with ' },
          { type: 'text', text: 'bold', style: { bold: true } },
          { type: 'text', text: ' and ' },
          { type: 'text', text: 'code', style: { code: true } },
          { type: 'text', text: ' for ' },
          { type: 'user', user_id: 'U0BEN000002' },
          { type: 'text', text: ' ' },
          { type: 'emoji', name: 'rocket' },
        ],
      },
      {
        type: 'rich_text_list',
        style: 'bullet',
        elements: [
          { type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }] },
          { type: 'rich_text_section', elements: [{ type: 'text', text: 'two' }] },
        ],
      },
      {
        type: 'rich_text_list',
        style: 'ordered',
        indent: 1,
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'inner' }] }],
      },
      { type: 'rich_text_quote', elements: [{ type: 'text', text: 'Quoted.' }] },
      { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'select count(*)\nfrom orders;' }] },
    ],
  },
  {
    type: 'markdown',
    text: '## A Markdown heading\nWith **bold**, *italic*, ~~struck~~, `code` and [a link](https://edge.example).\n\n1. First\n2. Second\n   - inner\n- [x] done\n- [ ] open\n\n| Zone | Requests |\n|:--|--:|\n| shop | 12,345 |\n| blog | 678 |\n\n> A quote with **bold**\n\n```js\nconst a_b = 1;\n```',
  },
  { type: 'context', elements: [mrkdwn('Asked by <@U0ADA000001>'), mrkdwn('expires <!date^1792000000^{time}|soon>')] },
];

/** Everything that can be pressed or chosen in a message. */
export const elementBlocks: KnownBlock[] = [
  {
    type: 'section',
    block_id: 'overflowing',
    text: mrkdwn('*checkout* running in 3 regions'),
    accessory: {
      type: 'overflow',
      action_id: 'more',
      options: [option('Show volumes', 'volumes'), option('Restart', 'restart'), option('Delete', 'delete')],
    },
  },
  {
    type: 'actions',
    block_id: 'buttons',
    elements: [
      { type: 'button', action_id: 'run', style: 'primary', text: plain('Run it'), value: 'run' },
      { type: 'button', action_id: 'plain', text: plain('Not now'), value: 'no' },
      { type: 'button', action_id: 'delete', style: 'danger', text: plain('Delete app'), value: 'checkout', confirm },
    ],
  },
  {
    type: 'actions',
    block_id: 'choosers',
    elements: [
      {
        type: 'static_select',
        action_id: 'zone',
        placeholder: plain('Choose a zone'),
        options: ['Shop', 'Blog', 'Images', 'Docs', 'Status', 'Downloads', 'Video'].map((each) => option(each)),
      },
      { type: 'external_select', action_id: 'script', placeholder: plain('Find a script'), min_query_length: 1 },
      { type: 'datepicker', action_id: 'day', initial_date: '2026-11-20' },
      { type: 'timepicker', action_id: 'time', initial_time: '09:30' },
      { type: 'users_select', action_id: 'person', placeholder: plain('A person') },
    ],
  },
  {
    type: 'section',
    block_id: 'regions',
    text: mrkdwn('Which regions?'),
    accessory: {
      type: 'multi_static_select',
      action_id: 'regions',
      placeholder: plain('Choose regions'),
      options: [option('Frankfurt', 'de'), option('New York', 'ny'), option('Singapore', 'sg')],
      initial_options: [option('Frankfurt', 'de')],
    },
  },
  {
    type: 'section',
    block_id: 'checks',
    text: mrkdwn('What to purge?'),
    accessory: {
      type: 'checkboxes',
      action_id: 'what',
      options: [
        { text: mrkdwn('*HTML*'), value: 'html', description: plain('pages') },
        { text: mrkdwn('Images'), value: 'images' },
      ],
    },
  },
  {
    type: 'section',
    block_id: 'radios',
    text: mrkdwn('How?'),
    accessory: {
      type: 'radio_buttons',
      action_id: 'how',
      options: [option('Soft', 'soft'), option('Hard', 'hard')],
      initial_option: option('Soft', 'soft'),
    },
  },
  {
    type: 'card',
    block_id: 'card',
    title: mrkdwn('*Statistics*'),
    subtitle: mrkdwn('shop, last 30 days'),
    body: mrkdwn('Requests are up 12 % over the month before.'),
    actions: [{ type: 'button', action_id: 'card-open', text: plain('Open'), value: 'open' }],
  },
  {
    type: 'container',
    title: plain('Details of the request'),
    subtitle: plain('2 blocks'),
    is_collapsible: true,
    default_collapsed: false,
    child_blocks: [
      { type: 'section', text: mrkdwn('`PUT /pullzone/1/forcessl`') },
      { type: 'context', elements: [mrkdwn('204 in 31 ms')] },
    ],
  },
  {
    type: 'context_actions',
    elements: [
      {
        type: 'feedback_buttons',
        action_id: 'feedback',
        positive_button: { text: plain('Good'), value: 'good' },
        negative_button: { text: plain('Bad'), value: 'bad' },
      },
    ],
  },
];

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const series = (name: string, values: number[]) => ({
  name,
  data: days.map((label, at) => ({ label, value: values[at] ?? 0 })),
});

/** Two charts, as many as one message may have. */
export const chartBlocks: AnyBlock[] = [
  {
    type: 'data_visualization',
    title: 'Requests per day',
    chart: {
      type: 'bar',
      series: [
        series('2xx', [1200, 1900, 1700, 2100, 2500, 900, 800]),
        series('4xx', [130, 120, 190, 80, 240, 60, 70]),
        series('5xx', [3, 9, 4, 60, 12, 1, 0]),
      ],
      axis_config: { categories: days, y_label: 'Requests' },
    },
  } as AnyBlock,
  {
    type: 'data_visualization',
    title: 'Bandwidth',
    chart: {
      type: 'area',
      series: [series('Cached', [40.2, 52, 48, 61, 70, 33, 30]), series('Origin', [8, 9.5, 7, 14, 12, 6, 5])],
      axis_config: { categories: days, x_label: 'Day', y_label: 'GB' },
    },
  } as AnyBlock,
];

export const moreChartBlocks: AnyBlock[] = [
  {
    type: 'data_visualization',
    title: 'Cache shares',
    chart: {
      type: 'pie',
      segments: [
        { label: 'HIT', value: 8120 },
        { label: 'MISS', value: 1204 },
        { label: 'EXPIRED', value: 310 },
        { label: 'BYPASS', value: 92 },
      ],
    },
  } as AnyBlock,
  {
    type: 'data_visualization',
    title: 'Time to first byte',
    chart: {
      type: 'line',
      series: [
        {
          name: 'p95',
          data: Array.from({ length: 20 }, (_, at) => ({
            label: `2026-11-${String(at + 1).padStart(2, '0')}`,
            value: 80 + 40 * Math.sin(at / 2),
          })),
        },
      ],
      axis_config: {
        categories: Array.from({ length: 20 }, (_, at) => `2026-11-${String(at + 1).padStart(2, '0')}`),
        y_label: 'ms',
      },
    },
  } as AnyBlock,
];

export const tableBlocks: AnyBlock[] = [
  {
    type: 'data_table',
    caption: 'Top missing paths',
    page_size: 5,
    row_header_column_index: 0,
    rows: [
      [
        { type: 'raw_text', text: 'Path' },
        { type: 'raw_text', text: 'Requests' },
        { type: 'raw_text', text: 'Zone' },
      ],
      ...Array.from({ length: 12 }, (_, at) => [
        { type: 'raw_text', text: `/images/missing-${at + 1}.png` },
        { type: 'raw_number', value: (at * 37) % 101, text: String((at * 37) % 101) },
        { type: 'raw_text', text: ['shop', 'blog', 'docs'][at % 3] },
      ]),
    ],
  } as AnyBlock,
  {
    type: 'table',
    column_settings: [{}, { align: 'right' }, { is_wrapped: true }],
    rows: [
      [
        { type: 'raw_text', text: 'Limit' },
        { type: 'raw_text', text: 'Value' },
        { type: 'raw_text', text: 'Meaning' },
      ],
      [
        { type: 'raw_text', text: 'maxRequests' },
        { type: 'raw_number', value: 500, text: '500' },
        { type: 'raw_text', text: 'How many requests one address may send in a minute before it is asked to wait.' },
      ],
    ],
  } as AnyBlock,
];
