import { createHmac } from 'node:crypto';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { App, LogLevel } from '@slack/bolt';
import fc from 'fast-check';
import { pino } from 'pino';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Secret } from '../../../src/secret.ts';
import { ALLOWANCE, type Allowances, createAllowances } from '../../../src/slack/in/allowance.ts';
import { bodyOf, createHttpServer, type HttpServer, type Route } from '../../../src/slack/in/http-server.ts';
import { createReceiver, type HttpReceiver } from '../../../src/slack/in/receiver.ts';

const KEY = 'signing-secret-for-tests';
const FORM = 'application/x-www-form-urlencoded';
const log = pino({ level: 'silent' });
/** More connections at once than a machine lets wait would be refused by it, not by the bot. */
const dispatcher = new Agent({ connections: 64 });

/** A promise that is settled from outside. */
function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('the receiver', () => {
  let http: HttpServer;
  let receiver: HttpReceiver;
  let allowances: Allowances;
  let app: App;
  let port: number;
  let now: Date;
  /** What the command's listener does after its ack. */
  let work: (trigger: string) => Promise<void>;
  let begun: string[];
  let waiting: unknown[];
  /** All work has begun. */
  const settled = () => vi.waitFor(() => expect(waiting).toEqual([]), 10_000);

  beforeEach(async () => {
    allowances = createAllowances({ ...ALLOWANCE, burst: 5_000, underway: 5_000 });
    now = new Date('2026-11-21T12:00:00Z');
    begun = [];
    waiting = [];
    work = async () => {};
    receiver = createReceiver({
      signingSecret: Secret.of(KEY),
      now: () => now,
      log,
      allowances,
      waiting: waiting as [],
    });
    app = new App({
      receiver,
      convoStore: false,
      logLevel: LogLevel.ERROR,
      authorize: async () => ({ botToken: 'xoxb-test', botId: 'B1', botUserId: 'U0BOT' }),
    });
    app.error(async () => {});
    app.command(/.*/, async ({ command, ack }) => {
      begun.push(command.trigger_id);
      await ack();
      await work(command.trigger_id);
    });
    http = createHttpServer(new Map(['GET', 'POST'].map((how) => [`${how} /slack/events`, receiver.route])), log);
    port = await http.listen(0);
  });
  afterEach(async () => {
    await receiver.stop();
    await http.close();
  });

  interface Sending {
    type?: string;
    headers?: Record<string, string>;
    at?: Date;
    key?: string;
  }
  async function send(body: string | Buffer, { type = FORM, headers = {}, at = now, key = KEY }: Sending = {}) {
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const signature = createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest('hex');
    const response = await request(`http://127.0.0.1:${port}/slack/events`, {
      dispatcher,
      method: 'POST',
      headers: {
        'content-type': type,
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${signature}`,
        ...headers,
      },
      body,
    });
    return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
  }
  const command = (trigger: string) =>
    new URLSearchParams({
      command: '/edge',
      text: 'help',
      user_id: 'U1',
      team_id: 'T1',
      channel_id: 'C1',
      trigger_id: trigger,
      response_url: 'http://127.0.0.1:1/',
    }).toString();
  const interaction = (payload: object) => new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const submission = {
    type: 'view_submission',
    user: { id: 'U1', team_id: 'T1' },
    team: { id: 'T1' },
    view: { id: 'V1', callback_id: 'form', state: { values: {} } },
  };

  /** Settles when the work of this trigger has begun. */
  function workOf(trigger: string): Promise<void> {
    const { opened, open } = gate();
    const before = work;
    work = (which) => {
      if (which === trigger) open();
      return before(which);
    };
    return opened;
  }

  it('acknowledges a command while its work goes on', async () => {
    const { opened, open } = gate();
    work = () => opened;
    const started = workOf('t1');
    expect(await send(command('t1'))).toMatchObject({ status: 200, text: '' });
    await started;
    open();
  });

  it('begins the work in the order in which it was acknowledged', async () => {
    const triggers = Array.from({ length: 30 }, (_, index) => `t${index}`);
    const last = workOf('t29');
    for (const trigger of triggers) await send(command(trigger));
    await last;
    expect(begun).toEqual(triggers);
  });

  it('loses nothing of what came at the same moment', async () => {
    const triggers = Array.from({ length: 200 }, (_, index) => `t${index}`);
    const answers = await Promise.all(triggers.map((trigger) => send(command(trigger))));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await settled();
    expect([...begun].sort()).toEqual([...triggers].sort());
  });

  it('answers a form that is submitted with what its listener says', async () => {
    app.view(/.*/, async ({ ack }) => {
      await ack({ response_action: 'errors', errors: { name: 'That is not the name.' } });
    });
    const { status, text } = await send(interaction(submission));
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({ response_action: 'errors', errors: { name: 'That is not the name.' } });
  });

  it('closes no form whose listener failed', async () => {
    app.view(/.*/, async () => {
      throw new Error('no answer');
    });
    const { text } = await send(interaction(submission));
    expect(JSON.parse(text)).toEqual({
      response_action: 'errors',
      errors: { form: 'I could not take this. Please send it again.' },
    });
  });

  it('answers suggestions with what their listener finds', async () => {
    app.options(/.*/, async ({ ack }) => {
      await ack({ options: [{ text: { type: 'plain_text', text: 'cdn' }, value: 'cdn' }] });
    });
    const asked = {
      type: 'block_suggestion',
      action_id: 'zone',
      block_id: 'zone',
      value: 'c',
      user: { id: 'U1' },
      team: { id: 'T1' },
    };
    const { text } = await send(interaction(asked));
    expect(JSON.parse(text)).toMatchObject({ options: [{ value: 'cdn' }] });
  });

  it.each<[string, Sending]>([
    ['signed with another key', { key: 'another key' }],
    ['six minutes old', { at: new Date('2026-11-21T11:54:00Z') }],
    ['six minutes ahead', { at: new Date('2026-11-21T12:06:00Z') }],
    ['not signed', { headers: { 'x-slack-signature': '' } }],
    ['signed in another version', { headers: { 'x-slack-signature': 'v1=00' } }],
  ])('refuses a request that is %s, and does nothing', async (_, sending) => {
    expect((await send(command('t1'), sending)).status).toBe(401);
    await settled();
    expect(begun).toEqual([]);
  });

  it('answers what Slack asks of an address', async () => {
    expect(await send('ssl_check=1&token=x')).toMatchObject({ status: 200, text: '' });
    const asked = JSON.stringify({ type: 'url_verification', challenge: 'abc', token: 'x' });
    const { text } = await send(asked, { type: 'application/json' });
    expect(JSON.parse(text)).toEqual({ challenge: 'abc' });
  });

  describe('asked without a signature', () => {
    const unsigned = async (
      method: 'GET' | 'POST',
      path: string,
      headers: Record<string, string>,
      body: string | Readable | null = null,
    ) => {
      const response = await request(`http://127.0.0.1:${port}/slack/events${path}`, { method, headers, body });
      return [response.statusCode, await response.body.text()];
    };
    const form = { 'content-type': FORM };

    it.each<[string, 'GET' | 'POST', string, string?]>([
      ['in the address', 'GET', '?ssl_check=1&token=x'],
      ['in a form', 'POST', '', 'token=x&ssl_check=1'],
      ['in a form of a kilobyte', 'POST', '', `ssl_check=1&token=${'x'.repeat(1_006)}`],
    ])('says that its certificate is good, asked %s', async (_, method, path, body) => {
      expect(await unsigned(method, path, form, body)).toEqual([200, '']);
    });

    it.each<[string, Record<string, string>, string]>([
      ['a form of more than a kilobyte', form, `ssl_check=1&token=${'x'.repeat(1_007)}`],
      ['no form', { 'content-type': 'application/json' }, '{"ssl_check":"1"}'],
      ['no form by its type', {}, 'ssl_check=1'],
      ['another value', form, 'ssl_check=true'],
      ['an empty one', form, 'ssl_check='],
      ['two of them', form, 'ssl_check=1&ssl_check=0'],
      ['it in a payload', form, `payload=${encodeURIComponent('{"ssl_check":"1"}')}`],
      ['a wrong signature', { ...form, 'x-slack-signature': 'v0=00' }, 'ssl_check=1'],
      ['an empty signature', { ...form, 'x-slack-signature': '' }, 'ssl_check=1'],
    ])('refuses %s', async (_, headers, body) => {
      expect(await unsigned('POST', '', headers, body)).toEqual([401, '']);
    });

    it('refuses a form of no declared length', async () => {
      expect(await unsigned('POST', '', form, Readable.from(['ssl_check=1']))).toEqual([401, '']);
    });

    it.each([
      ['of a declared length', { 'content-length': '1' }, 'x'],
      ['in pieces', {}, Readable.from(['x'])],
    ])('refuses to read a body %s', async (_, headers, body) => {
      expect(await unsigned('GET', '?ssl_check=1', headers, body)).toEqual([401, '']);
    });

    it.each(['', '?ssl_check=0', '?ssl_check=1&ssl_check=1', '?payload=ssl_check%3D1'])(
      'refuses to be looked at: GET %s',
      async (path) => {
        expect((await unsigned('GET', path, {}))[0]).toBe(401);
      },
    );

    it('reads such a form for nothing else: the command in it is not run', async () => {
      expect(await unsigned('POST', '', form, `ssl_check=1&${command('t1')}`)).toEqual([200, '']);
      await settled();
      expect(begun).toEqual([]);
    });
  });

  it('understands a form whose charset is named', async () => {
    const done = workOf('t1');
    expect((await send(command('t1'), { type: `${FORM};charset=UTF-8` })).status).toBe(200);
    await done;
  });

  it.each([
    ['no JSON', 'application/json', '{"type":'],
    ['no object', 'application/json', '[1]'],
    ['no JSON in its payload', FORM, 'payload=%7B'],
    ['nothing', 'application/json', ''],
  ])('refuses a body that is %s', async (_, type, body) => {
    expect((await send(body, { type })).status).toBe(400);
  });

  it('reads no more than a megabyte', async () => {
    const answer = await send(`text=${'x'.repeat(3_000_000)}`).catch((error: unknown) => error);
    // The answer, or a connection that was cut while the rest was still being sent.
    if (answer instanceof Error)
      expect(answer).toMatchObject({ code: expect.stringMatching(/UND_ERR_SOCKET|EPIPE|ECONNRESET/) });
    else expect(answer).toMatchObject({ status: 413 });
    await settled();
    expect(begun).toEqual([]);
  });

  it('takes nothing new when it stops, and finishes what it acknowledged', async () => {
    const finished: string[] = [];
    work = async (trigger) => {
      await new Promise(setImmediate);
      finished.push(trigger);
    };
    await Promise.all(['t1', 't2', 't3'].map((trigger) => send(command(trigger))));
    await receiver.stop();
    expect((await send(command('t4'))).status).toBe(503);
    await vi.waitFor(() => expect(finished.sort()).toEqual(['t1', 't2', 't3']), 10_000);
  });

  it('survives whatever is signed', async () => {
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json().map((text) => Buffer.from(text)),
    );
    const types = fc.constantFrom(FORM, 'application/json', 'text/plain', '');
    const body = fc.oneof(
      bodies,
      fc.json().map((text) => Buffer.from(new URLSearchParams({ payload: text }).toString())),
    );
    await fc.assert(
      fc.asyncProperty(body, types, async (bytes, type) => {
        const { status } = await send(Buffer.from(bytes), { type });
        expect([200, 400, 500]).toContain(status);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the HTTP server', () => {
  it('answers 404 where there is nothing, and 500 when a route fails, and goes on', async () => {
    const http = createHttpServer(
      new Map<string, Route>([
        ['GET /fails', async () => Promise.reject(new Error('broken'))],
        ['GET /works', (_, response) => void response.writeHead(200).end('yes')],
      ]),
      log,
    );
    const port = await http.listen(0);
    const get = async (path: string, method: 'GET' | 'POST' = 'GET') =>
      (await request(`http://127.0.0.1:${port}${path}`, { method })).statusCode;
    expect([await get('/none'), await get('/works', 'POST'), await get('/fails'), await get('/works?a=1')]).toEqual([
      404, 404, 500, 200,
    ]);
    await http.close();
  });

  it('does not wait for a body that was broken off before it is read', async () => {
    let read: (ended: unknown) => void;
    const ended = new Promise((settle) => {
      read = settle;
    });
    const socket = new Socket();
    const http = createHttpServer(
      new Map<string, Route>([
        [
          'POST /body',
          async (asked) => {
            const closed = new Promise((settle) => asked.once('close', settle));
            socket.destroy();
            await closed;
            read(await bodyOf(asked, 100).catch((error: Error) => error.message));
          },
        ],
      ]),
      log,
    );
    const port = await http.listen(0);
    socket.connect(port, '127.0.0.1').write('POST /body HTTP/1.1\r\nhost: bot\r\ncontent-length: 9\r\n\r\nhalf');
    expect(await ended).toBe('broken off');
    await http.close();
  });

  it('keeps an idle connection for longer than any balancer: none is closed while a request is on its way', async () => {
    const http = createHttpServer(
      new Map<string, Route>([['GET /works', (_, response) => void response.writeHead(200).end('yes')]]),
      log,
    );
    const port = await http.listen(0);
    const { headers, body } = await request(`http://127.0.0.1:${port}/works`, {
      headers: { connection: 'keep-alive' },
    });
    await body.text();
    const [, seconds] = /timeout=(\d+)/.exec(String(headers['keep-alive'])) ?? [];
    expect(Number(seconds)).toBeGreaterThan(600);
    await http.close();
  });

  it('does not wait for connections that are kept alive', async () => {
    const http = createHttpServer(
      new Map<string, Route>([['GET /works', (_, response) => void response.writeHead(200).end('yes')]]),
      log,
    );
    const port = await http.listen(0);
    const { body } = await request(`http://127.0.0.1:${port}/works`);
    await body.text();
    const started = performance.now();
    await http.close();
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
