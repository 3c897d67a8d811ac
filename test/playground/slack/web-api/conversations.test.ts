import { describe, expect, it, test } from 'vitest';
import { startSlackEmulator } from '../../../../playground/slack/emulator.ts';
import { ADA, clientOf, refusal, useWebApi } from '../web-client.ts';

const api = useWebApi();

test('a direct message opens by the person’s id', async () => {
  const opened = await api.client.conversations.open({ users: ADA });
  expect(opened.channel?.id).toBe('D0ADA000001');
  api.time.pass(10_000);
  expect((await api.client.chat.postMessage({ channel: ADA, text: 'hello' })).channel).toBe('D0ADA000001');
  await api.slack.person('ada').in('@edgewise').expectMessage('hello');
});

describe('each kind of conversation', () => {
  const workspace = {
    channels: [
      { name: 'secret', isPrivate: true },
      { name: 'mpdm-ada--ben--edgewise-1', members: ['ada', 'ben'], isMpim: true },
    ],
  };
  const KINDS = [
    ['C0OPS000001', 'channels'],
    ['C0SEED00001', 'groups'],
    ['C0SEED00002', 'mpim'],
    ['D0ADA000001', 'im'],
  ] as const;

  it.each(KINDS)('needs a scope of its own: %s those of %s', async (channel, family) => {
    const scopes = ['channels', 'groups', 'mpim', 'im'].flatMap((each) => [`${each}:read`, `${each}:history`]);
    const slack = await startSlackEmulator({
      workspace,
      scopes: scopes.filter((scope) => !scope.startsWith(`${family}:`)),
    });
    const client = clientOf(slack);
    for (const [other] of KINDS) {
      const asked = [
        client.conversations.info({ channel: other }),
        client.conversations.members({ channel: other }),
        client.conversations.history({ channel: other }),
      ];
      const needed = (await Promise.all(asked.map(refusal))).map((answer) => answer.needed);
      const none = [undefined, undefined, undefined];
      expect(needed).toEqual(other === channel ? [`${family}:read`, `${family}:read`, `${family}:history`] : none);
    }
    await slack.close();
  });

  it('is named by types in lists, which need their scopes', async () => {
    const slack = await startSlackEmulator({ workspace, scopes: ['channels:read', 'mpim:read', 'chat:write'] });
    const client = clientOf(slack);
    const names = async (types: string) =>
      (await client.conversations.list({ types })).channels?.map(({ name }) => name);
    expect(await names('public_channel')).toEqual(['ops', 'releases', 'random', 'partners']);
    expect(await names('mpim')).toEqual(['mpdm-ada--ben--edgewise-1']);
    expect(await refusal(names('public_channel,private_channel'))).toMatchObject({ needed: 'groups:read' });
    expect(await refusal(names('rooms'))).toMatchObject({ error: 'invalid_types' });
    await slack.close();
  });
});

it('every answer says which scopes the token has, and which the method takes', async () => {
  const slack = await startSlackEmulator({ scopes: ['chat:write', 'users:read'] });
  const ask = (method: string) =>
    fetch(`${slack.apiUrl}${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${slack.environment.SLACK_BOT_TOKEN}` },
    });
  const { headers } = await ask('auth.test');
  expect(headers.get('x-oauth-scopes')).toBe('chat:write,users:read');
  expect((await ask('conversations.info')).headers.get('x-accepted-oauth-scopes')).toContain('mpim:read');
  await slack.close();
});
