import { expect, test } from 'vitest';
import { OPS, refusal, useWebApi } from '../web-client.ts';

const api = useWebApi();

test('a file goes up in three steps, is shared in a thread, and comes down with the token only', async () => {
  api.time.pass(10_000);
  const root = await api.slack.person('ada').in('#ops').type('log please');
  await api.client.filesUploadV2({
    channel_id: OPS,
    thread_ts: root,
    file: Buffer.from('GET /a 200\n'),
    filename: 'access.log',
    title: 'The log',
    initial_comment: 'here it is',
  });
  const card = await api.slack.person('ada').in('#ops').expectMessage('here it is', { thread: root });
  expect(card.files).toMatchObject([{ name: 'access.log', title: 'The log', text: 'GET /a 200\n' }]);
  expect(api.slack.outgoing.find((each) => each.method === 'upload')?.body).toBe('GET /a 200\n');
  const { file } = await api.client.files.info({ file: card.files[0]?.id ?? '' });
  expect(file).toMatchObject({ mimetype: 'text/plain', size: 11 });
  const url = file?.url_private_download ?? '';
  const authorization = `Bearer ${api.slack.environment.SLACK_BOT_TOKEN}`;
  expect(await (await fetch(url, { headers: { authorization } })).text()).toBe('GET /a 200\n');
  expect(await (await fetch(url)).text()).toContain('Sign in to Slack');
  expect(await refusal(api.client.files.info({ file: 'F0NOTHING' }))).toMatchObject({ error: 'file_not_found' });
});

test('a file of the bot’s own is deleted, and with it a message that was about nothing else', async () => {
  api.time.pass(10_000);
  const ops = api.slack.person('ada').in('#ops');
  const given = { channel_id: OPS, file: Buffer.from('a'), filename: 'a.txt', title: 'a.txt' };
  const uploaded = await api.client.filesUploadV2(given);
  const id = (uploaded.files as { files: { id: string }[] }[])[0]!.files[0]!.id;
  const card = await ops.expectMessage(/^/);
  expect(card.files).toMatchObject([{ id }]);
  await api.client.files.delete({ file: id });
  await card.expectGone();
  expect(await refusal(api.client.files.delete({ file: id }))).toMatchObject({ error: 'file_not_found' });
  const theirs = await ops.type('mine', { files: [{ name: 'b.txt', content: 'b' }] });
  const file = api.slack.workspace.message(OPS, theirs)?.files[0] ?? '';
  expect(await refusal(api.client.files.delete({ file }))).toMatchObject({ error: 'cant_delete_file' });
});
