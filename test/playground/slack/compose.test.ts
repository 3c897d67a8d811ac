import { expect, test } from 'vitest';
import { bare } from './bare-bot.ts';

type Fields = Record<string, unknown>;
const events = ['app_mention', 'message.im'];

test('an edited mention comes again, with `edited` and an event id of its own', async () => {
  await using bot = await bare(async () => ({}), { events });
  const ops = bot.slack.person('ada').in('#ops');
  const ts = await ops.type('@edgewise zone list');
  await ops.edit(ts, '@edgewise zone show');
  const [first, second] = bot.slack.deliveries.map(({ payload }) => payload);
  expect(second?.event_id).not.toBe(first?.event_id);
  expect(first?.event).not.toHaveProperty('edited');
  const { client_msg_id } = (first?.event ?? {}) as Fields;
  expect(second?.event).toMatchObject({
    type: 'app_mention',
    ts,
    client_msg_id,
    text: '<@U0EDGEWISE1> zone show',
    edited: { user: 'U0ADA000001', ts: expect.stringMatching(/^\d+\.000000$/) },
  });
});

test('in a direct message an edit and a deletion are messages of their own', async () => {
  await using bot = await bare(async () => ({}), { events });
  const direct = bot.slack.person('ada').in('@edgewise');
  const ts = await direct.type('zone list');
  await direct.edit(ts, 'zone show');
  expect(bot.slack.deliveries.at(-1)?.payload.event).toMatchObject({
    type: 'message',
    subtype: 'message_changed',
    channel_type: 'im',
    hidden: true,
    message: { ts, text: 'zone show', edited: { user: 'U0ADA000001' } },
    previous_message: { ts, text: 'zone list' },
  });
  await direct.delete(ts);
  expect(bot.slack.deliveries.at(-1)?.payload.event).toMatchObject({
    subtype: 'message_deleted',
    deleted_ts: ts,
    previous_message: { text: 'zone show' },
  });
  await expect(direct.edit(ts, 'x')).rejects.toThrow('not yours');
});
