import type { Clock } from '../../src/platform/rate-limit.ts';

/** A clock that stands still until told to run, and then goes from one sleeper to the next in no time. */
export interface VirtualClock extends Clock {
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs until nobody sleeps any more, or this instant (ms) is reached. */
  runUntil(end: number): Promise<void>;
}

interface Sleeper {
  at: number;
  wake(): void;
}

export function createVirtualClock(): VirtualClock {
  let time = 0;
  const sleepers = new Set<Sleeper>();
  /** Lets everything that can go on without time passing do so. */
  const settle = async () => {
    for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
  };
  return {
    now: () => time,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper: Sleeper = {
          at: time + Math.max(0, ms),
          wake: () => {
            sleepers.delete(sleeper);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake, { once: true });
      }),
    async runUntil(end) {
      await settle();
      for (;;) {
        let next: Sleeper | undefined;
        for (const sleeper of sleepers) if (next === undefined || sleeper.at < next.at) next = sleeper;
        if (next === undefined || next.at > end) break;
        time = Math.max(time, next.at);
        next.wake();
        await settle();
      }
      time = Math.max(time, end);
    },
  };
}

/** A pseudo-random number generator (mulberry32), so that every run is the same. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
