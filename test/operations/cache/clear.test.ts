import { describe, expect, it } from 'vitest';
import { PlatformConnectionError } from '../../../src/platform/errors.ts';
import { blockText, NOW, prepare, zoneOf } from '../performing.ts';

const lists = { zones: [{ ...zoneOf(1001, 'shop', 'cdn.example.com'), EnableOriginShield: false }] };

describe('cache clear', () => {
  it('clears one zone and asks for its name', async () => {
    const sent: unknown[] = [];
    const prepared = await prepare('cache clear cdn.example.com', {
      platform: {
        pullZones: {
          async purgeCache(id, given) {
            sent.push({ id, ...given });
            return { answer: {}, extra: {} };
          },
        },
      },
      lists,
    });
    expect([prepared.operation.effect, prepared.target]).toEqual(['destructive', 'shop (1001)']);
    expect(prepared.operation.typed?.(prepared.values)).toBe('shop');
    expect((await prepared.preview()).after).toEqual({ cache: 'empty' });
    expect(blockText(await prepared.run())).toContain('cleared the caches of `shop (1001)`');
    expect(sent).toEqual([{ id: 1001 }]);
  });

  it('says what the last hour’s hits would cost the origin, or why that is not known', async () => {
    const cost = async (get: () => Promise<object>) => {
      const asked: unknown[] = [];
      const statistics = {
        get: async (query: unknown) => {
          asked.push(query);
          return get() as never;
        },
      };
      const prepared = await prepare('cache clear shop', { platform: { statistics }, lists });
      const text = blockText((await prepared.preflight()).details!);
      expect(asked).toEqual([
        { pullZone: 1001, dateFrom: new Date(NOW.getTime() - 3_600_000), dateTo: NOW, hourly: true, exactRange: true },
      ]);
      return text;
    };
    expect(await cost(async () => ({ TotalRequestsServed: 40_000, CacheHitRate: 90 }))).toMatch(
      /answered \*36,000 requests\* of this zone \(10 a second\).*shield is off/s,
    );
    expect(await cost(async () => ({}))).toContain(
      'I can’t tell how many requests would reach the origin: the platform did not show it.',
    );
    const away = new PlatformConnectionError('away', {
      service: 'statistics',
      method: 'GET',
      path: '/statistics',
      applied: 'no',
    });
    expect(await cost(() => Promise.reject(away))).toContain(
      'I can’t tell how many requests would reach the origin: the platform did not answer.',
    );
  });
});
