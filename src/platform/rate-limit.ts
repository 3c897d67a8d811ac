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

interface Waiter {
  priority: Priority;
  /** Ends its pause. */
  wake(): void;
}

/** Serves in order, people before background work. */
export type LogLimiter = ReturnType<typeof createLogLimiter>;

export function createLogLimiter({ store, clock = machineClock }: { store: PermitStore; clock?: Clock }) {
  /** Only the first in a line claims, so order is kept. */
  const lines = new Map<number, Waiter[]>();

  async function permitFor(zone: number, priority: Priority, signal: AbortSignal | undefined): Promise<string> {
    const line = lines.get(zone) ?? [];
    const me: Waiter = { priority, wake: () => undefined };
    const behind = priority === 'person' ? line.findIndex((one) => one.priority === 'background') : -1;
    line.splice(behind < 0 ? line.length : behind, 0, me);
    lines.set(zone, line);
    const wake = () => me.wake();
    signal?.addEventListener('abort', wake);
    try {
      for (;;) {
        const pause = new AbortController();
        me.wake = () => pause.abort();
        signal?.throwIfAborted();
        const claim = line[0] === me ? await store.claim(zone, priority, clock.now()) : { wait: 1000 };
        if ('permit' in claim) return claim.permit;
        // Other processes do not announce freed permits.
        await clock.sleep(Math.min(claim.wait, 1000), pause.signal);
      }
    } finally {
      signal?.removeEventListener('abort', wake);
      line.splice(line.indexOf(me), 1);
      if (line.length === 0) lines.delete(zone);
      line[0]?.wake();
    }
  }

  return {
    /** Rejects with the signal's reason while waiting. */
    async run<T>(
      zone: number,
      { priority = 'person', signal }: { priority?: Priority | undefined; signal?: AbortSignal | undefined },
      send: () => Promise<T>,
    ): Promise<T> {
      const permit = await permitFor(zone, priority, signal);
      try {
        signal?.throwIfAborted();
        return await send();
      } finally {
        // A failing store must not lose the answer: the lease ends the permit.
        await store.release(zone, permit, clock.now()).catch(() => undefined);
        lines.get(zone)?.[0]?.wake();
      }
    },

    /** Called after each 429. In milliseconds. */
    async refused(zone: number, retryAfter?: number) {
      // After that one request probes.
      await store.drain(zone, clock.now(), retryAfter && Math.min(retryAfter, 5 * MINUTE));
    },
  };
}
