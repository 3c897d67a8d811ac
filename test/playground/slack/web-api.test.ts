import { type UsersListResponse, WebClient } from '@slack/web-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SlackEmulator, startSlackEmulator } from '../../../playground/slack/emulator.ts';
import { stage } from './bolt.ts';

const OPS = 'C0OPS000001';
const ADA = 'U0ADA000001';
const BOT = 'U0EDGEWISE1';

/** A clock that only moves when told. */
function clock() {
  let at = Date.parse('2026-03-01T12:00:00Z');
  return {
    now: () => new Date(at),
    pass: (milliseconds: number) => {
      at += milliseconds;
    },
  };
}

function clientOf(slack: SlackEmulator, token = slack.environment.SLACK_BOT_TOKEN ?? ''): WebClient {
  return new WebClient(token, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: {
      debug: none,
      info: none,
      warn: none,
      error: none,
      setLevel: none,
      getLevel: () => 'error' as never,
      setName: none,
    },
  });
}
const none = (): void => undefined;

/** The error that Slack answered, with what came along. */
async function refusal(call: Promise<unknown>): Promise<{ error?: string; [field: string]: unknown }> {
  return call.then(
    () => ({ error: 'nothing was refused' }),
    (failure: { data?: { error?: string }; retryAfter?: number }) => failure.data ?? { retryAfter: failure.retryAfter },
  );
}

describe('with the real web client', () => {
  const time = clock();
  let slack: SlackEmulator;
  let client: WebClient;
  beforeAll(async () => {
    slack = await startSlackEmulator({ now: time.now });
    client = clientOf(slack);
  });
  afterAll(() => slack.close());

  test('the bot learns who it is, and a wrong token is refused', async () => {
    expect(await client.auth.test()).toMatchObject({
      user_id: BOT,
      bot_id: 'B0EDGEWISE1',
      team_id: 'T0SHOP00001',
      team: 'Shop',
    });
    expect(await refusal(clientOf(slack, 'xoxb-wrong').auth.test())).toMatchObject({ error: 'invalid_auth' });
    expect(await (await fetch(`${slack.apiUrl}auth.test`, { method: 'POST' })).json()).toMatchObject({
      error: 'not_authed',
    });
    expect(await refusal(client.apps.connections.open({}))).toMatchObject({ error: 'not_allowed_token_type' });
  });

  test('an unknown method is a 200 that says so', async () => {
    expect(await refusal(client.apiCall('chat.shout'))).toMatchObject({ error: 'unknown_method' });
    expect(slack.problems).toContain('unknown method chat.shout');
  });

  test('arguments come as JSON too', async () => {
    time.pass(10_000);
    const response = await fetch(`${slack.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${slack.environment.SLACK_BOT_TOKEN}`,
        'content-type': 'application/json; charset=utf-8',
      },
      body: JSON.stringify({ channel: OPS, text: 'as JSON', blocks: [{ type: 'divider' }] }),
    });
    expect(await response.json()).toMatchObject({
      ok: true,
      message: { text: 'as JSON', blocks: [{ type: 'divider' }] },
    });
  });

  test('people are told apart: admin, guest, stranger, and by their clocks', async () => {
    const info = async (name: string) =>
      (await client.users.info({ user: slack.person(name).id, include_locale: true })).user;
    expect(await info('ada')).toMatchObject({
      is_admin: true,
      is_restricted: false,
      tz: 'Europe/Berlin',
      tz_offset: 3600,
      locale: 'en-US',
    });
    expect(await info('gus')).toMatchObject({ is_restricted: true, is_ultra_restricted: false });
    expect(await info('eve')).toMatchObject({ team_id: 'T0PARTNER01', is_stranger: true });
    expect(await refusal(client.users.info({ user: 'U0NOBODY' }))).toMatchObject({ error: 'user_not_found' });
    expect((await client.users.lookupByEmail({ email: 'ben@shop.example' })).user?.id).toBe('U0BEN000002');
    expect((await client.usergroups.users.list({ usergroup: 'S0ONCALL001' })).users).toEqual([ADA, 'U0BEN000002']);
    expect((await client.bots.info({ bot: 'B0EDGEWISE1' })).bot?.user_id).toBe(BOT);
  });

  test('lists are paged by cursors', async () => {
    const names: (string | undefined)[] = [];
    for await (const page of client.paginate('users.list', { limit: 2 })) {
      const { members } = page as UsersListResponse;
      names.push(...(members ?? []).map((each) => each.name));
    }
    expect(names).toEqual(['edgewise', 'ada', 'ben', 'gus', 'eve']);
    expect(
      (await client.conversations.list({ types: 'public_channel' })).channels?.map((each) => [
        each.name,
        each.is_member,
      ]),
    ).toEqual([
      ['ops', true],
      ['releases', true],
      ['random', false],
    ]);
    expect((await client.conversations.members({ channel: 'C0RANDOM003' })).members).toEqual([ADA, 'U0BEN000002']);
  });

  test('a message is posted, changed, found with its metadata, reacted to and deleted', async () => {
    time.pass(10_000);
    const metadata = { event_type: 'outcome', event_payload: { id: '1' } };
    const posted = await client.chat.postMessage({ channel: '#ops', text: 'first', metadata });
    const ts = posted.ts ?? '';
    await client.chat.update({ channel: OPS, ts, text: 'second' });
    await client.chat.postMessage({ channel: OPS, text: 'reply', thread_ts: ts });
    await client.reactions.add({ channel: OPS, timestamp: ts, name: 'eyes' });
    const history = await client.conversations.history({ channel: OPS, include_all_metadata: true, limit: 1 });
    expect(history.messages).toMatchObject([
      { ts, text: 'second', metadata, reply_count: 1, reactions: [{ name: 'eyes', count: 1 }], edited: { user: BOT } },
    ]);
    const replies = await client.conversations.replies({ channel: OPS, ts });
    expect(replies.messages?.map((each) => each.text)).toEqual(['second', 'reply']);
    expect((await client.chat.getPermalink({ channel: OPS, message_ts: ts })).permalink).toContain(
      `/archives/${OPS}/p`,
    );
    await client.chat.delete({ channel: OPS, ts });
    expect(await refusal(client.chat.update({ channel: OPS, ts, text: 'third' }))).toMatchObject({
      error: 'message_not_found',
    });
  });

  test('an ephemeral message reaches one person, and the API cannot change it', async () => {
    const sent = await client.chat.postEphemeral({ channel: OPS, user: ADA, text: 'psst' });
    const card = await slack.person('ada').in('#ops').expectMessage('psst');
    expect(card.ephemeral).toBe(true);
    expect(
      slack
        .person('ben')
        .in('#ops')
        .messages.some((each) => each.text === 'psst'),
    ).toBe(false);
    expect(await refusal(client.chat.update({ channel: OPS, ts: sent.message_ts ?? '', text: 'x' }))).toMatchObject({
      error: 'message_not_found',
    });
    expect(
      await refusal(client.chat.postEphemeral({ channel: 'C0RELEASES2', user: 'U0GUS000003', text: 'x' })),
    ).toMatchObject({
      error: 'user_not_in_channel',
    });
  });

  test('a direct message opens by the person’s id', async () => {
    const opened = await client.conversations.open({ users: ADA });
    expect(opened.channel?.id).toBe('D0ADA000001');
    time.pass(10_000);
    expect((await client.chat.postMessage({ channel: ADA, text: 'hello' })).channel).toBe('D0ADA000001');
    await slack.person('ada').in('@edgewise').expectMessage('hello');
  });

  test.each([
    ['a channel that is none', 'C0NOWHERE', 'channel_not_found'],
    ['a channel without the bot', '#random', 'not_in_channel'],
  ])('posting to %s is refused', async (_, channel, error) => {
    expect(await refusal(client.chat.postMessage({ channel, text: 'x' }))).toMatchObject({ error });
  });

  test('somebody else’s message cannot be changed or deleted', async () => {
    const ts = await slack.person('ben').in('#ops').type('mine');
    expect(await refusal(client.chat.update({ channel: OPS, ts, text: 'x' }))).toMatchObject({
      error: 'cant_update_message',
    });
    expect(await refusal(client.chat.delete({ channel: OPS, ts }))).toMatchObject({ error: 'cant_delete_message' });
  });

  test('a message that is empty, too long or invalid is refused with the reason', async () => {
    const post = (content: object) => {
      time.pass(10_000);
      return refusal(client.chat.postMessage({ channel: OPS, ...content } as never));
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
    expect(await refusal(client.apiCall('blocks.validate', { blocks: [section('')] }))).toMatchObject({
      error: 'invalid_blocks',
      errors: [{ pointer: '/blocks/0/text/text', code: 'min_length', constraint: { expected: 1, got: 0 } }],
    });
  });

  test('a channel takes three posts at once, then one a second', async () => {
    time.pass(10_000);
    const post = () => client.chat.postMessage({ channel: OPS, text: 'again' });
    for (let sent = 0; sent < 3; sent += 1) await post();
    expect(await refusal(post())).toEqual({ retryAfter: 1 });
    expect((await client.chat.postMessage({ channel: 'C0RELEASES2', text: 'elsewhere' })).ok).toBe(true);
    time.pass(1_000);
    expect((await post()).ok).toBe(true);
    expect(await refusal(post())).toEqual({ retryAfter: 1 });
    expect(slack.outgoing.at(-1)).toMatchObject({ method: 'chat.postMessage', error: 'ratelimited' });
  });

  test('a file goes up in three steps, is shared in a thread, and comes down with the token only', async () => {
    time.pass(10_000);
    const root = await slack.person('ada').in('#ops').type('log please');
    await client.filesUploadV2({
      channel_id: OPS,
      thread_ts: root,
      file: Buffer.from('GET /a 200\n'),
      filename: 'access.log',
      title: 'The log',
      initial_comment: 'here it is',
    });
    const card = await slack.person('ada').in('#ops').expectMessage('here it is', { thread: root });
    expect(card.files).toMatchObject([{ name: 'access.log', title: 'The log', text: 'GET /a 200\n' }]);
    expect(slack.outgoing.find((each) => each.method === 'upload')?.body).toBe('GET /a 200\n');
    const { file } = await client.files.info({ file: card.files[0]?.id ?? '' });
    expect(file).toMatchObject({ mimetype: 'text/plain', size: 11 });
    const url = file?.url_private_download ?? '';
    const authorization = `Bearer ${slack.environment.SLACK_BOT_TOKEN}`;
    expect(await (await fetch(url, { headers: { authorization } })).text()).toBe('GET /a 200\n');
    expect(await (await fetch(url)).text()).toContain('Sign in to Slack');
    expect(await refusal(client.files.info({ file: 'F0NOTHING' }))).toMatchObject({ error: 'file_not_found' });
  });

  test('secrets that leave the bot are on record, whichever way they leave', async () => {
    const text = JSON.stringify(slack.outgoing);
    for (const sent of ['psst', 'GET /a 200', 'here it is', 'as JSON']) expect(text).toContain(sent);
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

describe('what expires', () => {
  test('a trigger opens one view, within three seconds', async () => {
    const time = clock();
    const triggers: string[] = [];
    await using world = await stage(
      (app) => {
        app.command('/edge', async ({ ack, body }) => {
          triggers.push(body.trigger_id);
          await ack();
        });
      },
      { now: time.now },
    );
    const client = clientOf(world.slack);
    const view = { type: 'modal' as const, title: { type: 'plain_text' as const, text: 'Form' }, blocks: [] };
    const ops = world.slack.person('ada').in('#ops');
    await ops.type('/edge one');
    await ops.type('/edge two');
    time.pass(3_000);
    expect((await client.views.open({ trigger_id: triggers[0] ?? '', view })).ok).toBe(true);
    expect(await refusal(client.views.open({ trigger_id: triggers[0] ?? '', view }))).toMatchObject({
      error: 'exchanged_trigger_id',
    });
    time.pass(1);
    expect(await refusal(client.views.open({ trigger_id: triggers[1] ?? '', view }))).toMatchObject({
      error: 'expired_trigger_id',
    });
    expect(await refusal(client.views.open({ trigger_id: 'made.up', view }))).toMatchObject({
      error: 'invalid_trigger_id',
    });
    expect(world.slack.problems).toHaveLength(3);
  });

  test('a response URL takes five posts, within thirty minutes', async () => {
    const time = clock();
    const urls: string[] = [];
    await using world = await stage(
      (app) => {
        app.command('/edge', async ({ ack, body }) => {
          urls.push(body.response_url);
          await ack();
        });
      },
      { now: time.now },
    );
    const ops = world.slack.person('ada').in('#ops');
    await ops.type('/edge one');
    await ops.type('/edge two');
    const post = async (url: string | undefined, body: object) => {
      const response = await fetch(url ?? '', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
      return `${response.status} ${await response.text()}`;
    };
    for (const number of [1, 2, 3, 4, 5]) expect(await post(urls[0], { text: `answer ${number}` })).toBe('200 ok');
    expect(await post(urls[0], { text: 'answer 6' })).toBe('404 {"ok":false,"error":"used_url"}');
    expect(await post(urls[1], { blocks: [{ type: 'nonsense' }] })).toContain(
      '400 {"ok":false,"error":"invalid_blocks"',
    );
    time.pass(30 * 60_000 + 1);
    expect(await post(urls[1], { text: 'late' })).toBe('404 {"ok":false,"error":"expired_url"}');
    expect(ops.messages.map((each) => each.text)).toEqual(['answer 1', 'answer 2', 'answer 3', 'answer 4', 'answer 5']);
  });
});
