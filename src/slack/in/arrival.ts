import type { App } from '@slack/bolt';
import type { Logger } from 'pino';
import { beginInteraction, during, type Interaction } from '../../interaction.ts';
import { type Observe, secondsSince, UNOBSERVED } from '../../observe.ts';
import { type Allowances, personOf } from './allowance.ts';
import type { Presence } from './presence.ts';

export type Body = Readonly<Record<string, unknown>>;

export interface Taking {
  app: Pick<App, 'processEvent'>;
  allowances: Allowances;
  /** Acknowledged payloads whose work has not begun, the oldest first. `since` is by `performance.now()`. */
  waiting: { since: number; begin: () => void }[];
  presence?: Presence | undefined;
  observe?: Observe | undefined;
  /** Called after the acknowledgement. */
  keep?: ((body: Body, interaction: Interaction) => void) | undefined;
  log: Logger;
  now(): Date;
}

interface Arrival {
  /** When the first byte came, in milliseconds of `performance.now()`. */
  since?: number;
  /** Slack’s time of the request, in seconds, for payloads that carry no time. */
  stamp?: string | undefined;
  /** Returns false if the connection to Slack is gone. */
  acknowledge(answer?: unknown): boolean;
}

/**
 * Acknowledges a payload and does its work, within the allowance of its sender. Submitted forms and suggestions are answered in
 * the acknowledgement, so theirs waits for the listener. Never rejects.
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
  const admission = person === undefined ? 'begun' : allowances.begin(person);
  if (admission !== 'begun') {
    observe.saw('refused', { reason: 'too much of one person' });
    acknowledge(refusal);
    if (admission === 'told' || refusal !== undefined) return;
  }
  if (refusal === undefined) {
    taking.keep?.(body, interaction);
    await turn(taking.waiting);
  }
  interaction.isTooMuch = admission === 'refused';
  const event = { body: { ...body }, ack: async (answer?: unknown) => acknowledge(answer) };
  try {
    await during(interaction, () => taking.app.processEvent(event));
  } catch (error) {
    log.error({ err: error, kind }, 'a payload could not be processed');
  } finally {
    if (person !== undefined && admission === 'begun') allowances.end(person);
  }
  if (isAcknowledged) return;
  log.warn({ kind }, 'nothing answered a payload: it is refused');
  acknowledge(refusal);
}

/** Delays work until 5 ms pass without new payloads, so that acknowledgements come first. At most a second: a trigger lives 3 s. */
function turn(waiting: Taking['waiting']): Promise<void> {
  const next = (before: number) => {
    const isQuiet = waiting.length <= before;
    if (isQuiet || performance.now() - waiting[0]!.since >= 1_000) waiting.shift()?.begin();
    if (waiting.length > 0) later(isQuiet);
  };
  // After a standstill Node runs timers before it reads the network, so setImmediate lets new payloads in first.
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
    presence.lateness = Math.max(0, now().getTime() - stamped * 1_000);
    observe?.saw('lateness', {}, presence.lateness / 1_000);
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

/** The answer to a payload that is not handled: an empty one would close a form as if it were accepted. Undefined: none is due. */
function refusalOf({ type, view }: Body): object | undefined {
  if (type === 'block_suggestion') return { options: [] };
  if (type !== 'view_submission') return undefined;
  const [first = 'form'] = Object.keys(fieldsOf(fieldsOf(fieldsOf(view).state).values));
  return { response_action: 'errors', errors: { [first]: 'I could not take this. Please send it again.' } };
}

export const fieldsOf = (value: unknown): Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};
