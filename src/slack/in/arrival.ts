import type { App } from '@slack/bolt';
import type { Logger } from 'pino';
import { beginInteraction, during, type Interaction } from '../../interaction.ts';
import { type Observe, secondsSince, UNOBSERVED } from '../../observe.ts';
import { type Allowances, begin, end, personOf } from './allowance.ts';
import { type Presence, sawLateness } from './presence.ts';

export type Body = Readonly<Record<string, unknown>>;

export interface Taking {
  app: Pick<App, 'processEvent'>;
  allowances: Allowances;
  /** Acknowledged and not begun, the oldest first; since when, by `performance.now()`. */
  waiting: { since: number; begin: () => void }[];
  presence?: Presence | undefined;
  observe?: Observe | undefined;
  /** Called once it is acknowledged. */
  keep?: ((body: Body, interaction: Interaction) => void) | undefined;
  log: Logger;
  now(): Date;
}

interface Arrival {
  /** When its first byte came, in milliseconds of `performance.now()`. */
  since?: number;
  /** In seconds, where the payload has no time of its own. */
  stamp?: string | undefined;
  /** False: the way to Slack is gone. */
  acknowledge(answer?: unknown): boolean;
}

/**
 * Acknowledges a payload and has its work done, within what one person may have. Only what is answered in the acknowledgement (a
 * submitted form, suggestions) waits for its listener. Never rejects.
 */
export async function take(taking: Taking, body: Body, arrival: Arrival): Promise<void> {
  const { allowances, observe = UNOBSERVED, log } = taking;
  const interaction = interactionOf(taking, body, arrival);
  const { kind, since } = interaction;
  const refusal = refusalOf(body);
  let isAcknowledged = false;
  const acknowledge = (answer?: unknown) => {
    if (isAcknowledged) return;
    isAcknowledged = true;
    observe.saw('acknowledged', { kind }, secondsSince(since));
    if (!arrival.acknowledge(answer) && refusal !== undefined)
      log.warn({ kind }, 'the connection ended before the answer: it is lost');
  };
  if (refusal === undefined) acknowledge();
  const person = personOf(body);
  const admission = person === undefined ? 'begun' : begin(allowances, person);
  if (admission !== 'begun') {
    observe.saw('refused', { reason: 'too much of one person' });
    acknowledge(refusal);
    if (admission === 'told' || refusal !== undefined) return;
  }
  if (refusal === undefined) {
    taking.keep?.(body, interaction);
    await turn(taking.waiting);
  }
  const customProperties = { isTooMuch: admission === 'refused' };
  const event = { body: { ...body }, customProperties, ack: async (answer?: unknown) => acknowledge(answer) };
  try {
    await during(interaction, () => taking.app.processEvent(event));
  } catch (error) {
    log.error({ err: error, kind }, 'a payload could not be processed');
  } finally {
    if (person !== undefined && admission === 'begun') end(allowances, person);
  }
  if (isAcknowledged) return;
  log.warn({ kind }, 'nothing answered a payload: it is refused');
  acknowledge(refusal);
}

/** What comes is acknowledged before work begins: after 5 ms in which nothing came, or a second; a trigger lives three. */
function turn(waiting: Taking['waiting']): Promise<void> {
  const next = (before: number) => {
    const isQuiet = waiting.length <= before;
    if (isQuiet || performance.now() - waiting[0]!.since >= 1_000) waiting.shift()?.begin();
    if (waiting.length > 0) later(isQuiet);
  };
  // After a standstill timers come first, and what has arrived meanwhile only then.
  const later = (isQuiet: boolean) => {
    const before = waiting.length;
    if (isQuiet) setImmediate(next, before);
    else setTimeout(() => setImmediate(next, before), 5);
  };
  return new Promise((begin) => {
    if (waiting.push({ since: performance.now(), begin }) === 1) later(false);
  });
}

function interactionOf({ presence, observe, now }: Taking, body: Body, { since, stamp }: Arrival): Interaction {
  const { type, command, channel_id, channel, event, event_time, actions } = body;
  const [action] = Array.isArray(actions) ? actions : [];
  const stamped = Number(event_time ?? fieldsOf(action).action_ts ?? stamp);
  if (stamped > 0 && presence !== undefined) {
    sawLateness(presence, now().getTime() - stamped * 1_000);
    observe?.saw('lateness', {}, (presence.lateness ?? 0) / 1_000);
  }
  const [actor, where] = [personOf(body), channel_id ?? fieldsOf(channel).id ?? fieldsOf(event).channel];
  const known = { ...(actor === undefined ? {} : { actor }), ...(typeof where === 'string' ? { channel: where } : {}) };
  const kind = typeof command === 'string' ? 'command' : (KINDS[String(type)] ?? 'other');
  return beginInteraction(kind, { since: since ?? performance.now(), known });
}

const KINDS: Readonly<Record<string, string>> = {
  block_actions: 'action',
  block_suggestion: 'options',
  event_callback: 'event',
  message_action: 'shortcut',
  view_submission: 'view',
  view_closed: 'closed',
};

/** An empty answer would close a form as if it had been accepted. Undefined: the payload wants no answer. */
function refusalOf({ type, view }: Body): object | undefined {
  if (type === 'block_suggestion') return { options: [] };
  if (type !== 'view_submission') return undefined;
  const [first = 'form'] = Object.keys(fieldsOf(fieldsOf(fieldsOf(view).state).values));
  return { response_action: 'errors', errors: { [first]: 'I could not take this. Please send it again.' } };
}

export const fieldsOf = (value: unknown): Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};
