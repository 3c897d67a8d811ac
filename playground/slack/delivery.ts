/** Deliveries to the bot, by signed HTTP or over Socket Mode, and the acks that come back. */

import { randomUUID } from 'node:crypto';
import { request as send } from 'undici';
import { addProblem, record, whileBusy } from './changes.ts';
import { signatureOf } from './signature.ts';
import type { Ack, Delivery, DeliveryKind, Refusal, Retry, Slack } from './slack.ts';
import { sendOverSocket } from './socket-mode.ts';

/** A plain HTTP answer of the bot. */
export interface BotAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** The parts of a request that a test may forge. */
export interface RequestOptions {
  /** Unix seconds; now by default. */
  timestamp?: number;
  /** Signs with another secret. */
  secret?: string;
  /** Leaves the signature out. */
  unsigned?: boolean;
  contentType?: string;
  headers?: Record<string, string>;
}

const FORM = 'application/x-www-form-urlencoded';
const ACK_TIMEOUT_MS = 3_000;
/** Milliseconds before the first, second and third retry of an event. */
const RETRY_DELAYS = [0, 60_000, 300_000];

/** Sends a payload to the bot; resolves with its ack, or with how that failed. Events are sent again later. */
export function deliver(slack: Slack, kind: DeliveryKind, payload: Record<string, unknown>): Promise<Ack> {
  const body = bodyOf(kind, payload);
  const contentType = kind === 'events_api' ? 'application/json' : FORM;
  const headers = signedHeaders(slack, body, { contentType });
  const delivery: Delivery = { kind, payload, body, contentType, headers, envelopeId: randomUUID() };
  slack.deliveries.push(delivery);
  return whileBusy(slack, async () => {
    const ack = await attempt(slack, delivery);
    if (!ack.ok && kind === 'events_api') retryEvent(slack, delivery, ack, 1);
    return ack;
  });
}

/** Sends a delivery (the last one by default) again, byte for byte, `times` times; its answers have no effect. */
export function redeliver(
  slack: Slack,
  times: number,
  delivery: Delivery | undefined = slack.deliveries.at(-1),
): Promise<BotAnswer[]> {
  if (!delivery) throw new Error('nothing was delivered yet');
  const again = async (): Promise<BotAnswer> => {
    if (slack.options.deliverTo !== 'socket') return post(slack, delivery.body, delivery.headers);
    const ack = await inTime(slack, sendOverSocket(slack, { ...delivery, envelopeId: randomUUID() }), delivery);
    return { status: ack.ok ? 200 : 504, headers: {}, text: ack.ok ? JSON.stringify(ack.body ?? '') : ack.error };
  };
  return whileBusy(slack, () => Promise.all(Array.from({ length: times }, again)));
}

/**
 * POSTs to the events URL, signed unless told otherwise: a text as it stands, fields as a form whose objects are JSON.
 */
export function sendRequest(
  slack: Slack,
  given: string | Record<string, unknown>,
  options?: RequestOptions,
): Promise<BotAnswer> {
  const body = typeof given === 'string' ? given : formOf(given);
  return whileBusy(slack, () => post(slack, body, signedHeaders(slack, body, options)));
}

function formOf(given: Record<string, unknown>): string {
  const fields = Object.entries(given).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(fields).toString();
}

/** Ends retries and connections. */
export function closeDelivery({ http }: Slack): void {
  http.isClosed = true;
  void http.agent.destroy();
  for (const timer of http.retries) clearTimeout(timer);
}

function signedHeaders(slack: Slack, body: string, options: RequestOptions = {}): Record<string, string> {
  // The signature counts in real time: the bot compares it with its own clock.
  const timestamp = String(options.timestamp ?? Math.floor(Date.now() / 1000));
  const headers: Record<string, string> = {
    'content-type': options.contentType ?? (body.startsWith('{') ? 'application/json' : FORM),
    'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    ...options.headers,
  };
  if (!options.unsigned) {
    headers['x-slack-request-timestamp'] = timestamp;
    headers['x-slack-signature'] = signatureOf(options.secret ?? slack.signingSecret, timestamp, body);
  }
  return headers;
}

async function post(slack: Slack, body: string, headers: Record<string, string>): Promise<BotAnswer> {
  const target = slack.options.deliverTo;
  if (target === undefined || target === 'socket') throw new Error('the bot has no events URL: call deliverTo first');
  const answer = await send(target.eventsUrl, { method: 'POST', headers, body, dispatcher: slack.http.agent });
  const text = await answer.body.text();
  if (text !== '') record(slack, 'ack', parsedBody(text));
  const flat = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { status: answer.statusCode, headers: Object.fromEntries(flat), text };
}

function attempt(slack: Slack, delivery: Delivery, retry?: Retry): Promise<Ack> {
  const sent =
    slack.options.deliverTo === 'socket'
      ? sendOverSocket(slack, retry ? { ...delivery, envelopeId: randomUUID() } : delivery, retry)
      : sendOverHttp(slack, delivery, retry);
  return inTime(slack, sent, delivery);
}

async function sendOverHttp(slack: Slack, { body, headers }: Delivery, retry?: Retry): Promise<Ack> {
  const sent = retry ? signedHeaders(slack, body, { headers: retryHeaders(retry) }) : headers;
  const answer = await post(slack, body, sent).catch(() => undefined);
  if (!answer) return { ok: false, error: 'dispatch_failed', reason: 'connection_failed' };
  if (answer.status < 200 || answer.status > 299) {
    const isFinal = answer.headers['x-slack-no-retry'] === '1';
    return { ok: false, error: 'dispatch_failed', reason: 'http_error', isFinal };
  }
  return { ok: true, body: parsedBody(answer.text) };
}

/** The ack, or `operation_timeout`; an answer that comes later is a problem, not an ack. */
function inTime(slack: Slack, sent: Promise<Ack>, delivery: Delivery): Promise<Ack> {
  const ackTimeout = slack.options.ackTimeout ?? ACK_TIMEOUT_MS;
  return new Promise((resolve) => {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      resolve({ ok: false, error: 'operation_timeout', reason: 'http_timeout' });
    }, ackTimeout);
    void sent.then((ack) => {
      clearTimeout(timer);
      if (isOver && ack.ok) addProblem(slack, `late ack: ${describe(delivery)} was answered after ${ackTimeout} ms`);
      resolve(ack);
    });
  });
}

function retryEvent(slack: Slack, delivery: Delivery, refusal: Refusal, num: number): void {
  const { retries } = slack.http;
  const delay = (slack.options.retryDelays ?? RETRY_DELAYS)[num - 1];
  if (delay === undefined || slack.http.isClosed || refusal.isFinal) return;
  const timer = setTimeout(() => {
    retries.delete(timer);
    void whileBusy(slack, async () => {
      const ack = await attempt(slack, delivery, { num, reason: refusal.reason ?? 'unknown_error' });
      if (!ack.ok) retryEvent(slack, delivery, ack, num + 1);
    });
  }, delay);
  timer.unref();
  retries.add(timer);
}

function retryHeaders(retry: Retry): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-slack-retry-num': String(retry.num),
    'x-slack-retry-reason': retry.reason,
  };
}

function bodyOf(kind: DeliveryKind, payload: Record<string, unknown>): string {
  if (kind === 'events_api') return JSON.stringify(payload);
  if (kind === 'interactive') return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const fields = Object.entries(payload).map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(fields).toString();
}

function parsedBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function describe(delivery: Delivery): string {
  const { type, command, event } = delivery.payload as { type?: string; command?: string; event?: { type?: string } };
  return command ?? event?.type ?? type ?? delivery.kind;
}
