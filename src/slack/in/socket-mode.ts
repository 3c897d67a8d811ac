import { type App, type Receiver, webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Observe } from '../../observe.ts';
import type { Secret } from '../../secret.ts';
import { HOUR } from '../../time.ts';
import { createLibraryLog, timedCall } from '../clients.ts';
import { hostsOf, isSlacks, type SlackHosts } from '../hosts.ts';
import { askedPause, finalOf, jittered, logRetry, pauseAfter, reasonOf } from '../patience.ts';
import type { Allowances } from './allowance.ts';
import type { Arrivals } from './arrival.ts';
import type { Presence } from './presence.ts';
import { type Connections, connect, postpone, SOCKET_TIMES, type SocketTimes } from './socket-connections.ts';

/** Slack allows ten for all replicas together: with two, one carries on while the other is renewed. */
const WANTED = 2;

/** Takes Slack's payloads over connections that are renewed for ever. */
export interface SocketMode extends Receiver {
  init(app: Pick<App, 'processEvent'>): void;
  /** Resolves when the first connection is open. Throws SlackRefusedError when Slack's answer is final. */
  start(): Promise<void>;
  /** Lets the answers under way out and closes the connections, one after the other. */
  stop(): Promise<void>;
}

/** How Slack is reached over Socket Mode. */
export interface SocketModeOptions {
  appToken: Secret;
  apiUrl: string;
  /** Kept up to date with the connections. */
  presence: Presence;
  observe?: Observe | undefined;
  keep?: Arrivals['keep'];
  now: () => Date;
  log: Logger;
  allowances: Allowances;
  times?: Partial<SocketTimes> | undefined;
}

interface Keeping extends Connections {
  readonly client: webApi.WebClient;
  readonly hosts: SlackHosts;
  /** Failures in a row to connect. */
  failures: number;
  /** Set while somebody waits for the first connection. */
  started: { resolve: () => void; reject: (error: Error) => void } | undefined;
}

/** Two connections side by side, each replaced when it ends or Slack says that it will. */
export function createSocketMode(options: SocketModeOptions): SocketMode {
  const { presence, observe, keep, now, log, allowances } = options;
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
    hosts: hostsOf(options.apiUrl),
    presence,
    observe,
    keep,
    now,
    log,
    times,
    allowances,
    all: new Set(),
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
function pauseBefore({ all, times, retryAt, spareAt }: Keeping): number {
  const now = performance.now();
  const fresh = [...all].filter(({ isLeaving }) => !isLeaving);
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
    const timer = setTimeout(resolve, Math.min(pause, HOUR));
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
    const open = () => keeping.client.apps.connections.open({});
    const { url } = await timedCall(keeping.observe, 'apps.connections.open', open);
    if (url === undefined || !isSlacks(keeping.hosts, 'connections', url))
      throw new Error('the answer has no address of Slack’s');
    if (keeping.isStopping) return;
    tried = 'Socket Mode';
    await connect(keeping, url);
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
  const refusal = finalOf(error, 'SLACK_APP_TOKEN');
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

async function stop(keeping: Keeping): Promise<void> {
  const { all, times } = keeping;
  keeping.isStopping = true;
  keeping.wake();
  keeping.started?.reject(new Error('stopped while Slack was away'));
  // One after the other: what Slack sends meanwhile comes over the next one, and is taken there.
  for (const { unanswered, socket } of all) {
    const until = performance.now() + times.answers;
    while (unanswered.size > 0 && performance.now() < until) await new Promise((settle) => setTimeout(settle, 10));
    await socket.close();
  }
}
