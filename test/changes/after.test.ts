import { expect, it } from 'vitest';
import { plain } from '../../src/blocks/mrkdwn.ts';
import { afterLine } from '../../src/changes/after.ts';
import { attack } from '../../src/operations/attack.ts';
import { block } from '../../src/operations/block.ts';
import { clearCache } from '../../src/operations/cache/clear.ts';
import { limit } from '../../src/operations/limit.ts';
import type { AnyOperation } from '../../src/operations/operation.ts';
import { forceSsl } from '../../src/operations/ssl/force.ts';
import type { PullZone } from '../../src/platform/resources/pull-zones.ts';
import type { Seen } from '../../src/reports/minutes-after.ts';

const minutes = (failed: number, more: object = {}) => ({
  ...{ requests: 150, read: 150, failed, failedLately: 0, redirected: 0, refused: 0 },
  ...{ cached: 60, cacheable: 100, newest: 0, ...more },
});
const line = (
  before: number,
  after: number,
  operation: AnyOperation = forceSsl,
  more: object = {},
  response?: Seen['response'],
) =>
  plain(
    afterLine({ before: minutes(before), after: minutes(after, more), response, worse: [], isFew: false }, operation, {
      Name: 'shop',
    } as PullZone),
  );

it('a zone that failed before a change and fails more after it did change, whatever the reason', () => {
  expect(line(10, 34)).toMatch(
    /^shop, ten minutes after: it was already failing before this change, and is failing more now · 5xx 6\.7% → 22\.7%/,
  );
  for (const [before, after] of [
    [10, 14],
    [34, 10],
    [0, 1],
  ] as const)
    expect(line(before, after)).toMatch(/ten minutes after: no clear change/);
});

it('where a tenth more of the requests fail, nothing is said to be unchanged', () => {
  expect(line(0, 8)).toMatch(/no clear change/);
  expect(line(0, 16)).toMatch(
    /^shop, ten minutes after: more failed, which may be chance or ordinary for this zone · 5xx/,
  );
});

it.each([
  [{ cached: 4 }, 'fewer cache hits', 'hit rate 60% → 4%'],
  [{ requests: 60 }, 'fewer requests', 'requests 150 → 60'],
  [{ redirected: 40 }, 'more redirects', 'redirects 0% → 26.7%'],
  [{ refused: 40, cached: 4 }, 'fewer cache hits, more refused', 'refused (4xx) 0% → 26.7%'],
])('what is far worse is named with its figure, though chance cannot be excluded: %j', (more, words, figure) => {
  const said = line(0, 0, forceSsl, more);
  expect(said).toContain(`shop, ten minutes after: ${words}, which may be chance or ordinary for this zone · 5xx`);
  expect(said).toContain(figure);
  expect(said).not.toContain('no clear change');
});

it('an origin that takes twice as long is named, and a cache that was just emptied', () => {
  const slow = { before: 100, after: 210 };
  expect(line(0, 0, forceSsl, {}, slow)).toContain('ten minutes after: slower origin, which may be chance');
  expect(line(0, 0, clearCache, { cached: 4 })).toContain(
    'ten minutes after: fewer cache hits, as the cache fills again ·',
  );
  expect(line(0, 16, clearCache, { cached: 4 })).toContain('more failed, fewer cache hits, which may be chance');
});

it.each([block, limit, attack])('does not call it a change that $name keeps some out', (operation) => {
  expect(line(0, 0, operation, { requests: 60, refused: 50 })).toContain('after: no clear change for other visitors');
});

it.each([block, limit, attack])('what keeps some out tells of the others: $name', (operation) => {
  expect(line(0, 1, operation)).toMatch(/^shop, ten minutes after: no clear change for other visitors · 5xx/);
  expect(line(10, 34, operation)).toMatch(/after: it was already failing before this change, and is failing more now/);
});
