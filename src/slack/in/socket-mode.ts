import { logged } from '../../errors.ts';
import { backoff, jittered } from '../../retry.ts';
import type { Secret } from '../../secret.ts';
import { HOUR, MINUTE } from '../../time.ts';
import { askedPause, finalOf, logRetry, PAUSES, type Pauses, reasonOf } from '../patience.ts';
import { fieldsOf, type Taking, take } from './arrival.ts';
import { type Presence, sawConnections } from './presence.ts';
import { type ClientTimes, SocketClient, type SocketMessage } from './socket-client.ts';

/** In milliseconds. */
export interface SocketTimes extends ClientTimes, Pauses {
  /** A connection that ends sooner counts as a failure. */
  settled: number;
  /** How long a replaced connection stays open, because payloads may still come over it. */
  linger: number;
  answers: number;
  /** How long one connection has to do after `too_many_websockets`. */
  spare: number;
}

export const SOCKET_TIMES: SocketTimes = {
  ...PAUSES,
  call: 6_000,
  arrival: 10_000,
  silence: 15_000,
  closing: 1_000,
  settled: 10_000,
  linger: 30_000,
  answers: 3_000,
  spare: 10 * MINUTE,
};

interface SocketModeOptions extends Omit<Taking, 'app'> {
  appToken: Secret;
  apiUrl: string;
  presence: Presence;
  times?: Partial<SocketTimes> | undefined;
}

const REASONS = new Map<string, { level: 'info' | 'warn' | 'error'; says: string }>([
  ['warning', { level: 'info', says: 'Slack will close a connection in some seconds: another is opened first' }],
  ['refresh_requested', { level: 'info', says: 'Slack renews a connection: another is opened' }],
  [
    'link_disabled',
    {
      level: 'error',
      says: 'Socket Mode is switched off: switch it on in the app’s settings (api.slack.com/apps, Socket Mode)',
    },
  ],
  [
    'too_many_websockets',
    { level: 'warn', says: 'the app has more than Slack’s ten connections: this process keeps one for a while' },
  ],
]);

export type SocketMode = ReturnType<typeof createSocketMode>;

/** Keeps two connections, and replaces each when it ends or Slack announces its end. */
export function createSocketMode(options: SocketModeOptions) {
  const { log, presence, now } = options;
  const times = { ...SOCKET_TIMES, ...options.times };
  /** Connections that got a hello and are not over. */
  const all = new Set<SocketClient>();
  let [failures, retryAt, spareAt, isStopping] = [0, 0, 0, false];
  let wake = () => {};
  let app: Taking['app'] | undefined;
  /** Settles `start`; set until the first connection. */
  let started: { resolve: () => void; reject: (error: Error) => void } | undefined;

  /** Opens connections one at a time while one is missing. */
  async function keepOpen(): Promise<void> {
    while (!isStopping) {
      const pause = pauseBefore();
      if (pause > 0) await sleep(pause);
      else await attempt();
    }
  }

  /** In milliseconds. One connection is always in the first half of its life, so both never end together. */
  function pauseBefore(): number {
    const fresh = [...all].filter(({ isLeaving }) => !isLeaving);
    // Slack allows ten for all replicas. With two, one carries on while the other is renewed.
    const halves = fresh.length < 2 ? [] : fresh.map(({ halfAt }) => halfAt);
    return Math.max(retryAt, fresh.length === 0 ? 0 : spareAt, ...halves) - performance.now();
  }

  function sleep(pause: number): Promise<void> {
    return new Promise((resolve) => {
      // setTimeout takes at most 24 days.
      const timer = setTimeout(resolve, Math.min(pause, HOUR));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Opens one connection. Never rejects, because the loop has to go on. */
  async function attempt(): Promise<void> {
    const connection = new SocketClient({ ...options, times, hear: (message) => hear(connection, message) });
    connection.on('disconnected', () => lost(connection));
    try {
      await connection.open();
      started?.resolve();
      started = undefined;
    } catch (error) {
      if (!isStopping) failed(connection.tried, error);
    }
  }

  function failed(tried: string, error: unknown): void {
    const refusal = finalOf(error, 'SLACK_APP_TOKEN');
    if (refusal !== undefined && started !== undefined) {
      isStopping = true;
      started.reject(refusal);
      return;
    }
    failures += 1;
    const pause = refusal === undefined ? backoff(failures, times) : jittered(times.slowly);
    postpone(Math.max(pause, askedPause(error)));
    const reason = refusal?.message ?? reasonOf(error);
    logRetry(log, { tried, reason, pause: retryAt - performance.now() });
  }

  function postpone(pause: number): void {
    retryAt = Math.max(retryAt, performance.now() + pause);
  }

  function hear(connection: SocketClient, message: SocketMessage): void {
    if (message.kind === 'hello') {
      const { host, lifetime = Number.POSITIVE_INFINITY } = message;
      connection.greetedAt = performance.now();
      connection.halfAt = connection.greetedAt + lifetime / 2;
      all.add(connection);
      changed();
      log.info({ host, connections: all.size }, 'a connection of Socket Mode is open');
      if (isStopping) void connection.close();
    } else if (message.kind === 'disconnect') leave(connection, message.reason);
    else if (message.kind === 'envelope') {
      takeEnvelope(connection, message.id, message.payload).catch(
        logged(log, 'error', 'an envelope could not be taken'),
      );
    } else log.warn({ type: message.type }, 'a message of no known shape came over Socket Mode');
  }

  function leave(connection: SocketClient, reason: string): void {
    const { level, says } = REASONS.get(reason) ?? {
      level: 'warn',
      says: 'Slack ends a connection for a reason that is new',
    };
    log[level]({ reason }, says);
    if (!connection.isLeaving) countLife(connection);
    connection.isLeaving = true;
    connection.isGivenUp ||= reason !== 'warning';
    connection.isUnwanted ||= reason === 'link_disabled' || reason === 'too_many_websockets';
    if (reason === 'link_disabled') postpone(jittered(times.slowly));
    if (reason === 'too_many_websockets') {
      spareAt = performance.now() + jittered(times.spare);
      postpone(backoff(failures + 1, times));
    }
    if (connection.greetedAt === undefined) connection.end(reason);
    else changed();
  }

  function lost(connection: SocketClient): void {
    if (!all.delete(connection)) return;
    if (!connection.isLeaving && !isStopping) {
      countLife(connection);
      const reason = reasonOf(connection.trouble);
      log.warn({ reason, connections: all.size }, 'a connection of Socket Mode is lost');
    }
    changed();
  }

  /** A connection that ends too soon is replaced only after a pause. */
  function countLife({ greetedAt }: SocketClient): void {
    if (greetedAt === undefined) return;
    const isShort = performance.now() - greetedAt < times.settled;
    failures = isShort ? failures + 1 : 0;
    if (isShort) postpone(backoff(failures, times));
  }

  function changed(): void {
    sawConnections(presence, [...all].filter(({ isGivenUp }) => !isGivenUp).length, now());
    for (const connection of all) {
      if (connection.isClosing || !isDispensable(connection)) continue;
      connection.isClosing = true;
      const release = () => {
        if (isDispensable(connection)) void close(connection);
        else connection.isClosing = false;
      };
      // After a standstill Node runs timers before it reads the network: arrived payloads are answered before the close.
      setTimeout(() => setImmediate(release), connection.isUnwanted ? 0 : times.linger).unref();
    }
    wake();
  }

  /** Slack will close it, and another connection takes its place, or Slack wants fewer. */
  const isDispensable = ({ isLeaving, isUnwanted }: SocketClient): boolean =>
    isLeaving && (isUnwanted || [...all].some((other) => !other.isLeaving));

  async function close(connection: SocketClient): Promise<void> {
    const until = performance.now() + times.answers;
    while (connection.unanswered.size > 0 && performance.now() < until)
      await new Promise((settle) => setTimeout(settle, 10));
    await connection.close();
  }

  /** Works while the bot stops, too. */
  async function takeEnvelope(connection: SocketClient, id: string, payload: unknown): Promise<void> {
    if (app === undefined) return;
    connection.unanswered.add(id);
    await take({ ...options, app }, fieldsOf(payload), {
      acknowledge(answer) {
        connection.unanswered.delete(id);
        return connection.answer(id, typeof answer === 'string' ? { text: answer } : answer);
      },
    });
  }

  return {
    init(given: Taking['app']) {
      app = given;
    },
    start: () =>
      new Promise<void>((resolve, reject) => {
        started = { resolve, reject };
        void keepOpen();
      }),
    /** Sends outstanding answers, then closes the connections one after the other. */
    async stop() {
      isStopping = true;
      wake();
      started?.reject(new Error('stopped while Slack was away'));
      // One at a time, so that another one takes what Slack sends meanwhile.
      for (const connection of all) await close(connection);
    },
  };
}
