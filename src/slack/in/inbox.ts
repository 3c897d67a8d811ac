import type { App } from '@slack/bolt';
import { pressed, type UsedElement } from '../../blocks/buttons.ts';
import { type Message, message, note } from '../../blocks/message.ts';
import { beginInteraction, during, type Interaction } from '../../interaction.ts';
import type { Job } from '../../store/jobs.ts';
import { DAY, MINUTE } from '../../time.ts';
import type { Kept } from '../later.ts';
import { LOOK_INTO } from '../look-into.ts';
import { isSlacksOwn } from '../membership.ts';
import { isUnreached, secondsToWait } from '../refusals.ts';
import type { Bot } from '../services.ts';
import { personOf } from './allowance.ts';
import { type Body, fieldsOf } from './arrival.ts';
import { type IncomingEvent, parseEvent } from './payloads.ts';

const MOST_DEATHS = 2;

interface Taken {
  interaction: string;
  kind: string;
  at: number;
  body: Body;
  view?: string;
}

export const PAYLOAD = 'payload';

export interface Inbox extends Pick<Bot, 'store' | 'log' | 'observe' | 'now'> {
  botUserId: string;
}

/** Stores a payload, once. Its work waits for `isFirst`. Undefined: it is not kept. */
export function keep(
  { store: { jobs }, now, botUserId }: Inbox,
  body: Body,
  interaction: Interaction,
): Interaction['kept'] {
  const key = keyOf(interaction.kind, body, botUserId);
  if (key === undefined || interaction.kept !== undefined) return interaction.kept;
  const taken: Taken = { interaction: interaction.id, kind: interaction.kind, at: now().getTime(), body };
  const job = { key, epoch: 1 };
  const isFirst = jobs.add({ kind: PAYLOAD, key, body: taken });
  // Only against an unhandled rejection: the listener handles the error.
  isFirst.catch(() => undefined);
  interaction.kept = {
    isFirst,
    opened: (view) => jobs.rewrite(job, PAYLOAD, { ...taken, view }),
    // If that is unknown, it may have been stored all the same. Its sender was told that it was not handled.
    done: () =>
      void isFirst
        .catch(() => true)
        .then((first) => {
          if (first) void jobs.release(job);
        }),
  };
  return interaction.kept;
}

/** Does a payload that a dead process left. Never rejects. */
export async function goOn(
  { store: { jobs }, log, now, observe }: Inbox,
  app: Pick<App, 'processEvent'>,
  lost: (person: string | undefined, text: Message | undefined, body: Body) => Promise<void>,
  job: Job,
): Promise<undefined> {
  const { key, deaths } = job;
  try {
    // The body was forged, or sealed with another key.
    if (job.body === undefined) throw new Error('it cannot be read');
    const taken = job.body as Taken;
    const { interaction: id, kind, at, body, view } = taken;
    const actor = personOf(body);
    const age = now().getTime() - at;
    const kept: Interaction['kept'] = {
      isFirst: Promise.resolve(true),
      opened: (next) => jobs.rewrite(job, PAYLOAD, { ...taken, view: next }),
      done: () => undefined,
    };
    const known = actor === undefined ? {} : { actor };
    const given = { id, since: performance.now() - age, kept, view, isAgain: true, known };
    await during(beginInteraction(kind, given), async () => {
      log.info({ kind, deaths }, 'what a stopped process had taken is gone on with');
      const [what, next] = LOST[key.split(':', 1)[0]!] ?? [];
      const said = `Edgewise had stopped, and could not answer ${what} in time.`;
      const text = what === undefined ? undefined : message(said, note(next!));
      const isDoing = kind === 'action' || kind === 'view';
      // A response URL works for half an hour. Nobody expects an old press to have an effect.
      const isTooLate = deaths > MOST_DEATHS || (text !== undefined && age > (isDoing ? MINUTE / 2 : 30 * MINUTE));
      observe?.saw('recovered', { state: isTooLate ? 'lost' : 'payload' });
      if (isTooLate) await lost(actor, text, body);
      else await app.processEvent({ body: { ...body }, ack: async () => undefined });
    });
  } catch (error) {
    log.error({ err: error, key }, 'what a stopped process had taken could not be gone on with');
  }
}

/** Does a job of `keepForLater`. Returns in how many milliseconds it is tried again: when Slack wants it, or soon if Slack is away. */
export async function doKept(
  { log, now }: Inbox,
  work: (body: Body) => Promise<void>,
  { key, kind, body: kept, deaths }: Job,
): Promise<number | undefined> {
  if (deaths > MOST_DEATHS) return undefined;
  if (kept === undefined) {
    log.error({ key }, 'what was kept for later cannot be read');
    return undefined;
  }
  const { interaction: id, at, body } = kept as Kept;
  const age = now().getTime() - at;
  try {
    const interaction = beginInteraction(kind, { id, since: performance.now() - age, isAgain: true });
    await during(interaction, () => work(body as Body));
    return undefined;
  } catch (error) {
    const seconds = secondsToWait(error) ?? (isUnreached(error) ? 60 : undefined);
    if (seconds !== undefined && age <= DAY) return seconds * 1000;
    log.warn({ err: error, kind }, 'what was kept for later could not be done');
    return undefined;
  }
}

/** True for all: commands and forms change nothing by themselves, and a button does nothing twice. */
const LOST: Readonly<Record<string, readonly [what: string, next: string]>> = {
  command: ['your command', 'Type it again if you still want it: it has changed nothing.'],
  message: ['your message', 'Send it again if you still want it: it has changed nothing.'],
  shortcut: ['your shortcut', 'Use it again if you still want it.'],
  view: ['your form', 'Open it again if you still want it: nothing is done twice.'],
  action: ['the button that you pressed', 'Press it again, or repeat the command: nothing is done twice.'],
};

const CHANNEL_GONE: ReadonlySet<string> = new Set([
  'channel_archive',
  'channel_deleted',
  'group_archive',
  'group_deleted',
]);

/** The events that the bot handles. */
export type Heard = 'channel gone' | 'channel moved' | 'uninstalled' | 'revoked' | 'home' | 'mention' | 'direct';

export function heardIn(came: IncomingEvent, botUserId: string): Heard | undefined {
  const { type, channel, tokens, user } = came;
  if (CHANNEL_GONE.has(type)) return channel === undefined ? undefined : 'channel gone';
  if (type === 'channel_id_changed') {
    const { old_channel_id: before, new_channel_id: after } = came;
    return before === undefined || after === undefined || before === after ? undefined : 'channel moved';
  }
  if (type === 'app_uninstalled') return 'uninstalled';
  // People’s tokens do not concern the bot.
  if (type === 'tokens_revoked') return tokens?.bot?.includes(botUserId) === true ? 'revoked' : undefined;
  if (user === undefined || isSlacksOwn(user) || came.bot_id !== undefined) return undefined;
  if (type === 'app_home_opened') return 'home';
  if (channel === undefined) return undefined;
  if (type === 'app_mention') return 'mention';
  const isNew =
    came.type === 'message' &&
    (came.subtype === undefined || ['file_share', 'me_message', 'thread_broadcast'].includes(came.subtype));
  if (isNew && came.channel_type === 'im') return 'direct';
  // Slack may send a mention in a group direct message as a message, as a mention, or as both.
  const isInGroup = isNew && came.channel_type === 'mpim' && came.text?.includes(`<@${botUserId}`) === true;
  return isInGroup ? 'mention' : undefined;
}

/** The idempotency key. Undefined: the payload is ignored. */
function keyOf(kind: string, body: Body, botUserId: string): string | undefined {
  const { trigger_id: trigger, callback_id: callback, view, event, event_id } = body;
  const [one = {}] = (body.actions ?? []) as UsedElement[];
  const { id, hash } = fieldsOf(view);
  if (kind === 'command') return `command:${trigger}`;
  if (kind === 'action') return pressed(one) && `action:${trigger}:${one.action_id}`;
  if (kind === 'shortcut') return callback === LOOK_INTO.callback_id ? `shortcut:${trigger}` : undefined;
  if (kind === 'view' || kind === 'closed') return `${kind}:${id}:${hash}`;
  if (kind !== 'event') return undefined;
  try {
    const came = parseEvent(event);
    const heard = heardIn(came, botUserId);
    if (heard === undefined) return undefined;
    const isMessage = heard === 'mention' || heard === 'direct';
    // An edited mention comes again under another event id, so the id of its message is the key.
    return isMessage && came.ts !== undefined ? `message:${came.channel}:${came.ts}` : `event:${event_id}`;
  } catch {
    // The handler reports what is wrong with it.
    return undefined;
  }
}
