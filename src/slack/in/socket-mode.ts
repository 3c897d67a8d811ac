import { type App, type Receiver, webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Secret } from '../../secret.ts';
import { createLibraryLog } from '../clients.ts';
import { askedPause, jittered, logRetry, PAUSES, type Pauses, pauseAfter, reasonOf, refusalOf } from '../patience.ts';
import { type Envelope, readMessage, takeEnvelope } from './envelopes.ts';
import { type Presence, sawConnections } from './presence.ts';
import { type ConnectionTimes, openSocket, type SocketConnection } from './socket-connection.ts';

/** Slack allows ten for all replicas together: with two, one carries on while the other is renewed. */
const WANTED = 2;

/** All lengths of time that Socket Mode goes by, in milliseconds. */
export interface SocketTimes extends ConnectionTimes, Pauses {
  /** For `apps.connections.open` to answer. */
  call: number;
  /** A connection that ends sooner counts as a failure. */
  settled: number;
  /** For Slack to close a connection that was replaced: until then payloads may still come over it. */
  linger: number;
  /** For a stop: until the answers under way are out. */
  answers: number;
  /** Until a second connection is tried again after Slack found that there are too many. */
  spare: number;
}

/** For Slack as it is; tests are in more of a hurry. */
export const SOCKET_TIMES: SocketTimes = {
  ...PAUSES,
  call: 6_000,
  arrival: 10_000,
  beat: 5_000,
  closing: 1_000,
  settled: 10_000,
  linger: 30_000,
  answers: 3_000,
  spare: 600_000,
};

/** Takes Slack's payloads over connections that are renewed for ever. */
export interface SocketMode extends Receiver {
  /** Resolves when the first connection is open. Throws SlackRefusedError when Slack's answer is final. */
  start(): Promise<void>;
  /** Takes nothing new, lets the answers under way out, and closes the connections. */
  stop(): Promise<void>;
}

export interface SocketModeOptions {
  appToken: Secret;
  apiUrl: string;
  /** Kept up to date with the connections. */
  presence: Presence;
  now: () => Date;
  log: Logger;
  times?: Partial<SocketTimes> | undefined;
}

/** One connection, from the moment that its address is known. */
interface Connection {
  readonly socket: SocketConnection;
  /** When Slack greeted, by the process's clock, and how long it means to keep the connection. */
  greetedAt: number | undefined;
  lifetime: number;
  /** Envelopes that still have to be answered on it. */
  readonly unanswered: Set<string>;
  /** Slack will close it. */
  isLeaving: boolean;
  /** It need not wait for another to take its place. */
  isUnwanted: boolean;
  isClosing: boolean;
}

interface Keeping {
  readonly client: webApi.WebClient;
  readonly presence: Presence;
  readonly now: () => Date;
  readonly log: Logger;
  readonly times: SocketTimes;
  readonly connections: Set<Connection>;
  app: App | undefined;
  /** Failures in a row to connect, and connections in a row that did not last. */
  failures: number;
  shortLives: number;
  /** Nothing is tried before, by the process's clock. */
  retryAt: number;
  /** No second connection before. */
  spareAt: number;
  isStopping: boolean;
  /** Ends the loop's sleep. */
  wake: () => void;
  /** Tells who waits for the first connection. */
  started: { resolve: () => void; reject: (error: Error) => void } | undefined;
}

/** Two connections side by side, each replaced when it ends or Slack says that it will. */
export function createSocketMode(options: SocketModeOptions): SocketMode {
  const { presence, now, log } = options;
  const times = { ...SOCKET_TIMES, ...options.times };
  const keeping: Keeping = {
    client: new webApi.WebClient(options.appToken.reveal(), {
      slackApiUrl: `${options.apiUrl}/`,
      timeout: times.call,
      // The pauses are ours: the client would sleep where nobody sees it.
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      // Its own words would only say again what is said here.
      logger: createLibraryLog(),
    }),
    presence,
    now,
    log,
    times,
    connections: new Set(),
    app: undefined,
    failures: 0,
    shortLives: 0,
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

/** The one loop: a connection at a time is opened, as long as one is lacking. */
async function keepOpen(keeping: Keeping): Promise<void> {
  while (!keeping.isStopping) {
    const pause = pauseBefore(keeping);
    if (pause > 0) await sleep(keeping, pause);
    else await attempt(keeping);
  }
}

/**
 * How long nothing is to be done, in milliseconds. One connection is always in the first half of its life, so that the two
 * never come to their end together.
 */
function pauseBefore({ connections, times, retryAt, spareAt }: Keeping): number {
  const now = performance.now();
  const fresh = [...connections].filter(({ isLeaving }) => !isLeaving);
  const retry = retryAt - now;
  if (fresh.length === 0) return retry;
  if (fresh.length < WANTED) return Math.max(retry, spareAt - now);
  const half = Math.max(...fresh.map(({ greetedAt = now, lifetime }) => greetedAt + lifetime / 2)) - now;
  return Math.max(retry, spareAt - now, half, fresh.length > WANTED ? times.slowly : 0);
}

/** Sleeps, or less when a connection changes. */
function sleep(keeping: Keeping, pause: number): Promise<void> {
  return new Promise((resolve) => {
    // A timer takes no more than 24 days, and infinity not at all.
    const timer = setTimeout(resolve, Math.min(pause, 3_600_000));
    keeping.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

/** Opens one connection. Never rejects: the loop goes on. */
async function attempt(keeping: Keeping): Promise<void> {
  let tried = 'apps.connections.open';
  try {
    const { url } = await keeping.client.apps.connections.open({});
    if (keeping.isStopping) return;
    tried = 'Socket Mode';
    await connect(keeping, String(url));
    keeping.failures = 0;
    keeping.started?.resolve();
    keeping.started = undefined;
  } catch (error) {
    if (!keeping.isStopping) failed(keeping, tried, error);
  }
}

/** Says what was tried, why it failed and when it is tried again; or, at the start, that there is no use. */
function failed(keeping: Keeping, tried: string, error: unknown): void {
  const { times, log, started } = keeping;
  const refusal = refusalOf(error, 'SLACK_APP_TOKEN');
  if (refusal !== undefined && started !== undefined) {
    keeping.isStopping = true;
    started.reject(refusal);
    return;
  }
  keeping.failures += 1;
  const pause = refusal === undefined ? pauseAfter(keeping.failures, times) : jittered(times.slowly);
  postpone(keeping, Math.max(pause, askedPause(error)));
  const reason = refusal?.message ?? reasonOf(error);
  logRetry(log, { tried, reason, pause: keeping.retryAt - performance.now() });
}

/** Resolves when Slack greets; rejects when the connection ends before, or is not greeted in time. */
function connect(keeping: Keeping, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(url, keeping.times, {
      message: (text) => hear(keeping, connection, text, { resolve, reject }),
      closed(reason) {
        clearTimeout(greeted);
        reject(new Error(reason));
        lost(keeping, connection, reason);
      },
    });
    const connection: Connection = {
      socket,
      greetedAt: undefined,
      lifetime: Number.POSITIVE_INFINITY,
      unanswered: new Set(),
      isLeaving: false,
      isUnwanted: false,
      isClosing: false,
    };
    keeping.connections.add(connection);
    const greeted = setTimeout(() => {
      if (connection.greetedAt !== undefined) return;
      reject(new Error(`no hello within ${keeping.times.arrival / 1000} s`));
      void socket.close();
    }, keeping.times.arrival);
  });
}

/** One message of Slack's. */
function hear(
  keeping: Keeping,
  connection: Connection,
  text: string,
  opening: { resolve: () => void; reject: (error: Error) => void },
): void {
  const message = readMessage(text);
  if (message.kind === 'hello') {
    connection.greetedAt ??= performance.now();
    connection.lifetime = message.lifetime ?? Number.POSITIVE_INFINITY;
    changed(keeping);
    keeping.log.info(
      { host: message.host, connections: keeping.presence.connections },
      'a connection of Socket Mode is open',
    );
    opening.resolve();
  } else if (message.kind === 'disconnect') {
    opening.reject(new Error(message.reason));
    leave(keeping, connection, message.reason);
  } else if (message.kind === 'envelope') {
    take(keeping, connection, message.envelope).catch((error: unknown) => {
      keeping.log.error({ err: error }, 'an envelope could not be taken');
    });
  } else {
    keeping.log.warn({ type: message.type }, 'a message of no known shape came over Socket Mode');
  }
}

/** One line for each of Slack's reasons, and what follows from it. */
const REASONS: Readonly<Record<string, { says: string; isTrouble?: boolean }>> = {
  warning: { says: 'Slack will close a connection in some seconds: another is opened first' },
  refresh_requested: { says: 'Slack renews a connection: another is opened' },
  link_disabled: {
    says: 'Socket Mode is switched off: switch it on in the app’s settings (api.slack.com/apps, Socket Mode)',
    isTrouble: true,
  },
  too_many_websockets: {
    says: 'the app has more than Slack’s ten connections: this process keeps one for a while',
    isTrouble: true,
  },
};

/** Slack says that it will close this connection. */
function leave(keeping: Keeping, connection: Connection, reason: string): void {
  const { times, log, connections } = keeping;
  const { says, isTrouble } = REASONS[reason] ?? { says: 'Slack ends a connection for a reason of its own' };
  log[isTrouble === true ? 'error' : 'info']({ reason }, says);
  if (connection.isLeaving) return;
  connection.isLeaving = true;
  countLife(keeping, connection);
  if (reason === 'link_disabled') {
    connection.isUnwanted = true;
    postpone(keeping, jittered(times.slowly));
  }
  if (reason === 'too_many_websockets') {
    connection.isUnwanted = [...connections].some(isGood);
    keeping.spareAt = performance.now() + jittered(times.spare);
    postpone(keeping, pauseAfter(keeping.shortLives + 1, times));
  }
  changed(keeping);
}

function lost(keeping: Keeping, connection: Connection, reason: string): void {
  const { log, isStopping, connections } = keeping;
  connections.delete(connection);
  if (connection.greetedAt !== undefined && !connection.isLeaving && !isStopping) {
    countLife(keeping, connection);
    log.warn({ reason, connections: [...connections].filter(isGood).length }, 'a connection of Socket Mode is lost');
  }
  changed(keeping);
}

/** Connections that do not last are not replaced at once for ever. */
function countLife(keeping: Keeping, { greetedAt }: Connection): void {
  if (greetedAt === undefined) return;
  const { times } = keeping;
  keeping.shortLives = performance.now() - greetedAt < times.settled ? keeping.shortLives + 1 : 0;
  if (keeping.shortLives > 1) postpone(keeping, pauseAfter(keeping.shortLives - 1, times));
}

/** Nothing is tried for so long, or longer where that was said before. */
function postpone(keeping: Keeping, pause: number): void {
  keeping.retryAt = Math.max(keeping.retryAt, performance.now() + pause);
}

/** Slack has greeted, and means to keep it. */
function isGood({ greetedAt, isLeaving }: Connection): boolean {
  return greetedAt !== undefined && !isLeaving;
}

/** Brings everything that depends on the connections up to date. */
function changed(keeping: Keeping): void {
  const open = [...keeping.connections].filter(({ greetedAt }) => greetedAt !== undefined);
  sawConnections(keeping.presence, open.length, keeping.now());
  const isReplaced = open.some(isGood);
  for (const connection of keeping.connections) {
    const { isLeaving, isUnwanted, unanswered, isClosing, greetedAt } = connection;
    const isDispensable = isReplaced || isUnwanted || greetedAt === undefined;
    if (!isLeaving || !isDispensable || unanswered.size > 0 || isClosing) continue;
    connection.isClosing = true;
    setTimeout(() => void connection.socket.close(), isUnwanted ? 0 : keeping.times.linger).unref();
  }
  keeping.wake();
}

/** Takes an envelope, unless the bot is stopping: then Slack gives it to another connection. */
async function take(keeping: Keeping, { socket, unanswered }: Connection, envelope: Envelope): Promise<void> {
  const { app, log, isStopping } = keeping;
  if (app === undefined || isStopping) return;
  const { id } = envelope;
  unanswered.add(id);
  await takeEnvelope(envelope, {
    app,
    log,
    acknowledge(answer) {
      const payload = typeof answer === 'string' ? { text: answer } : answer;
      const isSent = socket.send(JSON.stringify({ envelope_id: id, payload }));
      unanswered.delete(id);
      if (unanswered.size === 0) changed(keeping);
      return isSent;
    },
  });
}

async function stop(keeping: Keeping): Promise<void> {
  const { connections, times } = keeping;
  keeping.isStopping = true;
  keeping.wake();
  keeping.started?.reject(new Error('stopped while Slack was away'));
  const until = performance.now() + times.answers;
  const isAnswered = () => [...connections].every(({ unanswered }) => unanswered.size === 0);
  while (!isAnswered() && performance.now() < until) await new Promise((settle) => setTimeout(settle, 10));
  await Promise.all([...connections].map(({ socket }) => socket.close()));
}
