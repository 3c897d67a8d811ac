import { describe, expect, it } from 'vitest';
import { seedAccount } from '../../../../playground/platform/account/seed.ts';
import { recordsOfHour } from '../../../../playground/platform/traffic/records.ts';
import { hourOf, type Incident } from '../../../../playground/platform/traffic/traffic.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-23T14:00:00Z');
const zone = seedAccount(1, new Date(START)).zones.find(({ Name }) => Name === 'shop-images')!;

/** The records of an hour whose second half has the trouble. */
function recordsWith(kind: Incident['kind'], share: number) {
  const incident: Incident = { kind, from: START + HOUR / 2, to: START + HOUR, share };
  const records = recordsOfHour(1, zone, START, () => incident);
  return {
    before: records.filter(({ at }) => at < incident.from),
    within: records.filter(({ at }) => at >= incident.from),
  };
}

describe('a zone of the playground that is asked to have trouble', () => {
  it('has no requests when its traffic is gone', () => {
    const { before, within } = recordsWith('traffic-gone', 1);
    expect(before.length).toBeGreaterThan(100);
    expect(within).toEqual([]);
  });

  it('has hardly any requests when its certificate has expired, and these without TLS', () => {
    const { before, within } = recordsWith('certificate-expired', 0.9);
    expect(within.length).toBeLessThan(before.length / 4);
    expect(within.length).toBeGreaterThan(0);
    expect(within.every(({ isPlain }) => isPlain)).toBe(true);
    expect(before.some(({ isPlain }) => isPlain)).toBe(false);
  });

  it('answers nearly nothing from cache when its cache has collapsed', () => {
    const { before, within } = recordsWith('purge', 0.95);
    const hits = (list: typeof before) => list.filter(({ cacheStatus }) => cacheStatus === 'HIT').length / list.length;
    expect(hits(within)).toBeLessThan(0.15);
    expect(hits(before)).toBeGreaterThan(0.5);
  });

  it('has as many requests as the hour without it, where nobody stays away', () => {
    const { before, within } = recordsWith('purge', 0.95);
    expect(before.length + within.length).toBe(hourOf(1, zone.Id, START, () => undefined)!.requests);
  });
});
