import { expect, test } from 'vitest';
import { ADA, OPS, refusal, useWebApi } from '../web-client.ts';

const api = useWebApi();

test('a message is posted, changed, found with its metadata, reacted to and deleted', async () => {
  api.time.pass(10_000);
  const metadata = { event_type: 'outcome', event_payload: { id: '1' } };
  const posted = await api.client.chat.postMessage({ channel: '#ops', text: 'first', metadata });
  const ts = posted.ts ?? '';
  await api.client.chat.update({ channel: OPS, ts, text: 'second' });
  await api.client.chat.postMessage({ channel: OPS, text: 'reply', thread_ts: ts });
  await api.client.reactions.add({ channel: OPS, timestamp: ts, name: 'eyes' });
  const history = await api.client.conversations.history({ channel: OPS, include_all_metadata: true, limit: 1 });
  expect(history.messages).toMatchObject([
    {
      ts,
      text: 'second',
      metadata,
      reply_count: 1,
      reactions: [{ name: 'eyes', count: 1 }],
      edited: { user: 'B0EDGEWISE1' },
    },
  ]);
  const replies = await api.client.conversations.replies({ channel: OPS, ts });
  expect(replies.messages?.map((each) => each.text)).toEqual(['second', 'reply']);
  expect((await api.client.chat.getPermalink({ channel: OPS, message_ts: ts })).permalink).toContain(
    `/archives/${OPS}/p`,
  );
  await api.client.chat.delete({ channel: OPS, ts });
  expect(await refusal(api.client.chat.update({ channel: OPS, ts, text: 'third' }))).toMatchObject({
    error: 'message_not_found',
  });
});

test('an update takes 4,000 bytes of text, a post far more', async () => {
  api.time.pass(10_000);
  const ts = (await api.client.chat.postMessage({ channel: OPS, text: 'é'.repeat(20_000) })).ts ?? '';
  await api.client.chat.update({ channel: OPS, ts, text: 'é'.repeat(2_000) });
  expect(await refusal(api.client.chat.update({ channel: OPS, ts, text: `${'é'.repeat(2_000)}.` }))).toMatchObject({
    error: 'msg_too_long',
  });
});

test('an ephemeral message reaches one person, and the API cannot change it', async () => {
  const sent = await api.client.chat.postEphemeral({ channel: OPS, user: ADA, text: 'psst' });
  const card = await api.slack.person('ada').in('#ops').expectMessage('psst');
  expect(card.ephemeral).toBe(true);
  expect(
    api.slack
      .person('ben')
      .in('#ops')
      .messages.some((each) => each.text === 'psst'),
  ).toBe(false);
  expect(await refusal(api.client.chat.update({ channel: OPS, ts: sent.message_ts ?? '', text: 'x' }))).toMatchObject({
    error: 'message_not_found',
  });
  expect(
    await refusal(api.client.chat.postEphemeral({ channel: 'C0RELEASES2', user: 'U0GUS000003', text: 'x' })),
  ).toMatchObject({
    error: 'user_not_in_channel',
  });
});

test.each([
  ['a channel that is none', 'C0NOWHERE', 'channel_not_found'],
  ['a channel without the bot', '#random', 'not_in_channel'],
])('posting to %s is refused', async (_, channel, error) => {
  expect(await refusal(api.client.chat.postMessage({ channel, text: 'x' }))).toMatchObject({ error });
});

test('somebody else’s message cannot be changed or deleted', async () => {
  const ts = await api.slack.person('ben').in('#ops').type('mine');
  expect(await refusal(api.client.chat.update({ channel: OPS, ts, text: 'x' }))).toMatchObject({
    error: 'cant_update_message',
  });
  expect(await refusal(api.client.chat.delete({ channel: OPS, ts }))).toMatchObject({ error: 'cant_delete_message' });
});

test('a message that is empty, too long or invalid is refused with the reason', async () => {
  const post = (content: object) => {
    api.time.pass(10_000);
    return refusal(api.client.chat.postMessage({ channel: OPS, ...content } as never));
  };
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  expect(await post({})).toMatchObject({ error: 'no_text' });
  expect(await post({ text: 'x'.repeat(40_001) })).toMatchObject({ error: 'msg_too_long' });
  expect(await post({ text: 'x', blocks: Array(5).fill(section('x'.repeat(2900))) })).toMatchObject({
    error: 'msg_blocks_too_long',
  });
  expect(await post({ text: 'x', blocks: [section('')] })).toMatchObject({
    error: 'invalid_blocks',
    errors: ['must be more than 0 characters [json-pointer:/blocks/0/text/text]'],
    response_metadata: { messages: ['[ERROR] must be more than 0 characters [json-pointer:/blocks/0/text/text]'] },
  });
  expect(await refusal(api.client.apiCall('blocks.validate', { blocks: [section('')] }))).toMatchObject({
    error: 'invalid_blocks',
    errors: [{ pointer: '/blocks/0/text/text', code: 'min_length', constraint: { expected: 1, got: 0 } }],
  });
});

test('a channel takes three posts at once, then one a second', async () => {
  api.time.pass(10_000);
  const post = () => api.client.chat.postMessage({ channel: OPS, text: 'again' });
  for (let sent = 0; sent < 3; sent += 1) await post();
  expect(await refusal(post())).toEqual({ retryAfter: 1 });
  expect((await api.client.chat.postMessage({ channel: 'C0RELEASES2', text: 'elsewhere' })).ok).toBe(true);
  api.time.pass(1_000);
  expect((await post()).ok).toBe(true);
  expect(await refusal(post())).toEqual({ retryAfter: 1 });
  expect(api.slack.outgoing.at(-1)).toMatchObject({ method: 'chat.postMessage', error: 'ratelimited' });
});
