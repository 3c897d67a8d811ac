import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE } from '../time.ts';
import type { Priority } from './transport.ts';

/** Per window and pull zone, v1 and v2 together (docs/platform.md, Rate limit of the access log). */
export const LOGGING_LIMIT = {
  permits: 30,
  window: 10_000,
  /** Background work leaves these free, so that no person waits for it. */
  kept: 6,
  /** In milliseconds, on top of the window. How long an unreleased permit stays taken. */
  lease: 30_000,
} as const;

/** `wait`: milliseconds until it is worth asking again. */
type Claim = { permit: string } | { wait: number };

/** Permits of each pull zone. One counts until a window after its answer, so no delay can exceed the limit. A shared store uses its own clock. */
export interface PermitStore {
  claim(zone: number, priority: Priority, now: number): Promise<Claim>;
  /** The permit is free a window after `now`. */
  release(zone: number, permit: string, now: number): Promise<void>;
  /** Called after a 429. `retryAfter` in milliseconds; a window without it. */
  drain(zone: number, now: number, retryAfter?: number): Promise<void>;
}

/** For the doctor's few requests. */
export const UNLIMITED: PermitStore = {
  claim: async () => ({ permit: '' }),
  release: async () => undefined,
  drain: async () => undefined,
};

/** The signal ends `sleep` early. It never fails. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const machineClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};

/** Serves in order, people before background work. */
export interface LogLimiter {
  /** Rejects with the signal's reason while waiting. */
  run<T>(
    zone: number,
    caller: { priority?: Priority | undefined; signal?: AbortSignal | undefined },
    send: () => Promise<T>,
  ): Promise<T>;
  /** Called after each 429. In milliseconds. */
  refused(zone: number, retryAfter?: number): Promise<void>;
}

interface Waiter {
  admit(permit: string): void;
  fail(error: unknown): void;
}

interface Queue {
  people: Waiter[];
  background: Waiter[];
  /** Ends the pause of its loop. Absent: no loop runs. */
  wake?: () => void;
}

export function createLogLimiter({ store, clock = machineClock }: { store: PermitStore; clock?: Clock }): LogLimiter {
  const queues = new Map<number, Queue>();

  /** The only loop that claims for the zone, so order is kept. */
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
          // Other processes do not announce freed permits.
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
        // A failing store must not lose the answer: the lease ends the permit.
        await store.release(zone, permit, clock.now()).catch(() => undefined);
        queues.get(zone)?.wake?.();
      }
    },

    async refused(zone, retryAfter) {
      // After that one request probes.
      await store.drain(zone, clock.now(), retryAfter && Math.min(retryAfter, 5 * MINUTE));
    },
  };
}
