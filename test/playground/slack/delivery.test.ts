import { describe, expect, test } from 'vitest';
import { startSlackEmulator } from '../../../playground/slack/emulator.ts';
import { bare } from './bare-bot.ts';
import { stage } from './bolt.ts';

describe('an event', () => {
  test('of a mention carries escaped and linked text, in a thread and with files', async () => {
    await using world = await bare(async () => ({}));
    const ops = world.slack.person('ada').in('#ops');
    const root = await ops.type('no mention, no event');
    await ops.type('@edgewise guardian upload cdn.example.com', {
      thread: root,
      files: [{ name: 'spec.json', content: '{}' }],
    });
    expect(world.requests).toHaveLength(1);
    const { event, ...outer } = JSON.parse(world.requests[0]?.body ?? '');
    expect(outer).toMatchObject({
      type: 'event_callback',
      team_id: 'T0SHOP00001',
      event_id: expect.stringMatching(/^Ev/),
    });
    expect(event).toMatchObject({
      type: 'app_mention',
      user: 'U0ADA000001',
      channel: 'C0OPS000001',
      thread_ts: root,
      text: '<@U0EDGEWISE1> guardian upload <http://cdn.example.com|cdn.example.com>',
      files: [
        {
          name: 'spec.json',
          mimetype: 'application/json',
          url_private_download: expect.stringContaining('/download/'),
        },
      ],
    });
  });

  test('of a stranger names their workspace', async () => {
    await using world = await bare(async () => ({}));
    await world.slack.person('eve').in('#partners').type('@edgewise app list');
    const { event, ...outer } = JSON.parse(world.requests[0]?.body ?? '');
    expect(outer).toMatchObject({ team_id: 'T0SHOP00001', is_ext_shared_channel: true });
    expect(event).toMatchObject({ user: 'U0EVE000004', team: 'T0PARTNER01', user_team: 'T0PARTNER01' });
  });

  test('of a direct message comes without a mention, and none comes from channels without the bot', async () => {
    await using world = await bare(async () => ({}));
    const ben = world.slack.person('ben');
    await ben.in('@edgewise').type('help');
    await ben.in('#random').type('@edgewise help');
    expect(world.requests.map(({ body }) => JSON.parse(body).event)).toMatchObject([
      { type: 'message', channel_type: 'im', channel: 'D0BEN000002', text: 'help' },
    ]);
  });

  test('that fails is sent again with its number and reason, under the same id', async () => {
    await using world = await bare(async () => ({ status: 500 }), { retryDelays: [0, 0, 0] });
    await world.slack.person('ada').in('@edgewise').type('help');
    await world.slack.idle();
    const { requests } = world;
    expect(requests.map(({ headers }) => headers['x-slack-retry-num'])).toEqual([undefined, '1', '2', '3']);
    expect(requests[1]?.headers['x-slack-retry-reason']).toBe('http_error');
    expect(new Set(requests.map(({ body }) => JSON.parse(body).event_id)).size).toBe(1);
  });

  test('that is refused for good is not sent again', async () => {
    await using world = await bare(async () => ({ status: 400, headers: { 'x-slack-no-retry': '1' } }), {
      retryDelays: [0],
    });
    await world.slack.person('ada').in('@edgewise').type('help');
    await world.slack.idle();
    expect(world.requests).toHaveLength(1);
  });
});

describe('a request to the bot', () => {
  test('is signed so that Bolt takes it, and refused when stale, unsigned, or signed with another secret', async () => {
    await using world = await stage((app) => {
      app.command('/edge', async ({ ack }) => ack());
    });
    const { slack } = world;
    const command = { command: '/edge', text: 'help', user_id: 'U0ADA000001', team_id: 'T0SHOP00001' };
    const now = Math.floor(Date.now() / 1000);
    expect((await slack.signedRequest(command)).status).toBe(200);
    expect((await slack.signedRequest(command, { timestamp: now - 301 })).status).toBe(401);
    expect((await slack.signedRequest(command, { unsigned: true })).status).toBe(401);
    expect((await slack.signedRequest(command, { secret: 'another' })).status).toBe(401);
    const challenge = await slack.signedRequest('{"type":"url_verification","challenge":"abc"}');
    expect(challenge.text).toContain('abc');
  });

  test('is sent again byte for byte, as often as asked', async () => {
    await using world = await bare(async () => ({}));
    await world.slack.person('ada').in('#ops').type('/edge help');
    const answers = await world.slack.redeliver(100);
    expect(answers.filter((each) => each.status === 200)).toHaveLength(100);
    const seen = new Set(world.requests.map(({ headers, body }) => `${headers['x-slack-signature']} ${body}`));
    expect(world.requests).toHaveLength(101);
    expect(seen.size).toBe(1);
  });
});

describe('over Socket Mode', () => {
  test('a bot that was asked to reconnect gets the next command on its new connection', async () => {
    await using world = await stage(
      (app) => {
        app.command('/edge', async ({ ack }) => ack('pong'));
      },
      { socket: true, clientPingTimeout: 10 },
    );
    const { slack } = world;
    const left = new Promise<void>((resolve) =>
      slack.on((change) => change.type === 'socket' && !change.isOpen && resolve()),
    );
    slack.refreshSockets();
    await left;
    await slack.connected();
    const ops = slack.person('ada').in('#ops');
    await ops.type('/edge ping');
    await ops.expectMessage('pong');
  });

  test('a second ack of an envelope is a problem', async () => {
    const slack = await startSlackEmulator({ deliverTo: 'socket' });
    const opened = await fetch(`${slack.apiUrl}apps.connections.open`, {
      method: 'POST',
      headers: { authorization: `Bearer ${slack.environment.SLACK_APP_TOKEN}` },
    });
    const { url } = (await opened.json()) as { url: string };
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(url);
    socket.on('message', (data) => {
      const { envelope_id } = JSON.parse(String(data)) as { envelope_id?: string };
      if (envelope_id === undefined) return;
      socket.send(JSON.stringify({ envelope_id }));
      socket.send(JSON.stringify({ envelope_id, payload: { text: 'twice' } }));
    });
    await slack.connected();
    const problem = new Promise<void>((resolve) => slack.on((change) => change.type === 'problem' && resolve()));
    await slack.person('ada').in('#ops').type('/edge help');
    await problem;
    expect(slack.problems).toEqual([expect.stringMatching(/^double ack of envelope /)]);
    await slack.close();
  });

  test('a command shows an error while no bot is connected', async () => {
    const slack = await startSlackEmulator({ deliverTo: 'socket' });
    const ops = slack.person('ada').in('#ops');
    await ops.type('/edge help');
    await ops.expectMessage('/edge failed with the error "dispatch_failed"');
    await slack.close();
  });
});
