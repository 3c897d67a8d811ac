import { webApi } from '@slack/bolt';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SlackEmulator, startSlackEmulator } from '../../../playground/slack/emulator.ts';
import { message } from '../../../src/blocks/message.ts';
import { type Poster, PostRefusedError } from '../../../src/reports/post.ts';
import { Secret } from '../../../src/secret.ts';
import { createClients } from '../../../src/slack/clients.ts';
import { hostsOf } from '../../../src/slack/hosts.ts';
import { createOutgoing, type Outgoing } from '../../../src/slack/out/outgoing.ts';
import { createPosts } from '../../../src/slack/out/posts.ts';
import { createSecretFilter } from '../../../src/slack/out/secrets.ts';
import { createChannelPace } from '../../../src/store/channel-pace.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { KEEPS_NOTHING } from '../../support/keeps-nothing.ts';

const log = pino({ level: 'silent' });

describe('the background queue', () => {
  /** Virtual milliseconds. */
  let time: number;
  let timers: { at: number; run: () => void }[];
  let sent: { channel: string; at: number }[];
  let refuse: (() => Error | undefined) | undefined;
  let poster: Poster;

  /** Lets time pass until nothing waits. */
  async function pass(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = timers.sort((a, b) => a.at - b.at).shift();
      if (next === undefined) return;
      time = Math.max(time, next.at);
      next.run();
    }
  }

  beforeEach(async () => {
    time = 0;
    timers = [];
    sent = [];
    refuse = undefined;
    const database = await openDatabase({ url: ':memory:', clock: () => new Date(1_800_000_000_000 + time) });
    const outgoing: Partial<Outgoing> = {
      async post({ channel }) {
        const error = refuse?.();
        if (error !== undefined) throw error;
        sent.push({ channel, at: time });
        return { ts: String(sent.length) };
      },
    };
    poster = createPosts({
      outgoing: outgoing as Outgoing,
      pace: createChannelPace(database),
      now: () => new Date(time),
      wait: (milliseconds) => new Promise((resolve) => timers.push({ at: time + milliseconds, run: resolve })),
      log,
    });
  });

  const post = (channel: string, ready?: () => Promise<void>) =>
    poster.post({ channel, message: message('x'), key: 'k', ready });

  it('lets one message a second into a channel, and holds no other channel up', async () => {
    const all = Promise.all([post('C1'), post('C1'), post('C2'), post('C1')]);
    await pass();
    await all;
    expect(sent.filter(({ channel }) => channel === 'C1').map(({ at }) => at)).toEqual([0, 1000, 2000]);
    expect(sent.find(({ channel }) => channel === 'C2')?.at).toBe(0);
  });

  it('waits as long as Slack says, and asks again whether it still may', async () => {
    const refusals: (Error | undefined)[] = [new webApi.WebAPIRateLimitedError(3)];
    refuse = () => refusals.shift();
    let asked = 0;
    const posted = post('C1', async () => {
      asked += 1;
    });
    await pass();
    await posted;
    expect([sent[0]?.at, asked]).toEqual([3000, 2]);
  });

  it('says what Slack refused, and passes on what nobody knows', async () => {
    const refused = new webApi.WebAPIPlatformError({ ok: false, error: 'is_archived' });
    refuse = () => refused;
    const said = 'the channel is archived: unarchive it, or use another channel';
    await expect(post('C1')).rejects.toEqual(new PostRefusedError('is_archived', 'channel gone', said));
    refuse = () => new webApi.WebAPIPlatformError({ ok: false, error: 'internal_error' });
    const unknown = post('C2');
    await expect(unknown).rejects.not.toBeInstanceOf(PostRefusedError);
  });

  it.each([
    ['not_in_channel', 'no', /not a member.*`\/invite`/],
    ['channel_not_found', 'no', /can’t see.*deleted.*private/],
    ['is_archived', 'channel gone', /archived/],
    ['restricted_action', 'no', /workspace does not let me/],
    ['restricted_action_read_only_channel', 'no', /only some people/],
    ['account_inactive', 'no', /account is switched off/],
    ['token_revoked', 'no', /token was revoked/],
    ['invalid_auth', 'no', /token is not valid/],
    ['missing_scope', 'no', /lacks a scope.*manifest/],
    ['message_limit_exceeded', 'later', /as many messages/],
    ['thread_not_found', 'message gone', /thread is gone/],
    ['message_not_found', 'message gone', /deleted/],
    ['cant_update_message', 'message gone', /cannot be changed/],
    ['edit_window_closed', 'message gone', /cannot be changed/],
    ['cannot_reply_to_message', 'message gone', /gone or locked/],
    ['block_mismatch', 'message gone', /cannot be changed/],
    ['restricted_action_thread_locked', 'message gone', /gone or locked/],
    ['user_disabled', 'person gone', /has left/],
    ['never_heard_of', 'no', /Slack refuses it: never_heard_of/],
  ])('says %s in words, and takes it for: %s', async (error, means, reason) => {
    refuse = () => new webApi.WebAPIPlatformError({ ok: false, error });
    await expect(post('C1')).rejects.toMatchObject({
      name: 'PostRefusedError',
      code: error,
      means,
      reason: expect.stringMatching(reason),
    });
  });

  it.each(['rate_limited', 'ratelimited'])('waits after %s in the body as after a status of 429', async (error) => {
    const refusals = [
      new webApi.WebAPIPlatformError({ ok: false, error, response_metadata: { retryAfter: 3 } } as never),
    ];
    refuse = () => refusals.shift();
    const posted = post('C1');
    await pass();
    await posted;
    expect(sent[0]?.at).toBe(3000);
  });

  it('leaves out what may not go any more, without keeping the next one back', async () => {
    const lost = post('C1', () => Promise.reject(new Error('lost')));
    const next = post('C1');
    await expect(lost).rejects.toThrow('lost');
    await pass();
    await next;
    expect(sent.map(({ at }) => at)).toEqual([1000]);
  });
});

describe('a message', () => {
  let slack: SlackEmulator;
  let outgoing: Outgoing;
  /** Of another bot in the same channels. */
  let theirs: Outgoing;
  const since = new Date(Date.now() - 3_600_000);
  const metadata = (slot: string) => ({ event_type: 'edgewise_report', event_payload: { slot } });

  beforeAll(async () => {
    slack = await startSlackEmulator({
      second: { name: 'edgewise-staging', realName: 'Edgewise staging', commands: [], shortcuts: [] },
    });
    const bot = async ({ SLACK_BOT_TOKEN = '' }: Record<string, string>) => {
      const clients = createClients(Secret.of(SLACK_BOT_TOKEN), slack.apiUrl.replace(/\/$/, ''));
      return createOutgoing({
        ...clients,
        userId: String((await clients.background.auth.test()).user_id),
        secrets: createSecretFilter([]),
        log,
        hosts: hostsOf(slack.apiUrl),
        ...KEEPS_NOTHING,
        wait: async () => undefined,
      });
    };
    [outgoing, theirs] = [await bot(slack.environment), await bot(slack.second)];
  });
  afterAll(() => slack.close());

  it('is found again by the slot in its metadata, in the channel and in a thread', async () => {
    const channel = slack.workspace.channel('ops').id;
    const { ts } = await outgoing.post({ channel }, message('a report'), metadata('1:a'));
    for (let index = 0; index < 3; index += 1) await slack.person('ada').in('#ops').type(`talk ${index}`);
    expect(await outgoing.findPost({ channel }, '1:a', since)).toEqual({ ts });
    expect(await outgoing.findPost({ channel }, '1:b', since)).toBeUndefined();
    const reply = await outgoing.post({ channel, thread: ts }, message('more'), metadata('1:b'));
    expect(await outgoing.findPost({ channel }, '1:b', since)).toBeUndefined();
    expect(await outgoing.findPost({ channel, thread: ts }, '1:b', since)).toEqual(reply);
  });

  it('of another bot is not taken for one of its own, whatever its metadata say', async () => {
    const channel = slack.workspace.channel('ops').id;
    await theirs.post({ channel }, message('a report'), metadata('1:d'));
    expect(await outgoing.findPost({ channel }, '1:d', since)).toBeUndefined();
    expect(await theirs.findPost({ channel }, '1:d', since)).toBeDefined();
  });
});
