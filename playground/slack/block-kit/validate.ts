/** Complaints about blocks, messages and views, in the words and with the pointers of Slack's own validator. */

import {
  ELEMENTS,
  ELEMENTS_OF,
  element,
  imageBlock,
  imageElement,
  mrkdwn,
  plain,
  richText,
  suggestions,
  text,
  url,
} from './elements.ts';
import { readCharts, statisticsBlocks, textIn } from './figures.ts';
import { LIMITS } from './limits.ts';
import {
  all,
  boolean,
  byType,
  type Complaint,
  choice,
  type Fields,
  isFields,
  list,
  object,
  rule,
  type Shape,
  string,
  unsupported,
} from './shapes.ts';

export type { Complaint } from './shapes.ts';

/** Where blocks are shown. */
export type Surface = 'message' | 'modal' | 'home';

const block: Record<string, Shape> = { type: string(LIMITS.id), 'block_id?': string(LIMITS.id) };
const rich = richText(block);

const section = object(
  {
    ...block,
    'text?': text(LIMITS.text),
    'fields?': list(text(LIMITS.field), LIMITS.fields),
    'accessory?': element(ELEMENTS_OF.accessory),
    'expand?': boolean,
  },
  rule((value) => value.text !== undefined || value.fields !== undefined, 'missing required field: text or fields'),
);

const card = object(
  {
    ...block,
    'hero_image?': imageElement,
    'icon?': imageElement,
    'title?': mrkdwn(LIMITS.cardTitle),
    'subtitle?': mrkdwn(LIMITS.cardTitle),
    'body?': mrkdwn(LIMITS.cardBody),
    'actions?': list(byType({ button: ELEMENTS.button! }), LIMITS.cardActions),
  },
  rule(
    (value) => [value.hero_image, value.title, value.actions, value.body].some((each) => each !== undefined),
    'must provide at least one of hero_image, title, actions or body',
  ),
);

const taskCard = object({
  ...block,
  task_id: string(LIMITS.id),
  title: string(LIMITS.text),
  'details?': rich,
  'output?': rich,
  'sources?': list(object({ type: choice('url'), url, text: string(LIMITS.text) }), 100, 0),
  status: choice('pending', 'in_progress', 'complete', 'error'),
});

/** Blocks that may also be children of a container. */
const PLAIN_BLOCKS: Record<string, Shape> = {
  actions: object({ ...block, elements: list(element(ELEMENTS_OF.actions), LIMITS.actions) }),
  context: object({ ...block, elements: list(element(ELEMENTS_OF.context), LIMITS.context) }),
  divider: object(block),
  file: object({ ...block, source: choice('remote'), external_id: string(LIMITS.id) }),
  header: object({ ...block, text: plain(LIMITS.header) }),
  image: imageBlock(block),
  input: object({
    ...block,
    label: plain(LIMITS.inputLabel),
    'hint?': plain(LIMITS.inputHint),
    'optional?': boolean,
    element: element(ELEMENTS_OF.input),
    'dispatch_action?': boolean,
  }),
  rich_text: rich,
  section,
  table: statisticsBlocks(block, rich).table!,
  video: object({
    ...block,
    video_url: url,
    thumbnail_url: url,
    alt_text: string(LIMITS.altText),
    title: plain(LIMITS.videoTitle),
    'title_url?': url,
    'author_name?': string(LIMITS.videoAuthor),
    'provider_name?': string(LIMITS.videoAuthor),
    'provider_icon_url?': url,
    'description?': plain(LIMITS.videoTitle),
  }),
};

const BLOCKS: Record<string, Shape> = {
  ...PLAIN_BLOCKS,
  ...statisticsBlocks(block, rich),
  card,
  carousel: object({ ...block, elements: list(byType({ card }), LIMITS.carousel) }),
  markdown: object({ ...block, text: string(LIMITS.markdown) }),
  alert: object({
    ...block,
    text: text(LIMITS.alert),
    'level?': choice('default', 'info', 'warning', 'error', 'success'),
  }),
  context_actions: object({ ...block, elements: list(element(ELEMENTS_OF.contextActions), LIMITS.contextActions) }),
  task_card: taskCard,
  plan: object({ ...block, title: string(LIMITS.text), 'tasks?': list(byType({ task_card: taskCard }), 50, 0) }),
  container: object(
    {
      ...block,
      'title?': plain(LIMITS.containerTitle),
      'rich_text_title?': byType({ rich_text: rich }),
      'subtitle?': text(LIMITS.containerTitle),
      child_blocks: list(byType(PLAIN_BLOCKS), LIMITS.containerBlocks),
      'width?': choice('narrow', 'standard', 'wide', 'full'),
      'icon?': imageElement,
      'is_collapsible?': boolean,
      'default_collapsed?': boolean,
      'has_header_divider?': boolean,
    },
    all(
      rule(
        (value) => value.title !== undefined || value.rich_text_title !== undefined,
        'missing required field: title',
      ),
      rule(
        (value) => value.default_collapsed !== true || value.is_collapsible === true,
        'requires is_collapsible',
        '/default_collapsed',
      ),
    ),
  ),
};

/** Blocks that are not for every surface; the others are. */
const SURFACES: Record<string, Surface[]> = {
  file: ['message'],
  markdown: ['message'],
  context_actions: ['message'],
  table: ['message'],
  data_table: ['message'],
  data_visualization: ['message'],
  plan: ['message'],
  task_card: ['message'],
  container: ['message'],
  carousel: ['message', 'home'],
  alert: ['modal'],
};

function blocksOf(surface: Surface, max: number, min: number): Shape {
  const one: Shape = (value, at) => {
    const type = isFields(value) ? value.type : undefined;
    const surfaces = typeof type === 'string' ? SURFACES[type] : undefined;
    if (typeof type === 'string' && surfaces && !surfaces.includes(surface)) return [unsupported(type, at)];
    return byType(BLOCKS)(value, at);
  };
  return all(list(one, max, min), uniqueIds);
}

/** Block ids are unique on a surface, action ids within their block. */
const uniqueIds: Shape = (value, at) => {
  if (!Array.isArray(value)) return [];
  const complaints = repeated(value, 'block_id', at);
  for (const [index, each] of value.entries()) {
    if (!isFields(each)) continue;
    if (Array.isArray(each.elements))
      complaints.push(...repeated(each.elements, 'action_id', `${at}/${index}/elements`));
    if (Array.isArray(each.child_blocks))
      complaints.push(...uniqueIds(each.child_blocks, `${at}/${index}/child_blocks`));
  }
  return complaints;
};

function repeated(items: unknown[], name: string, at: string): Complaint[] {
  const seen = new Set<unknown>();
  return items.flatMap((item, index) => {
    const id = isFields(item) ? item[name] : undefined;
    if (id === undefined) return [];
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew
      ? []
      : [{ pointer: `${at}/${index}/${name}`, code: 'duplicate', message: `${name} ${id} already exists` }];
  });
}

/** Complaints about a message's blocks and attachments. */
export function validateMessage(message: { text?: unknown; blocks?: unknown; attachments?: unknown }): Complaint[] {
  const blocks = message.blocks ?? [];
  const complaints = blocksOf('message', LIMITS.messageBlocks, 0)(blocks, '/blocks');
  complaints.push(...list(isAttachment, LIMITS.attachments, 0)(message.attachments ?? [], '/attachments'));
  if (complaints.length > 0 || !Array.isArray(blocks)) return complaints;
  return totalsOf(blocks.filter(isFields));
}

const isAttachment: Shape = (value, at) => {
  if (!isFields(value)) return [{ pointer: at, code: 'invalid_type', message: 'must provide an object' }];
  return value.blocks === undefined ? [] : blocksOf('message', LIMITS.messageBlocks, 0)(value.blocks, `${at}/blocks`);
};

/** Limits that count over a whole message. */
function totalsOf(blocks: Fields[]): Complaint[] {
  const nested = blocks.flatMap((each) => [
    each,
    ...(Array.isArray(each.child_blocks) ? each.child_blocks.filter(isFields) : []),
  ]);
  const total = (type: string): number =>
    nested.filter((each) => each.type === type).reduce((sum, each) => sum + textIn(each), 0);
  const complain = (message: string): Complaint => ({ pointer: '/blocks', code: 'total', message });
  const complaints: Complaint[] = [];
  if (total('markdown') > LIMITS.markdown) {
    complaints.push(complain(`markdown blocks must be less than ${LIMITS.markdown + 1} characters together`));
  }
  if (total('table') > LIMITS.tableText) {
    complaints.push(complain(`table blocks must be less than ${LIMITS.tableText + 1} characters together`));
  }
  if (total('data_table') > LIMITS.dataTableText) {
    complaints.push(complain(`data_table blocks must be less than ${LIMITS.dataTableText + 1} characters together`));
  }
  if (nested.filter((each) => each.type === 'table').length > 1) complaints.push(complain('only_one_table_allowed'));
  if (readCharts(nested) > LIMITS.charts) complaints.push(complain(`no more than ${LIMITS.charts} charts allowed`));
  return complaints;
}

const viewFields: Record<string, Shape> = {
  type: choice('modal', 'home'),
  'private_metadata?': string(LIMITS.privateMetadata, 0),
  'callback_id?': string(LIMITS.id, 0),
  'external_id?': string(LIMITS.id, 0),
};
const VIEWS: Record<'modal' | 'home', Shape> = {
  modal: object({
    ...viewFields,
    title: plain(LIMITS.viewTitle),
    'submit?': plain(LIMITS.viewButton),
    'close?': plain(LIMITS.viewButton),
    'clear_on_close?': boolean,
    'notify_on_close?': boolean,
    'submit_disabled?': boolean,
    blocks: blocksOf('modal', LIMITS.viewBlocks, 0),
  }),
  home: object({ ...viewFields, blocks: blocksOf('home', LIMITS.viewBlocks, 0) }),
};

/** Complaints about a view; pointers begin with `/view`. */
export function validateView(view: unknown, type: 'modal' | 'home'): Complaint[] {
  const complaints = VIEWS[type](view, '/view');
  if (complaints.length > 0 || !isFields(view) || !Array.isArray(view.blocks)) return complaints;
  const complain = (code: string, message: string, pointer = '/view'): Complaint => ({ pointer, code, message });
  const inputs = view.blocks.filter((each) => isFields(each) && each.type === 'input');
  if (view.type !== type) complaints.push(complain('enum', `must be a ${type}`, '/view/type'));
  if (type === 'modal' && inputs.length > 0 && view.submit === undefined) {
    complaints.push(complain('required', 'missing required field: submit'));
  }
  const focused = inputs.filter(
    (each) => isFields(each) && isFields(each.element) && each.element.focus_on_load === true,
  );
  if (focused.length > 1)
    complaints.push(complain('invalid', 'only one element may have focus_on_load', '/view/blocks'));
  if (Buffer.byteLength(JSON.stringify(view)) > LIMITS.viewBytes) {
    complaints.push(complain('view_too_large', `must be less than ${LIMITS.viewBytes + 1} bytes`));
  }
  return complaints;
}

/** Complaints about the answer to a suggestion request. */
export function validateOptions(answer: unknown): Complaint[] {
  return suggestions(answer, '');
}

/** The rest of an `invalid_blocks` answer. */
export function invalidBlocks(complaints: Complaint[]): Record<string, unknown> {
  const errors = complaints.map(({ pointer, message }) => `${message} [json-pointer:${pointer}]`);
  return { errors, response_metadata: { messages: errors.map((error) => `[ERROR] ${error}`) } };
}

/** The rest of an answer that refuses a view. */
export function viewProblem(complaints: Complaint[]): Record<string, unknown> {
  return {
    response_metadata: {
      messages: complaints.map(({ pointer, message }) => `[ERROR] ${message} [json-pointer:${pointer}]`),
    },
  };
}

/** The characters of all texts in the blocks that count towards `msg_blocks_too_long`. */
export function textLengthOf(blocks: unknown): number {
  // These have totals of their own.
  const own = new Set(['markdown', 'table', 'data_table', 'data_visualization']);
  const counted = Array.isArray(blocks) ? blocks.filter((each) => !(isFields(each) && own.has(String(each.type)))) : [];
  return textIn(counted);
}
