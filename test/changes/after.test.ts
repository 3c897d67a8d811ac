import { expect, it } from 'vitest';
import { plain } from '../../src/blocks/mrkdwn.ts';
import { afterLine } from '../../src/changes/after.ts';
import { attack } from '../../src/operations/attack.ts';
import { block } from '../../src/operations/block.ts';
import { limit } from '../../src/operations/limit.ts';
import type { AnyOperation } from '../../src/operations/operation.ts';
import { forceSsl } from '../../src/operations/ssl/force.ts';
import type { PullZone } from '../../src/platform/resources/pull-zones.ts';

const minutes = (failed: number) => ({
  ...{ requests: 150, read: 150, failed, failedSince: 0, redirected: 0, refused: 0 },
  ...{ cached: 60, cacheable: 100, newest: 0 },
});
const line = (before: number, after: number, operation: AnyOperation = forceSsl) =>
  plain(
    afterLine({ before: minutes(before), after: minutes(after), worse: [], isFew: false }, operation, {
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

it.each([block, limit, attack])('what keeps some out tells of the others: $name', (operation) => {
  expect(line(0, 1, operation)).toMatch(/^shop, ten minutes after: no clear change for other visitors · 5xx/);
  expect(line(10, 34, operation)).toMatch(/after: it was already failing before this change, and is failing more now/);
});
