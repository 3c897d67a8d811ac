import type { App } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Observe } from '../../observe.ts';
import { MINUTE } from '../../time.ts';
import { jittered, PAUSES, type Pauses, pauseAfter } from '../patience.ts';
import type { Allowances } from './allowance.ts';
import type { Arrivals } from './arrival.ts';
import { type Envelope, readMessage, takeEnvelope } from './envelopes.ts';
import { type Presence, sawConnections } from './presence.ts';
import { type ConnectionTimes, openSocket, type SocketConnection } from './web-socket.ts';

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
  spare: 10 * MINUTE,
};

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
  /** Slack may send nothing more over it: all reasons but a warning mean that. */
  isGivenUp: boolean;
  /** It need not wait for another to take its place. */
  isUnwanted: boolean;
  isClosing: boolean;
}

/** The connections, and what they do to the time at which another may be opened. */
export interface Connections {
  readonly presence: Presence;
  readonly observe: Observe | undefined;
  readonly keep: Arrivals['keep'];
  readonly now: () => Date;
  readonly log: Logger;
  readonly times: SocketTimes;
  readonly allowances: Allowances;
  readonly all: Set<Connection>;
  app: Pick<App, 'processEvent'> | undefined;
  /** Connections in a row that did not last. */
  shortLives: number;
  /** Nothing is tried before, by the process's clock. */
  retryAt: number;
  /** No second connection before. */
  spareAt: number;
  isStopping: boolean;
  /** Called when something has changed. */
  wake: () => void;
}

/** Resolves when Slack greets; rejects when the connection ends before, or is not greeted in time. */
export function connect(connections: Connections, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = openSocket(url, connections.times, {
      message: (text) => hear(connections, connection, text, { resolve, reject }),
      closed(reason) {
        clearTimeout(greeted);
        reject(new Error(reason));
        lost(connections, connection, reason);
      },
    });
    const connection: Connection = {
      socket,
      greetedAt: undefined,
      lifetime: Number.POSITIVE_INFINITY,
      unanswered: new Set(),
      isLeaving: false,
      isGivenUp: false,
      isUnwanted: false,
      isClosing: false,
    };
    connections.all.add(connection);
    const greeted = setTimeout(() => {
      if (connection.greetedAt !== undefined) return;
      reject(new Error(`no hello within ${connections.times.arrival / 1000} s`));
      void socket.close();
    }, connections.times.arrival);
  });
}

/** One message of Slack's. */
function hear(
  connections: Connections,
  connection: Connection,
  text: string,
  opening: { resolve: () => void; reject: (error: Error) => void },
): void {
  const message = readMessage(text);
  if (message.kind === 'hello') {
    connection.greetedAt ??= performance.now();
    connection.lifetime = message.lifetime ?? Number.POSITIVE_INFINITY;
    changed(connections);
    connections.log.info(
      { host: message.host, connections: connections.presence.connections },
      'a connection of Socket Mode is open',
    );
    opening.resolve();
  } else if (message.kind === 'disconnect') {
    opening.reject(new Error(message.reason));
    leave(connections, connection, message.reason);
  } else if (message.kind === 'envelope') {
    take(connections, connection, message.envelope).catch((error: unknown) => {
      connections.log.error({ err: error }, 'an envelope could not be taken');
    });
  } else {
    connections.log.warn({ type: message.type }, 'a message of no known shape came over Socket Mode');
  }
}

/** One line for each of Slack's reasons. */
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

const UNKNOWN = { level: 'warn', says: 'Slack ends a connection for a reason that is new' } as const;

/** Slack says that it will close this connection. */
function leave(connections: Connections, connection: Connection, reason: string): void {
  const { times, log, all } = connections;
  const { level, says } = REASONS.get(reason) ?? UNKNOWN;
  log[level]({ reason }, says);
  connection.isGivenUp ||= reason !== 'warning';
  if (connection.isLeaving) {
    changed(connections);
    return;
  }
  connection.isLeaving = true;
  countLife(connections, connection);
  if (reason === 'link_disabled') {
    connection.isUnwanted = true;
    postpone(connections, jittered(times.slowly));
  }
  if (reason === 'too_many_websockets') {
    connection.isUnwanted = [...all].some(isGood);
    connections.spareAt = performance.now() + jittered(times.spare);
    postpone(connections, pauseAfter(connections.shortLives + 1, times));
  }
  changed(connections);
}

function lost(connections: Connections, connection: Connection, reason: string): void {
  const { log, isStopping, all } = connections;
  all.delete(connection);
  if (connection.greetedAt !== undefined && !connection.isLeaving && !isStopping) {
    countLife(connections, connection);
    log.warn({ reason, connections: [...all].filter(isGood).length }, 'a connection of Socket Mode is lost');
  }
  changed(connections);
}

/** Connections that do not last are not replaced at once for ever. */
function countLife(connections: Connections, { greetedAt }: Connection): void {
  if (greetedAt === undefined) return;
  const { times } = connections;
  connections.shortLives = performance.now() - greetedAt < times.settled ? connections.shortLives + 1 : 0;
  if (connections.shortLives > 1) postpone(connections, pauseAfter(connections.shortLives - 1, times));
}

/** Nothing is tried for so long, or longer where that was said before. */
export function postpone(connections: Connections, pause: number): void {
  connections.retryAt = Math.max(connections.retryAt, performance.now() + pause);
}

/** Slack has greeted, and means to keep it. */
function isGood({ greetedAt, isLeaving }: Connection): boolean {
  return greetedAt !== undefined && !isLeaving;
}

/** Brings everything that depends on the connections up to date. */
function changed(connections: Connections): void {
  const open = [...connections.all].filter(({ greetedAt }) => greetedAt !== undefined);
  sawConnections(connections.presence, open.filter(({ isGivenUp }) => !isGivenUp).length, connections.now());
  const isReplaced = open.some(isGood);
  for (const connection of connections.all) {
    const { isLeaving, isUnwanted, unanswered, isClosing, greetedAt } = connection;
    const isDispensable = isReplaced || isUnwanted || greetedAt === undefined;
    if (!isLeaving || !isDispensable || unanswered.size > 0 || isClosing) continue;
    connection.isClosing = true;
    const mayStillBeUsed = !isUnwanted && greetedAt !== undefined;
    // After a standstill timers come first: what has arrived meanwhile is taken, and answered, before it is closed.
    const close = () => setImmediate(() => release(connection));
    setTimeout(close, mayStillBeUsed ? connections.times.linger : 0).unref();
  }
  connections.wake();
}

/** Closes a connection, unless something came that is still to be answered: its answer begins this anew. */
function release(connection: Connection): void {
  if (connection.unanswered.size === 0) void connection.socket.close();
  else connection.isClosing = false;
}

/** Takes an envelope, also while the bot is stopping. */
async function take(connections: Connections, { socket, unanswered }: Connection, envelope: Envelope): Promise<void> {
  const { app } = connections;
  if (app === undefined) return;
  const { id } = envelope;
  unanswered.add(id);
  await takeEnvelope(envelope, {
    ...connections,
    app,
    acknowledge(answer) {
      const payload = typeof answer === 'string' ? { text: answer } : answer;
      const isSent = socket.send(JSON.stringify({ envelope_id: id, payload }));
      unanswered.delete(id);
      if (unanswered.size === 0) changed(connections);
      return isSent;
    },
  });
}
