import type { Duplex } from 'node:stream';
import { SocketModeClient } from '@slack/socket-mode';
import { DecoratorHandler, type Dispatcher } from 'undici';
import { routes } from '../../network.ts';
import type { Observe } from '../../observe.ts';
import type { Secret } from '../../secret.ts';
import { createLibraryLog, timedCall } from '../clients.ts';
import { hostsOf, isSlacks } from '../hosts.ts';
import { fieldsOf } from './arrival.ts';

/** In milliseconds. */
export interface ClientTimes {
  call: number;
  arrival: number;
  silence: number;
  /** How long Slack may take to close its side. */
  closing: number;
}

interface ClientOptions {
  appToken: Secret;
  apiUrl: string;
  times: ClientTimes;
  observe?: Observe | undefined;
  hear(message: SocketMessage): void;
}

/** Slack’s client hides these. */
interface Below {
  socket?: Duplex;
  trouble?: Error;
}

/** Slack’s client for one connection. By itself it closes with unsent answers, accepts malformed events, and waits for ever. */
export class SocketClient extends SocketModeClient {
  tried = 'apps.connections.open';
  /** In milliseconds of `performance.now()`. At `halfAt`, half of the lifetime that Slack announced is over. */
  greetedAt: number | undefined;
  halfAt = Number.POSITIVE_INFINITY;
  /** Ids of envelopes that wait for an answer. */
  readonly unanswered = new Set<string>();
  isLeaving = false;
  /** Slack may send nothing more over it: it gave another reason than `warning`. */
  isGivenUp = false;
  isUnwanted = false;
  /** Another takes its place. */
  isClosing = false;
  readonly #options: ClientOptions;
  readonly #below: Below;
  #isClosing = false;

  constructor(options: ClientOptions) {
    const { appToken, apiUrl, times } = options;
    const below: Below = {};
    super({
      appToken: appToken.reveal(),
      autoReconnectEnabled: false,
      clientPingTimeout: times.silence,
      clientOptions: {
        ...{ slackApiUrl: `${apiUrl}/`, timeout: times.call },
        ...{ retryConfig: { retries: 0 }, rejectRateLimitedCalls: true },
      },
      dispatcher: tapped(below),
      // It only warns of a silent peer, and leaves the socket open.
      logger: {
        ...createLibraryLog(),
        warn(said: unknown) {
          if (/wasn't received|close handshake/.test(String(said))) cut(below, String(said));
        },
      },
    });
    this.#options = options;
    this.#below = below;
    this.on('authenticated', ({ url }) => {
      if (!isSlacks(hostsOf(apiUrl), 'connections', url)) throw new Error('the answer has no address of Slack’s');
    });
  }

  get trouble(): Error {
    return this.#below.trouble ?? new Error(this.#below.socket === undefined ? 'refused' : 'dropped');
  }

  async open(): Promise<void> {
    const { observe, times } = this.#options;
    const starting = this.start();
    const opened = new Promise((resolve) => this.once('authenticated', resolve));
    await timedCall(observe, this.tried, () => Promise.race([opened, starting]));
    this.tried = 'Socket Mode';
    const limit = setTimeout(() => this.end(`no hello within ${times.arrival / 1_000} s`), times.arrival);
    try {
      await starting;
    } catch {
      throw this.trouble;
    } finally {
      clearTimeout(limit);
    }
  }

  /** Returns false if it can no longer be sent. */
  answer(id: string, payload: unknown): boolean {
    if (this.#isClosing || this.websocket?.isActive() !== true) return false;
    this.websocket.send(JSON.stringify({ envelope_id: id, payload }), () => undefined);
    return true;
  }

  /** Resolves when Slack has closed its side. Until then its messages are handled. */
  async close(): Promise<void> {
    const { socket } = this.#below;
    if (socket === undefined || socket.closed) return;
    // A client's close frame for code 1000, with a mask of zeros (RFC 6455, 5.5.1).
    if (!this.#isClosing) socket.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]));
    this.#isClosing = true;
    const patience = setTimeout(() => socket.destroy(), this.#options.times.closing);
    await new Promise((resolve) => socket.once('close', resolve));
    clearTimeout(patience);
  }

  end(reason: string): void {
    cut(this.#below, reason);
    if (this.#below.socket === undefined) this.websocket?.disconnect();
  }

  protected override async onWebSocketMessage(data: unknown): Promise<void> {
    const message = readMessage(data);
    if (message.kind === 'hello') await super.onWebSocketMessage(String(data), false);
    this.#options.hear(message);
  }
}

function cut(below: Below, reason: string): void {
  below.trouble ??= new Error(reason);
  below.socket?.destroy();
}

/** Shows what undici hides: the socket of a WebSocket, or why there is none. */
const tapped = (below: Below): Dispatcher =>
  routes().compose((dispatch) => (options, handler) => {
    const tap: Dispatcher.DispatchHandler = {
      onRequestUpgrade(...given) {
        below.socket = given[3];
        return handler.onRequestUpgrade?.(...given);
      },
      onResponseError(controller, error) {
        below.trouble ??= error;
        handler.onResponseError?.(controller, error);
      },
    };
    return dispatch(options, Object.assign(new DecoratorHandler(handler), tap));
  });

export type SocketMessage =
  | { kind: 'hello'; host: string; lifetime: number | undefined; connections: number }
  | { kind: 'disconnect'; reason: string }
  | { kind: 'envelope'; id: string; payload: unknown }
  | { kind: 'unknown'; type: string };

/** Never throws: an unreadable message is `unknown`. */
function readMessage(data: unknown): SocketMessage {
  const { type, envelope_id: id, payload, reason, debug_info, ...more } = fieldsOf(parsed(data));
  const { host, approximate_connection_time: seconds } = fieldsOf(debug_info);
  if (type === 'hello') {
    const lifetime = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
    return { kind: 'hello', host: short(host), lifetime, connections: Number(more.num_connections ?? 0) };
  }
  if (type === 'disconnect') return { kind: 'disconnect', reason: short(reason) };
  if (typeof id !== 'string' || id === '') return { kind: 'unknown', type: short(type) };
  return { kind: 'envelope', id, payload };
}

const short = (text: unknown): string => String(text ?? '').slice(0, 100);

function parsed(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}
