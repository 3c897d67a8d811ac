import { describe, expect, it, vi } from 'vitest';
import {
  type FoundPattern,
  isOnlyTried,
  keptVerdicts,
  nestingIn,
  patternsIn,
  slownessOf,
  written,
} from './support/patterns.ts';
import { filesIn } from './support/source.ts';

// What runs on every machine in the same way.
vi.stubEnv('RECHECK_BACKEND', 'pure');

/** Known secrets and the shapes of others, put together from parts: judges/hostile/doubling.test.ts tries them. */
const MADE_LATER = /^src\/(slack\/out\/secrets|secret-shapes|platform\/endpoints)\.ts:/;
/** Nothing that is quick to judge takes longer (ms). */
const SOON = 20_000;

describe('a regular expression of the bot takes time in proportion to the text', () => {
  const madeLater: string[] = [];
  const patterns = filesIn('src').flatMap((file) =>
    patternsIn(file, (where) => MADE_LATER.test(where) || madeLater.push(where)),
  );
  const once = (all: FoundPattern[]) => [...new Map(all.map((one) => [written(one), one])).values()];
  const judged = once(patterns);

  it('is found, and made of nothing that comes later', () => {
    expect(patterns.length).toBeGreaterThan(300);
    expect(madeLater).toEqual([]);
  });

  it('repeats nothing within a repetition, beside a like one, or from each place anew', () => {
    const bad = judged.flatMap((one) => nestingIn(one).map((what) => `${one.where} ${what} ${written(one)}`));
    expect(bad).toEqual([]);
  });

  it('is linear by the automaton of recheck, or by its attempts; what it takes long for, `npm run check -- patterns` has tried', () => {
    const kept = keptVerdicts();
    const bad = judged
      .filter((one) => !kept.has(written(one)) && !isOnlyTried(one))
      .flatMap((one) => {
        const slowness = slownessOf(one, SOON);
        return slowness === undefined ? [] : [`${one.where} ${slowness} ${written(one)}`];
      });
    expect(bad).toEqual([]);
    const all = new Set(patterns.map(written));
    expect([...kept].filter((one) => !all.has(one))).toEqual([]);
  });

  it.each([
    ['/(a+)+$/', 'exponential'],
    ['/[.,]+$/', 'a tail that each place begins anew'],
    ['/^(\\w+\\s?)*$/', 'nested'],
    ['/<a[^>]*>/', 'an end that never comes'],
    ['/\\b[a-z][a-z.]*:/', 'a beginning at each word'],
    ['/x\\d*\\d*y/', 'two alike side by side'],
  ])('knows %s: %s', (text) => {
    const source = text.slice(1, -1);
    const one = { where: 'here', source, flags: '' };
    expect([...nestingIn(one), slownessOf(one)].filter(Boolean)).not.toEqual([]);
  });
});
