import { describe, expect, it } from 'vitest';
import { createCatalogue } from '../../src/operations/catalogue.ts';
import type { Platform } from '../../src/platform/client.ts';
import { PlatformConnectionError, PlatformError, PlatformShapeError } from '../../src/platform/errors.ts';

const REQUEST = { service: 'api', method: 'GET', path: '/' };

/** A platform whose lists are what `answer` says, and a clock. */
function platformOf(answer: () => unknown) {
  let at = 0;
  const asked: string[] = [];
  const list = (name: string) => async () => {
    asked.push(name);
    return answer();
  };
  const platform = {
    pullZones: { list: list('zones') },
    edgeScripts: { list: list('scripts'), releases: list('releases') },
    apps: { list: list('apps') },
    databases: { list: list('databases') },
    shieldZones: { mapping: list('shieldZones') },
  } as unknown as Platform;
  const catalogue = createCatalogue(platform, () => new Date(at));
  return { catalogue, asked, pass: (milliseconds: number) => (at += milliseconds) };
}

describe('What exists on the platform', () => {
  it('is each asked of its own list', async () => {
    const { catalogue, asked } = platformOf(() => ({ items: ['one'] }));
    for (const list of [catalogue.zones, catalogue.scripts, catalogue.apps, catalogue.databases]) {
      expect(await list()).toEqual({ items: ['one'] });
    }
    expect(await catalogue.shieldZones()).toEqual({ items: { items: ['one'] } });
    expect(asked).toEqual(['zones', 'scripts', 'apps', 'databases', 'shieldZones']);
  });

  it('has releases of each script, and says why they cannot be read until they can', async () => {
    let answer = (): unknown => {
      throw new PlatformError('No.', { ...REQUEST, status: 403 });
    };
    const { catalogue, asked, pass } = platformOf(() => answer());
    for (const script of [501, 501, 502]) await catalogue.releases(script);
    expect(asked).toEqual(['releases', 'releases']);
    expect(await catalogue.releases(501)).toEqual({ items: [], missing: 'the platform refused it (403: No.)' });
    answer = () => ['one'];
    pass(10_000);
    for (const script of [501, 502]) expect(await catalogue.releases(script)).toEqual({ items: ['one'] });
  });

  it('is believed for a minute, unless it has to be fresh', async () => {
    const { catalogue, asked, pass } = platformOf(() => ({ items: [] }));
    await catalogue.zones();
    pass(59_999);
    await catalogue.zones();
    expect(asked).toHaveLength(1);
    await catalogue.zones({ fresh: true });
    expect(asked).toHaveLength(2);
    pass(60_000);
    await catalogue.zones();
    expect(asked).toHaveLength(3);
  });

  it('is asked once by many at once, and anew by who wants it fresh', async () => {
    const { catalogue, asked } = platformOf(() => ({ items: [asked.length] }));
    const [one, two, fresh, later] = await Promise.all([
      catalogue.zones(),
      catalogue.zones(),
      catalogue.zones({ fresh: true }),
      catalogue.zones(),
    ]);
    expect([one, two]).toEqual([one, one]);
    expect(later).toBe(fresh);
    expect(asked).toHaveLength(2);
  });

  it('says when there is more than was given', async () => {
    expect(await platformOf(() => ({ items: [1], hasMore: true })).catalogue.apps()).toEqual({
      items: [1],
      partial: true,
    });
    expect(await platformOf(() => ({ items: [1], hasMore: false })).catalogue.apps()).toEqual({ items: [1] });
  });

  it.each([
    [new PlatformError('no', { ...REQUEST, status: 404 }), 'the platform has no such list'],
    [new PlatformError('No right', { ...REQUEST, status: 403 }), 'the platform refused it (403: No right)'],
    [new PlatformError('It answered 500.', { ...REQUEST, status: 500 }), 'the platform refused it (It answered 500.)'],
    [new PlatformConnectionError('lost', { ...REQUEST, applied: 'no' }), 'the platform did not answer'],
    [new PlatformShapeError('odd', REQUEST), 'the platform’s answer could not be read'],
  ])('is missing for ten seconds when it cannot be had: %s', async (error, missing) => {
    const { catalogue, asked, pass } = platformOf(() => {
      throw error;
    });
    expect(await catalogue.zones()).toEqual({ items: [], missing });
    pass(9_999);
    await catalogue.zones();
    expect(asked).toHaveLength(1);
    pass(1);
    await catalogue.zones();
    expect(asked).toHaveLength(2);
  });

  it('fails with what nobody expected, and is asked again', async () => {
    const { catalogue, asked } = platformOf(() => {
      throw new Error('a mistake');
    });
    await expect(catalogue.zones()).rejects.toThrow('a mistake');
    await expect(catalogue.zones()).rejects.toThrow('a mistake');
    expect(asked).toHaveLength(2);
  });
});
