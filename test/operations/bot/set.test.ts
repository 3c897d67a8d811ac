import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { botCategory } from '../../../src/operations/bot/set.ts';
import { PlatformError } from '../../../src/platform/errors.ts';
import type { AccessLogPage, AccessLogQuery } from '../../../src/platform/resources/access-logs.ts';
import type { BotCategory, BotCategoryAction } from '../../../src/platform/resources/shield-zones.ts';
import type { Done } from '../../../src/platform/shapes.ts';
import { blockText, contextOf, NO_LISTS, type PlatformPart, prepare, zoneOf } from '../performing.ts';

const refusedWith = (key?: string) =>
  new PlatformError('Not Found', {
    status: 404,
    service: 'logging',
    method: 'GET',
    path: '/',
    ...(key ? { key } : {}),
  });
const refused = refusedWith();

const lists = { zones: [zoneOf(1001, 'shop')], shieldZones: [{ shieldZoneId: 12, pullZoneId: 1001 }] };

function shield(answer: Done<BotCategoryAction>, calls: unknown[] = []): PlatformPart {
  return {
    shieldZones: {
      async setBotCategoryAction(...call) {
        calls.push(call.slice(0, 3));
        return answer;
      },
      botCategories: async () => [{ category: 2, categoryAction: 2, bots: [] }],
    },
  };
}

describe('bot set', () => {
  it('shows the action now and after, sends it once, and can be undone', async () => {
    const calls: unknown[] = [];
    const platform = shield({ answer: { category: 2, action: 1 }, extra: {} }, calls);
    const prepared = await prepare('bot set shop aiscraper Block', { platform, lists });
    const preview = await prepared.preview();
    expect(prepared.target).toBe('AIScraper bots on shop (1001), shield zone 12');
    expect(preview).toEqual({ before: { action: 'Allow' }, after: { action: 'Block' } });
    expect(calls).toEqual([]);
    expect(blockText(await prepared.run())).toBe(
      'set `AIScraper bots on shop (1001), shield zone 12`: *Allow → Block*',
    );
    expect(calls).toEqual([[12, 2, 1]]);
    expect(prepared.canonical).toEqual({ zone: 'shield:12', category: 'AIScraper', action: 'block' });
    const undo = prepared.operation.undo?.({ before: preview.before ?? {}, after: preview.after }, prepared.values);
    expect(undo).toEqual({ action: 'allow' });
  });

  describe('before it blocks', () => {
    const bots = (...words: string[]) => [
      { category: 2, bots: words.map((userAgentMatch, botId) => ({ botId, userAgentMatch })) },
    ];
    const recordsOf = (...ids: string[]) => ids.map((requestId) => ({ requestId }));

    async function seen(
      categories: BotCategory[] | Error,
      pages: Record<string, AccessLogPage | Error>,
      line = 'bot set shop aiscraper block',
    ) {
      const asked: { zone: number; query: AccessLogQuery | undefined; priority: string | undefined }[] = [];
      const platform: PlatformPart = {
        shieldZones: {
          botCategories: async () => {
            if (categories instanceof Error) throw categories;
            return categories;
          },
        },
        accessLogs: {
          async query(zone, query, options) {
            asked.push({ zone, query, priority: options?.priority });
            const page = pages[query?.userAgentContains ?? ''] ?? { data: [], hasMore: false };
            if (page instanceof Error) throw page;
            return page;
          },
        },
      };
      const { details } = await (await prepare(line, { platform, lists })).preflight();
      return { text: details?.text.replaceAll(/[*`]/g, ''), asked };
    }

    it('counts the logged requests of the last day by the user agents that the platform lists, each once', async () => {
      const { text, asked } = await seen(bots('reader', 'corpus'), {
        reader: { data: recordsOf('a', 'b', 'c'), hasMore: false },
        corpus: { data: recordsOf('c', 'd'), hasMore: false },
      });
      expect(text).toContain(
        'In the last 24 hours, 4 logged requests came from bots of this category: reader 3, corpus 2.',
      );
      expect(text).toContain('Only these user agents are counted.');
      expect(asked).toEqual(
        ['reader', 'corpus'].map((userAgentContains) => ({
          zone: 1001,
          query: { from: new Date('2026-11-20T12:00:00Z'), userAgentContains, limit: 1000, offset: 0 },
          priority: 'person',
        })),
      );
    });

    it('says “at least” where the logs have more than one page, and reads no second one', async () => {
      const { text, asked } = await seen(bots('reader', 'corpus'), {
        reader: { data: recordsOf('a'), hasMore: true, nextOffset: 1000 },
      });
      expect(text).toContain('at least 1 logged request came from bots of this category: reader at least 1, corpus 0.');
      expect(asked).toHaveLength(2);
    });

    it('asks for eight user agents at most, and for none where the platform lists none', async () => {
      const many = await seen(bots(...Array.from({ length: 30 }, (_, index) => `bot${index}`)), {});
      expect(many.asked).toHaveLength(8);
      expect(many.text).toContain('Only these user agents are counted, the first 8 of 30.');
      const none = await seen(refused, {});
      expect(none.asked).toEqual([]);
      expect(none.text).toContain('the platform does not show it');
    });

    it.each([
      [refusedWith('logging_disabled'), 'logging is not switched on for this pull zone'],
      [refused, 'the platform does not show it'],
    ])('says why it could not be told: %#', async (error, why) => {
      const { text } = await seen(bots('reader'), { reader: error });
      expect(text).toBe(`I can’t tell how many requests come from these bots: ${why}.`);
    });

    it('says so where nothing is known to look for, or where to look', async () => {
      expect((await seen(bots(), {}, 'bot set shop none block')).text).toContain('no user agents of this category');
      const unknown = await prepare('bot set shield:99 seo block', { platform: {}, lists: NO_LISTS });
      expect((await unknown.preflight()).details?.text).toContain(
        'which pull zone this shield zone protects is not known',
      );
    });

    it('counts nothing for what is allowed', async () => {
      const { text, asked } = await seen(bots('reader'), {}, 'bot set shop aiscraper allow');
      expect({ text, asked }).toEqual({ text: undefined, asked: [] });
    });
  });

  it('says when the platform answers another action or category', async () => {
    const run = async (answer: BotCategoryAction) => {
      const platform = shield({ answer, extra: {} });
      return blockText(await (await prepare('bot set shop 2 block', { platform, lists })).run());
    };
    expect(await run({ category: 2, action: 0 })).toMatch(
      /You asked for \*Block\*.* the platform answered \*None\*\.$/,
    );
    expect(await run({ category: 3, action: 9 })).toMatch(/answered \*9\* for AITool bots\.$/);
  });

  it('says nothing more where the platform does not', async () => {
    const platform = shield({ extra: {} });
    expect(blockText(await (await prepare('bot set shop none allow', { platform, lists })).run())).toMatch(/^[^\n]*$/);
  });

  it('says why the present state is not known, and how a bare number was understood', async () => {
    const platform = { shieldZones: { botCategories: () => Promise.reject(refused) } };
    const preview = await (await prepare('bot set 12 seo block', { platform, lists: NO_LISTS })).preview();
    expect(preview).toEqual({
      unread: 'the platform does not show it',
      after: { action: 'Block' },
      warnings: [expect.stringContaining('I read 12 as the id of a shield zone')],
    });
  });

  it.each([
    ['bot set 12 255 block', /System \(255\) cannot be set/],
    ['bot set 12 system block', /System \(255\) cannot be set/],
    ['bot set 12 8 block', /not a bot category/],
    ['bot set 12 seo ignore', /cannot be set to Ignore/],
    ['bot set 12 seo deny', /not an action/],
    ['bot set 0 seo block', /cannot be the id/],
  ])('refuses “%s” without a request', async (line, reason) => {
    await expect(prepare(line, { lists: NO_LISTS })).rejects.toThrow(reason);
  });

  it('reads every category by number and by name in any case, and nothing else', () => {
    const kind = botCategory();
    const names = ['None', 'SEO', 'AIScraper', 'AITool', 'Tool', 'Ads', 'Preview', 'Social'];
    names.forEach((name, number) => {
      for (const text of [name, name.toUpperCase(), name.toLowerCase(), String(number)]) {
        expect(kind.textOf(number)).toBe(name);
        expect(kind.resolve(text, contextOf())).toBe(number);
      }
    });
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          kind.check(text, new Date());
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          return;
        }
        expect(text.trim().replace(/[\s_-]/g, '')).toMatch(
          /^([0-7]|none|seo|aiscraper|aitool|tool|ads|preview|social)$/i,
        );
      }),
    );
  });
});
