import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
let direct: string;
let group: string;
beforeAll(async () => {
  const channels = [{ name: 'mpdm-ada--ben--edgewise-1', members: ['ada', 'ben'], isMpim: true }];
  workspace = await startTestWorkspace({ slack: { workspace: { channels } } });
  const { slack } = workspace;
  await slack.person('ada').in('@edgewise').type('status');
  await slack
    .person('ada')
    .in('@edgewise')
    .expectMessage(/The bot is healthy/);
  await slack.idle();
  direct = [...slack.workspace.channels.values()].find(
    ({ isIm, members }) => isIm && members.has(slack.workspace.user('ada').id),
  )!.id;
  group = slack.workspace.channel('mpdm-ada--ben--edgewise-1').id;
});
afterAll(() => workspace.close());

let events = 0;
/** An event of Slack's, as somebody sends it; so many messages come of it. */
async function heard(event: Record<string, unknown>, expected: number): Promise<void> {
  const { slack } = workspace;
  const answers = () =>
    slack.outgoing.filter(
      ({ body, error }) =>
        error === undefined &&
        (body as { channel?: string }).channel === event.channel &&
        JSON.stringify(body).includes('13 pull zones'),
    ).length;
  const before = answers();
  events += 1;
  const user = slack.workspace.user('ada').id;
  const ts = `${Math.floor(Date.now() / 1000)}.${String(events).padStart(6, '0')}`;
  const whole = { type: 'message', user, ts, event_ts: ts, ...event };
  const body = { type: 'event_callback', event_id: `Ev${events}`, team_id: slack.workspace.team.id, event: whole };
  await slack.signedRequest(JSON.stringify(body));
  for (const end = Date.now() + 5_000; answers() < before + expected && Date.now() < end; )
    await new Promise((settle) => setTimeout(settle, 5));
  await slack.idle();
  expect(answers() - before).toBe(expected);
}

it.each(['thread_broadcast', 'me_message', 'file_share', undefined])(
  'a message of the subtype %s is answered, in direct messages and in a group',
  async (subtype) => {
    const kind = subtype === undefined ? {} : { subtype };
    await heard({ ...kind, channel: direct, channel_type: 'im', text: 'zone list' }, 1);
    const text = `<@${workspace.slack.workspace.user('edgewise').id}> zone list`;
    await heard({ ...kind, channel: group, channel_type: 'mpim', text }, 1);
    await heard({ ...kind, channel: group, channel_type: 'mpim', text: 'zone list' }, 0);
  },
);

it.each(['message_deleted', 'channel_topic', 'bot_message', 'message_replied', 'huddle_thread'])(
  'a message of the subtype %s is not answered',
  async (subtype) => {
    await heard({ subtype, channel: direct, channel_type: 'im', text: 'zone list' }, 0);
  },
);

it.each([
  ['without its query', 'img/a.png?w=2&amp;h=3', 'https://shop.example.com/img/a.png', 'img/a.png?w=2&h=3'],
  ['cut', 'assets/2026/app.3f2a.js?v=17', 'https://shop.example.com/assets/2026/ap…', 'assets/2026/app.3f2a.js?v=17'],
  ['cut with dots', 'assets/2026/app.3f2a.js', 'https://shop.example.com/assets[...]', 'assets/2026/app.3f2a.js'],
  ['with a space', 'a%20b', 'shop.example.com/a b', 'a%20b'],
  ['in other words', 'logo.svg', 'our logo', 'logo.svg'],
  ['another address', 'a', 'https://main.example.com/b', 'a'],
])('a link that Slack shows %s is the address behind it', async (_, path, label, meant) => {
  const { slack } = workspace;
  const ops = slack.person('ada').in('#ops');
  const { id: channel } = slack.workspace.channel('#ops');
  const [bot, user] = ['edgewise', 'ada'].map((name) => slack.workspace.user(name).id);
  events += 1;
  const ts = `${Math.floor(Date.now() / 1000)}.${String(events).padStart(6, '0')}`;
  const text = `<@${bot}> cache purge <https://shop.example.com/${path}|${label}>`;
  const event = { type: 'app_mention', user, ts, event_ts: ts, channel, text };
  ops.readAll();
  await slack.signedRequest(
    JSON.stringify({ type: 'event_callback', event_id: `Ev${events}`, team_id: slack.workspace.team.id, event }),
  );
  const preview = await ops.expectMessage(/^Purge/);
  expect(preview.text).toContain(`Purge https://shop.example.com/${meant} on shop`);
  await preview.click('Cancel');
});
