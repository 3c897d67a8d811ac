import type { App } from '@slack/bolt';
import type { Logger } from 'pino';
import { during } from '../../interaction.ts';
import { type Allowances, begin, end, personOf } from './allowance.ts';
import { type Arrivals, acknowledged, arrivalOf } from './arrival.ts';

/** One payload of Socket Mode, in whatever shape it came. */
export interface Envelope {
  type: string;
  id: string;
  payload: unknown;
  retryNum: number;
  retryReason: string;
}

/** One message on a connection, as far as the bot reads it. */
export type SocketMessage =
  | { kind: 'hello'; host: string; lifetime: number | undefined; connections: number }
  | { kind: 'disconnect'; reason: string }
  | { kind: 'envelope'; envelope: Envelope }
  | { kind: 'unknown'; type: string };

type Fields = Readonly<Record<string, unknown>>;

/** Reads one message. Never throws: what cannot be read is `unknown`. */
export function readMessage(data: unknown): SocketMessage {
  const { type, envelope_id: id, payload, reason, debug_info, ...more } = fieldsOf(parsed(data));
  const { host, approximate_connection_time: seconds } = fieldsOf(debug_info);
  if (type === 'hello') {
    const lifetime = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
    return { kind: 'hello', host: short(host), lifetime, connections: Number(more.num_connections ?? 0) };
  }
  if (type === 'disconnect') return { kind: 'disconnect', reason: short(reason) };
  if (typeof id !== 'string' || id === '') return { kind: 'unknown', type: short(type) };
  const { retry_attempt: retryNum, retry_reason: retryReason } = more;
  const envelope: Envelope = {
    type: short(type),
    id,
    payload,
    retryNum: typeof retryNum === 'number' ? retryNum : 0,
    retryReason: typeof retryReason === 'string' ? retryReason : '',
  };
  return { kind: 'envelope', envelope };
}

interface Taking extends Arrivals {
  app: Pick<App, 'processEvent'>;
  log: Logger;
  allowances: Allowances;
  /** Tells Slack that the envelope came, with the answer to it; false when the connection is gone. Called once. */
  acknowledge(answer?: unknown): boolean;
}

/**
 * Acknowledges an envelope and has its work done; resolves when that is over and never rejects. Only what has to be answered
 * in the acknowledgement (a form that was submitted, suggestions) waits for its listener.
 */
export async function takeEnvelope(envelope: Envelope, taking: Taking): Promise<void> {
  const { app, log, allowances, acknowledge: answerWith } = taking;
  const { type, retryNum, retryReason } = envelope;
  const payload = fieldsOf(envelope.payload);
  const oddity = oddityOf(type, payload);
  if (oddity !== undefined) {
    answerWith();
    log.warn({ type, ...oddity.fields }, oddity.says);
    return;
  }
  const interaction = arrivalOf(taking, payload, performance.now());
  const acknowledge = (answer?: unknown) => {
    acknowledged(taking, interaction);
    return answerWith(answer);
  };
  const refusal = refusalOf(payload);
  let isAcknowledged = refusal === undefined;
  if (isAcknowledged) acknowledge();
  const person = personOf(payload);
  const admission = person === undefined ? 'begun' : begin(allowances, person);
  if (admission !== 'begun') taking.observe?.saw('refused', { reason: 'too much of one person' });
  if (admission !== 'begun' && refusal !== undefined) acknowledge(refusal);
  if (admission === 'told' || (admission === 'refused' && refusal !== undefined)) return;
  if (isAcknowledged) taking.keep?.(payload, interaction);
  const retry = retryNum > 0 ? { retryNum, retryReason } : {};
  const event = {
    body: { ...payload },
    ...retry,
    customProperties: { isTooMuch: admission === 'refused' },
    ack: async (answer?: unknown) => {
      if (isAcknowledged) return;
      isAcknowledged = true;
      if (!acknowledge(answer)) log.warn({ type: payload.type }, 'the connection ended before the answer: it is lost');
    },
  };
  try {
    await during(interaction, () => app.processEvent(event));
  } catch (error) {
    log.error({ err: error, type }, 'an envelope could not be processed');
  } finally {
    if (person !== undefined && admission === 'begun') end(allowances, person);
  }
  if (isAcknowledged || refusal === undefined) return;
  log.warn({ type: payload.type }, 'nothing answered an envelope: it is refused');
  acknowledge(refusal);
}

/**
 * The answer to a form or to suggestions that are not taken: something empty would close the form as if it had been accepted.
 * Undefined: the payload wants no answer.
 */
export function refusalOf({ type, view }: Fields): object | undefined {
  if (type === 'block_suggestion') return { options: [] };
  if (type !== 'view_submission') return undefined;
  const [first = 'form'] = Object.keys(fieldsOf(fieldsOf(fieldsOf(view).state).values));
  return { response_action: 'errors', errors: { [first]: 'This could not be taken. Please send it again.' } };
}

/** Why an envelope is nothing for the listeners. */
function oddityOf(type: string, payload: Fields): { says: string; fields: Fields } | undefined {
  const event = fieldsOf(payload.event);
  const limited = [event, payload].find((one) => one.type === 'app_rate_limited');
  if (limited !== undefined || type === 'app_rate_limited') {
    const { minute_rate_limited: minute = payload.minute_rate_limited } = limited ?? {};
    return {
      says: 'Slack held events back: the app gets too many of them in an hour',
      fields: { minute: Number(minute) },
    };
  }
  const isReadable =
    (type === 'events_api' && typeof event.type === 'string') ||
    (type === 'slash_commands' && typeof payload.command === 'string') ||
    (type === 'interactive' && typeof payload.type === 'string' && Object.keys(fieldsOf(payload.user)).length > 0);
  if (isReadable) return undefined;
  return {
    says: 'an envelope of no known shape was acknowledged and dropped',
    fields: { has: Object.keys(payload).slice(0, 20).map(short) },
  };
}

/** So much of what Slack says as a log line can take. */
function short(text: unknown): string {
  return String(text ?? '').slice(0, 100);
}

function parsed(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}

/** The fields of an object; of anything else none. */
function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
