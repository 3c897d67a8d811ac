/** The interactive elements of blocks: where they sit, what they hold, and how Slack writes that into a payload. */

import { fileObject } from './files.ts';
import type { Slack } from './slack.ts';
import type { UiBlock, UiOption, UiOptionGroup, UiText, UiValue, UiValues } from './ui-types.ts';

/** An element of Block Kit, read loosely: what was let in has passed the validator. */
export interface Element {
  type: string;
  action_id: string;
  text?: UiText;
  value?: string;
  url?: string;
  style?: string;
  placeholder?: UiText;
  options?: UiOption[];
  option_groups?: UiOptionGroup[];
  initial_value?: unknown;
  initial_option?: UiOption;
  initial_options?: UiOption[];
  initial_date?: string;
  initial_time?: string;
  initial_date_time?: number;
  initial_user?: string;
  initial_users?: string[];
  initial_channel?: string;
  initial_channels?: string[];
  initial_conversation?: string;
  initial_conversations?: string[];
  min_query_length?: number;
  min_length?: number;
  max_length?: number;
  min_value?: string;
  max_value?: string;
  max_files?: number;
  filetypes?: string[];
  is_decimal_allowed?: boolean;
  multiline?: boolean;
  timezone?: string;
  confirm?: { title?: UiText; text: UiText; confirm?: UiText; deny?: UiText };
}

/** An element and the block around it. */
export interface Placed {
  block: UiBlock;
  element: Element;
}

/** Every element with an action id, in reading order. */
export function elementsOf(blocks: UiBlock[]): Placed[] {
  const placed: Placed[] = [];
  for (const block of blocks) {
    const candidates: unknown[] = [block.element, block.accessory];
    for (const list of [block.elements, block.actions]) if (Array.isArray(list)) candidates.push(...list);
    for (const candidate of candidates) if (isElement(candidate)) placed.push({ block, element: candidate });
    if (block.type === 'carousel' && Array.isArray(block.elements))
      placed.push(...elementsOf(block.elements as UiBlock[]));
    if (Array.isArray(block.child_blocks)) placed.push(...elementsOf(block.child_blocks as UiBlock[]));
  }
  return placed;
}

/** The element with these ids. */
export function findElement(blocks: UiBlock[], blockId: string, actionId: string): Placed | undefined {
  return elementsOf(blocks).find(({ block, element }) => block.block_id === blockId && element.action_id === actionId);
}

function isElement(candidate: unknown): candidate is Element {
  return typeof candidate === 'object' && candidate !== null && 'action_id' in candidate;
}

/** Tells elements that hold a value from buttons and overflow menus. */
export function holdsValue(element: Element): boolean {
  return !/^(button|overflow|feedback_buttons|icon_button|workflow_button)$/.test(element.type);
}

/** What holds one id or day: where it stands in the element, and in a payload. */
const ONE = {
  users_select: ['initial_user', 'selected_user'],
  channels_select: ['initial_channel', 'selected_channel'],
  conversations_select: ['initial_conversation', 'selected_conversation'],
  datepicker: ['initial_date', 'selected_date'],
  timepicker: ['initial_time', 'selected_time'],
} as const;
/** What holds several. */
const MANY = {
  multi_users_select: ['initial_users', 'selected_users'],
  multi_channels_select: ['initial_channels', 'selected_channels'],
  multi_conversations_select: ['initial_conversations', 'selected_conversations'],
} as const;

const isOneOption = (type: string) => /^(static_select|external_select|radio_buttons|overflow)$/.test(type);
const areOptions = (type: string) => type === 'checkboxes' || /^multi_(static|external)_select$/.test(type);

/** The value before anybody touched the element. */
function initialValueOf(element: Element): UiValue {
  const { type } = element;
  if (type in ONE) return element[ONE[type as keyof typeof ONE][0]] ?? null;
  if (type in MANY) return element[MANY[type as keyof typeof MANY][0]] ?? [];
  if (areOptions(type)) return (element.initial_options ?? []).map((option) => option.value);
  if (isOneOption(type)) return element.initial_option?.value ?? null;
  if (type === 'file_input') return [];
  if (type === 'datetimepicker') return element.initial_date_time?.toString() ?? null;
  return typeof element.initial_value === 'string' ? element.initial_value : null;
}

/** The values of all elements: kept where block and action id stayed, else what the blocks start with. */
export function valuesOf(blocks: UiBlock[], known: UiValues = {}): UiValues {
  const values: UiValues = {};
  for (const { block, element } of elementsOf(blocks)) {
    if (!holdsValue(element)) continue;
    const blockId = block.block_id ?? '';
    const kept = known[blockId]?.[element.action_id];
    values[blockId] = { ...values[blockId], [element.action_id]: kept === undefined ? initialValueOf(element) : kept };
  }
  return values;
}

/** `known` with `changes` over it; a change that names no element is left out. */
export function mergedValues(known: UiValues, changes: UiValues = {}): UiValues {
  const merged = structuredClone(known);
  for (const [blockId, actions] of Object.entries(changes)) {
    for (const [actionId, value] of Object.entries(actions)) {
      const block = merged[blockId];
      if (block && actionId in block) block[actionId] = value;
    }
  }
  return merged;
}

/** The options an element offers by itself, groups flattened. */
export function ownOptionsOf(element: Element): UiOption[] {
  return [...(element.options ?? []), ...(element.option_groups ?? []).flatMap((group) => group.options)];
}

/** The value as the payload has it: `{ type, selected_option: … }` and the like, without ids. */
export function payloadOf(slack: Slack, { block, element }: Placed, value: UiValue): Record<string, unknown> {
  const { type } = element;
  const one = typeof value === 'string' && value !== '' ? value : null;
  const many = Array.isArray(value) ? value : [];
  const option = (wanted: string): UiOption | undefined =>
    ownOptionsOf(element).find((each) => each.value === wanted) ??
    slack.suggested.get(`${block.block_id ?? ''} ${element.action_id} ${wanted}`) ??
    [element.initial_option, ...(element.initial_options ?? [])].find((each) => each?.value === wanted);

  if (type in MANY) return { type, [MANY[type as keyof typeof MANY][1]]: many };
  if (type in ONE) {
    const { timezone } = element;
    return { type, [ONE[type as keyof typeof ONE][1]]: one, ...(type === 'timepicker' && timezone && { timezone }) };
  }
  if (isOneOption(type)) return { type, selected_option: one === null ? null : (option(one) ?? null) };
  if (areOptions(type)) return { type, selected_options: many.map(option).filter((each) => each !== undefined) };
  if (type === 'datetimepicker') return { type, selected_date_time: one === null ? null : Number(one) };
  if (type === 'file_input') return { type, files: filesOf(slack, many) };
  if (type === 'rich_text_input') return { type, rich_text_value: one === null ? null : richTextOf(one) };
  return { type, value: one };
}

/** `state.values` of a payload. */
export function stateOf(slack: Slack, blocks: UiBlock[], values: UiValues): Record<string, unknown> {
  const state: Record<string, Record<string, unknown>> = {};
  for (const placed of elementsOf(blocks)) {
    if (!holdsValue(placed.element)) continue;
    const blockId = placed.block.block_id ?? '';
    const value = values[blockId]?.[placed.element.action_id] ?? null;
    state[blockId] = { ...state[blockId], [placed.element.action_id]: payloadOf(slack, placed, value) };
  }
  return { values: state };
}

/** The file objects of these ids; unknown ids are left out. */
function filesOf(slack: Slack, ids: string[]): Record<string, unknown>[] {
  return ids.flatMap((id) => {
    const file = slack.workspace.files.get(id);
    return file ? [fileObject(slack, file)] : [];
  });
}

function richTextOf(text: string): Record<string, unknown> {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
  };
}

/** The complaints of Slack's own client before it sends a form, by block id. */
export function clientErrorsOf(slack: Slack, blocks: UiBlock[], values: UiValues): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { block, element } of elementsOf(blocks)) {
    if (block.type !== 'input') continue;
    const value = values[block.block_id ?? '']?.[element.action_id] ?? null;
    const isEmpty = value === null || value.length === 0 || (typeof value === 'string' && value.trim() === '');
    const complaint = isEmpty
      ? block.optional === true
        ? undefined
        : 'Please complete this required field.'
      : typeof value === 'string'
        ? complaintOf(element, value)
        : fileComplaintOf(slack, element, value ?? []);
    if (complaint !== undefined) errors[block.block_id ?? ''] = complaint;
  }
  return errors;
}

function fileComplaintOf(slack: Slack, element: Element, ids: string[]): string | undefined {
  if (element.type !== 'file_input') return undefined;
  const most = element.max_files ?? 10;
  if (ids.length > most) return `Please upload at most ${most} file${most === 1 ? '' : 's'}.`;
  const types = element.filetypes;
  const stray = filesOf(slack, ids).find((file) => types && !types.includes(String(file.filetype)));
  return stray ? `This file type is not supported. Please upload: ${types?.join(', ')}.` : undefined;
}

function complaintOf(element: Element, value: string): string | undefined {
  const { type, min_length: min, max_length: max } = element;
  if (min !== undefined && value.length < min) return `Please enter at least ${min} characters.`;
  if (max !== undefined && value.length > max) return `Please enter at most ${max} characters.`;
  if (type === 'email_text_input' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value))
    return 'Please enter a valid email address.';
  if (type === 'url_text_input' && !URL.canParse(value)) return 'Please enter a valid URL.';
  if (type === 'number_input') {
    const number = Number(value);
    if (!Number.isFinite(number)) return 'Please enter a number.';
    if (!element.is_decimal_allowed && !Number.isInteger(number)) return 'Please enter a whole number.';
    if (element.min_value !== undefined && number < Number(element.min_value)) {
      return `Please enter a number greater than or equal to ${element.min_value}.`;
    }
    if (element.max_value !== undefined && number > Number(element.max_value)) {
      return `Please enter a number less than or equal to ${element.max_value}.`;
    }
  }
  return undefined;
}
