import { type SlackEmulator, startSlackEmulator } from '../../../playground/slack/emulator.ts';
import { pixel } from './pixel.ts';

/** Key paths of answers by method, `[]` for what stands in a list; blocks and attachments are not looked into. */
export type Keys = Map<string, Set<string>>;

const EVERY_SCOPE = undefined;

/** Calls each method that Edgewise reads in as many ways as it can be answered, and keeps the keys of the answers. */
export async function keysOfAnswers(): Promise<Keys> {
  const keys: Keys = new Map();
  for (const [scopes, grid] of [
    [EVERY_SCOPE, undefined],
    [EVERY_SCOPE, 'workspace'],
    [['commands'], undefined],
  ] as const) {
    let at = Date.parse('2026-03-01T12:00:00Z');
    const slack = await startSlackEmulator({
      now: () => {
        at += 1_000;
        return new Date(at);
      },
      ...(scopes ? { scopes: [...scopes] } : {}),
      workspace: { grid },
      deliverTo: 'socket',
    });
    await askEverything(slack, keys);
    await slack.close();
  }
  return keys;
}

async function askEverything(slack: SlackEmulator, keys: Keys): Promise<void> {
  const { SLACK_BOT_TOKEN: bot = '' } = slack.environment;
  const app = slack.environment.SLACK_APP_TOKEN ?? '';
  const call = async (method: string, given: object = {}, token = bot): Promise<Record<string, never>> => {
    const answer = await fetch(`${slack.apiUrl}${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(given),
    });
    const body = (await answer.json()) as Record<string, never>;
    const known = keys.get(method) ?? new Set();
    for (const path of pathsIn(body)) known.add(path);
    keys.set(method, known);
    return body;
  };
  const ada = slack.workspace.user('ada').id;
  const channel = slack.workspace.channel('#ops').id;

  await call('auth.test');
  await call('auth.test', {}, 'xoxb-wrong');
  await call('auth.test', {}, app);
  await call('apps.connections.open', {}, app);
  await call('apps.connections.open');
  await askFiles(call, channel);
  await askMessages(slack, call, { ada, channel });
  await call('conversations.info', { channel, include_locale: true });
  await call('conversations.list', { types: 'public_channel,im' });
  await call('usergroups.list', { include_users: true });
  for (const name of ['ada', 'ben', 'gus', 'eve', 'edgewise'])
    await call('users.info', { user: slack.workspace.user(name).id, include_locale: true });
  await call('users.info', { user: 'U0NOBODY' });
  const plain = (text: string) => ({ type: 'plain_text', text });
  const home = { type: 'home', blocks: [] };
  await call('views.publish', { user_id: ada, view: home });
  await call('views.publish', { user_id: ada, view: { type: 'home', blocks: [{ type: 'nothing' }] } });
  await call('views.open', { trigger_id: 'x', view: {} });
  const view = { type: 'modal', title: plain('Form'), submit: plain('Go'), close: plain('Cancel'), blocks: [] };
  await slack
    .person('ada')
    .shortcut('form')
    .catch(() => undefined);
  const { trigger_id } = slack.deliveries.at(-1)?.payload ?? {};
  const opened = (await call('views.open', { trigger_id, view })) as { view?: { id?: string } };
  await call('views.update', { view_id: opened.view?.id, view });
  await call('views.update', { view_id: opened.view?.id, view: {} });
}

type Ask = (method: string, given?: object) => Promise<Record<string, unknown>>;

async function askMessages(slack: SlackEmulator, call: Ask, at: { ada: string; channel: string }): Promise<void> {
  const { ada, channel } = at;
  const metadata = { event_type: 'test', event_payload: { key: '1' } };
  const bad = [{ type: 'nothing' }];
  const { ts = '' } = await call('chat.postMessage', { channel, text: 'root', metadata });
  await call('chat.postMessage', { channel, blocks: bad });
  await call('chat.postMessage', {
    channel,
    text: 'x',
    thread_ts: ts,
    reply_broadcast: true,
    attachments: [{ text: 'a' }],
  });
  await call('chat.postMessage', { channel, text: 'x', thread_ts: 'x' });
  await call('chat.postEphemeral', { channel, user: ada, text: 'x' });
  await call('chat.postEphemeral', { channel, user: ada });
  await call('chat.update', { channel, ts, text: 'changed', metadata });
  await call('chat.update', { channel, ts, text: 'x', thread_ts: 'x', blocks: bad });
  const direct = slack.person('ada').in('@edgewise');
  const files = [
    { name: 'a.png', content: pixel },
    { name: 'a.txt', content: 'text' },
  ];
  const said = await direct.type('hello', { files });
  await call('conversations.open', { users: ada, return_im: true });
  await call('chat.postMessage', { channel: direct.channel, text: 'hello', thread_ts: said });
  await call('chat.postMessage', { channel: direct.channel, text: 'hello' });
  await call('conversations.open', { users: ada, return_im: true });
  await call('reactions.add', { channel: direct.channel, timestamp: said, name: 'eyes' });
  const withFiles = slack.workspace.messages.get(channel)?.filter((message) => message.files.length > 0) ?? [];
  for (const message of withFiles) await call('chat.update', { channel, ts: message.ts, text: 'changed' });
  for (const place of [channel, direct.channel]) {
    const first = place === channel ? ts : said;
    await call('conversations.history', {
      channel: place,
      include_all_metadata: true,
      oldest: '1',
      latest: '9999999999',
    });
    await call('conversations.replies', { channel: place, ts: first, include_all_metadata: true });
  }
  await call('conversations.history', { channel: 'C0NOWHERE' });
  await call('conversations.info', { channel: 'C0NOWHERE' });
  await call('conversations.list', { types: 'rooms' });
  await call('conversations.replies', { channel, ts: '1.1' });
  await call('conversations.open', { users: 'U0NOBODY' });
  await call('usergroups.list', { cursor: 'x' });
}

async function askFiles(call: Ask, channel: string): Promise<void> {
  for (const [filename, bytes] of [
    ['a.txt', Buffer.from('one\ntwo\n')],
    ['a.png', pixel],
  ] as const) {
    const slot = (await call('files.getUploadURLExternal', { filename, length: bytes.length, alt_txt: 'a' })) as {
      upload_url?: string;
      file_id?: string;
    };
    if (slot.upload_url === undefined) continue;
    await fetch(slot.upload_url, { method: 'POST', body: new Uint8Array(bytes) });
    const root = (await call('chat.postMessage', { channel, text: 'files' })) as { ts?: string };
    await call('files.completeUploadExternal', {
      files: [{ id: slot.file_id }],
      channel_id: channel,
      thread_ts: root.ts,
    });
    await call('files.info', { file: slot.file_id });
    await call('files.info', { file: slot.file_id });
  }
  await call('files.getUploadURLExternal', { filename: 'x' });
  await call('files.completeUploadExternal');
  await call('files.completeUploadExternal', { files: [{ id: 'F0' }] });
  await call('files.info', { file: 'F0' });
}

/** The paths of all keys in an answer. */
export function pathsIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => pathsIn(each, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) => {
    const own = path === '' ? key : `${path}.${key}`;
    const place = placed(own);
    return /^(blocks|attachments)$/.test(key) ? [place] : [place, ...pathsIn(inside, place)];
  });
}

/** Shares of files stand by the kind and the id of the channel: one of each is enough. */
export function placed(path: string): string {
  return path.replace(
    /shares\.(public|private|KIND)(\.\w+)?/,
    (_, _kind, id) => `shares.KIND${id === undefined ? '' : '.ID'}`,
  );
}
