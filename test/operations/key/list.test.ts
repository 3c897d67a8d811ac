import { describe, expect, it } from 'vitest';
import type { ApiKeyPage } from '../../../src/platform/resources/api-keys.ts';
import { Secret } from '../../../src/secret.ts';
import { blockText, buttonsOf, type PlatformPart, prepare } from '../performing.ts';

const page: ApiKeyPage = {
  Items: [
    { Id: 71, Key: Secret.of('aaaaaaaa-bbbb-cccc-1234'), Roles: ['UserApi', 'User'] },
    { Id: 72, Roles: [] },
  ],
  CurrentPage: 1,
  TotalItems: 12,
  HasMoreItems: true,
};

function keys(answer: ApiKeyPage, queries: unknown[] = []): PlatformPart {
  return {
    apiKeys: {
      async list(query) {
        queries.push(query);
        return answer;
      },
    },
  };
}

describe('key list', () => {
  it('shows ids, roles, masked keys and the total', async () => {
    const message = await (await prepare('key list', { platform: keys(page) })).run();
    const text = blockText(message);
    expect(text).toContain('71\nUserApi, User\n••••1234');
    expect(text).toContain('Page 1 · 2 of 12');
    expect(JSON.stringify(message)).not.toContain('bbbb');
    expect(message.text).toContain('••••1234');
  });

  it('leads to the next page and back, with the same size', async () => {
    const queries: unknown[] = [];
    const platform = keys({ ...page, CurrentPage: 2 }, queries);
    const message = await (await prepare('key list --page 2 --per-page 5', { platform })).run();
    expect(queries).toEqual([{ page: 2, perPage: 5 }]);
    expect(buttonsOf(message)).toEqual({
      'Previous page': 'key list --page 1 --per-page 5',
      'Next page': 'key list --page 3 --per-page 5',
    });
  });

  it('sends nothing that was not typed, and has no next page after the last', async () => {
    const queries: unknown[] = [];
    const platform = keys({ ...page, HasMoreItems: false }, queries);
    const message = await (await prepare('key list', { platform })).run();
    expect(queries).toEqual([{}]);
    expect(buttonsOf(message)).toEqual({});
  });

  it.each(['--page 1', '--page 2147483647', '--per-page 5', '--per-page 1000'])('takes %s', async (flags) => {
    const queries: unknown[] = [];
    await (await prepare(`key list ${flags}`, { platform: keys(page, queries) })).run();
    expect(queries).toHaveLength(1);
  });

  it.each(['--page 0', '--page 2147483648', '--page 1.5', '--per-page 4', '--per-page 1001', '--per-page ten'])(
    'refuses %s without a request',
    async (flags) => {
      await expect(prepare(`key list ${flags}`, { platform: {} })).rejects.toMatchObject({ name: 'UsageError' });
    },
  );
});
