import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnyBlock, Button } from '@slack/types';
import { createEmulator } from 'emulate';
import { request } from 'undici';
import { type PlatformSimulator, startPlatformSimulator } from '../../../playground/platform/simulator.ts';
import { type App, startApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';

/** The workspace that `emulate` seeds by itself. */
const TEAM = 'T000000001';
export const ADMIN = 'U000000001';
const GENERAL = 'C000000001';

const BOT_TOKEN = 'xoxb-emulate-test-token';
const SIGNING_SECRET = 'signing-secret-for-emulate';
/** How long something may take to arrive, in milliseconds. */
const PATIENCE = 10_000;
/** Slack's own rule: a response URL works five times. */
const RESPONSE_USES = 5;

/** A message as it reached a response URL. */
export interface Answer {
  text: string;
  blocks: AnyBlock[];
  replace_original?: boolean;
  delete_original?: boolean;
  response_type?: string;
  /** Where whoever presses one of its buttons is. */
  channel: string;
}

/** A view as `emulate` keeps it. */
export interface ShownView {
  id: string;
  hash: string;
  type: string;
  callback_id: string;
  private_metadata: string;
  title: { text: string } | null;
  blocks: AnyBlock[];
}

/** A message for everybody, as `emulate` gives it back. */
export interface PostedMessage {
  ts: string;
  user: string;
  text: string;
  blocks: AnyBlock[];
}

/** What one payload led to at its own response URL. */
export interface Exchange {
  /** The first answer whose text or blocks match, now or within a while. */
  answer(pattern: RegExp): Promise<Answer>;
  answers: readonly Answer[];
}

export interface Person {
  type(line: string): Promise<Exchange>;
  /** Presses the button with this label. `twice` delivers the very same press again. */
  press(message: Answer, label: string, options?: { twice?: boolean }): Promise<Exchange>;
  /** Submits a view; the values are given by block id. Returns what the bot acknowledges it with. */
  submit(view: ShownView, values: Record<string, Value>): Promise<Record<string, unknown>>;
  openHome(): Promise<void>;
}

/** What an input holds when its view is submitted. */
export type Value = { type: string } & Record<string, unknown>;

/** `emulate` in place of the emulator of this project; what it lacks (slash commands, presses, response URLs) stands before it. */
export interface EmulateWorkspace {
  platform: PlatformSimulator;
  person(id: string): Person;
  /** Every call of the Web API so far, with its answer. */
  calls: readonly { method: string; error?: string }[];
  /** Waits until a method has been called. */
  called(method: string): Promise<void>;
  /** The first state of a view that matches, now or within a while. */
  view(pattern: RegExp): Promise<ShownView>;
  /** What is in a channel for everybody, as `emulate` has it, once a message matches. */
  posted(pattern: RegExp, channel?: string): Promise<PostedMessage>;
  /** Asks `emulate` itself, as the bot. */
  ask(method: string, fields: Record<string, string>): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export async function startEmulateWorkspace(): Promise<EmulateWorkspace> {
  const platform = await startPlatformSimulator();
  const emulator = await createEmulator({
    service: 'slack',
    port: 0,
    seed: {
      slack: {
        oauth_apps: [
          {
            app_id: 'A0EDGEWISE1',
            client_id: 'edgewise',
            client_secret: 'not-used',
            name: 'Edgewise',
            redirect_uris: [],
            bot_id: 'B0EDGEWISE1',
            bot_user_id: 'U0EDGEWISE1',
            bot_name: 'edgewise',
          },
        ],
        tokens: [
          {
            token: BOT_TOKEN,
            type: 'bot',
            user_id: 'U0EDGEWISE1',
            app_id: 'A0EDGEWISE1',
            bot_id: 'B0EDGEWISE1',
            scopes: [
              'chat:write',
              'users:read',
              'usergroups:read',
              'channels:read',
              'channels:join',
              'channels:manage',
              'channels:history',
              'groups:read',
              'im:write',
              'im:history',
              'files:read',
              'files:write',
            ],
          },
        ],
      },
    },
  });

  const calls: { method: string; error?: string }[] = [];
  const views: ShownView[] = [];
  const posts: { text: string; blocks: AnyBlock[]; channel: string; ts: string }[] = [];
  const responses = new Map<string, { channel: string; answers: Answer[]; uses: number }>();
  const waiting = new Set<() => void>();
  const happened = () => {
    for (const look of [...waiting]) look();
  };

  /** Looks again whenever something has arrived. */
  async function until<T>(what: string, find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        waiting.delete(look);
        clearTimeout(timer);
        settle();
      };
      const look = () => {
        const found = find();
        if (found !== undefined) end(() => resolve(found));
      };
      const timer = setTimeout(() => end(() => reject(new Error(`It never came: ${what}`))), PATIENCE);
      waiting.add(look);
      look();
    });
  }

  async function forward(method: string, headers: IncomingMessage['headers'], body: Buffer) {
    const { statusCode, body: answer } = await request(`${emulator.url}/api/${method}`, {
      method: 'POST',
      headers: {
        authorization: headers.authorization ?? '',
        'content-type': headers['content-type'] ?? 'application/x-www-form-urlencoded',
      },
      body,
    });
    return { statusCode, text: await answer.text() };
  }

  async function webApi(method: string, incoming: IncomingMessage, response: ServerResponse, body: Buffer) {
    // `emulate` has no user groups: this workspace has none either.
    const { statusCode, text } = method.startsWith('usergroups.')
      ? { statusCode: 200, text: '{"ok":true,"usergroups":[],"users":[]}' }
      : await forward(method, incoming.headers, body);
    const answer: { ok?: boolean; error?: string; view?: ShownView; channel?: string; ts?: string } =
      statusCode === 200 ? JSON.parse(text) : {};
    calls.push({ method, ...(answer.error === undefined ? {} : { error: answer.error }) });
    if (answer.view !== undefined) views.push(answer.view);
    if (method === 'chat.postMessage' && answer.ok === true) {
      const fields = new URLSearchParams(body.toString());
      const blocks: AnyBlock[] = JSON.parse(fields.get('blocks') ?? '[]');
      posts.push({ text: fields.get('text') ?? '', blocks, channel: answer.channel ?? '', ts: answer.ts ?? '' });
    }
    // Files go through here too: the bot gives them to the host of its Slack alone.
    const content = text.replaceAll(emulator.url, origin);
    response.writeHead(statusCode, { 'content-type': 'application/json' }).end(content);
  }

  async function upload(path: string, { headers }: IncomingMessage, response: ServerResponse, body: Buffer) {
    const type = headers['content-type'] ?? 'application/octet-stream';
    const sent = await request(`${emulator.url}${path}`, { method: 'POST', headers: { 'content-type': type }, body });
    response.writeHead(sent.statusCode).end(await sent.body.text());
  }

  function responseUrl(path: string, response: ServerResponse, body: Buffer) {
    const one = responses.get(path);
    if (one === undefined || one.uses >= RESPONSE_USES) return response.writeHead(404).end('used_url');
    one.uses += 1;
    one.answers.push({ ...JSON.parse(body.toString()), channel: one.channel });
    return response.writeHead(200).end('ok');
  }

  const front = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', async () => {
      const path = incoming.url ?? '';
      const body = Buffer.concat(chunks);
      if (path.startsWith('/api/')) await webApi(path.slice('/api/'.length), incoming, response, body);
      else if (responses.has(path)) responseUrl(path, response, body);
      else await upload(path, incoming, response, body);
      happened();
    });
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;

  const folder = await mkdtemp(join(tmpdir(), 'edgewise-emulate-'));
  const app: App = await startApp(
    parseConfig({
      ...platform.environment,
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_API_URL: `${origin}/api`,
      PORT: '0',
      STORE_URL: `file:${join(folder, 'edgewise.db')}`,
      EDGEWISE_ADMINS: ADMIN,
    }),
    { write: () => undefined },
  );

  async function ask(method: string, fields: Record<string, string>): Promise<Record<string, unknown>> {
    const { text } = await forward(
      method,
      { authorization: `Bearer ${BOT_TOKEN}` },
      Buffer.from(new URLSearchParams(fields).toString()),
    );
    return JSON.parse(text);
  }
  await ask('conversations.join', { channel: GENERAL });

  /** Signs a payload as Slack does and delivers it; returns the body of the acknowledgement. */
  async function deliver(body: string, type: string): Promise<string> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:${body}`).digest('hex');
    const { statusCode, body: answer } = await request(`http://127.0.0.1:${app.port}/slack/events`, {
      method: 'POST',
      headers: { 'content-type': type, 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${signature}` },
      body,
    });
    const text = await answer.text();
    if (statusCode !== 200) throw new Error(`The bot answered ${statusCode} ${text}`);
    return text;
  }
  const FORM = 'application/x-www-form-urlencoded';
  const interact = (payload: object) =>
    deliver(new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), FORM);

  async function triggerFor(user: string): Promise<string> {
    return String((await ask('views.generateTriggerId', { user_id: user })).trigger_id);
  }

  let count = 0;
  const next = () => {
    count += 1;
    return count;
  };
  function exchange(channel: string): { url: string; exchange: Exchange } {
    const path = `/response/${next()}`;
    const kept = { channel, answers: [] as Answer[], uses: 0 };
    responses.set(path, kept);
    return {
      url: `${origin}${path}`,
      exchange: {
        answers: kept.answers,
        answer: (pattern) =>
          until(`an answer like ${pattern}`, () => kept.answers.find((one) => pattern.test(shownIn(one)))),
      },
    };
  }

  const person = (id: string): Person => {
    const user = { id, username: id.toLowerCase(), name: id.toLowerCase(), team_id: TEAM };
    const common = {
      user,
      team: { id: TEAM, domain: 'emulate' },
      api_app_id: 'A0EDGEWISE1',
      token: 'deprecated',
      enterprise: null,
      is_enterprise_install: false,
    };
    return {
      async type(line) {
        const { url, exchange: typed } = exchange(GENERAL);
        const [command = '', ...words] = line.split(' ');
        const fields = {
          token: 'deprecated',
          team_id: TEAM,
          team_domain: 'emulate',
          channel_id: GENERAL,
          channel_name: 'general',
          user_id: id,
          user_name: user.name,
          command,
          text: words.join(' '),
          api_app_id: 'A0EDGEWISE1',
          is_enterprise_install: 'false',
          response_url: url,
          trigger_id: await triggerFor(id),
        };
        await deliver(new URLSearchParams(fields).toString(), FORM);
        return typed;
      },
      async press(message, label, { twice = false } = {}) {
        const { url, exchange: pressed } = exchange(message.channel);
        const { block, button } = buttonOf(message, label);
        const payload = {
          ...common,
          type: 'block_actions',
          container: { type: 'message', message_ts: '1.1', channel_id: message.channel, is_ephemeral: true },
          channel: { id: message.channel, name: 'general' },
          state: { values: {} },
          trigger_id: await triggerFor(id),
          response_url: url,
          actions: [
            {
              type: 'button',
              action_id: button.action_id,
              block_id: block.block_id ?? 'b1',
              text: button.text,
              value: button.value,
              action_ts: `${next()}.000001`,
            },
          ],
        };
        await interact(payload);
        if (twice) await interact(payload);
        return pressed;
      },
      async submit(view, values) {
        const inputs = view.blocks.flatMap((block) => (block.type === 'input' ? [block] : []));
        const state = Object.fromEntries(
          Object.entries(values).map(([blockId, value]) => {
            const input = inputs.find((one) => one.block_id === blockId);
            const { action_id } = (input as { element?: { action_id?: string } } | undefined)?.element ?? {};
            if (action_id === undefined) throw new Error(`The view has no input ${blockId}`);
            return [blockId, { [action_id]: value }];
          }),
        );
        const answer = await interact({
          ...common,
          type: 'view_submission',
          trigger_id: await triggerFor(id),
          response_urls: [],
          view: { ...view, state: { values: state } },
        });
        return answer === '' ? {} : JSON.parse(answer);
      },
      async openHome() {
        const event = { type: 'app_home_opened', user: id, channel: 'D0HOME', tab: 'home', event_ts: '1.1' };
        const envelope = {
          type: 'event_callback',
          team_id: TEAM,
          api_app_id: 'A0EDGEWISE1',
          event,
          event_id: `Ev${next()}`,
        };
        await deliver(JSON.stringify(envelope), 'application/json');
      },
    };
  };

  return {
    platform,
    person,
    calls,
    async called(method) {
      await until(`a call of ${method}`, () => calls.find((call) => call.method === method));
    },
    view: (pattern) => until(`a view like ${pattern}`, () => views.find((view) => pattern.test(shownIn(view)))),
    async posted(pattern, channel = GENERAL) {
      const { ts } = await until(`a message like ${pattern} in ${channel}`, () =>
        posts.find((post) => post.channel === channel && pattern.test(shownIn(post))),
      );
      const { messages } = (await ask('conversations.history', { channel })) as { messages: PostedMessage[] };
      const found = messages.find((message) => message.ts === ts);
      if (found === undefined) throw new Error(`emulate lost the message like ${pattern}`);
      return found;
    },
    ask,
    async close() {
      await app.stop();
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
      await emulator.close();
      await platform.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Everything that can be read. */
export function shownIn({ text = '', blocks }: { text?: string; blocks: AnyBlock[] }): string {
  return `${text}\n${JSON.stringify(blocks)}`;
}

function buttonOf(message: Answer, label: string): { block: AnyBlock; button: Button } {
  for (const block of message.blocks) {
    const { elements = [] } = block as { elements?: Button[] };
    const button = elements.find((one) => one.type === 'button' && one.text.text === label);
    if (button !== undefined) return { block, button };
  }
  throw new Error(`There is no button ${label} in ${shownIn(message)}`);
}
