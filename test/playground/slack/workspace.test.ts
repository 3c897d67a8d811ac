import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../../playground/slack/emulator.ts';
import { bare } from './bare-bot.ts';
import { clientOf, refusal } from './web-client.ts';

const ORGANISATION = { id: 'E0SHOPGROUP', name: 'Shop Group' };
const world = (workspace: EmulatorOptions['workspace']) =>
  bare(async () => ({}), { ...(workspace ? { workspace } : {}), events: ['app_mention'] });

describe('a workspace of Enterprise Grid', () => {
  test('has people with global ids, whose workspaces `enterprise_user` lists', async () => {
    await using bot = await world({ grid: 'workspace' });
    const client = clientOf(bot.slack);
    const info = async (name: string) => (await client.users.info({ user: bot.slack.workspace.user(name).id })).user;
    expect(await info('ada')).toMatchObject({
      id: 'W0ADA000001',
      team_id: 'T0SHOP00001',
      enterprise_user: { enterprise_id: ORGANISATION.id, teams: ['T0SHOP00001'] },
    });
    expect(await info('ben')).toMatchObject({
      team_id: 'T0LOGISTIC2',
      enterprise_user: { teams: ['T0LOGISTIC2', 'T0SHOP00001'] },
    });
    expect(await info('gus')).not.toHaveProperty('team_id');
    expect(await info('sam')).toMatchObject({ team_id: 'T0LOGISTIC2', teams: ['T0LOGISTIC2'] });
    expect(await info('eve')).toMatchObject({ id: 'U0EVE000004', is_stranger: true });
    expect(await info('eve')).not.toHaveProperty('team_id');
  });

  test('names the organisation in payloads', async () => {
    await using bot = await world({ grid: 'workspace' });
    const ops = bot.slack.person('ben').in('#ops');
    await ops.type('/edge');
    expect(bot.slack.deliveries.at(-1)?.payload).toMatchObject({
      team_id: 'T0SHOP00001',
      enterprise_id: ORGANISATION.id,
      enterprise_name: ORGANISATION.name,
      is_enterprise_install: 'false',
    });
    await ops.type('@edgewise hello');
    expect(bot.slack.deliveries.at(-1)?.payload).toMatchObject({
      enterprise_id: ORGANISATION.id,
      authorizations: [{ enterprise_id: ORGANISATION.id, team_id: 'T0SHOP00001', is_enterprise_install: false }],
    });
    await bot.slack.person('ben').shortcut('x');
    expect(bot.slack.deliveries.at(-1)?.payload).toMatchObject({
      enterprise: ORGANISATION,
      team: { id: 'T0SHOP00001', enterprise_id: ORGANISATION.id },
      is_enterprise_install: false,
    });
  });

  test('that the app has with all others names no workspace', async () => {
    await using bot = await world({ grid: 'org' });
    await bot.slack.person('ada').shortcut('x');
    expect(bot.slack.deliveries.at(-1)?.payload).toMatchObject({ team: null, is_enterprise_install: true });
    await bot.slack.person('ada').in('#ops').type('@edgewise hello');
    expect(bot.slack.deliveries.at(-1)?.payload).toMatchObject({
      authorizations: [{ team_id: null, is_enterprise_install: true }],
    });
    const client = clientOf(bot.slack);
    expect(await client.auth.test()).toMatchObject({ is_enterprise_install: true, enterprise_id: ORGANISATION.id });
    expect(await refusal(client.conversations.list())).toMatchObject({ error: 'missing_argument' });
  });
});

test('people of another organisation come without the id of their workspace', async () => {
  await using bot = await world(undefined);
  const { user } = await clientOf(bot.slack).users.info({ user: 'U0EVE000004' });
  expect(user).toMatchObject({ is_stranger: true });
  expect(user).not.toHaveProperty('team_id');
});
