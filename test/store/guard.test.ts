import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { apart, beginInteraction, during } from '../../src/interaction.ts';
import { createGuard, type Guard, statementSignal, unhurried } from '../../src/store/guard.ts';
import { StoreError } from '../../src/store/store-error.ts';

const NEVER = () => new Promise<never>(() => undefined);
const AWAY = async () => {
  throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
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
const asked = (statement: () => Promise<unknown>) => timed(() => guard.run(statement));

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
});

describe('a server that is slow', () => {
  it('takes no more than two and a half seconds of an interaction beyond the ordinary', async () => {
    const whole = timed(() =>
      during(beginInteraction('command'), async () => {
        for (;;) await guard.run(SLOW(500));
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
        for (let count = 0; count < 200; count += 1) await guard.run(SLOW(50));
      }),
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await whole).toEqual([10_000, undefined]);
  });

  it('has taken of an interaction also what that waited for to be noted', async () => {
    const whole = during(beginInteraction('command'), async () => {
      await apart(() => guard.run(SLOW(950)));
      return timed(async () => {
        for (;;) await guard.run(SLOW(500));
      });
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await whole)[0]).toBeLessThan(2_000);
  });

  it('has its time with what takes long, or is for many', async () => {
    const whole = during(beginInteraction('command'), () =>
      Promise.all([
        timed(() => unhurried(() => guard.run(SLOW(9_000)))),
        timed(() => unhurried(() => guard.run(NEVER))),
        timed(async () => {
          for (let count = 0; count < 4; count += 1) await apart(() => guard.run(SLOW(900)));
        }),
        timed(() => guard.run(WELL)),
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
