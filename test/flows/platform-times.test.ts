import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listedZone, startOnCanned } from '../support/on-canned.ts';

const NOW = new Date('2026-11-25T12:00:00Z');
const AT = Date.parse('2026-11-25T10:00:00Z');

describe('what the platform sends', () => {
  let canned: Awaited<ReturnType<typeof startOnCanned>>;
  beforeAll(async () => {
    canned = await startOnCanned(NOW);
    canned.platform.answer('GET /api/pullzone', { body: { Items: [listedZone(42, 'shop')], HasMoreItems: false } });
  });
  afterAll(() => canned.close());

  it.each([
    ['seconds', AT / 1_000],
    ['milliseconds', AT],
    ['microseconds', AT * 1_000],
    ['nanoseconds', AT * 1_000_000],
    ['milliseconds in quotes', String(AT)],
    ['ISO 8601', '2026-11-25T10:00:00Z'],
    ['ISO 8601 of another zone', '2026-11-25T12:00:00.000+02:00'],
  ])('as the time of an origin error in %s is that time', async (_, timestamp) => {
    const log = JSON.stringify({ RequestUrl: '/cart', Message: 'connection refused', StatusCode: 502 });
    canned.platform.answer('GET /origin/42/11-25-2026', {
      body: { logs: [{ logId: 'a', timestamp, log, labels: {} }], hasMoreData: false },
    });
    const { text } = await canned.ask('errors show shop');
    expect(text).toContain('The origin refuses connections');
    // The chart has every hour on its axis.
    expect(text).toContain('502 · /cart · at 10:00 UTC');
  });

  it('of scripts names their zones, because it is asked to', async () => {
    canned.platform.answer('GET /api/compute/script', { body: { Items: [{ Id: 7, Name: 'geo' }] } });
    await canned.ask('script list');
    expect(canned.platform.requests).toContainEqual(
      expect.stringMatching(/compute\/script\?.*includeLinkedPullzones=true/),
    );
  });
});
