import { beginInteraction, type Interaction } from '../../interaction.ts';
import { type Observe, secondsSince, UNOBSERVED } from '../../observe.ts';
import { personOf } from './allowance.ts';
import { type Presence, sawLateness } from './presence.ts';

type Body = Readonly<Record<string, unknown>>;

/** Told when payloads come, and when Slack has their acknowledgement. */
export interface Arrivals {
  presence?: Presence | undefined;
  observe?: Observe | undefined;
  /** Has it written down, once it is acknowledged. */
  keep?: ((body: Body, interaction: Interaction) => void) | undefined;
  now(): Date;
}

/** The bot's words for Slack's types of payloads. */
const KINDS: Readonly<Record<string, string>> = {
  block_actions: 'action',
  block_suggestion: 'options',
  event_callback: 'event',
  message_action: 'shortcut',
  view_submission: 'view',
  view_closed: 'closed',
};

/**
 * Begins an interaction with a payload as it came: by whom and where is known from then on. `since`: when its first byte came, in
 * milliseconds of `performance.now()`; `stamp`: Slack's, in seconds, where the payload has none of its own.
 */
export function arrivalOf(arrivals: Arrivals, body: Body, since: number, stamp?: string): Interaction {
  const { type, command, channel_id, channel, event, event_time, actions } = body;
  const { presence, observe = UNOBSERVED, now } = arrivals;
  const stamped = Number(event_time ?? fieldOf(Array.isArray(actions) ? actions[0] : undefined, 'action_ts') ?? stamp);
  if (stamped > 0 && presence !== undefined) {
    sawLateness(presence, now().getTime() - stamped * 1_000);
    observe.saw('lateness', {}, (presence.lateness ?? 0) / 1_000);
  }
  const [actor, where] = [personOf(body), channel_id ?? fieldOf(channel, 'id') ?? fieldOf(event, 'channel')];
  const known = { ...(actor === undefined ? {} : { actor }), ...(typeof where === 'string' ? { channel: where } : {}) };
  const kind = typeof command === 'string' ? 'command' : (KINDS[String(type)] ?? 'other');
  return beginInteraction(kind, { since, known });
}

/** Slack has the acknowledgement. */
export function acknowledged({ observe }: Arrivals, { kind, since }: Interaction): void {
  observe?.saw('acknowledged', { kind }, secondsSince(since));
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Body)[key] : undefined;
