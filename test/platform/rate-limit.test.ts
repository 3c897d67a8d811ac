import { describe, expect, it } from 'vitest';
import { createLogLimiter, LOGGING_LIMIT, type LogLimiter } from '../../src/platform/rate-limit.ts';
import type { Priority } from '../../src/platform/transport.ts';
import { createMemoryPermits } from '../support/memory-permits.ts';
import { createRandom, createVirtualClock, type VirtualClock } from './virtual-clock.ts';

const { permits: LIMIT, window: WINDOW } = LOGGING_LIMIT;

/** Counts as a server might, and says whether a request that arrives now is let through. */
type Policy = (now: number) => boolean;

const slidingWindow = (): Policy => {
  const admitted: number[] = [];
  return (now) => {
    while (admitted.length > 0 && (admitted[0] as number) <= now - WINDOW) admitted.shift();
    if (admitted.length >= LIMIT) return false;
    admitted.push(now);
    return true;
  };
};

const fixedWindow = (offset = 3700): Policy => {
  let window = -1;
  let count = 0;
  return (now) => {
    const current = Math.floor((now + offset) / WINDOW);
    if (current !== window) {
      window = current;
      count = 0;
    }
    count += 1;
    return count <= LIMIT;
  };
};

const tokenBucket = (): Policy => {
  let tokens: number = LIMIT;
  let last = 0;
  return (now) => {
    tokens = Math.min(LIMIT, tokens + ((now - last) * LIMIT) / WINDOW);
    last = now;
    // Floating point may leave a whole token a hair short.
    if (tokens < 1 - 1e-6) return false;
    tokens -= 1;
    return true;
  };
};

/** A server at the end of a line that delays every request and every answer by 2 to 32 ms, so that they overtake each other. */
function createServer(clock: VirtualClock, policy: Policy, seed = 1) {
  const random = createRandom(seed);
  const served: number[] = [];
  let refused = 0;
  return {
    served,
    refused: () => refused,
    async request(): Promise<boolean> {
      await clock.sleep(2 + random() * 30);
      const isServed = policy(clock.now());
      if (isServed) served.push(clock.now());
      else refused += 1;
      await clock.sleep(2 + random() * 30);
      return isServed;
    },
  };
}

type Server = ReturnType<typeof createServer>;

/** A caller that asks again as soon as it has its answer. */
async function keepAsking(limiter: LogLimiter, server: Server, priority: Priority, clock: VirtualClock, end: number) {
  while (clock.now() < end) {
    await limiter.run(1, { priority }, async () => {
      const isServed = await server.request();
      if (!isServed) await limiter.refused(1);
    });
  }
}

const policies = [
  { name: 'a sliding window', policy: slidingWindow },
  { name: 'a fixed window', policy: fixedWindow },
  { name: 'a token bucket', policy: tokenBucket },
];

describe('the logging limit', () => {
  it.each(policies)('is used by 99 % and never passed before a server that counts $name', async ({ policy }) => {
    const clock = createVirtualClock();
    const server = createServer(clock, policy());
    const limiter = createLogLimiter({ store: createMemoryPermits(), clock });
    const minutes = 5 * 60_000;
    for (let caller = 0; caller < 40; caller += 1) void keepAsking(limiter, server, 'person', clock, minutes);
    await clock.runUntil(minutes);
    const allowed = (minutes / WINDOW) * LIMIT;
    expect(server.refused()).toBe(0);
    expect(server.served.length).toBeGreaterThanOrEqual(allowed * 0.99);
  });

  it.each(policies)('is used by 99 % too when people and scans share it, before $name', async ({ policy }) => {
    const clock = createVirtualClock();
    const server = createServer(clock, policy(), 7);
    const limiter = createLogLimiter({ store: createMemoryPermits(), clock });
    const minutes = 5 * 60_000;
    for (let caller = 0; caller < 8; caller += 1) void keepAsking(limiter, server, 'person', clock, minutes);
    for (let caller = 0; caller < 40; caller += 1) void keepAsking(limiter, server, 'background', clock, minutes);
    await clock.runUntil(minutes);
    expect(server.refused()).toBe(0);
    expect(server.served.length).toBeGreaterThanOrEqual((minutes / WINDOW) * LIMIT * 0.99);
  });

  it('leaves permits for people while a scan takes all that it may', async () => {
    const clock = createVirtualClock();
    const server = createServer(clock, slidingWindow());
    const limiter = createLogLimiter({ store: createMemoryPermits(), clock });
    for (let caller = 0; caller < 40; caller += 1) void keepAsking(limiter, server, 'background', clock, 60_000);
    await clock.runUntil(5000);
    expect(server.served).toHaveLength(LIMIT - LOGGING_LIMIT.kept);

    const waits: number[] = [];
    for (let person = 0; person < LOGGING_LIMIT.kept; person += 1) {
      void limiter.run(1, { priority: 'person' }, async () => {
        waits.push(clock.now() - 5000);
      });
    }
    await clock.runUntil(5001);
    expect(waits).toEqual(Array.from({ length: LOGGING_LIMIT.kept }, () => 0));
  });

  it('lets callers through in order, people before scans', async () => {
    const clock = createVirtualClock();
    const limiter = createLogLimiter({ store: createMemoryPermits({ permits: 1, window: 1000 }), clock });
    const order: string[] = [];
    const ask = (name: string, priority: Priority) =>
      void limiter.run(1, { priority }, async () => void order.push(name));
    ask('scan 1', 'background');
    await clock.runUntil(1);
    ask('scan 2', 'background');
    ask('scan 3', 'background');
    ask('person 1', 'person');
    ask('person 2', 'person');
    await clock.runUntil(10_000);
    expect(order).toEqual(['scan 1', 'person 1', 'person 2', 'scan 2', 'scan 3']);
  });

  it('counts each pull zone for itself', async () => {
    const clock = createVirtualClock();
    const limiter = createLogLimiter({ store: createMemoryPermits({ permits: 1, window: 1000 }), clock });
    const done: number[] = [];
    for (const zone of [1, 2, 3]) void limiter.run(zone, {}, async () => void done.push(zone));
    await clock.runUntil(1);
    expect(done).toEqual([1, 2, 3]);
  });

  it('counts a request until its answer and a window more, however slow it is', async () => {
    const clock = createVirtualClock();
    const limiter = createLogLimiter({ store: createMemoryPermits({ permits: 1, window: 1000 }), clock });
    void limiter.run(1, {}, () => clock.sleep(5000));
    let secondAt = 0;
    void limiter.run(1, {}, async () => {
      secondAt = clock.now();
    });
    await clock.runUntil(20_000);
    expect(secondAt).toBe(6000);
  });

  it('gives the permit back when sending fails, and the failure to its caller', async () => {
    const clock = createVirtualClock();
    const limiter = createLogLimiter({ store: createMemoryPermits({ permits: 1, window: 1000 }), clock });
    const failure = limiter.run(1, {}, async () => {
      throw new Error('lost');
    });
    await expect(failure).rejects.toThrow('lost');
    let secondAt = 0;
    void limiter.run(1, {}, async () => {
      secondAt = clock.now();
    });
    await clock.runUntil(20_000);
    expect(secondAt).toBe(1000);
  });

  it('lets a caller leave the line, and those behind it move up', async () => {
    const clock = createVirtualClock();
    const limiter = createLogLimiter({ store: createMemoryPermits({ permits: 1, window: 1000 }), clock });
    const order: string[] = [];
    void limiter.run(1, {}, async () => void order.push('first'));
    await clock.runUntil(1);
    const leaving = new AbortController();
    const left = limiter.run(1, { signal: leaving.signal }, async () => void order.push('left'));
    void limiter.run(1, {}, async () => void order.push('third'));
    await clock.runUntil(2);
    leaving.abort(new Error('closed'));
    await expect(left).rejects.toThrow('closed');
    await clock.runUntil(5000);
    expect(order).toEqual(['first', 'third']);
    await expect(
      limiter.run(1, { signal: AbortSignal.abort(new Error('before')) }, async () => undefined),
    ).rejects.toThrow('before');
  });

  it('fails those who wait when the store does, and serves those who come later', async () => {
    const clock = createVirtualClock();
    const permits = createMemoryPermits();
    let isDown = true;
    const limiter = createLogLimiter({
      clock,
      store: {
        ...permits,
        claim: async (...given) => {
          if (isDown) throw new Error('the store is down');
          return permits.claim(...given);
        },
      },
    });
    await expect(limiter.run(1, {}, async () => 'one')).rejects.toThrow('the store is down');
    isDown = false;
    expect(await limiter.run(1, {}, async () => 'two')).toBe('two');
  });
});

describe('after a 429', () => {
  const firstAfter = async (retryAfter: number | undefined) => {
    const clock = createVirtualClock();
    const limiter = createLogLimiter({ store: createMemoryPermits(), clock });
    await limiter.run(1, {}, async () => undefined);
    await limiter.refused(1, retryAfter);
    let at = Number.NaN;
    void limiter.run(1, {}, async () => {
      at = clock.now();
    });
    await clock.runUntil(60_000);
    return at;
  };

  it('nobody asks before a window is over, or as long as Retry-After says', async () => {
    expect(await firstAfter(undefined)).toBe(WINDOW);
    expect(await firstAfter(2500)).toBe(2500);
    expect(await firstAfter(25_000)).toBe(25_000);
  });

  it('half the permits are used, and more again as time passes', async () => {
    const store = createMemoryPermits();
    const claimAll = async (now: number) => {
      const taken: string[] = [];
      for (;;) {
        const claim = await store.claim(1, 'person', now);
        if ('wait' in claim) break;
        taken.push(claim.permit);
      }
      // Answered a window ago, so that the next count starts from nothing.
      for (const permit of taken) await store.release(1, permit, now - WINDOW);
      return taken.length;
    };
    expect(await claimAll(0)).toBe(30);
    await store.drain(1, 1000);
    await store.drain(1, 1200);
    expect(await claimAll(10_500)).toBe(0);
    expect(await claimAll(11_300)).toBe(18);
    expect(await claimAll(21_300)).toBe(21);
    expect(await claimAll(61_300)).toBe(30);
  });

  it('a neighbour who uses the same limit is met with few refusals', async () => {
    const clock = createVirtualClock();
    const server = createServer(clock, slidingWindow(), 3);
    const limiter = createLogLimiter({ store: createMemoryPermits(), clock });
    const minutes = 5 * 60_000;
    const neighbour = async () => {
      while (clock.now() < minutes) {
        await server.request();
        await clock.sleep(1000);
      }
    };
    void neighbour();
    for (let caller = 0; caller < 40; caller += 1) void keepAsking(limiter, server, 'background', clock, minutes);
    await clock.runUntil(minutes);
    expect(server.served.length).toBeGreaterThan(300);
    expect(server.refused()).toBeLessThan(server.served.length / 10);
  });
});
