import { expect, test } from 'vitest';
import { startSlackEmulator } from '../../../../playground/slack/emulator.ts';
import { ADA, BOT, clientOf, OPS, refusal, useWebApi } from '../web-client.ts';

const api = useWebApi();

test('the bot learns who it is, and a wrong token is refused', async () => {
  expect(await api.client.auth.test()).toMatchObject({
    user_id: BOT,
    bot_id: 'B0EDGEWISE1',
    team_id: 'T0SHOP00001',
    team: 'Shop',
  });
  expect(await refusal(clientOf(api.slack, 'xoxb-wrong').auth.test())).toMatchObject({ error: 'invalid_auth' });
  expect(await (await fetch(`${api.slack.apiUrl}auth.test`, { method: 'POST' })).json()).toMatchObject({
    error: 'not_authed',
  });
  expect(await refusal(api.client.apps.connections.open({}))).toMatchObject({ error: 'not_allowed_token_type' });
});

test('an unknown method is a 200 that says so', async () => {
  expect(await refusal(api.client.apiCall('chat.shout'))).toMatchObject({ error: 'unknown_method' });
  expect(api.slack.problems).toContain('unknown method chat.shout');
});

test('arguments come as JSON too', async () => {
  api.time.pass(10_000);
  const response = await fetch(`${api.slack.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.slack.environment.SLACK_BOT_TOKEN}`,
      'content-type': 'application/json; charset=utf-8',
    },
    body: JSON.stringify({ channel: OPS, text: 'as JSON', blocks: [{ type: 'divider' }] }),
  });
  expect(await response.json()).toMatchObject({
    ok: true,
    message: { text: 'as JSON', blocks: [{ type: 'divider' }] },
  });
});

test('scopes that the token lacks are named', async () => {
  const slack = await startSlackEmulator({ scopes: ['chat:write'] });
  const client = clientOf(slack);
  expect(await refusal(client.users.info({ user: ADA }))).toMatchObject({
    error: 'missing_scope',
    needed: 'users:read',
    provided: 'chat:write',
  });
  expect((await client.chat.postMessage({ channel: OPS, text: 'x' })).ok).toBe(true);
  await slack.close();
});

test('secrets that leave the bot are on record, whichever way they leave', async () => {
  const { client, slack } = api;
  api.time.pass(10_000);
  await client.chat.postEphemeral({ channel: OPS, user: ADA, text: 'psst' });
  await client.filesUploadV2({
    channel_id: OPS,
    file: Buffer.from('GET /a 200\n'),
    filename: 'access.log',
    initial_comment: 'here it is',
  });
  await client.chat.postMessage({ channel: OPS, text: '', blocks: [{ type: 'markdown', text: 'in a block' }] });
  const text = JSON.stringify(slack.outgoing);
  for (const sent of ['psst', 'GET /a 200', 'here it is', 'in a block']) expect(text).toContain(sent);
});
