import { describe, expect, it } from 'vitest';
import { createHealth } from '../../src/health.ts';
import { createCatalogue } from '../../src/operations/catalogue.ts';
import type { Platform } from '../../src/platform/client.ts';
import { PlatformConnectionError, PlatformError, PlatformShapeError } from '../../src/platform/errors.ts';
import { createPresence, sawConnections } from '../../src/slack/in/presence.ts';

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
    edgeScripts: { list: list('scripts') },
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
    [new PlatformConnectionError('lost', { ...REQUEST, applied: 'no' }), 'the platform did not answer'],
    [new PlatformShapeError('odd', { ...REQUEST, applied: 'no' }), 'the platform’s answer could not be read'],
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

describe('Whether all is well', () => {
  const healthOf = (keys: () => unknown, execute: () => unknown, mode: 'socket' | 'http' = 'socket') => {
    const presence = createPresence(mode, new Date());
    sawConnections(presence, mode === 'http' ? 1 : 2, new Date());
    const calls: unknown[] = [];
    const health = createHealth({
      platform: {
        apiKeys: {
          list: async (how: unknown) => {
            calls.push(how);
            return keys();
          },
        },
      } as unknown as Platform,
      database: {
        execute: async (sql: string) => {
          calls.push(sql);
          return execute();
        },
      } as never,
      presence,
      policy: () => ({ ok: false, detail: 'nobody is listed' }),
      startedAt: new Date('2026-11-21T12:34:56Z'),
    });
    return { calls, health };
  };

  it('is said part by part', async () => {
    const { calls, health } = healthOf(
      () => ({ TotalItems: 7 }),
      () => undefined,
    );
    expect(await health.read()).toEqual([
      { name: 'Slack', ok: true, detail: 'Socket Mode, 2 connections', away: undefined },
      { name: 'Platform', ok: true, detail: 'answers, 7 keys' },
      { name: 'Store', ok: true, detail: 'answers' },
      { name: 'Policy', ok: false, detail: 'nobody is listed' },
      { name: 'Running since', ok: true, detail: new Date('2026-11-21T12:34:56Z') },
    ]);
    expect(calls).toEqual([{ perPage: 5 }, 'SELECT 1']);
  });

  it('is said of each part on its own, also when one fails', async () => {
    const { health } = healthOf(
      () => ({}),
      () => {
        throw new Error('no disk');
      },
      'http',
    );
    const [slack, platform, store] = await health.read();
    expect([slack?.detail, platform?.detail]).toEqual(['HTTP', 'answers, some keys']);
    expect(store).toEqual({
      name: 'Store',
      ok: false,
      detail: expect.stringMatching(/^unexpected error [0-9a-f]{8}$/),
    });
  });
});
