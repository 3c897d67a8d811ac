import { expect, it } from 'vitest';
import { PlatformError } from '../../../src/platform/errors.ts';
import { blockText, prepare } from '../performing.ts';

it('bot list shows each category with its action, and single bots that differ', async () => {
  const platform = {
    shieldZones: {
      botCategories: async () => [
        { category: 9, categoryAction: 7, bots: [] },
        {
          category: 1,
          categoryAction: 2,
          bots: [
            { botId: 4, userAgentMatch: 'examplebot', action: 3 },
            { botId: 5, action: 0 },
          ],
        },
      ],
    },
  };
  const text = blockText(await (await prepare('bot list shield:12', { platform })).run());
  expect(text).toContain('SEO\nAllow\n2\n9\n7\n0');
  expect(text).toContain('examplebot\nSEO\nIgnore');
});

it('bot list says when this platform does not show it, and that bot set works', async () => {
  const missing = new PlatformError('Not Found', { status: 404, service: 'shield', method: 'GET', path: '/' });
  const platform = { shieldZones: { botCategories: () => Promise.reject(missing) } };
  await expect((await prepare('bot list shield:12', { platform })).run()).rejects.toMatchObject({
    name: 'UsageError',
    hint: expect.stringContaining('bot set shield:12'),
  });
});
