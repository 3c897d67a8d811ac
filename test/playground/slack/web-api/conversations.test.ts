import { expect, test } from 'vitest';
import { ADA, useWebApi } from '../web-client.ts';

const api = useWebApi();

test('a direct message opens by the person’s id', async () => {
  const opened = await api.client.conversations.open({ users: ADA });
  expect(opened.channel?.id).toBe('D0ADA000001');
  api.time.pass(10_000);
  expect((await api.client.chat.postMessage({ channel: ADA, text: 'hello' })).channel).toBe('D0ADA000001');
  await api.slack.person('ada').in('@edgewise').expectMessage('hello');
});
