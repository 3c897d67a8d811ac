import { describe, expect, it } from 'vitest';
import { fullPreviewOf } from '../../../src/changes/preview.ts';
import { PlatformConnectionError } from '../../../src/platform/errors.ts';
import { HOUR } from '../../../src/time.ts';
import { blockText, contextOf, NOW, prepare, zoneOf } from '../performing.ts';

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

  it('knows that its zone is in trouble, also when it is not told yet', async () => {
    const statistics = { get: async () => ({ TotalRequestsServed: 40_000, CacheHitRate: 90 }) as never };
    const [since, trouble] = [new Date('2026-11-21T11:20:00Z'), 'origin refuses connections (502)'];
    const told = (zone: string, name: string, more = {}) => ({
      channelName: '#ops',
      troubles: [{ zone, words: `${name}: ${trouble}`, since, share: 0.43, ...more }],
    });
    const doubts: { zone: string; words: string; since?: number; fails?: boolean }[] = [];
    const reports = { incidents: async () => [told('1001', 'shop'), told('1002', 'api')], doubts: async () => doubts };
    const setting = { platform: { statistics }, lists, reports };
    const { operation, values, canonical } = await prepare('cache clear shop', setting);
    const resolved = { values, canonical, context: contextOf(setting) };
    const { trouble: shown, worsens } = await fullPreviewOf(operation, resolved);
    expect(blockText(shown!)).toMatch(
      /^🔴 \*shop: origin refuses connections \(502\)\*, 43% of requests fail, since .*\nNobody is on it yet/u,
    );
    expect(blockText(shown!)).not.toContain('api');
    expect(worsens).toMatch(/^While the zone is failing, clearing makes it worse/);
    reports.incidents = async () => [{ ...told('1001', 'shop', { lately: 0 }) }];
    const quiet = await fullPreviewOf(operation, resolved);
    expect([blockText(quiet.trouble!), quiet.worsens]).toEqual([expect.stringMatching(/^🟡 [^⛔]*$/u), undefined]);
    reports.incidents = async () => [];
    for (const [zone, name] of [
      ['1001', 'shop'],
      ['1002', 'api'],
    ] as const)
      doubts.push({
        zone,
        words: `${name}: visitors get 502, 24 of about 54 requests failed`,
        since: since.getTime(),
        fails: true,
      });
    const doubtful = await fullPreviewOf(operation, resolved);
    expect(blockText(doubtful.trouble!)).toMatch(
      /^🟡 \*shop: visitors get 502, 24 of about 54 requests failed\* since .* Not reported yet: it may be a blip\. I’m watching it\.$/u,
    );
    expect(doubtful.worsens).toMatch(/^While the zone is failing/);
    doubts.splice(0, 2, { zone: '1001', words: 'shop: the access log could not be read' });
    expect((await fullPreviewOf(operation, resolved)).worsens).toBeUndefined();
  });

  it('says what the hits since the start of the last whole hour would cost the origin, or why that is not known', async () => {
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
      const dateFrom = new Date(NOW.getTime() - (NOW.getTime() % HOUR) - HOUR);
      expect(asked).toEqual([{ pullZone: 1001, dateFrom, dateTo: NOW, hourly: true, exactRange: true }]);
      return text;
    };
    expect(await cost(async () => ({ TotalRequestsServed: 40_000, CacheHitRate: 90 }))).toMatch(
      /^Since .* the cache answered \*36,000 requests\* of this zone;.*shield is off/s,
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
