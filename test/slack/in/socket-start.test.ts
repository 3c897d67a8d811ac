import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { AWAY, command, MOMENT, startBot, until, untilBoth } from './socket-bot.ts';

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
    ['invalid_auth', 'Slack refuses SLACK_APP_TOKEN (invalid_auth). Copy the token anew.'],
    ['account_inactive', 'Slack refuses SLACK_APP_TOKEN (account_inactive). Install the app again.'],
    ['token_revoked', 'Slack refuses SLACK_APP_TOKEN (token_revoked). Copy the token anew.'],
    [
      'not_allowed_token_type',
      'Slack refuses SLACK_APP_TOKEN (not_allowed_token_type). Use a token of the right kind.',
    ],
    ['no_permission', 'Slack refuses SLACK_APP_TOKEN (no_permission). Make another one.'],
    ['missing_scope', 'Slack refuses SLACK_APP_TOKEN (missing_scope). Make another one.'],
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
  test('lets the answers under way out, and does what crosses the close, which cannot be acknowledged any more', async () => {
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
    expect(commands).toEqual(['late']);
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
