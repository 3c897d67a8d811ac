import type { App } from '@slack/bolt';
import type { Logger } from 'pino';
import { pressed, type UsedElement } from '../../blocks/buttons.ts';
import { type Message, message, note } from '../../blocks/message.ts';
import { beginInteraction, during, type Interaction } from '../../interaction.ts';
import type { Observe } from '../../observe.ts';
import type { Deliveries, LeftDelivery } from '../../store/deliveries.ts';
import { DAY, MINUTE } from '../../time.ts';
import { LOOK_INTO } from '../look-into.ts';
import { isSlacksOwn } from '../membership.ts';
import { secondsToWait } from '../refusals.ts';
import { personOf } from './allowance.ts';
import { type IncomingEvent, parseEvent } from './payloads.ts';

/** How long a response URL takes answers, in milliseconds. People are told of older ones that they were lost. */
const ANSWERABLE = 30 * MINUTE;
/** A press or a form is done so long after it came, in milliseconds: later it is not expected any more. */
const DOABLE = MINUTE / 2;
/** So often it is begun anew: it may be what ends the process. */
const MOST_TRIES = 2;

/** A payload as Slack sends it. */
export type Body = Readonly<Record<string, unknown>>;

/** A payload as it is kept. */
interface Content {
  interaction: string;
  kind: string;
  /** When it came, as Unix milliseconds. */
  at: number;
  body: Body;
}

/** Everything that was acknowledged, until its work is over. */
export interface InboxServices {
  store: { deliveries: Deliveries };
  log: Logger;
  observe?: Observe | undefined;
  now(): Date;
  /** The bot's own user. */
  botUserId: string;
  /** Does what the bot has kept for itself, by kind. */
  own: Readonly<Record<string, (body: Body) => Promise<void>>>;
}

/** Has a payload written down, once; whoever works on it waits for that. */
export function keep({ store, now, botUserId }: InboxServices, body: Body, interaction: Interaction): void {
  const key = keyOf(body, botUserId);
  if (key === undefined || interaction.kept !== undefined) return;
  const { id, kind } = interaction;
  const at = now().getTime();
  const content = (): Content => ({ interaction: id, kind, at, body });
  interaction.kept = keptAs(store.deliveries, key, store.deliveries.first(key, content));
}

function keptAs(deliveries: Deliveries, key: string, isFirst: Promise<boolean>): NonNullable<Interaction['kept']> {
  // The listener hears of an error, if it gets that far.
  isFirst.catch(() => undefined);
  return {
    isFirst,
    opened: (view) => deliveries.opened(key, view),
    done: () =>
      void isFirst.then(
        (first) => first && deliveries.done(key),
        // It may have been written all the same, and its sender was told that it was not taken.
        () => deliveries.done(key),
      ),
  };
}

/** Tells a person, where one waits for something, that it came to no end. */
export type TellLost = (person: string | undefined, text: Message | undefined, body: Body) => Promise<void>;

/** Goes on with what dead or stopped processes have left, and with what is due. Resolves when it is begun; each never rejects. */
export async function takeOver(services: InboxServices, app: Pick<App, 'processEvent'>, lost: TellLost): Promise<void> {
  for (;;) {
    const left = await services.store.deliveries.left();
    for (const one of left) void again(services, app, lost, one);
    if (left.length === 0) return;
  }
}

async function again(
  services: InboxServices,
  app: Pick<App, 'processEvent'>,
  lost: TellLost,
  { key, content, view, tries }: LeftDelivery,
): Promise<void> {
  const { store, log, now } = services;
  const kept = keptAs(store.deliveries, key, Promise.resolve(true));
  try {
    // Somebody else has written it, or the key is another one by now.
    if (content === undefined) return log.error({ key }, 'what a stopped process had taken cannot be read');
    const { interaction: id, kind, at, body } = content as Content;
    const actor = personOf(body);
    const known = actor === undefined ? {} : { actor };
    const age = now().getTime() - at;
    const since = performance.now() - age;
    const interaction = beginInteraction(kind, { id, since, kept, view, isAgain: true, known });
    await during(interaction, async () => {
      const own = services.own[kind];
      if (own !== undefined) return tries > MOST_TRIES ? undefined : doOwn(services, own, key, content as Content);
      log.info({ kind, tries }, 'what a stopped process had taken is gone on with');
      const text = lostMessage(key);
      const isDoing = kind === 'action' || kind === 'view';
      const isTooLate = tries > MOST_TRIES || (text !== undefined && age > (isDoing ? DOABLE : ANSWERABLE));
      services.observe?.saw('recovered', { state: isTooLate ? 'lost' : 'payload' });
      if (isTooLate) await lost(actor, text, body);
      else await app.processEvent({ body: { ...body }, ack: async () => undefined });
    });
  } catch (error) {
    log.error({ err: error }, 'what a stopped process had taken could not be gone on with');
  } finally {
    kept.done();
  }
}

/** What Slack refuses with a time is done then. */
async function doOwn(
  { store, log, now }: InboxServices,
  own: (body: Body) => Promise<void>,
  key: string,
  content: Content,
): Promise<void> {
  try {
    await own(content.body);
  } catch (error) {
    const seconds = secondsToWait(error);
    if (seconds === undefined || now().getTime() - content.at > DAY)
      return log.warn({ err: error, kind: content.kind }, 'what was kept for later could not be done');
    await store.deliveries.later(`${key}+`, content, seconds * 1000);
  }
}

/** The words for something that was lost; none where nobody waits for it. */
function lostMessage(key: string): Message | undefined {
  const [what, next] = LOST[key.split(':', 1)[0]!] ?? [];
  return what === undefined
    ? undefined
    : message(`Edgewise had stopped, and could not answer ${what} in time.`, note(next!));
}

/** Neither a command nor a form changes anything by itself, and a button does nothing twice. */
const LOST: Readonly<Record<string, readonly [what: string, next: string]>> = {
  command: ['your command', 'Type it again if you still want it: it has changed nothing.'],
  message: ['your message', 'Send it again if you still want it: it has changed nothing.'],
  shortcut: ['your shortcut', 'Use it again if you still want it.'],
  view: ['your form', 'Open it again if you still want it: nothing is done twice.'],
  action: ['the button that you pressed', 'Press it again if you still want it: nothing is done twice.'],
};

/** Events of a channel that is gone. */
export const CHANNEL_GONE: ReadonlySet<string> = new Set([
  'channel_archive',
  'channel_deleted',
  'group_archive',
  'group_deleted',
]);

/** Messages of people, besides those without a subtype. */
const WRITTEN: ReadonlySet<string> = new Set(['file_share', 'me_message', 'thread_broadcast']);

/** An event that the bot does something for; undefined for all others. The manifest asks for no others. */
export type Heard = 'channel gone' | 'channel moved' | 'uninstalled' | 'revoked' | 'home' | 'mention' | 'direct';

/** The meaning of an event for the bot. */
export function heardIn(came: IncomingEvent, botUserId: string): Heard | undefined {
  const { type, channel, tokens, user } = came;
  if (CHANNEL_GONE.has(type)) return channel === undefined ? undefined : 'channel gone';
  if (type === 'channel_id_changed') {
    const { old_channel_id: before, new_channel_id: after } = came;
    return before === undefined || after === undefined || before === after ? undefined : 'channel moved';
  }
  if (type === 'app_uninstalled') return 'uninstalled';
  // Tokens of people are none of the bot's.
  if (type === 'tokens_revoked') return tokens?.bot?.includes(botUserId) === true ? 'revoked' : undefined;
  if (user === undefined || isSlacksOwn(user) || came.bot_id !== undefined) return undefined;
  if (type === 'app_home_opened') return 'home';
  if (channel === undefined) return undefined;
  if (type === 'app_mention') return 'mention';
  const isNew = came.type === 'message' && (came.subtype === undefined || WRITTEN.has(came.subtype));
  if (isNew && came.channel_type === 'im') return 'direct';
  // In a group direct message Slack tells of a mention as a message, as a mention, or as both.
  const isInGroup = isNew && came.channel_type === 'mpim' && came.text?.includes(`<@${botUserId}`) === true;
  return isInGroup ? 'mention' : undefined;
}

/** The name by which a repeated delivery is known. Undefined: nothing is done for it. */
function keyOf(body: Body, botUserId: string): string | undefined {
  const { command, type, trigger_id: trigger, actions, view } = body as Fields;
  if (typeof command === 'string') return `command:${trigger}`;
  switch (type) {
    case 'block_actions': {
      const [one] = actions ?? [];
      return pressed(one ?? {}) === undefined ? undefined : `action:${trigger}:${one?.action_id}`;
    }
    case 'message_action':
      return body.callback_id === LOOK_INTO.callback_id ? `shortcut:${trigger}` : undefined;
    case 'view_submission':
      return `view:${view?.id}:${view?.hash}`;
    case 'view_closed':
      return `closed:${view?.id}:${view?.hash}`;
    case 'event_callback':
      return keyOfEvent(body, botUserId);
    default:
      return undefined;
  }
}

interface Fields {
  command?: unknown;
  type?: unknown;
  trigger_id?: unknown;
  actions?: readonly UsedElement[];
  view?: { id?: unknown; hash?: unknown };
}

function keyOfEvent(body: Body, botUserId: string): string | undefined {
  try {
    const came = parseEvent(body.event);
    const heard = heardIn(came, botUserId);
    if (heard === undefined) return undefined;
    const isMessage = heard === 'mention' || heard === 'direct';
    // An edited mention comes again under another event id.
    return isMessage && came.ts !== undefined ? `message:${came.channel}:${came.ts}` : `event:${body.event_id}`;
  } catch {
    // The listener says what is wrong with it.
    return undefined;
  }
}
