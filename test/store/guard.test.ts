import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { apart, beginInteraction, during } from '../../src/interaction.ts';
import { createGuard, type Guard, PATIENCE, statementSignal, unhurried } from '../../src/store/guard.ts';
import { StoreError } from '../../src/store/store-error.ts';

const NEVER = () => new Promise<never>(() => undefined);
const AWAY = async () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:8080') });
};
const WELL = async () => 'well';
const SLOW = (milliseconds: number) => () => new Promise((resolve) => setTimeout(resolve, milliseconds, 'slow'));

let guard: Guard;
let probes: number;
let probe: () => Promise<unknown>;
let told: (string | undefined)[];

beforeEach(() => {
  vi.useFakeTimers();
  [probes, probe, told] = [0, NEVER, []];
  const counted = () => {
    probes += 1;
    return probe();
  };
  guard = createGuard({ isServer: true, probe: counted, onTrouble: (trouble) => told.push(trouble?.kind) });
});
afterEach(() => {
  guard.close();
  vi.useRealTimers();
});

/** When it was answered, in milliseconds, and how. */
async function timed(work: () => Promise<unknown>): Promise<[milliseconds: number, how: unknown]> {
  const begun = performance.now();
  const how = await work().catch((error: unknown) => (error instanceof StoreError ? error.kind : error));
  return [performance.now() - begun, how];
}
const asked = (statement: () => Promise<unknown>) => timed(() => guard.run(statement, 'read'));

describe('a server that does nothing', () => {
  it('is waited for a second, and what was asked of it is given up', async () => {
    let signal: AbortSignal | undefined;
    const hung = asked(() => {
      signal = statementSignal();
      return NEVER();
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await hung).toEqual([1_000, 'slow']);
    expect(signal?.aborted).toBe(true);
  });

  it('is asked no more after two failures, but one probe a second, and everything at once when that is answered', async () => {
    for (let count = 0; count < 2; count += 1) expect((await asked(AWAY))[1]).toBe('away');
    expect(told).toEqual(['away']);
    const statement = vi.fn(WELL);
    expect(await asked(statement)).toEqual([0, 'away']);
    expect(statement).not.toHaveBeenCalled();

    await vi.advanceTimersByTimeAsync(1_000);
    expect(probes, 'one, however long it hangs').toBe(1);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(probes).toBe(1);
    probe = WELL;
    await vi.advanceTimersByTimeAsync(1);
    expect(probes).toBe(2);
    expect(told).toEqual(['away', undefined]);
    expect(await asked(WELL)).toEqual([0, 'well']);
  });

  it('is still asked after one slow second, however many waited through it, and no more after two', async () => {
    const waitedThrough = async () => {
      const all = Array.from({ length: 9 }, () => asked(NEVER));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await Promise.all(all)).toEqual(all.map(() => [1_000, 'slow']));
    };
    await waitedThrough();
    expect(told).toEqual([]);
    expect(await asked(WELL)).toEqual([0, 'well']);
    await waitedThrough();
    expect(told).toEqual([]);
    await waitedThrough();
    expect(told).toEqual(['slow']);
  });

  it('is still asked where it answers others, however many of the slow ones are given up', async () => {
    const slow = Array.from({ length: 9 }, async (_, at) => {
      await vi.advanceTimersByTimeAsync(at);
      return asked(NEVER);
    });
    await vi.advanceTimersByTimeAsync(500);
    expect(await asked(WELL)).toEqual([0, 'well']);
    await vi.advanceTimersByTimeAsync(1_000);
    for (const one of slow) expect((await one)[1]).toBe('slow');
    expect(told).toEqual([]);
  });

  it('is not given up for a failure now and then, nor for a statement that is wrong', async () => {
    const wrong = new Error('no such table: lamps');
    for (let count = 0; count < 9; count += 1) {
      await asked(count % 2 === 1 ? WELL : AWAY);
      expect(await asked(async () => Promise.reject(wrong))).toEqual([0, wrong]);
    }
    expect(told).toEqual([]);
  });

  it('lets so much wait and no more, and nothing longer than it may take', async () => {
    const begun = vi.fn(NEVER);
    const all = Array.from({ length: PATIENCE.atOnce + PATIENCE.mostWaiting + 1 }, () => asked(begun));
    expect(await all.at(-1)).toEqual([0, 'slow']);
    expect(await asked(begun)).toEqual([0, 'slow']);
    expect(told, 'the line is full, and the store may be well').toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    for (const one of all.slice(0, -1)) expect(await one).toEqual([1_000, 'slow']);
    expect(begun, 'the others were never sent').toHaveBeenCalledTimes(PATIENCE.atOnce);
  });

  it('lets the next one in as soon as one is answered', async () => {
    const all = Array.from({ length: PATIENCE.atOnce * 3 }, () => asked(SLOW(100)));
    await vi.advanceTimersByTimeAsync(300);
    expect((await Promise.all(all)).map(([milliseconds]) => milliseconds)).toEqual(
      all.map((_, index) => 100 * (1 + Math.floor(index / PATIENCE.atOnce))),
    );
  });
});

describe('statements that write', () => {
  const written = (statement: () => Promise<unknown>) => timed(() => guard.run(statement, 'write'));

  it('go one after the other, and hold up none that reads', async () => {
    const all = Array.from({ length: 5 }, () => written(SLOW(100)));
    const read = asked(SLOW(100));
    await vi.advanceTimersByTimeAsync(500);
    expect((await Promise.all(all)).map(([milliseconds]) => milliseconds)).toEqual([100, 200, 300, 400, 500]);
    expect(await read).toEqual([100, 'slow']);
  });

  it('wait for one that was given up, as long as the server may have to do with it', async () => {
    const first = written(SLOW(1_800));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await first, 'given up, and still at the server').toEqual([1_000, 'slow']);
    const second = vi.fn(WELL);
    const third = written(second);
    await vi.advanceTimersByTimeAsync(799);
    expect(second).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await third).toEqual([800, 'well']);
  });

  it('wait no longer than five seconds for one that never ends', async () => {
    const first = written(NEVER);
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await first)[1]).toBe('slow');
    await asked(WELL);
    await vi.advanceTimersByTimeAsync(4_999);
    const next = written(WELL);
    await vi.advanceTimersByTimeAsync(1);
    expect(await next).toEqual([1, 'well']);
  });

  it('wait for none that was given up before the server answered a probe', async () => {
    for (let count = 0; count < 2; count += 1) {
      const hung = written(NEVER);
      await vi.advanceTimersByTimeAsync(1_000);
      expect((await hung)[1]).toBe('slow');
    }
    expect(told).toEqual(['slow']);
    probe = WELL;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual(['slow', undefined]);
    expect(await written(WELL)).toEqual([0, 'well']);
  });
});

describe('a server that is slow', () => {
  it('takes no more than two and a half seconds of an interaction beyond the ordinary', async () => {
    const whole = timed(() =>
      during(beginInteraction('command'), async () => {
        for (;;) await guard.run(SLOW(500), 'read');
      }),
    );
    await vi.advanceTimersByTimeAsync(10_000);
    const [milliseconds, how] = await whole;
    expect(how).toBe('slow');
    expect(milliseconds).toBeLessThan(3_000);
    expect(told, 'it answers').toEqual([]);
  });

  it('takes nothing of an interaction in ordinary times, however much is asked', async () => {
    const whole = timed(() =>
      during(beginInteraction('command'), async () => {
        for (let count = 0; count < 200; count += 1) await guard.run(SLOW(50), 'read');
      }),
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await whole).toEqual([10_000, undefined]);
  });

  it('has taken of an interaction also what that waited for to be noted', async () => {
    const whole = during(beginInteraction('command'), async () => {
      await apart(() => guard.run(SLOW(950), 'read'));
      return timed(async () => {
        for (;;) await guard.run(SLOW(500), 'read');
      });
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await whole)[0]).toBeLessThan(2_000);
  });

  it('has its time with what takes long, or is for many', async () => {
    const whole = during(beginInteraction('command'), () =>
      Promise.all([
        timed(() => unhurried(() => guard.run(SLOW(9_000), 'read'))),
        timed(() => unhurried(() => guard.run(NEVER, 'read'))),
        timed(async () => {
          for (let count = 0; count < 4; count += 1) await apart(() => guard.run(SLOW(900), 'read'));
        }),
        timed(() => guard.run(WELL, 'read')),
      ]),
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await whole).toEqual([
      [9_000, 'slow'],
      [10_000, 'slow'],
      [3_600, undefined],
      [0, 'well'],
    ]);
  });
});
