import { setTimeout as pause } from 'node:timers/promises';
import { App } from '@slack/bolt';
import { afterEach, describe, expect, test } from 'vitest';
import { createLog } from '../../../src/log.ts';
import { Secret } from '../../../src/secret.ts';
import { createLibraryLog } from '../../../src/slack/clients.ts';
import { createPresence, type Presence } from '../../../src/slack/in/presence.ts';
import type { SocketTimes } from '../../../src/slack/in/socket-connections.ts';
import { createSocketMode, type SocketMode } from '../../../src/slack/in/socket-mode.ts';
import { createSecretFilter } from '../../../src/slack/out/secrets.ts';
import { type Fault, type FaultServer, type Reason, startFaultServer } from './fault-server.ts';

const APP_TOKEN = 'xapp-1-A1-1-abc';

/** All that takes seconds takes milliseconds here. */
const TIMES: SocketTimes = {
  ...{ call: 400, arrival: 300, beat: 50, closing: 50, settled: 0, linger: 400, answers: 500 },
  ...{ spare: 150, first: 4, most: 30, slowly: 60 },
};

/** So long may the bot lag behind what is so, in milliseconds: both sides share a thread, and the machine is busy. */
const MOMENT = 100;

interface Bot {
  server: FaultServer;
  presence: Presence;
  socketMode: SocketMode;
  /** Log lines: their words, and everything in them. */
  log: { level: number; msg: string; [field: string]: unknown }[];
  /** Commands that reached a listener. */
  commands: string[];
  /** The longest time that the bot was wrong about having a connection, in milliseconds. */
  wrong(): number;
  says(words: string): boolean;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A hundred times as fast as real time, so that an absence is one. */
const now = () => new Date(1_800_000_000_000 + 100 * performance.now());

/** Bolt behind the connections, as the bot has it. */
async function startBot(
  times: Partial<SocketTimes> = {},
  prepare: (server: FaultServer) => void = () => undefined,
): Promise<Bot> {
  const server = await startFaultServer(APP_TOKEN);
  closing.push(() => server.close());
  prepare(server);
  const log: Bot['log'] = [];
  const botLog = createLog('debug', createSecretFilter([]), (line) => log.push(JSON.parse(line)));
  const presence = createPresence('socket', now());
  const socketMode = createSocketMode({
    appToken: Secret.of(APP_TOKEN),
    apiUrl: server.apiUrl,
    presence,
    now,
    log: botLog,
    times: { ...TIMES, ...times },
  });
  const app = new App({
    receiver: socketMode,
    logger: createLibraryLog(botLog),
    convoStore: false,
    authorize: async () => ({ botToken: 'xoxb-1', botId: 'B1', botUserId: 'U1', teamId: 'T1' }),
  });
  const commands: string[] = [];
  app.command(/.*/, async ({ command, ack }) => {
    await ack();
    commands.push(command.text);
  });
  app.view(/.*/, async ({ ack, view }) => {
    if (view.callback_id === 'broken') throw new Error('this listener fails');
    await pause(view.callback_id === 'slow' ? 200 : 30);
    await ack({ response_action: 'clear' });
  });
  app.error(async () => undefined);
  closing.push(() => socketMode.stop());
  const wrong = watchReadiness(server, presence);
  return {
    server,
    presence,
    socketMode,
    log,
    commands,
    wrong,
    says: (words) => log.some(({ msg }) => msg.includes(words)),
  };
}

/** Compares at every turn what the bot believes with what is so. */
function watchReadiness(server: FaultServer, presence: Presence): () => number {
  let since: number | undefined;
  let longest = 0;
  const watching = setInterval(() => {
    const isRight = server.lines.length > 0 === presence.connections > 0;
    since = isRight ? undefined : (since ?? performance.now());
    if (since !== undefined) longest = Math.max(longest, performance.now() - since);
  }, 1);
  closing.push(async () => clearInterval(watching));
  return () => longest;
}

async function until(what: () => boolean, patience = 5_000): Promise<void> {
  const deadline = performance.now() + patience;
  while (!what()) {
    if (performance.now() > deadline) throw new Error(`it did not come about: ${what}`);
    await pause(2);
  }
}

const command = (text: string) => ({ command: '/edge', text, user_id: 'U2', team_id: 'T1', channel_id: 'C1' });

/** Everything that was delivered is answered. */
const isAllAnswered = ({ delivered }: FaultServer) => delivered.every(({ isAnswered }) => isAnswered);

/** Both connections stand. */
async function untilBoth({ server, presence }: Bot): Promise<void> {
  await until(() => server.lines.length === 2 && presence.connections === 2);
}

/** Commands all the time, over whatever connection there is. Returns what ends them and waits for the last. */
function commandsUnderWay({ server, commands }: Bot): () => Promise<number> {
  let sent = 0;
  const load = setInterval(() => {
    if (server.lines.some(({ isLeaving }) => !isLeaving)) server.deliver('slash_commands', command(`${sent++}`));
  }, 3);
  closing.push(async () => clearInterval(load));
  return async () => {
    clearInterval(load);
    await until(() => commands.length === sent && isAllAnswered(server));
    return sent;
  };
}

const AWAY: [string, Fault][] = [
  ['503', { kind: 'status', status: 503 }],
  ['429', { kind: 'status', status: 429, retryAfter: 0.05 }],
  ['drop', { kind: 'drop' }],
  ['a hang of ten seconds', { kind: 'hang', ms: 10_000 }],
  ['internal_error', { kind: 'error', error: 'internal_error' }],
  ['a page of HTML', { kind: 'garbage' }],
  ['a refused WebSocket', { kind: 'refuse' }],
  ['a WebSocket that nobody answers', { kind: 'mute' }],
  ['an answer without an address', { kind: 'nowhere' }],
  ['an address that is none', { kind: 'nowhere', url: 'not an address' }],
  ['an address at which nobody is', { kind: 'nowhere', url: 'ws://127.0.0.1:9/link' }],
  ['no hello', { kind: 'silent' }],
  ['link_disabled instead of hello', { kind: 'goodbye', reason: 'link_disabled' }],
  ['too_many_websockets instead of hello', { kind: 'goodbye', reason: 'too_many_websockets' }],
];

describe('two connections', () => {
  test('stand side by side, and payloads come over any of them', async () => {
    const bot = await startBot();
    await bot.socketMode.start();
    await untilBoth(bot);
    for (let i = 0; i < 10; i += 1) bot.server.deliver('slash_commands', command(`${i}`));
    await until(() => bot.commands.length === 10 && isAllAnswered(bot.server));
    expect(bot.server.lines).toHaveLength(2);
  });

  for (const reason of ['refresh_requested', 'warning'] as const) {
    test.each(AWAY)(`are renewed after ${reason} that meets %s, without a gap`, async (_, fault) => {
      const bot = await startBot();
      const { server, presence } = bot;
      await bot.socketMode.start();
      await untilBoth(bot);
      server.faults.push(fault, fault);
      server.disconnect(server.lines[0]!, reason, 20);
      const ended = commandsUnderWay(bot);
      const { since } = presence;
      await until(() => server.faults.length === 0);
      await untilBoth(bot);
      await ended();
      expect(presence.since).toEqual(since);
      expect(bot.wrong()).toBeLessThan(MOMENT);
      expect(server.problems).toEqual([]);
    });
  }

  test('are renewed 200 times in a row under a load of commands, whatever the renewal meets', async () => {
    const bot = await startBot();
    const { server } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const ended = commandsUnderWay(bot);
    const reasons: Reason[] = ['refresh_requested', 'warning'];
    for (let i = 0; i < 200; i += 1) {
      const [, fault] = AWAY[i % AWAY.length]!;
      // What takes long comes now and then only.
      if (i % 20 === i % AWAY.length || fault.kind === 'status' || fault.kind === 'drop') server.faults.push(fault);
      const line = server.lines.find(({ isTold }) => !isTold);
      server.disconnect(line!, reasons[i % 2]!, i % 3 === 0 ? 0 : 10);
      await until(() => server.faults.length === 0 && server.lines.filter(({ isTold }) => !isTold).length >= 2);
    }
    expect(await ended()).toBeGreaterThan(200);
    await untilBoth(bot);
    expect(bot.wrong()).toBeLessThan(MOMENT);
    expect(server.problems).toEqual([]);
    expect(server.calls.length).toBeGreaterThanOrEqual(202);
  });

  test('that end together are both renewed, and what was away is remembered', async () => {
    const bot = await startBot();
    const { server, presence } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    server.away = { kind: 'status', status: 503 };
    for (const { socket } of [...server.lines]) socket.terminate();
    await until(() => presence.connections === 0);
    await pause(50);
    server.away = undefined;
    await untilBoth(bot);
    expect(presence.away!.until.getTime() - presence.away!.from.getTime()).toBeGreaterThanOrEqual(4_500);
    expect(presence.since).toEqual(presence.away!.until);
    expect(bot.says('Slack could not be reached: it is tried again')).toBe(true);
    expect(bot.wrong()).toBeLessThan(MOMENT);
  });

  test('do not come to their end together: one is always in the first half of its life', async () => {
    const bot = await startBot({ linger: 5_000 }, (server) => {
      server.lifetime = 0.4;
    });
    const { server, presence } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const first = [...server.lines];
    await until(() => server.lines.length === 3);
    // Slack ends both of the same age at once, and is slow to give another.
    server.faults.push({ kind: 'hang', ms: 40 });
    const { since } = presence;
    for (const line of first) server.disconnect(line, 'refresh_requested', 0);
    await until(() => server.lines.length === 1);
    await untilBoth(bot);
    expect(presence.since).toEqual(since);
  });

  test('whose other side falls silent are given up and renewed', async () => {
    const bot = await startBot();
    const { server, presence } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    for (const line of [...server.lines]) server.silence(line);
    await untilBoth(bot);
    expect(bot.log.filter(({ reason }) => String(reason).startsWith('silent for'))).toHaveLength(2);
    server.deliver('slash_commands', command('again'));
    await until(() => isAllAnswered(server));
    expect(presence.connections).toBe(2);
  });

  test('that live as long as Slack pings them are left alone', async () => {
    const bot = await startBot();
    await bot.socketMode.start();
    await untilBoth(bot);
    const [first, second] = bot.server.lines;
    const calls = bot.server.calls.length;
    await pause(20 * TIMES.beat);
    expect(bot.server.lines).toEqual([first, second]);
    expect(bot.server.calls).toHaveLength(calls);
  });

  test('that Slack ends as soon as they are there are not opened anew at once for ever', async () => {
    const bot = await startBot({ settled: 1_000, first: 20, most: 100 });
    const { server } = bot;
    await bot.socketMode.start();
    const ending = setInterval(() => {
      for (const line of server.lines) if (!line.isLeaving) server.disconnect(line, 'refresh_requested', 0);
    }, 1);
    await pause(500);
    clearInterval(ending);
    expect(server.calls.length).toBeLessThan(25);
    await untilBoth(bot);
  });
});

describe('what Slack says on a connection', () => {
  test('warning: another is opened before the warned one closes, and payloads still come over it', async () => {
    const bot = await startBot({ linger: 5_000 });
    const { server } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    server.disconnect(server.lines[0]!, 'warning', 300);
    await until(() => server.lines.length === 3);
    for (let i = 0; i < 9; i += 1) server.deliver('slash_commands', command(`${i}`));
    await until(() => isAllAnswered(server));
    await untilBoth(bot);
    expect(bot.says('another is opened first')).toBe(true);
  });

  test('refresh_requested: the connection is replaced before it is closed, also where Slack leaves that to us', async () => {
    const bot = await startBot({ linger: 30 });
    const { server } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const [old] = server.lines;
    server.disconnect(old!, 'refresh_requested', 60_000);
    await until(() => server.lines.length === 3);
    await untilBoth(bot);
    expect(server.lines).not.toContain(old);
    expect(bot.says('Slack renews a connection')).toBe(true);
  });

  test('link_disabled: it is said what to do, and tried slowly until somebody did it', async () => {
    const bot = await startBot({ slowly: 80 });
    const { server, presence } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const calls = server.calls.length;
    server.away = { kind: 'goodbye', reason: 'link_disabled' };
    for (const line of [...server.lines]) server.disconnect(line, 'link_disabled', 5);
    await until(() => presence.connections === 0);
    await pause(200);
    expect(server.calls.length - calls).toBeLessThan(6);
    expect(bot.log.filter(({ level }) => level === 50)[0]!.msg).toContain('switch it on in the app’s settings');
    server.away = undefined;
    await untilBoth(bot);
    expect(bot.wrong()).toBeLessThan(MOMENT);
  });

  test('too_many_websockets: one is kept, and the second waits', async () => {
    const bot = await startBot({ spare: 400 });
    const { server, presence } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const { since } = presence;
    const calls = server.calls.length;
    server.disconnect(server.lines[1]!, 'too_many_websockets', 60_000);
    await until(() => server.lines.length === 1);
    await pause(100);
    expect(server.lines).toHaveLength(1);
    expect(server.calls).toHaveLength(calls);
    expect(bot.says('this process keeps one')).toBe(true);
    await untilBoth(bot);
    expect(presence.since).toEqual(since);
  });

  test('too_many_websockets on every connection: one is opened again, after a pause', async () => {
    const bot = await startBot({ spare: 60_000, first: 40, most: 100 });
    const { server, presence } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const at = performance.now();
    for (const line of [...server.lines]) server.disconnect(line, 'too_many_websockets', 0);
    await until(() => server.lines.length === 1 && !server.lines[0]!.isLeaving);
    expect(server.calls.at(-1)! - at).toBeGreaterThanOrEqual(20);
    await pause(50);
    expect(presence.connections).toBe(1);
  });

  test('a reason that nobody knows yet is a renewal like others', async () => {
    const bot = await startBot();
    await bot.socketMode.start();
    await untilBoth(bot);
    for (const [done, reason] of ['lunch', '', '__proto__', 'x'.repeat(50_000)].entries()) {
      bot.server.disconnect(bot.server.lines[0]!, reason, 0);
      await until(() => bot.server.calls.length >= 3 + done);
      await untilBoth(bot);
    }
    expect(bot.log.filter(({ msg }) => msg.includes('a reason that is new'))).toHaveLength(4);
    expect(Math.max(...bot.log.map((line) => JSON.stringify(line).length))).toBeLessThan(2_000);
  });
});

describe('envelopes', () => {
  const odd: [string, string, unknown][] = [
    ['app_rate_limited', 'events_api', { type: 'app_rate_limited', team_id: 'T1', minute_rate_limited: 1518467820 }],
    ['app_rate_limited in an event', 'events_api', { event: { type: 'app_rate_limited', minute_rate_limited: 1 } }],
    ['app_rate_limited as a type', 'app_rate_limited', { minute_rate_limited: 1 }],
    ['no inner event', 'events_api', { type: 'event_callback', team_id: 'T1' }],
    ['an event that is a text', 'events_api', { event: 'app_mention' }],
    ['an event without a type', 'events_api', { event: {} }],
    ['a type of the future', 'holograms', { type: 'hologram' }],
    ['a type of our own library', 'ws_message', 'close'],
    ['no payload', 'slash_commands', undefined],
    ['null', 'interactive', null],
    ['a number', 'interactive', 7],
    ['a list', 'interactive', [{ type: 'block_actions' }]],
    ['a press without a person', 'interactive', { type: 'block_actions', actions: [{ action_id: 'a' }] }],
    ['a form without a view', 'interactive', { type: 'view_submission', user: { id: 'U1' } }],
    ['a kind of interaction of the future', 'interactive', { type: 'block_dream', user: { id: 'U1' } }],
    ['suggestions for nothing', 'interactive', { type: 'block_suggestion', user: { id: 'U1' } }],
    ['a command that is no text', 'slash_commands', { command: 7 }],
    ['a prototype', 'slash_commands', JSON.parse('{"__proto__":{"command":"/edge"},"constructor":1}')],
  ];
  const idle: [string, string, unknown][] = [
    ['an event that is called error', 'events_api', { event: { type: 'error' }, authorizations: [] }],
    ['an event that is called close', 'events_api', { event: { type: 'close' } }],
    ['a press of nothing', 'interactive', { type: 'block_actions', user: { id: 'U1' }, actions: [] }],
  ];
  test.each(idle)('%s is acknowledged, and ends nothing', async (_, type, payload) => {
    const bot = await startBot();
    const { server } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const [first, second] = server.lines;
    server.deliver(type, payload);
    server.deliver('slash_commands', command('still there'));
    await until(() => isAllAnswered(server));
    expect(server.lines).toEqual([first, second]);
  });

  test.each(odd)('%s is acknowledged, logged, and ends nothing', async (_, type, payload) => {
    const bot = await startBot();
    const { server, log } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const [first, second] = server.lines;
    const lines = log.length;
    server.deliver(type, payload);
    await until(() => isAllAnswered(server));
    await until(() => log.slice(lines).some(({ level }) => level >= 40));
    server.deliver('slash_commands', command('still there'));
    await until(() => isAllAnswered(server));
    expect(server.lines).toEqual([first, second]);
    expect(server.problems).toEqual([]);
  });

  test('app_rate_limited says which minute', async () => {
    const bot = await startBot();
    await bot.socketMode.start();
    bot.server.deliver('events_api', { type: 'app_rate_limited', minute_rate_limited: 1518467820 });
    await until(() => bot.log.some(({ minute }) => minute === 1518467820));
  });

  test('messages that are none are logged, and end nothing', async () => {
    const bot = await startBot();
    const { server } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    for (const text of [
      '',
      'null',
      '7',
      '[]',
      '{}',
      '{"type":"hello"',
      '{"type":{}}',
      '{"envelope_id":7}',
      'x'.repeat(100_000),
    ])
      server.say(text);
    server.deliver('slash_commands', command('still there'));
    await until(() => isAllAnswered(server));
    expect(server.lines).toHaveLength(2);
    await until(() => bot.log.filter(({ msg }) => msg.includes('no known shape')).length >= 9);
    expect(Math.max(...bot.log.map((line) => JSON.stringify(line).length))).toBeLessThan(2_000);
  });

  test('a form whose listener takes its time is answered on a connection that Slack renews meanwhile', async () => {
    const bot = await startBot();
    const { server } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const view = { id: 'V1', type: 'modal', callback_id: 'form', state: { values: {} } };
    const sent = server.deliver('interactive', {
      type: 'view_submission',
      user: { id: 'U1' },
      team: { id: 'T1' },
      view,
    });
    for (const line of [...server.lines]) server.disconnect(line, 'refresh_requested', 200);
    await until(() => isAllAnswered(server));
    expect(sent.answer).toEqual({ response_action: 'clear' });
  });

  test('a form that comes over a connection just before we close it is answered first', async () => {
    const bot = await startBot({ linger: 100 });
    const { server } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const view = { id: 'V1', type: 'modal', callback_id: 'slow', state: { values: {} } };
    for (const line of [...server.lines]) server.disconnect(line, 'warning', 60_000);
    await until(() => server.lines.length >= 3);
    for (let i = 0; i < 6; i += 1)
      server.deliver('interactive', { type: 'view_submission', user: { id: 'U1' }, team: { id: 'T1' }, view });
    await until(() => isAllAnswered(server));
    await until(() => server.lines.length === 2);
  });

  test('a form whose listener fails is not closed as if it had been accepted', async () => {
    const bot = await startBot();
    await bot.socketMode.start();
    const view = { id: 'V1', type: 'modal', callback_id: 'broken', state: { values: { name: { a: { value: 'x' } } } } };
    const sent = bot.server.deliver('interactive', {
      type: 'view_submission',
      user: { id: 'U1' },
      team: { id: 'T1' },
      view,
    });
    await until(() => isAllAnswered(bot.server));
    expect(sent.answer).toEqual({
      response_action: 'errors',
      errors: { name: 'This could not be taken. Please send it again.' },
    });
  });

  test('a retry carries its number and its reason to the listeners', async () => {
    const seen: unknown[] = [];
    const server = await startFaultServer(APP_TOKEN);
    closing.push(() => server.close());
    const socketMode = createSocketMode({
      ...{ appToken: Secret.of(APP_TOKEN), apiUrl: server.apiUrl, presence: createPresence('socket', new Date()) },
      ...{ now: () => new Date(), log: createLog('silent', createSecretFilter([]), () => undefined), times: TIMES },
    });
    closing.push(() => socketMode.stop());
    socketMode.init({
      processEvent: async ({ retryNum, retryReason }: object & Record<string, unknown>) =>
        void seen.push([retryNum, retryReason]),
    } as never);
    await socketMode.start();
    server.deliver('events_api', { event: { type: 'message' } }, { retry_attempt: 2, retry_reason: 'timeout' });
    await until(() => seen.length === 1);
    expect(seen).toEqual([[2, 'timeout']]);
  });
});

describe('a start', () => {
  test.each(AWAY)('that meets %s waits for Slack, with a line each time', async (_, fault) => {
    const bot = await startBot({}, (server) => {
      server.away = fault;
    });
    const { server, presence } = bot;
    const starting = bot.socketMode.start();
    await until(() => server.calls.length >= 3);
    expect(presence.connections).toBe(0);
    const lines = bot.log.filter(({ msg }) => msg === 'Slack could not be reached: it is tried again');
    expect(lines.length).toBeGreaterThanOrEqual(2);
    for (const { tried, reason, againInSeconds } of lines) {
      expect([tried, reason]).toEqual([
        expect.stringMatching(/^(apps\.connections\.open|Socket Mode)$/),
        expect.any(String),
      ]);
      expect(againInSeconds).toBeGreaterThan(0);
    }
    server.away = undefined;
    await starting;
    expect(presence.connections).toBe(1);
    expect(bot.wrong()).toBeLessThan(MOMENT);
  });

  test.each([
    ['invalid_auth', 'Slack refuses SLACK_APP_TOKEN (invalid_auth): copy the token anew.'],
    ['account_inactive', 'Slack refuses SLACK_APP_TOKEN (account_inactive): install the app again.'],
    ['token_revoked', 'Slack refuses SLACK_APP_TOKEN (token_revoked): copy the token anew.'],
    [
      'not_allowed_token_type',
      'Slack refuses SLACK_APP_TOKEN (not_allowed_token_type): take a token of the right kind.',
    ],
    ['no_permission', 'Slack refuses SLACK_APP_TOKEN (no_permission): give the token the scopes'],
    ['missing_scope', 'Slack refuses SLACK_APP_TOKEN (missing_scope): give the token the scopes'],
  ])('that meets %s ends at once with a sentence', async (error, sentence) => {
    const bot = await startBot({}, (server) => {
      server.away = { kind: 'error', error };
    });
    await expect(bot.socketMode.start()).rejects.toThrow(sentence);
    await pause(50);
    expect(bot.server.calls).toHaveLength(1);
  });

  test('waits as long as Slack asks for', async () => {
    const bot = await startBot({}, (server) => {
      server.faults.push(
        { kind: 'status', status: 429, retryAfter: 1 },
        { kind: 'status', status: 503, retryAfter: 1 },
      );
    });
    await bot.socketMode.start();
    const [first, second, third] = bot.server.calls;
    expect(second! - first!).toBeGreaterThanOrEqual(990);
    expect(third! - second!).toBeGreaterThanOrEqual(990);
  });

  test('a token that is revoked later is tried slowly, and ends nothing', async () => {
    const bot = await startBot({ slowly: 60 });
    const { server } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    server.away = { kind: 'error', error: 'token_revoked' };
    for (const { socket } of [...server.lines]) socket.close();
    const calls = server.calls.length;
    await pause(150);
    expect(server.calls.length - calls).toBeLessThan(6);
    expect(
      bot.log.some(({ reason }) => String(reason).startsWith('Slack refuses SLACK_APP_TOKEN (token_revoked)')),
    ).toBe(true);
    server.away = undefined;
    await untilBoth(bot);
  });
});

describe('a stop', () => {
  test('lets the answers under way out, takes nothing new, and closes the connections', async () => {
    const bot = await startBot();
    const { server, commands } = bot;
    await bot.socketMode.start();
    await untilBoth(bot);
    const view = { id: 'V1', type: 'modal', callback_id: 'form', state: { values: {} } };
    const form = server.deliver('interactive', {
      type: 'view_submission',
      user: { id: 'U1' },
      team: { id: 'T1' },
      view,
    });
    await pause(10);
    const calls = server.calls.length;
    const stopping = bot.socketMode.stop();
    const late = server.deliver('slash_commands', command('late'));
    await stopping;
    await until(() => server.lines.length === 0);
    expect(form.answer).toEqual({ response_action: 'clear' });
    expect(late.isAnswered).toBe(false);
    expect(commands).toEqual([]);
    expect(bot.presence.connections).toBe(0);
    await pause(50);
    expect(server.calls).toHaveLength(calls);
  });

  test('ends a start that waits for Slack', async () => {
    const bot = await startBot({}, (server) => {
      server.away = { kind: 'drop' };
    });
    const starting = bot.socketMode.start();
    const ended = expect(starting).rejects.toThrow('stopped while Slack was away');
    await until(() => bot.server.calls.length > 1);
    await bot.socketMode.stop();
    await ended;
    const calls = bot.server.calls.length;
    await pause(100);
    expect(bot.server.calls.length - calls).toBeLessThan(2);
  });
});
