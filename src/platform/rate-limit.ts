import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE } from '../time.ts';
import type { Priority } from './transport.ts';

/** Requests per window and pull zone, v1 and v2 together (docs/platform.md, Rate limit of the access log). */
export const LOGGING_LIMIT = { permits: 30, window: 10_000 } as const;

/** Permits that scans leave free, so that a person never waits behind one. */
export const KEPT_FOR_PEOPLE = 6;

/** How long a permit stays taken when its holder never says that the answer came (ms, besides the window). */
export const LEASE = 30_000;

/** The answer to a claim: a permit, or how long (ms) until it is worth asking again. */
type Claim = { permit: string } | { wait: number };

/**
 * The permits under the logging limit, per pull zone. A permit counts from its claim until a window after its answer, so that
 * no delay on the way can put one request too many into any window of the server. Every step can be one statement of a
 * shared database, which then uses its own clock instead of `now` (ms).
 */
export interface PermitStore {
  /** Takes a free permit, if this priority may. */
  claim(zone: number, priority: Priority, now: number): Promise<Claim>;
  /** The answer is here, or will not come: the permit is free again a window after this moment. */
  release(zone: number, permit: string, now: number): Promise<void>;
  /** The platform said 429: somebody else uses the limit too. Nobody asks before `retryAfter` (ms; default: a window). */
  drain(zone: number, now: number, retryAfter?: number): Promise<void>;
}

/** No limit of the client's own: for the few requests that the doctor sends. */
export const UNLIMITED: PermitStore = {
  claim: async () => ({ permit: '' }),
  release: async () => undefined,
  drain: async () => undefined,
};

/** Time, as the limiter sees it. `sleep` resolves when the time is over or the signal says so, and never fails. */
export interface Clock {
  /** Milliseconds that never jump. */
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const machineClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};

/** Lets requests through in order, people before scans, as fast as the logging limit allows. */
export interface LogLimiter {
  /** Waits for a permit, sends, and gives the permit back. Rejects with the signal's reason when it aborts while waiting. */
  run<T>(
    zone: number,
    caller: { priority?: Priority | undefined; signal?: AbortSignal | undefined },
    send: () => Promise<T>,
  ): Promise<T>;
  /** To be told of each 429, with its `Retry-After` in ms where it has one. */
  refused(zone: number, retryAfter?: number): Promise<void>;
}

interface Waiter {
  priority: Priority;
  admit(permit: string): void;
  fail(error: unknown): void;
}

interface Queue {
  people: Waiter[];
  background: Waiter[];
  /** Ends the pause of the one loop that serves this queue; absent while no loop runs. */
  wake?: () => void;
}

/** A limiter whose permits are in a store, which several processes may share. */
export function createLogLimiter({ store, clock = machineClock }: { store: PermitStore; clock?: Clock }): LogLimiter {
  const queues = new Map<number, Queue>();

  /** Serves one zone's callers until none is left. The only loop that claims, so order is kept. */
  async function serve(zone: number, queue: Queue): Promise<void> {
    for (;;) {
      const pause = new AbortController();
      queue.wake = () => pause.abort();
      const priority = queue.people.length > 0 ? 'person' : 'background';
      try {
        const claim = await store.claim(zone, priority, clock.now());
        if ('permit' in claim) {
          const waiter = queue.people.shift() ?? queue.background.shift();
          if (waiter) waiter.admit(claim.permit);
          else await store.release(zone, claim.permit, clock.now());
        } else if (queue.people.length + queue.background.length > 0) {
          // Permits that another process frees are not announced.
          await clock.sleep(Math.min(claim.wait, 1000), pause.signal);
        }
      } catch (error) {
        for (const waiter of [...queue.people, ...queue.background]) waiter.fail(error);
        queue.people.length = 0;
        queue.background.length = 0;
      }
      if (queue.people.length + queue.background.length === 0) {
        queues.delete(zone);
        return;
      }
    }
  }

  function waitForPermit(zone: number, priority: Priority, signal: AbortSignal | undefined): Promise<string> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      let queue = queues.get(zone);
      const isNew = queue === undefined;
      queue ??= { people: [], background: [] };
      queues.set(zone, queue);
      const line = priority === 'person' ? queue.people : queue.background;
      const leave = () => {
        const index = line.indexOf(waiter);
        if (index >= 0) line.splice(index, 1);
        reject(signal?.reason);
        queues.get(zone)?.wake?.();
      };
      const waiter: Waiter = {
        priority,
        admit: (permit) => {
          signal?.removeEventListener('abort', leave);
          resolve(permit);
        },
        fail: (error) => {
          signal?.removeEventListener('abort', leave);
          reject(error);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      line.push(waiter);
      if (isNew) void serve(zone, queue);
      else if (priority === 'person') queue.wake?.();
    });
  }

  return {
    async run(zone, { priority = 'person', signal }, send) {
      const permit = await waitForPermit(zone, priority, signal);
      try {
        return await send();
      } finally {
        // The answer is here: a store that fails now must not take it away. The lease ends what was not given back.
        await store.release(zone, permit, clock.now()).catch(() => undefined);
        queues.get(zone)?.wake?.();
      }
    },

    async refused(zone, retryAfter) {
      // After that one request looks whether the 429 still holds.
      await store.drain(zone, clock.now(), retryAfter && Math.min(retryAfter, 5 * MINUTE));
    },
  };
}
