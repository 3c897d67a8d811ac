import { describe, expect, test } from 'vitest';
import { command, isAllAnswered, startBot, until, untilBoth } from './socket-bot.ts';

describe('envelopes', () => {
  const odd: [string, string, unknown][] = [
    ['no inner event', 'events_api', { type: 'event_callback', team_id: 'T1' }],
    ['an event that is a text', 'events_api', { event: 'app_mention' }],
    ['app_rate_limited', 'events_api', { type: 'app_rate_limited', team_id: 'T1', minute_rate_limited: 1518467820 }],
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
    ['a prototype', 'slash_commands', JSON.parse('{"__proto__":{"command":"/edge"},"constructor":1}')],
  ];
  const idle: [string, string, unknown][] = [
    ['an event that is called error', 'events_api', { event: { type: 'error' }, authorizations: [] }],
    ['an event that is called close', 'events_api', { event: { type: 'close' } }],
    ['an event without a type', 'events_api', { event: {} }],
    ['a command that is no text', 'slash_commands', { command: 7 }],
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
      errors: { name: 'I could not take this. Please send it again.' },
    });
  });
});
