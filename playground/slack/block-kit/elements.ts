/** The shapes of Block Kit's elements and composition objects. */

import { LIMITS } from './limits.ts';
import {
  all,
  boolean,
  byType,
  choice,
  type Fields,
  format,
  integer,
  isFields,
  list,
  number,
  object,
  rule,
  type Shape,
  string,
} from './shapes.ts';

const type = string(LIMITS.id);

/** A `plain_text` object. */
export function plain(max: number): Shape {
  return byType({ plain_text: object({ type, text: string(max), 'emoji?': boolean }) });
}

/** A `mrkdwn` object. */
export function mrkdwn(max: number): Shape {
  return byType({ mrkdwn: object({ type, text: string(max), 'verbatim?': boolean }) });
}

/** Either of the two. */
export function text(max: number): Shape {
  return byType({
    plain_text: object({ type, text: string(max), 'emoji?': boolean }),
    mrkdwn: object({ type, text: string(max), 'verbatim?': boolean }),
  });
}

/** An address with its scheme. */
export const url: Shape = all(string(LIMITS.url), format(/^[a-z][a-z0-9+.-]*:\S+$/i, 'must provide a valid url'));
const style = choice('primary', 'danger');

const confirm = object({
  'title?': plain(LIMITS.confirmTitle),
  text: text(LIMITS.confirmText),
  'confirm?': plain(LIMITS.confirmButton),
  'deny?': plain(LIMITS.confirmButton),
  'style?': style,
});

const slackFile = object(
  { 'id?': string(LIMITS.id), 'url?': url },
  rule((file) => (file.id === undefined) !== (file.url === undefined), 'must provide either id or url'),
);
const onePicture = rule(
  (image) => (image.image_url === undefined) !== (image.slack_file === undefined),
  'must provide either image_url or slack_file',
);

/** The fields of every picture. */
const imageFields: Record<string, Shape> = {
  type,
  'image_url?': url,
  'slack_file?': slackFile,
  alt_text: string(LIMITS.altText),
};
/** The `image` element. */
export const imageElement = object(imageFields, onePicture);
/** The `image` block around the fields of every block. */
export const imageBlock = (block: Record<string, Shape>): Shape =>
  object({ ...block, ...imageFields, 'title?': plain(LIMITS.imageTitle) }, onePicture);

/** Options of selects and overflow menus are plain text; those of checkboxes and radio buttons may be mrkdwn. */
const option = (label: Shape): Shape =>
  object({
    text: label,
    value: string(LIMITS.optionValue),
    'description?': text(LIMITS.optionDescription),
    'url?': url,
  });
const plainOption = option(plain(LIMITS.optionText));
const anyOption = option(text(LIMITS.optionText));
const group = object({ label: plain(LIMITS.groupLabel), options: list(plainOption, LIMITS.options) });

/** The lists that answer a suggestion request; they may be empty. */
export const suggestions = object(
  { 'options?': list(plainOption, LIMITS.options, 0), 'option_groups?': list(group, LIMITS.groups, 0) },
  rule(
    (answer) => (answer.options === undefined) !== (answer.option_groups === undefined),
    'must provide either options or option_groups',
  ),
);

const actionable = { type, 'action_id?': string(LIMITS.id) };
const confirmable = { ...actionable, 'confirm?': confirm };
const focusable = { ...confirmable, 'focus_on_load?': boolean };
const withPlaceholder = { ...focusable, 'placeholder?': plain(LIMITS.placeholder) };
const dispatchConfig = object({
  'trigger_actions_on?': list(choice('on_enter_pressed', 'on_character_entered'), 2),
});
const typed = {
  ...actionable,
  'focus_on_load?': boolean,
  'placeholder?': plain(LIMITS.placeholder),
  'dispatch_action_config?': dispatchConfig,
};
const ids = list(string(LIMITS.id), LIMITS.options, 0);
const filter = object({
  'include?': list(choice('im', 'mpim', 'private', 'public'), 4),
  'exclude_external_shared_channels?': boolean,
  'exclude_bot_users?': boolean,
});
const date = format(/^\d{4}-\d{2}-\d{2}$/, 'must provide a date as YYYY-MM-DD');
const time = format(/^([01]\d|2[0-3]):[0-5]\d$/, 'must provide a time as HH:mm');

function optionsOf(element: Fields): Fields[] {
  const groups = Array.isArray(element.option_groups) ? element.option_groups.filter(isFields) : [];
  const lists = [element.options, ...groups.map((each) => each.options)];
  return lists.flatMap((each) => (Array.isArray(each) ? each.filter(isFields) : []));
}

const sameOption = (a: unknown, b: Fields): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const sorted = (value: unknown): unknown =>
  isFields(value)
    ? Object.fromEntries(
        Object.entries(value)
          .sort()
          .map(([name, each]) => [name, sorted(each)]),
      )
    : value;

/** Initial options must be among the options, word for word. */
const initialIsKnown: Shape = all(
  rule(
    (element) =>
      element.initial_option === undefined ||
      optionsOf(element).some((each) => sameOption(element.initial_option, each)),
    'must be one of the provided options',
    '/initial_option',
  ),
  rule(
    (element) =>
      !Array.isArray(element.initial_options) ||
      element.initial_options.every((initial) => optionsOf(element).some((each) => sameOption(initial, each))),
    'must be one of the provided options',
    '/initial_options',
  ),
);
const eitherOptions = rule(
  (element) => (element.options === undefined) !== (element.option_groups === undefined),
  'must provide either options or option_groups',
);
const optionLists = { 'options?': list(plainOption, LIMITS.options), 'option_groups?': list(group, LIMITS.groups) };
const most = { 'max_selected_items?': integer(1) };
const feedback = object({
  text: plain(LIMITS.buttonText),
  'accessibility_label?': string(LIMITS.accessibilityLabel),
  value: string(LIMITS.buttonValue),
});

/** Every element by its type. */
export const ELEMENTS: Record<string, Shape> = {
  image: imageElement,
  button: object({
    ...confirmable,
    text: plain(LIMITS.buttonText),
    'value?': string(LIMITS.buttonValue),
    'url?': url,
    'style?': style,
    'accessibility_label?': string(LIMITS.accessibilityLabel),
  }),
  overflow: object({ ...confirmable, options: list(plainOption, LIMITS.overflow) }),
  checkboxes: object(
    { ...focusable, options: list(anyOption, LIMITS.choices), 'initial_options?': list(anyOption, LIMITS.choices) },
    initialIsKnown,
  ),
  radio_buttons: object(
    { ...focusable, options: list(anyOption, LIMITS.choices), 'initial_option?': anyOption },
    initialIsKnown,
  ),
  static_select: object(
    { ...withPlaceholder, ...optionLists, 'initial_option?': plainOption },
    all(eitherOptions, initialIsKnown),
  ),
  multi_static_select: object(
    { ...withPlaceholder, ...optionLists, ...most, 'initial_options?': list(plainOption, LIMITS.options) },
    all(eitherOptions, initialIsKnown),
  ),
  external_select: object({ ...withPlaceholder, 'initial_option?': plainOption, 'min_query_length?': integer(0) }),
  multi_external_select: object({
    ...withPlaceholder,
    ...most,
    'initial_options?': list(plainOption, LIMITS.options),
    'min_query_length?': integer(0),
  }),
  users_select: object({ ...withPlaceholder, 'initial_user?': string(LIMITS.id) }),
  multi_users_select: object({ ...withPlaceholder, ...most, 'initial_users?': ids }),
  channels_select: object({
    ...withPlaceholder,
    'initial_channel?': string(LIMITS.id),
    'response_url_enabled?': boolean,
  }),
  multi_channels_select: object({ ...withPlaceholder, ...most, 'initial_channels?': ids }),
  conversations_select: object({
    ...withPlaceholder,
    'initial_conversation?': string(LIMITS.id),
    'default_to_current_conversation?': boolean,
    'response_url_enabled?': boolean,
    'filter?': filter,
  }),
  multi_conversations_select: object({
    ...withPlaceholder,
    ...most,
    'initial_conversations?': ids,
    'default_to_current_conversation?': boolean,
    'filter?': filter,
  }),
  datepicker: object({ ...withPlaceholder, 'initial_date?': date }),
  timepicker: object({ ...withPlaceholder, 'initial_time?': time, 'timezone?': string(LIMITS.id) }),
  datetimepicker: object({ ...focusable, 'initial_date_time?': integer(1_000_000_000, 9_999_999_999) }),
  plain_text_input: object({
    ...typed,
    'initial_value?': string(LIMITS.inputText, 0),
    'multiline?': boolean,
    'min_length?': integer(0, LIMITS.inputText),
    'max_length?': integer(1, LIMITS.inputText),
  }),
  email_text_input: object({ ...typed, 'initial_value?': string(LIMITS.inputText, 0) }),
  url_text_input: object({ ...typed, 'initial_value?': string(LIMITS.inputText, 0) }),
  number_input: object({
    ...typed,
    is_decimal_allowed: boolean,
    'initial_value?': string(LIMITS.inputText),
    'min_value?': string(LIMITS.inputText),
    'max_value?': string(LIMITS.inputText),
  }),
  rich_text_input: object({
    ...typed,
    'initial_value?': byType({ rich_text: richText({ type, 'block_id?': string(LIMITS.id) }) }),
    'min_lines?': integer(1),
    'max_lines?': integer(1),
  }),
  file_input: object({
    ...actionable,
    'filetypes?': list(string(LIMITS.id), 100),
    'max_files?': integer(1, LIMITS.files),
  }),
  workflow_button: object({
    ...confirmable,
    text: plain(LIMITS.buttonText),
    workflow: object({ trigger: object({ url, 'customizable_input_parameters?': list(isObject(), 100) }) }),
    'style?': style,
    'accessibility_label?': string(LIMITS.accessibilityLabel),
  }),
  feedback_buttons: object({ ...actionable, positive_button: feedback, negative_button: feedback }),
  icon_button: object({
    ...confirmable,
    icon: choice('trash'),
    text: plain(LIMITS.buttonText),
    'accessibility_label?': string(LIMITS.accessibilityLabel),
    'value?': string(LIMITS.buttonValue),
    'visible_to_user_ids?': ids,
  }),
  plain_text: plain(LIMITS.text),
  mrkdwn: mrkdwn(LIMITS.text),
};

function isObject(): Shape {
  return (value, at) => object({})(isFields(value) ? {} : value, at);
}

const SELECTS = ['static', 'external', 'users', 'channels', 'conversations'].flatMap((each) => [
  `${each}_select`,
  `multi_${each}_select`,
]);
const PICKERS = ['checkboxes', 'radio_buttons', 'datepicker', 'timepicker', ...SELECTS];

/** Which elements which block takes. */
export const ELEMENTS_OF = {
  actions: ['button', 'overflow', 'datetimepicker', 'workflow_button', 'rich_text_input', ...PICKERS],
  accessory: ['button', 'overflow', 'image', 'workflow_button', ...PICKERS],
  input: [
    'datetimepicker',
    'plain_text_input',
    'email_text_input',
    'url_text_input',
    'number_input',
    'rich_text_input',
    'file_input',
    ...PICKERS,
  ],
  context: ['image', 'plain_text', 'mrkdwn'],
  contextActions: ['feedback_buttons', 'icon_button'],
} as const;

/** One of these elements. */
export function element(types: readonly string[]): Shape {
  return byType(Object.fromEntries(types.map((each) => [each, ELEMENTS[each]!])));
}

/** A `rich_text` block with the given fields around its elements. */
export function richText(block: Record<string, Shape>): Shape {
  const styled = { type, 'style?': isObject() };
  const inline = byType({
    text: object({ ...styled, text: string(LIMITS.markdown) }),
    link: object({ ...styled, url, 'text?': string(LIMITS.text, 0), 'unsafe?': boolean }),
    emoji: object({ ...styled, name: string(LIMITS.id), 'unicode?': string(LIMITS.id), 'url?': url }),
    user: object({ ...styled, user_id: string(LIMITS.id) }),
    usergroup: object({ ...styled, usergroup_id: string(LIMITS.id) }),
    channel: object({ ...styled, channel_id: string(LIMITS.id) }),
    broadcast: object({ ...styled, range: choice('here', 'channel', 'everyone') }),
    team: object({ ...styled, team_id: string(LIMITS.id) }),
    color: object({ ...styled, value: string(LIMITS.id) }),
    date: object({
      ...styled,
      timestamp: number,
      format: string(LIMITS.id),
      'url?': url,
      'fallback?': string(LIMITS.text),
    }),
  });
  const inlines = list(inline, 1_000, 0);
  const bordered = { type, 'border?': integer(0, 1) };
  const section = object({ type, elements: inlines });
  const part = byType({
    rich_text_section: section,
    rich_text_list: object({
      ...bordered,
      elements: list(byType({ rich_text_section: section }), 1_000),
      style: choice('bullet', 'ordered'),
      'indent?': integer(0, 8),
      'offset?': integer(0),
    }),
    rich_text_quote: object({ ...bordered, elements: inlines }),
    rich_text_preformatted: object({ ...bordered, elements: inlines, 'language?': string(LIMITS.id) }),
  });
  return object({ ...block, elements: list(part, 1_000) });
}
