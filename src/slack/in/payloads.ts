import type { SlashCommand } from '@slack/bolt';
import type { KnownBlock } from '@slack/types';
import * as z from 'zod';
import { pressed as pressedButton } from '../../blocks/buttons.ts';
import { saysNothing } from '../../operations/words/lexicon.ts';
import { CALLBACKS, memoryOf, originOf } from '../form.ts';
import type { ShownMessage } from '../message-parts.ts';
import type { Origin, SlackUser } from '../services.ts';
import type { SubmittedView } from '../views.ts';

/** Slack sends null for what it lacks, such as `team` of an app installed for a whole organisation. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);
const text = z.string();
const withId = z.object({ id: text });
const option = z.object({ value: text });
const blocks = optional(z.array(z.custom<KnownBlock>((block) => typeof block === 'object' && block !== null)));

const input = z.object({
  value: text.nullish(),
  selected_option: option.nullish(),
  selected_options: z.array(option).optional(),
  selected_date: text.nullish(),
  selected_conversation: text.nullish(),
  files: z.array(withId).optional(),
});

const view = z
  .object({
    id: text,
    callback_id: text,
    private_metadata: optional(text),
    state: optional(z.object({ values: optional(z.record(text, z.record(text, input))) })),
  })
  .transform(({ state, ...rest }): SubmittedView => ({ ...rest, values: state?.values ?? {} }));

const surrounding = z.object({
  id: text,
  type: optional(text),
  callback_id: optional(text),
  private_metadata: optional(text),
  title: optional(z.object({ text })),
  blocks,
});

const pressedMessage = z.object({
  ts: optional(text),
  thread_ts: optional(text),
  text: optional(text),
  blocks,
});

const sender = z.object({ user: z.object({ id: text, team_id: optional(text) }), team: optional(withId) });

const press = sender.extend({
  view: optional(surrounding),
  channel: optional(withId),
  trigger_id: text,
  response_url: optional(text),
  container: optional(z.object({ thread_ts: optional(text) })),
  message: optional(pressedMessage),
});

const action = z.object({
  type: optional(text),
  action_id: text,
  value: optional(text),
  selected_option: option.nullish(),
});

const messageShortcut = sender.extend({
  callback_id: text,
  trigger_id: text,
  response_url: optional(text),
  channel: optional(withId),
  message: z.looseObject({
    ts: optional(text),
    thread_ts: optional(text),
    files: optional(z.array(z.looseObject({ id: text, name: optional(text) }))),
  }),
});

const query = sender.extend({ view: optional(view) });

const event = z.object({
  type: text,
  subtype: optional(text),
  user: optional(text),
  user_team: optional(text),
  team: optional(text),
  bot_id: optional(text),
  channel: optional(text),
  old_channel_id: optional(text),
  new_channel_id: optional(text),
  channel_type: optional(text),
  ts: optional(text),
  event_ts: optional(text),
  thread_ts: optional(text),
  text: optional(text),
  edited: optional(z.looseObject({})),
  tab: optional(text),
  files: optional(z.array(withId)),
  tokens: optional(z.object({ bot: optional(z.array(text)) })),
});

export type IncomingEvent = z.output<typeof event>;

/** Payloads are checked because Bolt’s types promise more than Slack sends. All of these throw ZodError. */

export const parseView = (given: unknown): SubmittedView => view.parse(given);

export const parseEvent = (given: unknown): IncomingEvent => event.parse(given);

export function parseSender(body: unknown): SlackUser {
  return senderOf(sender.parse(body));
}

const senderOf = ({ user: { id, team_id }, team }: z.output<typeof sender>): SlackUser => ({
  userId: id,
  teamId: team_id ?? team?.id ?? '',
});

export const parseCommand = (command: SlashCommand): { line: string; origin: Origin } => ({
  line: command.text ?? '',
  origin: {
    userId: command.user_id,
    teamId: command.team_id,
    place: { channelId: command.channel_id },
    responseUrl: command.response_url,
    triggerId: command.trigger_id,
  },
});

/** Undefined for selects and inputs of a form: they count when the form is sent. */
export function parsePress(
  body: unknown,
  pressed: unknown,
): { button: { id: string; value: string }; origin: Origin; isOnHome: boolean } | undefined {
  const button = pressedButton(action.parse(pressed));
  if (button === undefined) return undefined;
  const came = press.parse(body);
  const person = senderOf(came);
  // A form that can still be submitted must not be replaced by an answer.
  const isChangeable = came.view?.callback_id === CALLBACKS.closed || came.view?.callback_id === CALLBACKS.reason;
  const around = isChangeable ? came.view : undefined;
  const memory = around === undefined ? undefined : memoryOf(around);
  const { message: shown } = came;
  const threadTs = threadAround(came.container?.thread_ts ?? shown?.thread_ts, shown?.ts);
  const origin: Origin = {
    ...person,
    place: { channelId: came.channel?.id ?? person.userId, threadTs },
    responseUrl: came.response_url,
    // A view belongs to no channel, so the answer goes where the view was opened.
    ...(memory === undefined || memory.channel === '' ? {} : originOf(memory, person)),
    view: around && { id: around.id, title: around.title?.text ?? 'Edgewise', blocks: around.blocks ?? [] },
    message: shown?.ts === undefined ? undefined : { ts: shown.ts, text: shown.text ?? '', blocks: shown.blocks ?? [] },
    triggerId: came.trigger_id,
  };
  return { button, origin, isOnHome: came.view?.type === 'home' };
}

/** The first message of a thread names itself as its thread. An ephemeral answer in that thread would not be seen. */
const threadAround = (thread: string | undefined, ts: string | undefined): string | undefined =>
  thread === ts ? undefined : thread;

export function parseMessageShortcut(
  given: unknown,
): { callbackId: string; message: ShownMessage; origin: Origin } | undefined {
  if ((given as { type?: unknown }).type !== 'message_action') return undefined;
  const came = messageShortcut.parse(given);
  const person = senderOf(came);
  const threadTs = threadAround(came.message.thread_ts, came.message.ts);
  const place = { channelId: came.channel?.id ?? person.userId, threadTs };
  const origin: Origin = { ...person, place, responseUrl: came.response_url, triggerId: came.trigger_id };
  return { callbackId: came.callback_id, message: came.message, origin };
}

export function parseQuery(body: unknown): { view: SubmittedView | undefined; person: SlackUser } {
  const came = query.parse(body);
  return { view: came.view, person: senderOf(came) };
}

/** A mention after a flag is the flag’s value: `--actor @edgewise`. */
function isBehindFlag(given: string, at: number): boolean {
  const word = given.slice(given.lastIndexOf(' ', at - 2) + 1, at);
  return word.startsWith('--') && /^[\w-]+[ =]$/.test(word);
}

/** The text after the bot’s mention, or before it if nothing follows. Slack’s links and group mentions become what was typed. */
export function typedLineOf(given: string, botUserId: string): string {
  const isCall = ([, id]: RegExpMatchArray, at: number) => id === botUserId && !isBehindFlag(given, at);
  const calls = [...given.matchAll(/<@([^<>|]+)(?:\|[^<>]{0,80})?>/g)].filter((found) => isCall(found, found.index));
  const ends = calls.map(({ 0: mention, index }) => index + mention.length);
  const parts = [0, ...ends].map((start, at) => given.slice(start, calls[at]?.index));
  const before = parts[0]!;
  const behind = parts
    .slice(1)
    .join(' ')
    .replace(/^(?:[\s,!]|:(?![\w+-]{1,99}:))+/, '');
  // Formatting that begins before the mention and ends after the line belongs to the line.
  const marks = behind === '' ? '' : /[*_~`]{0,10}$/.exec(before)![0];
  const line = calls.length === 0 || (saysNothing(behind) && !saysNothing(before)) ? before : `${marks}${behind}`;
  return line
    .replace(
      /<(https?:\/\/|mailto:|tel:)([^|<>]*)(?:\|([^<>]*))?>/gi,
      (_, scheme: string, address: string, label?: string) => typedLink(scheme, address, label),
    )
    .replace(/<!(?:subteam\^\w+\|)?@?([^<>|^@]{1,80})(?:\|[^<>]*)?>/g, '@$1')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/[\u00a0\u202f]/g, ' ')
    .replace(/[\u200b\u2060\ufeff]/g, '')
    .trim();
}

/** The label if it is the typed address (without its scheme) or phone number. Else the address: Slack may shorten labels. */
function typedLink(scheme: string, address: string, label?: string): string {
  const isPage = /^http/i.test(scheme);
  const whole = isPage ? `${scheme}${address}` : address;
  if (label === undefined) return whole;
  const isNumber = scheme.toLowerCase() === 'tel:' && label.replace(/[^\d+]/g, '') === address.replace(/[^\d+]/g, '');
  const isTyped = [whole, address].some((one) => one === label || one === `${label}/`);
  return isTyped || isNumber ? label : whole;
}
