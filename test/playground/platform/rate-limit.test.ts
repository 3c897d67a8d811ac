import { expect, test } from 'vitest';
import { createRateLimit, type LimitPolicy } from '../../../playground/platform/rate-limit.ts';

/** How many of the requests at these times (ms) pass, of 30 per 10 s. */
function passing(policy: LimitPolicy, times: readonly number[]): number {
  let now = 0;
  const limit = createRateLimit(30, 10_000, () => now);
  return times.filter((time) => {
    now = time;
    return limit('zone', policy).passes;
  }).length;
}

const burst = (at: number, count: number): number[] => Array.from({ length: count }, () => at);

test.each(['sliding', 'fixed', 'bucket'] as const)('the %s policy lets a burst of 30 pass and no more', (policy) => {
  expect(passing(policy, burst(0, 40))).toBe(30);
});

test('a sliding window counts what passed in the last ten seconds', () => {
  expect(passing('sliding', [...burst(9_000, 30), ...burst(11_000, 30)])).toBe(30);
  expect(passing('sliding', [...burst(9_000, 30), ...burst(19_001, 30)])).toBe(60);
});

test('a fixed window starts anew on full ten seconds', () => {
  expect(passing('fixed', [...burst(9_000, 30), ...burst(11_000, 30)])).toBe(60);
  expect(passing('fixed', [...burst(1_000, 30), ...burst(9_999, 30)])).toBe(30);
});

test('a bucket is filled by three a second', () => {
  expect(passing('bucket', [...burst(0, 30), ...burst(1_000, 30)])).toBe(33);
});

test('says when the next request passes', () => {
  let now = 4_000;
  const limit = createRateLimit(1, 10_000, () => now);
  limit('zone', 'sliding');
  now = 6_000;
  expect(limit('zone', 'sliding')).toEqual({ passes: false, retryAfterMs: 8_000 });
  expect(limit('other', 'sliding').passes).toBe(true);
});
