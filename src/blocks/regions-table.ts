import { bytes, type Reading, share } from './format.ts';
import type { Part } from './message.ts';
import { right, table } from './table.ts';

/** In bytes, the largest first. */
export function regionsTable(regions: Readonly<Record<string, number>>, reading: Reading): Part | undefined {
  const all = Object.entries(regions).filter(([, value]) => value > 0);
  if (all.length === 0) return undefined;
  const sum = all.reduce((total, [, value]) => total + value, 0);
  const top = all.sort((a, b) => b[1] - a[1]).slice(0, 10);
  return table({
    caption:
      all.length > top.length
        ? `Traffic: top ${top.length} of ${all.length} countries and regions`
        : 'Traffic by country and region',
    pageSize: 5,
    columns: ['Where', right('Traffic'), right('Share')],
    rows: top.map(([where, value]) => [
      where,
      { value, text: bytes(value, reading) },
      { value: (100 * value) / sum, text: share(value, sum, reading) },
    ]),
  });
}
