import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../../test/support/workspace.ts';

/** How long a request may take to arrive where slow ones come, in ms. Elsewhere it is the bot's own patience. */
const ARRIVAL = 4_000;

describe('requests to /slack/events by somebody who means harm', () => {
  let workspace: TestWorkspace;
  const open = new Set<Socket>();

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  beforeEach(async () => {
    await workspace.slack.idle();
    workspace.platform.requests.splice(0);
    said = workspace.slack.outgoing.length;
    for (const socket of open) socket.destroy();
  });

  let said = 0;
  const FORM = 'application/x-www-form-urlencoded';
  const now = () => Math.floor(Date.now() / 1000);
  const secret = () => workspace.slack.environment.SLACK_SIGNING_SECRET ?? '';
  const sign = (body: string | Buffer, at = now()) => ({
    timestamp: String(at),
    signature: `v0=${createHmac('sha256', secret()).update(`v0:${at}:`).update(body).digest('hex')}`,
  });
  const command = (text = 'zone list', more: Record<string, string> = {}) =>
    new URLSearchParams({
      command: '/edge',
      text,
      user_id: workspace.slack.person('ada').id,
      team_id: workspace.slack.workspace.team.id,
      channel_id: workspace.slack.person('ada').in('#ops').channel,
      trigger_id: crypto.randomUUID(),
      ...more,
    }).toString();

  /** Sends bytes as they are; gives all that comes back until the bot hangs up, or has answered. */
  function raw(bytes: (string | Buffer)[], { pause = 0, keep = false } = {}): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(workspace.app.port, '127.0.0.1');
      open.add(socket);
      let received = '';
      const end = () => {
        clearInterval(timer);
        open.delete(socket);
        socket.destroy();
        resolve(received);
      };
      socket.on('data', (data) => {
        received += data.toString('latin1');
        if (!keep && received.includes('\r\n\r\n')) end();
      });
      socket.on('error', end).on('close', end);
      const rest = [...bytes];
      let timer: NodeJS.Timeout | undefined;
      if (pause === 0) for (const piece of rest) socket.write(piece);
      else timer = setInterval(() => (rest.length > 0 ? socket.write(rest.shift()!) : clearInterval(timer)), pause);
    });
  }
  const head = (lines: string[], start = 'POST /slack/events HTTP/1.1') =>
    `${[start, 'host: bot', ...lines].join('\r\n')}\r\n\r\n`;
  const signedHead = (body: string | Buffer, { type = FORM, at = now(), lines = [] as string[] } = {}) => {
    const { timestamp, signature } = sign(body, at);
    return head([
      `content-type: ${type}`,
      `content-length: ${Buffer.byteLength(body)}`,
      `x-slack-request-timestamp: ${timestamp}`,
      `x-slack-signature: ${signature}`,
      ...lines,
    ]);
  };
  /** The head of a request that may be Slack's until its body is read. */
  const claimed = (lines: string[]) =>
    head([
      `content-type: ${FORM}`,
      `x-slack-request-timestamp: ${now()}`,
      `x-slack-signature: v0=${'0'.repeat(64)}`,
      ...lines,
    ]);
  const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
  /** What was sent was refused with one of these (0: the connection was cut), and nothing came of it. */
  async function refused(answer: Promise<string>, ...statuses: number[]) {
    expect(statuses).toContain(statusOf(await answer));
    await nothing();
  }
  async function nothing() {
    await workspace.slack.idle();
    expect(workspace.platform.requests).toEqual([]);
    expect(
      workspace.slack.outgoing.slice(said).filter(({ method }) => /^(chat|views)\.|response_url/.test(method)),
    ).toEqual([]);
  }

  it('hears one that is well', async () => {
    const body = command();
    expect(statusOf(await raw([signedHead(body), body]))).toBe(200);
    await workspace.slack
      .person('ada')
      .in('#ops')
      .expectMessage(/main-site/);
  });

  it('acknowledges a replay, a hundred times, and does it once', async () => {
    const body = command();
    const bytes = signedHead(body);
    const answers = await Promise.all(Array.from({ length: 100 }, () => raw([bytes, body])));
    expect(new Set(answers.map(statusOf))).toEqual(new Set([200]));
    await workspace.slack
      .person('ada')
      .in('#ops')
      .expectMessage(/main-site/);
    await workspace.slack.idle();
    const answered = workspace.slack.outgoing.slice(said).filter(({ method }) => /^chat\.|response_url/.test(method));
    expect(answered).toHaveLength(1);
  });

  it.each([-301, -86_400, 301, 86_400, 2 ** 40])('refuses one whose time is %i seconds off', async (off) => {
    const body = command();
    await refused(raw([signedHead(body, { at: now() + off }), body]), 401);
  });

  it.each<[string, (body: string) => string[]]>([
    ['without a signature', (body) => [`x-slack-request-timestamp: ${sign(body).timestamp}`]],
    ['without a time', (body) => [`x-slack-signature: ${sign(body).signature}`]],
    [
      'with an empty signature',
      (body) => [`x-slack-request-timestamp: ${sign(body).timestamp}`, 'x-slack-signature: '],
    ],
    [
      'with a longer signature',
      (body) => [`x-slack-request-timestamp: ${sign(body).timestamp}`, `x-slack-signature: ${sign(body).signature}00`],
    ],
    [
      'with the signature in capitals',
      (body) => [
        `x-slack-request-timestamp: ${sign(body).timestamp}`,
        `x-slack-signature: ${sign(body).signature.toUpperCase()}`,
      ],
    ],
    [
      'with the signature of another body',
      (body) => [
        `x-slack-request-timestamp: ${sign(body).timestamp}`,
        `x-slack-signature: ${sign(`${body}x`).signature}`,
      ],
    ],
    [
      'with another signature first',
      (body) => [
        `x-slack-request-timestamp: ${sign(body).timestamp}`,
        'x-slack-signature: v0=00',
        `x-slack-signature: ${sign(body).signature}`,
      ],
    ],
    [
      'with another signature behind',
      (body) => [
        `x-slack-request-timestamp: ${sign(body).timestamp}`,
        `x-slack-signature: ${sign(body).signature}`,
        'x-slack-signature: v0=00',
      ],
    ],
    [
      'with two times',
      (body) => [
        `x-slack-request-timestamp: ${now() - 900}`,
        `x-slack-request-timestamp: ${sign(body).timestamp}`,
        `x-slack-signature: ${sign(body).signature}`,
      ],
    ],
    [
      'with a time in words',
      (body) => ['x-slack-request-timestamp: now', `x-slack-signature: ${sign(body).signature}`],
    ],
    ['with a negative time', (body) => ['x-slack-request-timestamp: -1', `x-slack-signature: ${sign(body).signature}`]],
    [
      'with a time in another writing',
      (body) => [
        `x-slack-request-timestamp: 0x${Number(sign(body).timestamp).toString(16)}`,
        `x-slack-signature: ${sign(body).signature}`,
      ],
    ],
  ])('refuses one %s', async (_, linesOf) => {
    const body = command();
    await refused(
      raw([head([`content-type: ${FORM}`, `content-length: ${body.length}`, ...linesOf(body)]), body]),
      401,
    );
  });

  it.each<[string, string, string | Buffer]>([
    ['JSON that ends too early', 'application/json', '{"type":"event_callback",'],
    ['a JSON text', 'application/json', '"event_callback"'],
    ['a JSON list', 'application/json', '[{"type":"event_callback"}]'],
    ['null', 'application/json', 'null'],
    ['nothing', 'application/json', ''],
    ['a form said to be JSON', 'application/json', 'command=%2Fedge&text=zone+list'],
    ['a form said to be text', 'text/plain', 'command=%2Fedge&text=zone+list'],
    [
      'a form in parts',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="text"\r\n\r\nzone list\r\n--x--',
    ],
    ['a payload that is no JSON', FORM, 'payload=%7B%22type'],
    ['a payload that is a list', FORM, 'payload=%5B%5D'],
    ['bytes that are no text', 'application/json', Buffer.from([0xff, 0xfe, 0x00, 0xc3])],
    ['lists a million levels deep', 'application/json', '['.repeat(900_000)],
    ['a list four hundred thousand levels deep', 'application/json', `${'['.repeat(400_000)}${']'.repeat(400_000)}`],
  ])('refuses %s, though it is signed', async (_, type, body) => {
    await refused(raw([signedHead(body, { type }), body]), 400);
  });

  it.each<[string, string, string]>([
    [
      'an object a hundred thousand levels deep',
      'application/json',
      `{"type":"event_callback","event":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    ],
    [
      'a payload a hundred thousand levels deep',
      FORM,
      `payload=${encodeURIComponent(`{"type":"block_actions","user":{"id":"U1"},"actions":${'['.repeat(90_000)}${']'.repeat(90_000)}}`)}`,
    ],
    [
      'keys of objects themselves',
      'application/json',
      '{"type":"event_callback","__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"event":{"type":"__proto__","__proto__":{"type":"message"}}}',
    ],
    [
      'keys of objects themselves in a form',
      FORM,
      'command=%2Fedge&__proto__=x&constructor=y&toString=z&hasOwnProperty=1',
    ],
    [
      'types that are none',
      FORM,
      `payload=${encodeURIComponent('{"type":["block_actions"],"user":5,"actions":"x","view":null,"team":[]}')}`,
    ],
    [
      'an action without anything',
      FORM,
      `payload=${encodeURIComponent('{"type":"block_actions","actions":[null,1,{}]}')}`,
    ],
    ['a submission without a view', FORM, `payload=${encodeURIComponent('{"type":"view_submission"}')}`],
    [
      'a view whose memory is no JSON',
      FORM,
      `payload=${encodeURIComponent('{"type":"view_submission","user":{"id":"U1"},"view":{"id":"V1","callback_id":"confirm","private_metadata":"{","state":{"values":[]}}}')}`,
    ],
    [
      'a view whose memory is somebody’s',
      FORM,
      `payload=${encodeURIComponent('{"type":"view_submission","user":{"id":"U1","team_id":"T1"},"team":{"id":"T1"},"view":{"id":"V1","callback_id":"confirm","type":"modal","private_metadata":"{\\"operation\\":\\"__proto__\\",\\"channel\\":5,\\"confirmation\\":\\"__proto__\\"}","state":{"values":{"__proto__":{"a":{"value":"x"}}}}}}')}`,
    ],
    [
      'suggestions for nothing',
      FORM,
      `payload=${encodeURIComponent('{"type":"block_suggestion","block_id":"__proto__","value":{"a":1}}')}`,
    ],
  ])('survives %s, and does nothing for it', async (_, type, body) => {
    const answer = statusOf(await raw([signedHead(body, { type }), body]));
    expect([200, 400, 500]).toContain(answer);
    await nothing();
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });

  it.each<[string, (body: string) => (string | Buffer)[], number[]]>([
    ['a length that is none', (body) => [head(['content-length: 1e3']), body], [400]],
    ['a negative length', (body) => [head(['content-length: -5']), body], [400]],
    ['two lengths', (body) => [head(['content-length: 5', 'content-length: 6']), body], [400]],
    ['a length and chunks', (body) => [head(['content-length: 5', 'transfer-encoding: chunked']), body], [400]],
    ['chunks that are none', () => [claimed(['transfer-encoding: chunked']), 'zz\r\nx\r\n'], [400, 0]],
    [
      'a megabyte of headers',
      () => [`POST /slack/events HTTP/1.1\r\nhost: bot\r\n${'x-a: b\r\n'.repeat(120_000)}\r\n`],
      [431, 0],
    ],
    ['another protocol', () => ['SSH-2.0-OpenSSH\r\n\r\n'], [400]],
    [
      'a line feed in a header',
      () => ['POST /slack/events HTTP/1.1\r\nhost: bot\r\nx-slack-signature: a\nx: b\r\n\r\n'],
      [400],
    ],
    ['no host', () => ['POST /slack/events HTTP/1.1\r\ncontent-length: 0\r\n\r\n'], [400]],
    ['a tunnel', () => ['CONNECT slack.com:443 HTTP/1.1\r\nhost: slack.com\r\n\r\n'], [0, 404]],
    ['an upgrade', () => [head(['upgrade: websocket', 'connection: upgrade'], 'GET /slack/events HTTP/1.1')], [401, 0]],
  ])('refuses %s', async (_, bytesOf, statuses) => {
    await refused(raw(bytesOf(command())), ...statuses);
  });

  it.each<[string, string[]]>([
    ['says so beforehand', [`content-length: ${2 ** 40}`]],
    ['only comes', ['transfer-encoding: chunked']],
  ])('refuses a body of more than a megabyte that %s, and reads no more of it', async (_, lines) => {
    const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 0x78), Buffer.from('\r\n')]);
    await refused(raw([claimed(lines), ...Array.from({ length: 64 }, () => piece)]), 413, 0);
  });

  it('is well after all that', async () => {
    const body = command('zone show 308001');
    expect(statusOf(await raw([signedHead(body), body]))).toBe(200);
    await workspace.slack
      .person('ada')
      .in('#ops')
      .expectMessage(/308001/);
    expect((await fetch(`http://127.0.0.1:${workspace.app.port}/health/ready`)).status).toBe(200);
  });

  describe('that come slowly', () => {
    beforeAll(async () => {
      await workspace.close();
      workspace = await startTestWorkspace({ arrival: ARRIVAL });
    });

    it('hangs up on each of them, and they hold up nobody', async () => {
      const slow: Record<string, string[]> = {
        'headers that drip': ['POST /slack/events HTTP/1.1\r\n', ...Array<string>(5_000).fill('x-a: b\r\n')],
        'a body that drips': [claimed(['content-length: 5000']), ...Array<string>(5_000).fill('x')],
        'a body that never comes': [claimed(['content-length: 500'])],
        'nothing at all': [],
      };
      const ended: string[] = [];
      const waiting = Object.entries(slow).map(async ([name, pieces]) => {
        const answer = await raw(pieces, { pause: 10, keep: true });
        ended.push(name);
        return [name, [408, 0].includes(statusOf(answer))];
      });
      const body = command();
      expect(statusOf(await raw([signedHead(body), body]))).toBe(200);
      expect(ended).toEqual([]);
      expect(Object.fromEntries(await Promise.all(waiting))).toEqual(
        Object.fromEntries(Object.keys(slow).map((name) => [name, true])),
      );
      await workspace.slack
        .person('ada')
        .in('#ops')
        .expectMessage(/main-site/);
    });
  });
});
