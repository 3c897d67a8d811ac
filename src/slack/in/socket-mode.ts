import type { Receiver } from '@slack/bolt';
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

export interface SocketMode extends Receiver {
  init(app: Taking['app']): void;
  start(): Promise<void>;
  /** Sends outstanding answers, then closes the connections one after the other. */
  stop(): Promise<void>;
}

interface SocketModeOptions extends Omit<Taking, 'app'> {
  appToken: Secret;
  apiUrl: string;
  presence: Presence;
  times?: Partial<SocketTimes> | undefined;
}

interface Connection {
  readonly client: SocketClient;
  /** In milliseconds of `performance.now()`. At `halfAt`, half of the lifetime that Slack announced is over. */
  greetedAt: number | undefined;
  halfAt: number;
  /** Ids of envelopes that wait for an answer. */
  readonly unanswered: Set<string>;
  isLeaving: boolean;
  /** Slack may send nothing more over it: it gave another reason than `warning`. */
  isGivenUp: boolean;
  isUnwanted: boolean;
  isClosing: boolean;
}

interface Keeping extends Omit<SocketModeOptions, 'times'> {
  readonly times: SocketTimes;
  /** Connections that got a hello and are not over. */
  readonly all: Set<Connection>;
  app: Taking['app'] | undefined;
  failures: number;
  retryAt: number;
  spareAt: number;
  isStopping: boolean;
  wake: () => void;
  /** Settles `start`; set until the first connection. */
  started: { resolve: () => void; reject: (error: Error) => void } | undefined;
}

/** Keeps two connections, and replaces each when it ends or Slack announces its end. */
export function createSocketMode(options: SocketModeOptions): SocketMode {
  const keeping: Keeping = {
    ...options,
    times: { ...SOCKET_TIMES, ...options.times },
    all: new Set(),
    app: undefined,
    failures: 0,
    retryAt: 0,
    spareAt: 0,
    isStopping: false,
    wake: () => undefined,
    started: undefined,
  };
  return {
    init(app) {
      keeping.app = app;
    },
    start: () =>
      new Promise((resolve, reject) => {
        keeping.started = { resolve, reject };
        void keepOpen(keeping);
      }),
    stop: () => stop(keeping),
  };
}

/** Opens connections one at a time while one is missing. */
async function keepOpen(keeping: Keeping): Promise<void> {
  while (!keeping.isStopping) {
    const pause = pauseBefore(keeping);
    if (pause > 0) await sleep(keeping, pause);
    else await attempt(keeping);
  }
}

/** In milliseconds. One connection is always in the first half of its life, so both never end together. */
function pauseBefore({ all, retryAt, spareAt }: Keeping): number {
  const fresh = [...all].filter(({ isLeaving }) => !isLeaving);
  // Slack allows ten for all replicas. With two, one carries on while the other is renewed.
  const halves = fresh.length < 2 ? [] : fresh.map(({ halfAt }) => halfAt);
  return Math.max(retryAt, fresh.length === 0 ? 0 : spareAt, ...halves) - performance.now();
}

function sleep(keeping: Keeping, pause: number): Promise<void> {
  return new Promise((resolve) => {
    // setTimeout takes at most 24 days.
    const timer = setTimeout(resolve, Math.min(pause, HOUR));
    keeping.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

/** Opens one connection. Never rejects, because the loop has to go on. */
async function attempt(keeping: Keeping): Promise<void> {
  const client = new SocketClient({ ...keeping, hear: (message) => hear(keeping, connection, message) });
  const connection: Connection = {
    client,
    greetedAt: undefined,
    halfAt: Number.POSITIVE_INFINITY,
    unanswered: new Set(),
    ...{ isLeaving: false, isGivenUp: false, isUnwanted: false, isClosing: false },
  };
  client.on('disconnected', () => lost(keeping, connection));
  try {
    await client.open();
    keeping.started?.resolve();
    keeping.started = undefined;
  } catch (error) {
    if (!keeping.isStopping) failed(keeping, client.tried, error);
  }
}

function failed(keeping: Keeping, tried: string, error: unknown): void {
  const { times, log, started } = keeping;
  const refusal = finalOf(error, 'SLACK_APP_TOKEN');
  if (refusal !== undefined && started !== undefined) {
    keeping.isStopping = true;
    started.reject(refusal);
    return;
  }
  keeping.failures += 1;
  const pause = refusal === undefined ? backoff(keeping.failures, times) : jittered(times.slowly);
  postpone(keeping, Math.max(pause, askedPause(error)));
  const reason = refusal?.message ?? reasonOf(error);
  logRetry(log, { tried, reason, pause: keeping.retryAt - performance.now() });
}

function postpone(keeping: Keeping, pause: number): void {
  keeping.retryAt = Math.max(keeping.retryAt, performance.now() + pause);
}

function hear(keeping: Keeping, connection: Connection, message: SocketMessage): void {
  const { all, log, isStopping } = keeping;
  if (message.kind === 'hello') {
    const { lifetime } = message;
    connection.greetedAt = performance.now();
    if (lifetime !== undefined) connection.halfAt = connection.greetedAt + lifetime / 2;
    all.add(connection);
    changed(keeping);
    log.info({ host: message.host, connections: all.size }, 'a connection of Socket Mode is open');
    if (isStopping) void connection.client.close();
  } else if (message.kind === 'disconnect') leave(keeping, connection, message.reason);
  else if (message.kind === 'envelope') {
    takeEnvelope(keeping, connection, message).catch(logged(log, 'error', 'an envelope could not be taken'));
  } else log.warn({ type: message.type }, 'a message of no known shape came over Socket Mode');
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

function leave(keeping: Keeping, connection: Connection, reason: string): void {
  const { times, log } = keeping;
  const { level, says } = REASONS.get(reason) ?? {
    level: 'warn',
    says: 'Slack ends a connection for a reason that is new',
  };
  log[level]({ reason }, says);
  if (!connection.isLeaving) countLife(keeping, connection);
  connection.isLeaving = true;
  connection.isGivenUp ||= reason !== 'warning';
  connection.isUnwanted ||= reason === 'link_disabled' || reason === 'too_many_websockets';
  if (reason === 'link_disabled') postpone(keeping, jittered(times.slowly));
  if (reason === 'too_many_websockets') {
    keeping.spareAt = performance.now() + jittered(times.spare);
    postpone(keeping, backoff(keeping.failures + 1, times));
  }
  if (connection.greetedAt === undefined) connection.client.end(reason);
  else changed(keeping);
}

function lost(keeping: Keeping, connection: Connection): void {
  const { log, isStopping, all } = keeping;
  if (!all.delete(connection)) return;
  if (!connection.isLeaving && !isStopping) {
    countLife(keeping, connection);
    log.warn(
      { reason: reasonOf(connection.client.trouble), connections: all.size },
      'a connection of Socket Mode is lost',
    );
  }
  changed(keeping);
}

/** A connection that ends too soon is replaced only after a pause. */
function countLife(keeping: Keeping, { greetedAt }: Connection): void {
  if (greetedAt === undefined) return;
  const isShort = performance.now() - greetedAt < keeping.times.settled;
  keeping.failures = isShort ? keeping.failures + 1 : 0;
  if (isShort) postpone(keeping, backoff(keeping.failures, keeping.times));
}

function changed(keeping: Keeping): void {
  const { all, presence, now, times, wake } = keeping;
  sawConnections(presence, [...all].filter(({ isGivenUp }) => !isGivenUp).length, now());
  for (const connection of all) {
    if (connection.isClosing || !isDispensable(keeping, connection)) continue;
    connection.isClosing = true;
    // After a standstill Node runs timers before it reads the network: arrived payloads are answered before the close.
    const closing = () => setImmediate(() => release(keeping, connection));
    setTimeout(closing, connection.isUnwanted ? 0 : times.linger).unref();
  }
  wake();
}

/** Slack will close it, and another connection takes its place, or Slack wants fewer. */
const isDispensable = ({ all }: Keeping, { isLeaving, isUnwanted }: Connection): boolean =>
  isLeaving && (isUnwanted || [...all].some((other) => !other.isLeaving));

function release(keeping: Keeping, connection: Connection): void {
  if (isDispensable(keeping, connection)) void close(connection, keeping.times);
  else connection.isClosing = false;
}

async function close({ client, unanswered }: Connection, { answers }: SocketTimes): Promise<void> {
  const until = performance.now() + answers;
  while (unanswered.size > 0 && performance.now() < until) await new Promise((settle) => setTimeout(settle, 10));
  await client.close();
}

/** Works while the bot stops, too. */
async function takeEnvelope(
  keeping: Keeping,
  { client, unanswered }: Connection,
  { id, payload }: Extract<SocketMessage, { kind: 'envelope' }>,
): Promise<void> {
  const { app } = keeping;
  if (app === undefined) return;
  unanswered.add(id);
  await take({ ...keeping, app }, fieldsOf(payload), {
    acknowledge(answer) {
      unanswered.delete(id);
      return client.answer(id, typeof answer === 'string' ? { text: answer } : answer);
    },
  });
}

async function stop(keeping: Keeping): Promise<void> {
  keeping.isStopping = true;
  keeping.wake();
  keeping.started?.reject(new Error('stopped while Slack was away'));
  // One at a time, so that another one takes what Slack sends meanwhile.
  for (const connection of keeping.all) await close(connection, keeping.times);
}
