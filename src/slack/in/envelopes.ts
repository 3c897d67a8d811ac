import { type Body, fieldsOf, type Taking, take } from './arrival.ts';

export interface Envelope {
  type: string;
  id: string;
  payload: unknown;
}

export type SocketMessage =
  | { kind: 'hello'; host: string; lifetime: number | undefined; connections: number }
  | { kind: 'disconnect'; reason: string }
  | { kind: 'envelope'; envelope: Envelope }
  | { kind: 'unknown'; type: string };

/** Never throws: what cannot be read is `unknown`. */
export function readMessage(data: unknown): SocketMessage {
  const { type, envelope_id: id, payload, reason, debug_info, ...more } = fieldsOf(parsed(data));
  const { host, approximate_connection_time: seconds } = fieldsOf(debug_info);
  if (type === 'hello') {
    const lifetime = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
    return { kind: 'hello', host: short(host), lifetime, connections: Number(more.num_connections ?? 0) };
  }
  if (type === 'disconnect') return { kind: 'disconnect', reason: short(reason) };
  if (typeof id !== 'string' || id === '') return { kind: 'unknown', type: short(type) };
  return { kind: 'envelope', envelope: { type: short(type), id, payload } };
}

export async function takeEnvelope(
  { type, payload: given }: Envelope,
  taking: Taking,
  acknowledge: (answer?: unknown) => boolean,
): Promise<void> {
  const payload = fieldsOf(given);
  const oddity = oddityOf(type, payload);
  if (oddity === undefined) return take(taking, payload, { acknowledge });
  acknowledge();
  taking.log.warn({ type, ...oddity.fields }, oddity.says);
}

function oddityOf(type: string, payload: Body): { says: string; fields: Body } | undefined {
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
