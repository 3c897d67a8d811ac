import { expect, it } from 'vitest';
import { blockText, contextOf, NO_LISTS, prepare, scriptOf } from '../performing.ts';

it('script list shows names, ids, types and zones', async () => {
  const linked = {
    ...scriptOf(501, 'router'),
    ScriptType: 2,
    LinkedPullZones: [{ Id: 1, PullZoneName: 'shop' }],
    LastModified: '2026-11-01T10:00:00Z',
  };
  const odd = { ...scriptOf(502, 'odd'), ScriptType: 9, LastModified: 'lately' };
  const said = await (await prepare('script list', { lists: { scripts: [linked, odd] } })).run();
  const text = blockText(said);
  expect(text).toContain('router\n501\nMiddleware\nshop\n0\nSun, Nov 1, 2026');
  expect(text).toContain('odd\n502\n9\n–\n0\nlately');
  expect(said.text.split('\n')[0]).toBe('2 edge scripts');
  expect((await (await prepare('script list', { lists: { scripts: [] } })).run()).text).toBe(
    'There are no edge scripts.',
  );
});

it.each([0, 1])('script list says that the platform has more than its %i', async (many) => {
  const scripts = many === 0 ? [] : [scriptOf(501, 'router')];
  expect((await (await prepare('script list', { lists: { scripts, partial: true } })).run()).text).toContain(
    'There are more than these.',
  );
});

it('script list says when there is no list, and that ids work', async () => {
  await expect((await prepare('script list', { lists: NO_LISTS })).run()).rejects.toMatchObject({
    message: 'The edge scripts cannot be listed: the platform has no such list.',
    hint: expect.stringContaining('ids'),
  });
});

it('script list names zones only to those who may see them', async () => {
  const LinkedPullZones = [1, 2].map((Id) => ({ Id, PullZoneName: `zone-${Id}` }));
  const context = contextOf({ lists: { scripts: [{ ...scriptOf(501, 'router'), LinkedPullZones }] } });
  const may: typeof context.policy.may = (operation, { zone = [] }) => operation === 'zone show' && zone[0]![0] === '1';
  const { operation, values } = await prepare('script list');
  const { scripts } = (await operation.run(values, { ...context, policy: { ...context.policy, may } })) as {
    scripts: { zones: string[] }[];
  };
  expect(scripts[0]!.zones).toEqual(['zone-1', '2']);
});
