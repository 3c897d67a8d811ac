import { describe, expect, test } from 'vitest';
import { bare } from './bare-bot.ts';

describe('a slash command', () => {
  test('is a plain form without a charset, its text as typed', async () => {
    await using world = await bare(async () => ({}));
    await world.slack.person('ada').in('#ops').type('/edge ssl force cdn.example.com on & <b> @ben');
    const [request] = world.requests;
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    const fields = Object.fromEntries(new URLSearchParams(request?.body));
    expect(fields).toMatchObject({
      command: '/edge',
      text: 'ssl force cdn.example.com on & <b> @ben',
      user_id: 'U0ADA000001',
      channel_id: 'C0OPS000001',
      channel_name: 'ops',
      team_id: 'T0SHOP00001',
      is_enterprise_install: 'false',
    });
    expect(fields.response_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/response\//);
  });

  test('that is answered with text or blocks shows them to the one who typed', async () => {
    await using world = await bare(async (body) => ({
      text: body.includes('loud') ? JSON.stringify({ response_type: 'in_channel', text: 'for all' }) : 'only for you',
    }));
    const { slack } = world;
    const ops = slack.person('ada').in('#ops');
    await ops.type('/edge quiet');
    expect((await ops.expectMessage('only for you')).ephemeral).toBe(true);
    await ops.type('/edge loud');
    expect((await ops.expectMessage('for all')).ephemeral).toBe(false);
    expect(
      slack
        .person('ben')
        .in('#ops')
        .messages.map((each) => each.text),
    ).toEqual(['for all']);
    expect(slack.outgoing.filter((each) => each.method === 'ack').map((each) => each.body)).toEqual([
      'only for you',
      { response_type: 'in_channel', text: 'for all' },
    ]);
  });
});

describe('a slash command', () => {
  test('that is not acked in time shows operation_timeout, and the late ack is a problem', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using world = await bare(
      async () => {
        await held;
        return {};
      },
      { ackTimeout: 30 },
    );
    const ops = world.slack.person('ada').in('#ops');
    await ops.type('/edge slow');
    const told = await ops.expectMessage('/edge failed with the error "operation_timeout"');
    expect(told.author).toBe('slackbot');
    const late = new Promise<void>((resolve) => world.slack.on((change) => change.type === 'problem' && resolve()));
    release();
    await late;
    expect(world.slack.problems).toEqual(['late ack: /edge was answered after 30 ms']);
  });

  test('that the bot refuses shows dispatch_failed', async () => {
    await using world = await bare(async () => ({ status: 500, text: 'secret detail' }));
    const ops = world.slack.person('ada').in('#ops');
    await ops.type('/edge broken');
    await ops.expectMessage('/edge failed with the error "dispatch_failed"');
    expect(world.slack.outgoing).toMatchObject([{ method: 'ack', body: 'secret detail' }]);
  });

  test('that the app does not have, or that is typed in a thread, never reaches the bot', async () => {
    const commands = [{ command: '/edge', description: '', usageHint: '' }];
    await using world = await bare(async () => ({}), { commands });
    const ops = world.slack.person('ada').in('#ops');
    await ops.type('/egde help');
    await ops.expectMessage('/egde is not a valid command.');
    const root = await ops.type('hello');
    await ops.type('/edge help', { thread: root });
    await ops.expectMessage('/edge is not supported in threads. Sorry!', { thread: root });
    expect(world.requests).toHaveLength(0);
  });
});
