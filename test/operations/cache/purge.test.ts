import { describe, expect, it } from 'vitest';
import { blockText, NO_LISTS, NOW, type PlatformPart, prepare, zoneOf } from '../performing.ts';

const lists = {
  zones: [
    { ...zoneOf(1001, 'shop', 'cdn.example.com', 'shop.münchen.example'), EnableOriginShield: true },
    zoneOf(1002, 'blog', 'blog.example.com'),
  ],
};

function purging(
  sent: unknown[],
  answers: { hits?: number; others?: string[]; nextOffset?: number } = {},
): PlatformPart {
  return {
    pullZones: {
      async purge(given) {
        sent.push(given);
        return { answer: {}, extra: {} };
      },
      async purgeCache(id, given) {
        sent.push({ id, ...given });
        return { answer: {}, extra: {} };
      },
    },
    accessLogs: {
      async query(id, query) {
        sent.push({ log: id, ...query });
        const { hits = 0, others = [], nextOffset } = answers;
        const asked = [...Array.from({ length: hits }, () => 'https://cdn.example.com/img/a.png?v=1'), ...others];
        return { data: asked.map((url) => ({ cacheStatus: 'HIT', url })), nextOffset } as never;
      },
    },
  };
}

describe('cache purge', () => {
  it('sends one address as it was copied, and means nothing beneath it', async () => {
    const sent: unknown[] = [];
    const prepared = await prepare('cache purge CDN.example.com/img/Logo.png?v=2#top', {
      platform: purging(sent),
      lists,
    });
    expect(prepared.target).toBe('https://cdn.example.com/img/Logo.png?v=2 on shop (1001)');
    expect(prepared.canonical).toEqual({ address: 'https://cdn.example.com/img/Logo.png?v=2' });
    expect(await prepared.preview()).toEqual({
      after: { cache: 'purged' },
      warnings: [],
    });
    expect(blockText(await prepared.run())).toContain(
      'purged `https://cdn.example.com/img/Logo.png?v=2 on shop (1001)` from the caches',
    );
    expect(sent).toEqual([{ url: 'https://cdn.example.com/img/Logo.png?v=2', exactPath: true }]);
  });

  it('means all that begins so with a * at the end, and warns of it', async () => {
    const sent: unknown[] = [];
    const prepared = await prepare('cache purge https://cdn.example.com/img/*', { platform: purging(sent), lists });
    expect((await prepared.preview()).warnings).toEqual([
      'Everything it matches will be fetched from the origin again.',
    ]);
    await prepared.run();
    expect(sent).toEqual([{ url: 'https://cdn.example.com/img/*', exactPath: false }]);
  });

  it('sends a tag to its zone', async () => {
    const sent: unknown[] = [];
    const prepared = await prepare('cache purge tag:news --zone blog', { platform: purging(sent), lists });
    expect(prepared.target).toBe('tag:news on blog (1002)');
    expect(prepared.canonical).toEqual({ address: 'tag:news', zone: '1002' });
    expect(blockText((await prepared.preflight()).details!)).toContain('the log doesn’t show tags');
    await prepared.run();
    expect(sent).toEqual([{ id: 1002, CacheTag: 'news' }]);
  });

  it('says how many requests of the last hour would fall on the origin, and that the shield is before it', async () => {
    const sent: unknown[] = [];
    const cost = async (answers: object) => {
      const { preflight } = await prepare('cache purge https://cdn.example.com/img/*', {
        platform: purging(sent, answers),
        lists,
      });
      return blockText((await preflight()).details!);
    };
    expect(await cost({ hits: 900 })).toMatch(/answered \*900 requests\* beneath this address;.*shield is on/s);
    expect(sent[0]).toMatchObject({
      log: 1001,
      from: new Date(NOW.getTime() - 3_600_000),
      urlContains: '/img/',
      cacheStatus: ['HIT'],
    });
    expect(await cost({ hits: 1000, nextOffset: 1000 })).toContain('*at least 2,000 requests*');
  });

  it.each([
    ['https://cdn.example.com/', ['https://cdn.example.com/', 'https://cdn.example.com/img/b.png']],
    ['https://cdn.example.com/img', ['http://cdn.example.com/img?v=2', 'https://cdn.example.com/img/b.png']],
    [
      'https://cdn.example.com/img/*',
      ['https://cdn.example.com/img/b.png', 'https://cdn.example.com/static/img/b.png'],
    ],
    ['https://cdn.example.com/img/*', ['https://cdn.example.com/img/b.png', 'https://www.example.com/img/b.png']],
  ])('counts no requests for other addresses than %s', async (address, others) => {
    const { preflight } = await prepare(`cache purge ${address}`, { platform: purging([], { others }), lists });
    expect(blockText((await preflight()).details!)).toContain('answered *1 request*');
  });

  it.each([
    ['https://cdn.example.com/*', /the whole hostname. To empty a whole zone, use cache clear/],
    ['https://cdn.example.com/a*b', /can only be at its end/],
    ['ftp://cdn.example.com/a', /neither a hostname nor https/],
    ['https://ada:pass@cdn.example.com/a', /a user or a password/],
    ['https://cdn.example.com:8443/a', /a port/],
    ['/img/logo.png', /hostname/],
    [`https://cdn.example.com/${'x'.repeat(2_000)}`, /more than 2000 characters/],
    ['news', /^“news” is not an address: it has no dot\.$/],
    ['tag:', /is not a cache tag/],
    ['tag:news', /was not purged: it needs a zone/],
    ['https://other.example.com/a', /No pull zone has the hostname other\.example\.com/],
    ['https://cdn.example.com/a --zone blog', /is a hostname of the zone shop \(1001\), not of blog/],
  ])('refuses %s before anything is sent', async (what, says) => {
    await expect(prepare(`cache purge ${what}`, { lists })).rejects.toThrow(says);
  });

  it('works with --zone alone where nothing can be looked up', async () => {
    const sent: unknown[] = [];
    const setting = { platform: purging(sent), lists: NO_LISTS };
    await (await prepare('cache purge https://cdn.example.com/a --zone 1001', setting)).run();
    expect(sent).toEqual([{ url: 'https://cdn.example.com/a', exactPath: true }]);
  });

  it('sends an international hostname in the form of the network', async () => {
    const sent: unknown[] = [];
    await (await prepare('cache purge https://shop.münchen.example/ä', { platform: purging(sent), lists })).run();
    expect(sent).toEqual([{ url: 'https://shop.xn--mnchen-3ya.example/%C3%A4', exactPath: true }]);
  });
});
