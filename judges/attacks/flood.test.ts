import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ALLOWANCE } from '../../src/slack/in/allowance.ts';
import { startTestWorkspace, type TestWorkspace } from '../../test/support/workspace.ts';

describe('somebody wants to stop the bot for all others', () => {
  let workspace: TestWorkspace;
  let sockets: Socket[];
  let agent: Agent;

  beforeEach(async () => {
    sockets = [];
    agent = new Agent({ connections: 32 });
    workspace = await startTestWorkspace({ allowance: ALLOWANCE });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await agent.destroy();
    await workspace.close();
  });

  const signed = (body: string) => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const secret = workspace.slack.environment.SLACK_SIGNING_SECRET ?? '';
    return {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`,
    };
  };
  const commandOf = (name: string, text: string) =>
    new URLSearchParams({
      command: '/edge',
      text,
      user_id: workspace.slack.person(name).id,
      team_id: workspace.slack.workspace.team.id,
      channel_id: workspace.slack.person(name).in('#ops').channel,
      trigger_id: crypto.randomUUID(),
      response_url: 'http://127.0.0.1:1/',
    }).toString();
  const type = (name: string, text: string) => send(commandOf(name, text));
  const send = async (body: string) => {
    const response = await request(`http://127.0.0.1:${workspace.app.port}/slack/events`, {
      method: 'POST',
      headers: signed(body),
      body,
      dispatcher: agent,
    });
    await response.body.dump();
    return response.statusCode;
  };
  /** What came back on a connection until it was closed, or until now. */
  const dial = async (head: string): Promise<{ socket: Socket; received: () => string; closed: Promise<unknown> }> => {
    const socket = connect(workspace.app.port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (data) => {
      received += data.toString('latin1');
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await once(socket, 'connect');
    if (head !== '') socket.write(head);
    return { socket, received: () => received, closed };
  };
  const headOf = (headers: Record<string, string>, path = '/slack/events') =>
    `POST ${path} HTTP/1.1\r\nhost: bot\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`;

  it.each<[string, () => Record<string, string>, number]>([
    ['signs nothing', () => ({}), 401],
    ['signed it an hour ago', () => ({ 'x-slack-request-timestamp': '1', 'x-slack-signature': 'v0=00' }), 401],
    [
      'says that it is a form that looks at the certificate',
      () => ({ 'content-type': 'application/x-www-form-urlencoded' }),
      401,
    ],
  ])('by a large body of somebody who %s: it is refused before any of it is read', async (_, headersOf, status) => {
    const { received, closed } = await dial(headOf({ ...headersOf(), 'content-length': '900000' }));
    await closed;
    expect(received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('by withholding the last byte of seventy large bodies: the oldest are given up, and a signed command is answered', async () => {
    const body = 'x'.repeat(999_999);
    const withheld = await Promise.all(
      Array.from({ length: 70 }, async () => {
        const dialled = await dial(headOf({ ...signed(body), 'content-length': '1000000' }));
        dialled.socket.write(body);
        return dialled;
      }),
    );
    // The others fill what unfinished bodies may: a command is no byte too many.
    let left = withheld.length;
    await new Promise<void>((resolve) => {
      for (const { closed } of withheld)
        void closed.then(() => {
          left -= 1;
          if (left * body.length <= 64_000_000) resolve();
        });
    });
    expect(await type('ada', 'zone list')).toBe(200);
    await workspace.slack
      .person('ada')
      .in('#ops')
      .expectMessage(/main-site/);
  });

  it('by a byte now and then on each of eight hundred large bodies: a large request of Slack is read in time', async () => {
    const head = headOf({
      'x-slack-request-timestamp': String(Math.floor(Date.now() / 1000)),
      'x-slack-signature': 'v0=00',
      'content-length': '900000',
    });
    const dialled = await Promise.all(Array.from({ length: 800 }, () => dial(head)));
    for (const { socket } of dialled) socket.write('x'.repeat(64_001));
    const trickle = setInterval(() => {
      for (const { socket } of dialled) socket.write('x');
    }, 1_000);
    try {
      const large = () => send(`${commandOf('ada', 'zone list')}&more=${'x'.repeat(250_000)}`);
      // The first waits for one piece of each of theirs. Slack waits for three seconds.
      await large();
      const started = performance.now();
      expect(await large()).toBe(200);
      expect(performance.now() - started).toBeLessThan(3_000);
    } finally {
      clearInterval(trickle);
    }
  });

  it('by withholding the last byte of 1,100 bodies for agents: the oldest are given up', async () => {
    const [body, stamp] = ['x'.repeat(63_999), String(Math.floor(Date.now() / 1000))];
    const head = { 'x-slack-request-timestamp': stamp, 'x-slack-signature': 'v0=00', 'content-length': '64000' };
    const first = await dial(`${headOf(head, '/mcp')}${body}`);
    for (let sent = 1; sent < 1_100; sent += 1) await dial(`${headOf(head, '/mcp')}${body}`);
    await first.closed;
    expect(first.received()).toMatch(/^HTTP\/1.1 503 /);
  });

  it('by typing two thousand commands: others are answered, and whoever types them is told once in ten seconds', async () => {
    const started = performance.now();
    const flood = Array.from({ length: 2_000 }, () => type('ben', 'help'));
    const others = Array.from({ length: 8 }, () => type('ada', 'zone list'));
    expect(new Set(await Promise.all([...flood, ...others]))).toEqual(new Set([200]));
    const ada = workspace.slack.person('ada').in('#ops');
    const ben = workspace.slack.person('ben').in('#ops');
    await ada.expectMessage(/main-site/);
    await ben.expectMessage(/too much running at once/);
    await workspace.slack.idle();
    const told = workspace.slack.outgoing.filter(({ body }) =>
      JSON.stringify(body).includes('too much running at once'),
    );
    expect(told.length).toBeLessThanOrEqual(1 + Math.floor((performance.now() - started) / 10_000));
  });

  it('by thousands of reads of a platform that is slow: ten of them take a place, and another’s command is answered', async () => {
    workspace.platform.fault('slow=4000@GET /pullzone');
    const flood = Array.from({ length: 2_100 }, () => type('ben', 'zone list'));
    expect(new Set(await Promise.all(flood))).toEqual(new Set([200]));
    expect(await type('ada', 'help')).toBe(200);
    await workspace.slack
      .person('ada')
      .in('#ops')
      .expectMessage(/operates your edge platform/);
  });

  it('by forms and suggestions, a thousand each: ten take a place, the others are answered with nothing', async () => {
    const user = { id: workspace.slack.person('ben').id };
    const team = { id: workspace.slack.workspace.team.id };
    const asked = (type: string) =>
      new URLSearchParams({
        payload: JSON.stringify({ type, user, team, block_id: 'zone', action_id: 'zone', value: type, view: {} }),
      }).toString();
    const before = workspace.logged.length;
    const statuses = await Promise.all(
      Array.from({ length: 2_000 }, (_, index) =>
        send(`${asked(index % 2 === 0 ? 'block_suggestion' : 'view_submission')}&nonce=${index}`),
      ),
    );
    expect(statuses.filter((status) => status === 503)).toEqual([]);
    expect(workspace.logged.length - before).toBeLessThan(200);
    expect(await type('ada', 'zone list')).toBe(200);
    await workspace.slack
      .person('ada')
      .in('#ops')
      .expectMessage(/main-site/);
  });

  it('by thousands of forged requests: the log has one line for them', async () => {
    const before = workspace.logged.length;
    for (let index = 0; index < 300; index += 1) {
      const response = await request(`http://127.0.0.1:${workspace.app.port}/slack/events`, {
        method: 'POST',
        headers: { ...signed('another body'), 'content-type': 'text/plain' },
        body: 'x',
        dispatcher: agent,
      });
      await response.body.dump();
      expect(response.statusCode).toBe(401);
    }
    expect(workspace.logged.slice(before).filter((line) => line.includes('not from Slack'))).toHaveLength(1);
  });
});
