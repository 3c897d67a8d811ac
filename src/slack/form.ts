import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import { BUTTONS, plainText } from '../blocks/buttons.ts';
import { LIMITS, shorten } from '../blocks/limits.ts';
import { type Message, section } from '../blocks/message.ts';
import { code, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import { flagNameOf } from '../operations/grammar.ts';
import type { AnyOperation, ArgumentKind, Given, Option } from '../operations/operation.ts';
import { slash } from '../own-name.ts';
import { dayOf } from '../time.ts';
import type { Origin, SlackUser } from './services.ts';

export const CALLBACKS = { form: 'form', confirm: 'confirm', reason: 'reason', closed: 'closed' } as const;

export type ReasonPurpose = 'request' | 'reject' | 'glass';

/** What a view remembers from its opening to its submission. */
export interface ViewMemory {
  operation: string;
  channel: string;
  thread?: string | undefined;
  responseUrl?: string | undefined;
  /** Arguments that a form cannot show again: files. */
  given?: Given | undefined;
  confirmation?: string | undefined;
  typedName?: string | undefined;
  /** Closing the view does not cancel, because the button that opened it stays. */
  keep?: boolean | undefined;
  /** `approve` asks for no reason. */
  purpose?: ReasonPurpose | 'approve' | undefined;
}

const NOTHING: ViewMemory = { operation: '', channel: '' };

export function memoryOf({ private_metadata: kept }: { private_metadata?: string | undefined }): ViewMemory {
  try {
    const memory = JSON.parse(kept || '{}');
    return typeof memory?.operation === 'string' && typeof memory.channel === 'string' ? memory : NOTHING;
  } catch {
    return NOTHING;
  }
}

function metadataOf(memory: ViewMemory): string {
  // Metadata is limited, and the response URL is only a convenience.
  const { responseUrl, ...needed } = memory;
  const texts = [memory, needed, { ...needed, given: undefined }].map((one) => JSON.stringify(one));
  return texts.find((text) => text.length <= LIMITS.privateMetadata) ?? '';
}

export function memoryFor(operation: AnyOperation, { place, responseUrl }: Origin): ViewMemory {
  return { operation: operation.name, channel: place.channelId, thread: place.threadTs, responseUrl };
}

export const originOf = ({ channel, thread, responseUrl }: ViewMemory, person: SlackUser): Origin => ({
  ...person,
  place: { channelId: channel, ...(thread === undefined ? {} : { threadTs: thread }) },
  responseUrl,
});

export function titleOf({ name, title }: AnyOperation): string {
  return shorten(title ?? `${name[0]?.toUpperCase()}${name.slice(1)}`, LIMITS.title);
}

export function buildForm(
  operation: AnyOperation,
  given: Given,
  memory: Omit<ViewMemory, 'operation' | 'given'>,
  problem?: Message,
): ModalView {
  const inputs = Object.entries(operation.args).map(([key, kind]) => inputOf(key, kind, given[key]));
  const blocks = [
    ...(problem === undefined ? [] : [...problem.blocks, { type: 'divider' } as const]),
    ...section(mrkdwn`${operation.summary}\n${code(slash(operation.name))}`).blocks,
    ...inputs,
  ];
  const submit = operation.effect === 'read' ? 'Show' : 'Preview';
  // Slack’s file input cannot be prefilled.
  const files = Object.entries(given).filter(([key]) => operation.args[key]?.field.type === 'file');
  const remembered = { ...memory, operation: operation.name, given: Object.fromEntries(files) };
  return buildModal(CALLBACKS.form, titleOf(operation), submit, remembered, blocks);
}

function buildModal(
  callback_id: string,
  title: string,
  submit: string,
  memory: ViewMemory,
  blocks: ModalView['blocks'],
): ModalView {
  return {
    type: 'modal',
    callback_id,
    title: plainText(title, LIMITS.title),
    submit: plainText(submit, LIMITS.title),
    close: plainText(BUTTONS.cancel.label, LIMITS.title),
    private_metadata: metadataOf(memory),
    blocks,
  };
}

function inputOf(key: string, kind: ArgumentKind<unknown>, given: string | undefined): InputBlock {
  const { field } = kind;
  const filled = field.type === 'file' && given !== undefined;
  const isTooLong = given !== undefined && given.length > LIMITS.plainTextInput;
  const element = elementOf(key, kind, given === '' || isTooLong ? undefined : given);
  const more = noteOn(given ?? '', field.type, element);
  const hint = [
    // The note follows the hint, so the hint needs a full stop.
    more !== undefined && kind.hint !== undefined ? kind.hint.replace(/\.?$/, '.') : kind.hint,
    more,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
  return {
    type: 'input',
    block_id: key,
    label: plainText(kind.label, LIMITS.label),
    optional: !kind.required || filled,
    ...(hint === '' ? {} : { hint: plainText(hint, LIMITS.label) }),
    element,
  };
}

/** A value that does not fit its field is quoted under it. A part of it would be another value. */
function noteOn(given: string, type: ArgumentKind<unknown>['field']['type'], element: InputBlock['element']) {
  const isShown = Object.keys(element).some((name) => name.startsWith('initial_'));
  if (given === '' || isShown || (type === 'checkbox' && given === 'false')) return undefined;
  if (type === 'file') return 'You already gave a file; choose another one to replace it.';
  return given.length > LIMITS.plainTextInput
    ? `What you gave is too long for a form: ${given.length} characters. Paste it again or type it.`
    : `You gave “${given}”, which is not valid here.`;
}

/** Slack refuses undefined fields. */
const known = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

function elementOf(key: string, kind: ArgumentKind<unknown>, given: string | undefined): InputBlock['element'] {
  const { field } = kind;
  const action_id = flagNameOf(key);
  switch (field.type) {
    case 'number': {
      const [min_value, max_value] = [field.minimum?.toString(), field.maximum?.toString()];
      const initial_value = isNumberWithin(given, field) ? given : undefined;
      const fields = known({ min_value, max_value, initial_value });
      return { type: 'number_input', action_id, is_decimal_allowed: false, ...fields };
    }
    case 'select': {
      const options = field.options.slice(0, LIMITS.options).map(optionOf);
      const initial_option = options.find(({ value }) => value?.toLowerCase() === given?.toLowerCase());
      return { type: 'static_select', action_id, options, ...known({ initial_option }) };
    }
    case 'suggest':
      return suggestElement(action_id, field.placeholder, given);
    case 'date':
      // Slack refuses a form with an impossible date, so that one is shown as text.
      return given === undefined || isDay(given)
        ? { type: 'datepicker', action_id, ...known({ initial_date: given }) }
        : { type: 'plain_text_input', action_id, initial_value: given.slice(0, LIMITS.plainTextInput) };
    case 'channel': {
      const initial_conversation = /^[CGD][A-Z0-9]{6,20}$/.exec(given ?? '')?.[0];
      const select = { type: 'conversations_select', action_id, default_to_current_conversation: true } as const;
      return { ...select, ...known({ initial_conversation }) };
    }
    case 'checkbox': {
      const option = optionOf({ label: field.label, value: 'true' });
      const initial_options = given === 'true' ? ([option] as [PlainTextOption]) : undefined;
      return { type: 'checkboxes', action_id, options: [option], ...known({ initial_options }) };
    }
    case 'file':
      return { type: 'file_input', action_id, max_files: 1, ...known({ filetypes: field.extensions?.slice() }) };
    default: {
      // A text that is too long is shown whole, so that it can be shortened.
      const longest = Math.max(field.maxLength ?? LIMITS.plainTextInput, given?.length ?? 0);
      const placeholder =
        field.placeholder === undefined ? undefined : plainText(field.placeholder, LIMITS.placeholder);
      return {
        type: 'plain_text_input',
        action_id,
        max_length: Math.min(longest, LIMITS.plainTextInput),
        ...known({ multiline: field.multiline || undefined, placeholder, initial_value: given }),
      };
    }
  }
}

function suggestElement(
  action_id: string,
  placeholder = 'Name or id',
  given: string | undefined,
): InputBlock['element'] {
  if (given !== undefined && given.length > LIMITS.optionValue)
    return { type: 'plain_text_input', action_id, initial_value: given };
  return {
    type: 'external_select',
    action_id,
    min_query_length: 0,
    placeholder: plainText(placeholder, LIMITS.placeholder),
    ...(given === undefined ? {} : { initial_option: optionOf({ label: given, value: given }) }),
  };
}

function isNumberWithin(text: string | undefined, bounds: { minimum?: number; maximum?: number }): text is string {
  if (text === undefined || !/^-?\d{1,15}$/.test(text)) return false;
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = bounds;
  return Number(text) >= minimum && Number(text) <= maximum;
}

function isDay(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  return dayOf(Number(year), Number(month), Number(day)) !== undefined;
}

export function optionOf({ label, value, description }: Option): PlainTextOption {
  return {
    text: plainText(label === '' ? value : label, LIMITS.optionText),
    value,
    ...(description ? { description: plainText(description, LIMITS.optionText) } : {}),
  };
}

/** Leaves out values that are empty or too long for an option. A part of one would be another value. */
export function optionsOf(options: readonly Option[]): PlainTextOption[] {
  return options
    .filter(({ value }) => value.trim() !== '' && value.length <= LIMITS.optionValue)
    .slice(0, LIMITS.options)
    .map(optionOf);
}

export interface InputState {
  value?: string | null | undefined;
  selected_option?: { value: string } | null | undefined;
  selected_options?: { value: string }[] | undefined;
  selected_date?: string | null | undefined;
  selected_conversation?: string | null | undefined;
  files?: { id: string }[] | undefined;
}

export function givenOf(
  operation: AnyOperation,
  values: Readonly<Record<string, Readonly<Record<string, InputState>>>>,
  memory: ViewMemory,
): Given {
  const given: Record<string, string> = { ...memory.given };
  for (const key of Object.keys(operation.args)) {
    const state = Object.values(values[key] ?? {})[0];
    const text =
      state?.value ??
      state?.selected_option?.value ??
      state?.selected_date ??
      state?.selected_conversation ??
      state?.selected_options?.[0]?.value ??
      state?.files?.[0]?.id;
    if (text !== undefined && text !== null && text !== '') given[key] = text;
  }
  return given;
}

/** Opened at once and filled later, because a trigger lives three seconds. */
export function buildWorkingView(title: string, text: string): ModalView {
  return {
    type: 'modal',
    title: plainText(title, LIMITS.title),
    close: plainText('Close', LIMITS.title),
    blocks: section(text).blocks,
  };
}

/** `memory`: where the view was opened, for its buttons. */
export function buildShownView(title: string, shown: Message, memory?: ViewMemory): ModalView {
  const kept = memory === undefined ? {} : { private_metadata: metadataOf(memory) };
  return { ...buildWorkingView(title, ''), callback_id: CALLBACKS.closed, ...kept, blocks: shown.blocks };
}

/** Approves by its submit button, because other buttons cannot close a view. */
export function buildDecisionView(
  title: string,
  shown: Message,
  memory: ViewMemory & { confirmation: string },
): ModalView {
  const view = buildShownView(title, shown, { ...memory, purpose: 'approve', keep: true });
  return { ...view, submit: plainText(BUTTONS.approve.label, LIMITS.title) };
}

export function buildConfirmView(
  operation: AnyOperation,
  submit: string,
  preview: Message,
  memory: ViewMemory & { confirmation: string },
): ModalView {
  const blocks = [...preview.blocks, ...nameInput(memory)];
  const modal = buildModal(CALLBACKS.confirm, titleOf(operation), submit, memory, blocks);
  return { ...modal, notify_on_close: true };
}

const nameInput = ({ typedName }: ViewMemory): InputBlock[] =>
  typedName === undefined
    ? []
    : [
        {
          type: 'input',
          block_id: 'name',
          label: plainText('Type the name to confirm', LIMITS.label),
          hint: plainText(typedName, LIMITS.label),
          element: { type: 'plain_text_input', action_id: 'name', max_length: LIMITS.plainTextInput },
        },
      ];

/** Closing it cancels the request. */
export function buildRequestView(memory: ViewMemory, optional: boolean, preview: Message): ModalView {
  const asking = buildReasonView('request', memory, optional);
  return { ...asking, blocks: [...preview.blocks, ...asking.blocks], notify_on_close: true };
}

/** `about`: what the reason is for, and the label of the button. */
export function buildReasonView(
  purpose: ReasonPurpose,
  memory: ViewMemory,
  optional: boolean,
  about?: { title: Words; button?: string },
): ModalView {
  const { title, label, submit } = {
    request: { title: 'Ask for approval', label: 'Why? The approvers read it.', submit: 'Ask' },
    reject: { title: 'Reject', label: 'Why? The requester reads it.', submit: 'Reject' },
    glass: { title: 'Break glass', label: 'Why without approval? Everybody reads it.', submit: 'Do it' },
  }[purpose];
  const reason: InputBlock = {
    type: 'input',
    block_id: 'reason',
    label: plainText(label, LIMITS.label),
    optional,
    element: { type: 'plain_text_input', action_id: 'reason', multiline: true, max_length: 500 },
  };
  const above = about === undefined ? [] : section(about.title).blocks;
  const inputs = [reason, ...nameInput(memory)];
  return buildModal(CALLBACKS.reason, title, about?.button ?? submit, { ...memory, purpose }, [...above, ...inputs]);
}
