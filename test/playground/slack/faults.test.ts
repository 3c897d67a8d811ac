import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type SlackEmulator, startSlackEmulator } from '../../../playground/slack/emulator.ts';
import { stage } from './bolt.ts';
import { ADA, clientOf, OPS, refusal, useWebApi } from './web-client.ts';

describe('faults of Slack', () => {
  const api = useWebApi();
  const post = () => {
    api.time.pass(1_000);
    return api.client.chat.postMessage({ channel: OPS, text: 'x' });
  };
  /** A fault that is off again when the test is over. */
  function during(text: string): Disposable {
    const end = api.slack.fault(text);
    return { [Symbol.dispose]: end };
  }

  it('are any error that Slack documents for a method, so many times', async () => {
    using _ = during('chat.postMessage=restricted_action*2');
    for (const _time of [1, 2]) expect(await refusal(post())).toMatchObject({ error: 'restricted_action' });
    expect((await post()).ok).toBe(true);
    expect(api.slack.outgoing.at(-2)).toMatchObject({ method: 'chat.postMessage', error: 'restricted_action' });
  });

  it('meet so many of a hundred calls, evenly', async () => {
    using _ = during('users.info=fatal_error*25%');
    const met: boolean[] = [];
    for (let call = 0; call < 8; call += 1) {
      const { error } = await refusal(api.client.users.info({ user: ADA }));
      met.push(error === 'fatal_error');
    }
    expect(met).toEqual([false, false, false, true, false, false, false, true]);
  });

  it('are statuses too, a 429 with the seconds to wait', async () => {
    using _ = during('any=429:7');
    expect(await refusal(post())).toEqual({ retryAfter: 7 });
    using _other = during('views.publish=503');
    const answer = await fetch(`${api.slack.apiUrl}chat.update`, { method: 'POST' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await answer.json()).toEqual({ ok: false, error: 'ratelimited' });
  });

  it('cut the connection after the call was carried out', async () => {
    using _ = during('chat.postMessage=drop-after*1');
    const before = api.slack.workspace.messages.get(OPS)?.length ?? 0;
    await expect(post()).rejects.toThrow();
    expect(api.slack.workspace.messages.get(OPS)).toHaveLength(before + 1);
  });

  it('are of response URLs too', async () => {
    await using world = await stage((app) => {
      app.command('/edge', async ({ ack, respond }) => {
        await ack();
        await respond('first').catch(() => respond('second'));
      });
    });
    world.slack.fault('response_url=used_url*1');
    const ops = world.slack.person('ada').in('#ops');
    await ops.type('/edge');
    await ops.expectMessage('second');
    expect(ops.messages.map(({ text }) => text)).toEqual(['second']);
  });

  it.each([
    ['chat.postMesage=no_text', 'The emulator has no method “chat.postMesage”, but api.test, apps.connections.open'],
    ['chat.update=msg_to_long', 'documents no error “msg_to_long” for chat.update, but as_user_not_supported'],
    ['any=is_archived', 'documents no error “is_archived” for any'],
    ['chat.update', 'is not subject=outcome, such as chat.update=msg_too_long*3'],
    ['chat.update=drop@30', 'only socket takes @SECONDS'],
    ['chat.update=503:4', 'takes no “:4”'],
    ['socket=drop', 'socket is for Socket Mode (--socket)'],
  ])('%s is refused with a sentence that lists what there is', (text, sentence) => {
    expect(() => api.slack.fault(text)).toThrow(sentence);
  });
});

describe('faults of Socket Mode', () => {
  /** A connection of the bot's that was greeted. */
  async function connected() {
    const slack = await startSlackEmulator({ deliverTo: 'socket' });
    const socket = await connect(slack);
    expect(await said(socket)).toBe('hello');
    return { slack, socket };
  }

  async function connect(slack: SlackEmulator): Promise<WebSocket> {
    const { url } = await clientOf(slack, slack.environment.SLACK_APP_TOKEN).apps.connections.open({});
    return new WebSocket(url ?? '');
  }

  async function said(socket: WebSocket): Promise<string> {
    const [text] = await once(socket, 'message');
    const { type, reason, payload } = JSON.parse(String(text));
    return reason ?? payload?.type ?? type;
  }

  it.each(['warning', 'refresh_requested', 'link_disabled', 'too_many_websockets', 'app_rate_limited'])(
    '%s is said on every connection',
    async (outcome) => {
      const { slack, socket } = await connected();
      slack.fault(`socket=${outcome}`);
      expect(await said(socket)).toBe(outcome);
      await slack.close();
    },
  );

  it('drop cuts connections, and a new one may be told goodbye', async () => {
    const { slack, socket } = await connected();
    slack.fault('socket=drop');
    await once(socket, 'close');
    slack.fault('apps.connections.open=too_many_websockets*1');
    expect(await said(await connect(slack))).toBe('too_many_websockets');
    expect(() => slack.fault('socket=gremlins')).toThrow('A socket has no outcome “gremlins”, but warning');
    await slack.close();
  });
});
