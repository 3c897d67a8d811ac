import { expect, test } from 'vitest';
import { bare } from './bare-bot.ts';
import { ADA, clientOf, OPS, refusal } from './web-client.ts';

const events = [
  'app_mention',
  'message.im',
  'message.channels',
  'channel_archive',
  'channel_unarchive',
  'channel_left',
];
const world = () => bare(async () => ({}), { events });
const lastEvent = (slack: { deliveries: { payload: Record<string, unknown> }[] }) =>
  slack.deliveries.at(-1)?.payload.event;

test('an archived channel takes no messages, of people or of the bot', async () => {
  await using bot = await world();
  const client = clientOf(bot.slack);
  const ops = bot.slack.person('ada').in('#ops');
  const { ts } = await client.chat.postMessage({ channel: OPS, text: 'before' });
  await ops.type('/archive');
  expect(lastEvent(bot.slack)).toMatchObject({ type: 'channel_archive', channel: OPS, user: ADA, is_moved: 0 });
  expect(await refusal(client.chat.postMessage({ channel: OPS, text: 'x' }))).toMatchObject({ error: 'is_archived' });
  expect(await refusal(client.chat.postEphemeral({ channel: OPS, user: ADA, text: 'x' }))).toMatchObject({
    error: 'is_archived',
  });
  expect(await refusal(client.chat.update({ channel: OPS, ts: ts ?? '', text: 'x' }))).toMatchObject({
    error: 'is_inactive',
  });
  expect((await client.conversations.info({ channel: OPS })).channel).toMatchObject({ is_archived: true });
  const { channels } = await client.conversations.list({ exclude_archived: true });
  expect(channels?.map(({ name }) => name)).toEqual(['releases', 'random', 'partners']);
  await expect(ops.type('hello')).rejects.toThrow('archived');
  await ops.type('/unarchive');
  expect((await client.chat.postMessage({ channel: OPS, text: 'after' })).ok).toBe(true);
});

test('a command that the emulator was given says what it did, to the one who typed it', async () => {
  await using bot = await bare(async () => ({}), {
    builtIns: { '/origin': { description: '', run: () => 'It is down.' } },
  });
  const ops = bot.slack.person('ada').in('#ops');
  await ops.type('/origin');
  const said = await ops.expectMessage('It is down.');
  expect([said.author, said.ephemeral]).toEqual(['slackbot', true]);
});

test('the bot is taken out of a channel, and invited again', async () => {
  await using bot = await world();
  const client = clientOf(bot.slack);
  const ops = bot.slack.person('ada').in('#ops');
  await ops.type('/remove @edgewise');
  expect(lastEvent(bot.slack)).toMatchObject({ type: 'channel_left', channel: OPS });
  expect(await refusal(client.chat.postMessage({ channel: OPS, text: 'x' }))).toMatchObject({
    error: 'not_in_channel',
  });
  await ops.type('/invite @edgewise');
  expect((await client.chat.postMessage({ channel: OPS, text: 'back' })).ok).toBe(true);
});

test('an ephemeral message is never seen by somebody who is away, and is lost when they load Slack anew', async () => {
  await using bot = await world();
  const client = clientOf(bot.slack);
  const ada = bot.slack.person('ada');
  const whisper = (text: string) => client.chat.postEphemeral({ channel: OPS, user: ADA, text });
  await whisper('first');
  await ada.in('#ops').expectMessage('first');
  ada.goAway();
  expect((await whisper('while away')).ok).toBe(true);
  ada.comeBack();
  await whisper('second');
  expect(ada.in('#ops').messages.map(({ text }) => text)).toEqual(['first', 'second']);
  ada.reload();
  expect(ada.in('#ops').messages).toEqual([]);
  await ada.in('#ops').type('/away');
  await whisper('third');
  expect(ada.in('#ops').messages).toEqual([]);
});
