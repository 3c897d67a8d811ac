/** What Slack sends to the bot, by signed HTTP or over Socket Mode, and what it makes of the answer. */

import { Agent, request as send } from 'undici';
import type { Core } from './core.ts';
import { signatureOf } from './signature.ts';
import type { SocketMode } from './socket-mode.ts';

export type DeliveryKind = 'slash_commands' | 'interactive' | 'events_api';

/** One payload for the bot, as it was sent the first time. */
export interface Delivery {
  kind: DeliveryKind;
  payload: Record<string, unknown>;
  /** The HTTP form of it. */
  body: string;
  contentType: string;
  headers: Record<string, string>;
  envelopeId: string;
}

/** What came back in time: the ack's body, or how it failed. */
export type Ack = { ok: true; body: unknown } | Refusal;

/** `reason` is what `X-Slack-Retry-Reason` says of it; `isFinal` when the bot asked for no retry. */
export interface Refusal {
  ok: false;
  error: 'operation_timeout' | 'dispatch_failed';
  reason?: string;
  isFinal?: boolean;
}

/** A plain HTTP answer of the bot. */
export interface BotAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export interface DeliveryDesk {
  deliveries: Delivery[];
  deliver(kind: DeliveryKind, payload: Record<string, unknown>): Promise<Ack>;
  /** Sends the last delivery again, byte for byte, `times` times; its answers have no effect. */
  redeliver(times: number, delivery?: Delivery): Promise<BotAnswer[]>;
  /** POSTs a body to the events URL as it stands, signed unless told otherwise. */
  request(body: string, options?: RequestOptions): Promise<BotAnswer>;
  close(): void;
}

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

export function createDelivery(core: Core, socket: SocketMode): DeliveryDesk {
  const deliveries: Delivery[] = [];
  const ackTimeout = core.options.ackTimeout ?? 3_000;
  // No connection is kept, so that a bot that stops has nothing to wait for.
  const agent = new Agent({ pipelining: 0 });
  let isClosed = false;
  const retryTimers = new Set<NodeJS.Timeout>();

  const signed = (body: string, options: RequestOptions = {}): Record<string, string> => {
    // The signature counts in real time: the bot compares it with its own clock.
    const timestamp = String(options.timestamp ?? Math.floor(Date.now() / 1000));
    const headers: Record<string, string> = {
      'content-type': options.contentType ?? (body.startsWith('{') ? 'application/json' : FORM),
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      ...options.headers,
    };
    if (!options.unsigned) {
      headers['x-slack-request-timestamp'] = timestamp;
      headers['x-slack-signature'] = signatureOf(options.secret ?? core.signingSecret, timestamp, body);
    }
    return headers;
  };

  const post = async (body: string, headers: Record<string, string>): Promise<BotAnswer> => {
    const target = core.options.deliverTo;
    if (target === undefined || target === 'socket') throw new Error('the bot has no events URL: call deliverTo first');
    const answer = await send(target.eventsUrl, { method: 'POST', headers, body, dispatcher: agent });
    const text = await answer.body.text();
    if (text !== '') core.record('ack', parsedBody(text));
    const flat = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
    return { status: answer.statusCode, headers: Object.fromEntries(flat), text };
  };

  const overHttp = async (delivery: Delivery): Promise<Ack> => {
    const answer = await post(delivery.body, delivery.headers).catch(() => undefined);
    if (!answer) return { ok: false, error: 'dispatch_failed', reason: 'connection_failed' };
    if (answer.status < 200 || answer.status > 299) {
      const isFinal = answer.headers['x-slack-no-retry'] === '1';
      return { ok: false, error: 'dispatch_failed', reason: 'http_error', isFinal };
    }
    return { ok: true, body: parsedBody(answer.text) };
  };

  const attempt = (delivery: Delivery, retry?: Retry): Promise<Ack> => {
    const sent =
      core.options.deliverTo === 'socket'
        ? socket.send(retry ? { ...delivery, envelopeId: crypto.randomUUID() } : delivery, retry)
        : overHttp(
            retry ? { ...delivery, headers: signed(delivery.body, { headers: retryHeaders(retry) }) } : delivery,
          );
    return inTime(sent, delivery);
  };

  /** The ack, or `operation_timeout`; an answer that comes later is a problem, not an ack. */
  const inTime = (sent: Promise<Ack>, delivery: Delivery): Promise<Ack> =>
    new Promise((resolve) => {
      let isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
        resolve({ ok: false, error: 'operation_timeout', reason: 'http_timeout' });
      }, ackTimeout);
      void sent.then((ack) => {
        clearTimeout(timer);
        if (isOver && ack.ok) core.problem(`late ack: ${describe(delivery)} was answered after ${ackTimeout} ms`);
        resolve(ack);
      });
    });

  const retryEvent = (delivery: Delivery, refusal: Refusal, num: number): void => {
    const delay = (core.options.retryDelays ?? [0, 60_000, 300_000])[num - 1];
    if (delay === undefined || isClosed || refusal.isFinal) return;
    const timer = setTimeout(() => {
      retryTimers.delete(timer);
      void core.busy(async () => {
        const ack = await attempt(delivery, { num, reason: refusal.reason ?? 'unknown_error' });
        if (!ack.ok) retryEvent(delivery, ack, num + 1);
      });
    }, delay);
    timer.unref();
    retryTimers.add(timer);
  };

  return {
    deliveries,

    deliver(kind, payload) {
      const body = bodyOf(kind, payload);
      const contentType = kind === 'events_api' ? 'application/json' : FORM;
      const delivery: Delivery = {
        kind,
        payload,
        body,
        contentType,
        headers: signed(body, { contentType }),
        envelopeId: crypto.randomUUID(),
      };
      deliveries.push(delivery);
      return core.busy(async () => {
        const ack = await attempt(delivery);
        if (!ack.ok && kind === 'events_api') retryEvent(delivery, ack, 1);
        return ack;
      });
    },

    redeliver(times, delivery = deliveries.at(-1)) {
      if (!delivery) throw new Error('nothing was delivered yet');
      const again = async (): Promise<BotAnswer> => {
        if (core.options.deliverTo !== 'socket') return post(delivery.body, delivery.headers);
        const ack = await inTime(socket.send({ ...delivery, envelopeId: crypto.randomUUID() }), delivery);
        return { status: ack.ok ? 200 : 504, headers: {}, text: ack.ok ? JSON.stringify(ack.body ?? '') : ack.error };
      };
      return core.busy(() => Promise.all(Array.from({ length: times }, again)));
    },

    request: (body, options) => core.busy(() => post(body, signed(body, options))),

    close() {
      isClosed = true;
      void agent.destroy();
      for (const timer of retryTimers) clearTimeout(timer);
    },
  };
}

/** How often an event was sent before, and why again. */
export interface Retry {
  num: number;
  reason: string;
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
