import type { UsersListResponse } from '@slack/web-api';
import { expect, test } from 'vitest';
import { ADA, BOT, refusal, useWebApi } from '../web-client.ts';

const api = useWebApi();

test('people are told apart: admin, guest, stranger, and by their clocks', async () => {
  const info = async (name: string) =>
    (await api.client.users.info({ user: api.slack.person(name).id, include_locale: true })).user;
  expect(await info('ada')).toMatchObject({
    is_admin: true,
    is_restricted: false,
    tz: 'Europe/Berlin',
    tz_offset: 3600,
    locale: 'en-US',
  });
  expect(await info('gus')).toMatchObject({ is_restricted: true, is_ultra_restricted: false });
  expect(await info('eve')).toMatchObject({ is_stranger: true });
  expect(await refusal(api.client.users.info({ user: 'U0NOBODY' }))).toMatchObject({ error: 'user_not_found' });
  expect((await api.client.users.lookupByEmail({ email: 'ben@shop.example' })).user?.id).toBe('U0BEN000002');
  expect((await api.client.usergroups.users.list({ usergroup: 'S0ONCALL001' })).users).toEqual([ADA, 'U0BEN000002']);
  expect((await api.client.bots.info({ bot: 'B0EDGEWISE1' })).bot?.user_id).toBe(BOT);
});

test('lists are paged by cursors', async () => {
  const names: (string | undefined)[] = [];
  for await (const page of api.client.paginate('users.list', { limit: 2 })) {
    const { members } = page as UsersListResponse;
    names.push(...(members ?? []).map((each) => each.name));
  }
  expect(names).toEqual(['edgewise', 'ada', 'ben', 'gus', 'eve']);
  expect(
    (await api.client.conversations.list({ types: 'public_channel' })).channels?.map((each) => [
      each.name,
      each.is_member,
    ]),
  ).toEqual([
    ['ops', true],
    ['releases', true],
    ['random', false],
    ['partners', true],
  ]);
  expect((await api.client.conversations.members({ channel: 'C0RANDOM003' })).members).toEqual([ADA, 'U0BEN000002']);
});
