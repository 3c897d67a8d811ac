import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Block, View } from '@slack/types';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commandButton } from '../../../src/blocks/buttons.ts';
import { chart } from '../../../src/blocks/chart.ts';
import { actions, type Message, message } from '../../../src/blocks/message.ts';
import { table } from '../../../src/blocks/table.ts';
import { Secret } from '../../../src/secret.ts';
import { createClients } from '../../../src/slack/clients.ts';
import { hostsOf } from '../../../src/slack/hosts.ts';
import { createOutgoing, type Outgoing } from '../../../src/slack/out/outgoing.ts';
import { createSecretFilter } from '../../../src/slack/out/secrets.ts';

const SECRET = 'k7-the-access-key-of-the-account';
const JWT = 'eyJhbGciOiJFZERTQSJ9.eyJpYXQiOjE3MDAwMDAwMDB9.c2lnbmF0dXJl';

/** A request that reached Slack: the method of the Web API, or the path, and what it carried. */
interface Call {
  method: string;
  /** The method of HTTP. */
  verb: string | undefined;
  body: Record<string, unknown>;
  type: string | undefined;
}
interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** The connection is cut instead. */
  isCut?: true;
}

describe('the way out', () => {
  let calls: Call[];
  /** What Slack says to the next calls of a method; then `ok` again. */
  let answers: Map<string, Answer[]>;
  let waited: number[];
  let logged: string[];
  /** What is kept until later, and which messages are copies of a card. */
  let kept: { content: unknown; delay: number | undefined }[];
  let copies: unknown[];
  let host: string;
  let outgoing: Outgoing;

  const answer = (method: string, ...next: Answer[]) => void answers.set(method, next);
  const refuse = (method: string, ...errors: string[]) =>
    answer(method, ...errors.map((error) => ({ body: { ok: false, error } })));
  const tooEarly = (seconds: number): Answer => ({ status: 429, headers: { 'retry-after': String(seconds) } });
  const called = (method: string) => calls.filter((call) => call.method === method).map(({ body }) => body);
  const methods = () => calls.map(({ method }) => method);

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const method = (request.url ?? '').split('/').at(-1) ?? '';
      const type = request.headers['content-type'];
      const given = bodyOf(Buffer.concat(chunks), type ?? '');
      calls.push({ method, verb: request.method, body: given, type });
      const usual: Record<string, unknown> = {
        ok: true,
        message: { thread_ts: (given as { thread_ts?: string }).thread_ts },
        ts: '17.1',
        channel: { id: 'D0DIRECT' },
        view: { id: 'V0VIEW' },
        upload_url: `http://${host}/upload`,
        file_id: 'F0FILE',
        files: [],
      };
      const { status = 200, headers = {}, body = usual, isCut } = answers.get(method)?.shift() ?? {};
      if (isCut) return void response.destroy();
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(() => {
    calls = [];
    answers = new Map();
    waited = [];
    logged = [];
    kept = [];
    copies = [];
    outgoing = createOutgoing({
      userId: 'U0EDGEWISE',
      ...createClients(Secret.of('xoxb-of-the-bot'), `http://${host}/api`),
      secrets: createSecretFilter([Secret.of(SECRET)]),
      log: pino({}, { write: (line: string) => void logged.push(line) }),
      hosts: hostsOf(`http://${host}/api`),
      wait: async (milliseconds) => void waited.push(milliseconds),
      store: {
        jobs: {
          async add({ kind, body, delay }) {
            kept.push({ content: { kind, ...(body as object) }, delay });
            return true;
          },
          arm: async () => undefined,
        },
        approvals: { copied: async (id, copy) => void copies.push({ id, ...copy }) },
      },
      now: () => new Date('2026-11-25T10:00:00Z'),
    });
  });

  const hello = message('Hello');
  const native = message(table({ caption: 'Zones', columns: [{ label: 'Zone' }], rows: [['shop-assets']] }));
  const withFile: Message = { ...hello, files: [{ name: 'answer.txt', content: 'all of it', title: 'All' }] };
  const responseUrl = () => `http://${host}/respond`;
  const ada = () => ({ user: 'U0ADA', channel: 'C0OPS', thread: '16.5', responseUrl: responseUrl() });
  const shown = (text: string) => ({ text, blocks: hello.blocks });

  describe('to one person', () => {
    it('takes the response URL, for their eyes only, in the thread', async () => {
      await outgoing.toPerson(ada(), hello);
      expect(calls).toEqual([
        {
          method: 'respond',
          verb: 'POST',
          type: 'application/json',
          body: { ...shown('Hello'), response_type: 'ephemeral', replace_original: false, thread_ts: '16.5' },
        },
      ]);
      calls = [];
      await outgoing.toPerson({ user: 'U0ADA', channel: 'C0OPS', responseUrl: responseUrl() }, hello);
      expect(called('respond')[0]).not.toHaveProperty('thread_ts');
    });

    it('puts an answer in the place of the message that was pressed', async () => {
      await outgoing.toPerson(ada(), hello, { replace: true });
      expect(called('respond')).toEqual([{ ...shown('Hello'), replace_original: true }]);
    });

    it.each<[string, Answer]>([
      ['is gone', { status: 404, body: 'used_url' }],
      ['leads elsewhere', { status: 302, headers: { location: '/elsewhere' } }],
      ['says no with 300', { status: 300 }],
      ['says no in its answer', { body: '{ "ok" : false, "error": "expired_url" }' }],
      ['says no in fewer characters', { body: '{"ok":false}' }],
    ])('takes the Web API where the response URL %s', async (_, given) => {
      answer('respond', given);
      await outgoing.toPerson(ada(), hello);
      expect(methods()).toEqual(['respond', 'chat.postEphemeral']);
      expect(called('chat.postEphemeral')).toEqual([
        { ...shown('Hello'), channel: 'C0OPS', user: 'U0ADA', thread_ts: '16.5' },
      ]);
      expect(logged.join()).toMatch(/a response URL did not work: the Web API is used/);
    });

    it('says in the log what a response URL answered, and no more of it than helps', async () => {
      answer('respond', { status: 500, body: 'no'.repeat(1_000) });
      await outgoing.toPerson(ada(), hello);
      const { err } = JSON.parse(logged[0] ?? '{}');
      expect(err).toMatchObject({
        type: 'ResponseUrlError',
        name: 'ResponseUrlError',
        message: 'Slack answered 500 to a response URL',
        answer: 'no'.repeat(150),
      });
    });

    it('sends nothing to a response URL that is not Slack’s', async () => {
      await outgoing.toPerson({ ...ada(), responseUrl: `http://localhost:${host.split(':')[1]}/respond` }, hello);
      expect(methods()).toEqual(['chat.postEphemeral']);
      expect(logged.join()).toMatch(/a response URL that is not Slack’s/);
    });

    it('takes a direct message for what nobody waits for', async () => {
      await outgoing.toDirect('U0ADA', hello);
      expect(calls.map(({ method, body }) => [method, body])).toEqual([
        ['conversations.open', { users: 'U0ADA' }],
        [
          'chat.postMessage',
          { ...shown('Hello'), channel: 'D0DIRECT', mrkdwn: false, unfurl_links: false, unfurl_media: false },
        ],
      ]);
      expect(logged).toEqual([]);
    });

    it.each([
      'not_in_channel',
      'channel_not_found',
      'is_archived',
      'user_not_in_channel',
      'cannot_reply_to_message',
      'restricted_action',
      'restricted_action_read_only_channel',
      'thread_not_found',
    ])('takes a direct message where Slack says %s', async (error) => {
      refuse('chat.postEphemeral', error);
      await outgoing.toPerson({ user: 'U0ADA', channel: 'C0OPS' }, hello);
      expect(methods()).toEqual(['chat.postEphemeral', 'conversations.open', 'chat.postMessage']);
      expect(called('chat.postEphemeral')[0]).not.toHaveProperty('thread_ts');
    });

    it('does not go elsewhere with what Slack refuses for another reason', async () => {
      for (const error of ['messages_tab_disabled', 'token_revoked', 'too_many_attachments', 'never_heard_of']) {
        refuse('chat.postEphemeral', error);
        await expect(outgoing.toPerson({ user: 'U0ADA', channel: 'C0OPS' }, hello)).rejects.toThrow(error);
      }
      expect(new Set(methods())).toEqual(new Set(['chat.postEphemeral']));
    });

    it('is an ordinary message where the bot and its reader are alone, with its files under it', async () => {
      const direct = { ...ada(), channel: 'D0DIRECT' };
      await outgoing.toPerson(direct, withFile);
      expect(methods()).not.toContain('respond');
      expect(called('chat.postMessage')).toEqual([
        {
          ...shown('Hello'),
          channel: 'D0DIRECT',
          thread_ts: '16.5',
          mrkdwn: false,
          unfurl_links: false,
          unfurl_media: false,
        },
      ]);
      expect(called('files.completeUploadExternal')[0]).toMatchObject({ channel_id: 'D0DIRECT', thread_ts: '16.5' });
      calls = [];
      await outgoing.toPerson(direct, hello, { replace: true });
      expect(called('respond'), 'in the place of what was pressed').toEqual([
        { ...shown('Hello'), replace_original: true },
      ]);
    });

    it('goes to their direct messages from the Home tab, which is no conversation', async () => {
      await outgoing.toPerson({ user: 'U0ADA', channel: 'U0ADA' }, hello);
      expect(methods()).toEqual(['conversations.open', 'chat.postMessage']);
    });

    it('stays for their eyes only in the direct messages of two people', async () => {
      refuse('chat.postMessage', 'channel_not_found');
      await outgoing.toPerson({ ...ada(), channel: 'D0OFOTHERS' }, hello);
      expect(methods()).toEqual(['chat.postMessage', 'respond']);
      expect(called('respond')[0]).toMatchObject({ response_type: 'ephemeral' });
    });

    it('complains when there is no direct message to be had', async () => {
      for (const body of [{ ok: true }, { ok: true, channel: {} }]) {
        answer('conversations.open', { body });
        await expect(outgoing.toDirect('U0ADA', hello)).rejects.toThrow('Slack opened no direct message');
      }
    });

    it('puts files into the direct message, and says so', async () => {
      await outgoing.toPerson(ada(), withFile);
      expect(methods()).toEqual([
        'respond',
        'conversations.open',
        'files.getUploadURLExternal',
        'upload',
        'files.completeUploadExternal',
      ]);
      expect(JSON.stringify(called('respond')[0]?.blocks)).toContain('in your direct messages with me');
      expect(called('upload')[0]?.text).toContain('all of it');
      expect(called('files.completeUploadExternal')[0]).toMatchObject({ channel_id: 'D0DIRECT' });
      expect(called('files.completeUploadExternal')[0]).not.toHaveProperty('thread_ts');
      calls = [];
      await outgoing.toPerson(ada(), hello);
      expect(methods(), 'without files').toEqual(['respond']);
      expect(JSON.stringify(called('respond'))).not.toContain('direct messages');
    });

    it('stays within Slack’s number of blocks with all that is said of the file', async () => {
      const long = message(...Array.from({ length: 80 }, (_, at) => `part ${at}`), actions(commandButton('A', 'help')));
      await outgoing.toPerson(ada(), long);
      expect(called('respond')[0]?.blocks).toHaveLength(50);
      expect(JSON.stringify(called('respond')[0]?.blocks)).toContain('in your direct messages with me');
    });
  });

  describe('in a channel', () => {
    it('posts for everybody, in the thread if there is one, without previews of addresses', async () => {
      const place = { channel: 'C0OPS', user: 'U0ADA' };
      expect(await outgoing.toChannel(place, hello)).toEqual({
        ...{ channel: 'C0OPS', ts: '17.1', thread: '17.1' },
        direct: false,
      });
      expect(await outgoing.toChannel({ ...place, thread: '16.5' }, hello)).toMatchObject({ thread: '16.5' });
      const posted = { ...shown('Hello'), channel: 'C0OPS', mrkdwn: false, unfurl_links: false, unfurl_media: false };
      expect(called('chat.postMessage')).toEqual([posted, { ...posted, thread_ts: '16.5' }]);
    });

    it('tells the person where the bot is no member', async () => {
      refuse('chat.postMessage', 'not_in_channel');
      const place = { channel: 'C0OPS', thread: '16.5', user: 'U0ADA' };
      expect(await outgoing.toChannel(place, withFile)).toMatchObject({
        channel: 'D0DIRECT',
        ts: '17.1',
        direct: true,
      });
      expect(called('conversations.open')).toEqual([{ users: 'U0ADA' }]);
      expect(called('chat.postMessage')[1]).toMatchObject({ channel: 'D0DIRECT' });
      expect(called('chat.postMessage')[1]).not.toHaveProperty('thread_ts');
      expect(called('files.completeUploadExternal')[0]).toMatchObject({ channel_id: 'D0DIRECT', thread_ts: '17.1' });
    });

    it('gives up where Slack says no for another reason', async () => {
      refuse('chat.postMessage', 'ekm_access_denied');
      await expect(outgoing.toChannel({ channel: 'C0OPS', user: 'U0ADA' }, hello)).rejects.toThrow(/ekm_access_denied/);
    });

    it('puts a file under its message, with its name and title', async () => {
      await outgoing.toChannel({ channel: 'C0OPS', user: 'U0ADA' }, withFile);
      expect(called('files.getUploadURLExternal')[0]).toMatchObject({ filename: 'answer.txt', length: '9' });
      expect(called('files.completeUploadExternal')[0]).toMatchObject({
        channel_id: 'C0OPS',
        thread_ts: '17.1',
        files: [{ id: 'F0FILE', title: 'All' }],
      });
      calls = [];
      const untitled = { ...hello, files: [{ name: 'a.csv', content: Buffer.from('a,b') }] };
      await outgoing.toChannel({ channel: 'C0OPS', thread: '16.5', user: 'U0ADA' }, untitled);
      expect(called('files.completeUploadExternal')[0]).toMatchObject({
        thread_ts: '16.5',
        files: [{ id: 'F0FILE', title: 'a.csv' }],
      });
    });

    it.each([
      ['files.completeUploadExternal', 'channel_not_found', /I can’t see the channel[\s\S]*nvite me/],
      ['files.completeUploadExternal', 'file_not_found', /Slack does not have the file any more\.\sGive it again\./],
      ['files.getUploadURLExternal', 'file_uploads_disabled', /does not take files of this kind\.\sAsk an admin/],
      ['files.getUploadURLExternal', 'storage_limit_reached', /storage is full\.\sDelete old files/],
      ['files.getUploadURLExternal', 'missing_scope', /The app lacks a scope\.\sAsk whoever runs Edgewise/],
      ['files.getUploadURLExternal', 'invalid_arguments', /Slack did not take it\.\sTry again later\./],
    ])('posts once, and says what became of a file, after %s says %s', async (method, error, words) => {
      const given = { ...hello, files: withFile.files! };
      const post = (text: string) => [expect.stringMatching(/chat.postMessage|respond/), expect.stringMatching(text)];
      const said = () =>
        calls
          .filter(({ method: one }) => /chat|respond/.test(one))
          .map(({ method: one, body }) => [one, body.text] as const);
      refuse(method, error, error, error, error);
      await outgoing.toChannel({ channel: 'C0OPS', user: 'U0ADA' }, given);
      expect(said()).toEqual([post('Hello'), post('answer.txt could not be sent')]);
      expect(called('chat.postMessage')[1]).toMatchObject({
        channel: 'C0OPS',
        thread_ts: '17.1',
        text: expect.stringMatching(words),
      });
      calls = [];
      await outgoing.toPerson(ada(), given);
      expect(said()).toEqual([post('Hello'), post('answer.txt could not be sent')]);
      expect(called('chat.postMessage')[0]).toMatchObject({ channel: 'D0DIRECT' });
      calls = [];
      expect(await outgoing.post({ channel: 'C0OPS' }, given)).toEqual({ ts: '17.1' });
      expect(said()).toEqual([post('Hello'), post('answer.txt could not be sent')]);
    });

    it('sends a file again that came too soon, and says nothing of it', async () => {
      answer('files.getUploadURLExternal', tooEarly(2));
      await outgoing.post({ channel: 'C0OPS' }, withFile);
      expect(called('chat.postMessage')).toHaveLength(1);
      expect(called('files.completeUploadExternal')).toHaveLength(1);
      expect(waited).toEqual([2_000]);
    });
  });

  describe('unasked', () => {
    const metadata = { event_type: 'edgewise_report', event_payload: { slot: 'daily 2026-11-21' } };

    it('posts with what it knows the message by, and updates', async () => {
      expect(await outgoing.post({ channel: 'C0OPS' }, hello, metadata)).toEqual({ ts: '17.1' });
      await outgoing.post({ channel: 'C0OPS', thread: '16.5' }, hello);
      const posted = { ...shown('Hello'), channel: 'C0OPS', mrkdwn: false, unfurl_links: false, unfurl_media: false };
      expect(called('chat.postMessage')).toEqual([
        { ...posted, metadata },
        { ...posted, thread_ts: '16.5' },
      ]);
      await outgoing.update('C0OPS', '17.1', hello);
      expect(called('chat.update')).toEqual([{ ...shown('Hello'), channel: 'C0OPS', ts: '17.1' }]);
    });

    it('takes back what Slack has put into the channel because the thread is gone, and says so', async () => {
      answer('chat.postMessage', { body: { ok: true, ts: '18.2', message: { text: 'Hello' } } });
      await expect(outgoing.post({ channel: 'C0OPS', thread: '16.5' }, withFile, metadata)).rejects.toThrow(
        'thread_not_found',
      );
      expect(called('chat.delete')).toEqual([{ channel: 'C0OPS', ts: '18.2' }]);
      expect(called('files.completeUploadExternal')).toEqual([]);
      answer('chat.postMessage', { body: { ok: true, ts: '18.3', message: { text: 'Hello' } } });
      refuse('chat.delete', 'message_not_found');
      await expect(outgoing.post({ channel: 'C0OPS', thread: '16.5' }, hello)).rejects.toThrow('thread_not_found');
      expect(logged.join()).toContain('a reply that went astray could not be deleted');
    });

    it('puts files under the message, also those of an update', async () => {
      await outgoing.post({ channel: 'C0OPS' }, withFile);
      await outgoing.post({ channel: 'C0OPS', thread: '16.5' }, withFile);
      await outgoing.update('C0OPS', '16.9', withFile);
      expect(called('files.completeUploadExternal').map(({ thread_ts }) => thread_ts)).toEqual([
        '17.1',
        '16.5',
        '16.9',
      ]);
    });

    it('says that it has no mark for a message of which Slack tells none', async () => {
      answer('chat.postMessage', { body: { ok: true } }, { body: { ok: true } });
      expect(await outgoing.post({ channel: 'C0OPS' }, hello)).toEqual({ ts: '' });
      expect(await outgoing.toChannel({ channel: 'C0OPS', user: 'U0ADA' }, hello)).toMatchObject({ ts: '' });
    });

    const found = (ts: string, slot: string) => ({ user: 'U0EDGEWISE', ts, metadata: { event_payload: { slot } } });
    const page = (messages: object[], next_cursor?: string): Answer => ({
      body: { ok: true, messages, ...(next_cursor === undefined ? {} : { response_metadata: { next_cursor } }) },
    });
    const since = new Date(1_700_000_000_500);

    it('finds its own message again, page by page', async () => {
      answer(
        'conversations.history',
        page([{ ts: '1.1' }, found('1.2', 'other')], 'more'),
        page([found('1.3', 'mine')]),
      );
      expect(await outgoing.findPost({ channel: 'C0OPS' }, 'mine', since)).toEqual({ ts: '1.3' });
      const asked = { channel: 'C0OPS', oldest: '1700000000.5', limit: '200', include_all_metadata: 'true' };
      const [first, second] = called('conversations.history').map((body) =>
        Object.fromEntries(Object.entries(body).map(([key, value]) => [key, String(value)])),
      );
      expect(first).toEqual(asked);
      expect(second).toEqual({ ...asked, cursor: 'more' });
    });

    it.each([
      ['the last page has been read', [page([{ ts: '1.1', metadata: {} }])]],
      ['Slack gives an empty cursor', [page([], '')]],
      ['a page has no messages', [{ body: { ok: true } }]],
    ])('finds nothing where %s', async (_, pages) => {
      answer('conversations.history', ...pages);
      expect(await outgoing.findPost({ channel: 'C0OPS' }, 'mine', since)).toBeUndefined();
      expect(methods()).toEqual(['conversations.history']);
    });

    it('looks for a reply in its thread', async () => {
      answer('conversations.replies', page([found('1.4', 'mine')]));
      expect(await outgoing.findPost({ channel: 'C0OPS', thread: '16.5' }, 'mine', since)).toEqual({ ts: '1.4' });
      expect(called('conversations.replies')[0]).toMatchObject({ channel: 'C0OPS', ts: '16.5' });
    });

    it('does not read a channel for ever', async () => {
      answer('conversations.history', ...Array.from({ length: 30 }, () => page([], 'more')));
      expect(await outgoing.findPost({ channel: 'C0OPS' }, 'mine', since)).toBeUndefined();
      expect(methods()).toHaveLength(20);
    });
  });

  describe('when Slack says that it was too early', () => {
    const place = { channel: 'C0OPS', user: 'U0ADA' };

    it('waits as long as Slack says, and asks again', async () => {
      answer('chat.postMessage', tooEarly(7), tooEarly(15));
      await outgoing.toChannel(place, hello);
      expect(waited).toEqual([7_000, 15_000]);
      expect(called('chat.postMessage')).toHaveLength(3);
    });

    it('asks four times in all', async () => {
      answer('chat.postMessage', ...Array.from({ length: 9 }, () => tooEarly(1)));
      await expect(outgoing.toChannel(place, hello)).rejects.toThrow();
      expect(called('chat.postMessage')).toHaveLength(4);
    });

    it('does not wait longer than anybody would', async () => {
      answer('chat.postMessage', tooEarly(16));
      await expect(outgoing.toChannel(place, hello)).rejects.toThrow();
      expect(waited).toEqual([]);
    });

    it.each<[string, string, () => Promise<unknown>]>([
      [
        'an answer',
        'chat.postEphemeral',
        () => outgoing.toPerson(place, withFile, { copyOf: { id: 'c1', isOwn: true } }),
      ],
      [
        'an answer in direct messages',
        'chat.postMessage',
        () => outgoing.toPerson({ ...place, channel: 'D0ADA' }, withFile),
      ],
      ['a direct message', 'chat.postMessage', () => outgoing.toDirect('U0ADA', withFile, { copyOf: { id: 'c1' } })],
      ['a direct message that is not opened', 'conversations.open', () => outgoing.toDirect('U0ADA', hello)],
    ])('keeps %s until the time that Slack says, whole and without its secrets', async (_, method, send) => {
      answer(method, tooEarly(40));
      await send();
      expect(kept.map(({ delay }) => delay)).toEqual([40_000]);
      expect(copies).toEqual([]);
      expect(JSON.stringify(kept)).not.toContain(SECRET);
      const { body } = JSON.parse(JSON.stringify(kept[0]!.content));
      calls = [];
      await outgoing.sendHeld(body);
      const [said] = [...called('chat.postEphemeral'), ...called('chat.postMessage')] as { text: string }[];
      expect(said).toMatchObject({ text: 'Hello' });
      expect(copies.length, 'a message for their eyes only cannot be changed').toBe(body.user && body.copyOf ? 1 : 0);
      expect(called('files.completeUploadExternal')).toHaveLength(body.message.files === undefined ? 0 : 1);
    });

    it('keeps what was refused four times in a row, and says when the fifth may come', async () => {
      answer('chat.postMessage', ...Array.from({ length: 4 }, () => tooEarly(2)));
      expect(await outgoing.toDirect('U0ADA', hello)).toBeUndefined();
      expect(kept.map(({ delay }) => delay)).toEqual([2_000]);
    });

    it('names a file under its message that Slack takes only later', async () => {
      answer('files.getUploadURLExternal', tooEarly(40));
      await outgoing.toDirect('U0ADA', withFile);
      expect(JSON.stringify(called('chat.postMessage')[1])).toContain('could not be sent');
      expect(kept).toEqual([]);
    });

    it('keeps nothing that says how far something is', async () => {
      answer('chat.postEphemeral', tooEarly(40));
      await expect(outgoing.toPerson(place, hello, { passing: true })).rejects.toThrow();
      expect(kept).toEqual([]);
    });

    it.each<[string, (view: View) => Promise<unknown>]>([
      ['views.update', (view) => outgoing.updateView('V0VIEW', view)],
      ['views.update', (view) => outgoing.reveal('V0VIEW', view)],
      ['chat.postEphemeral', () => outgoing.toPerson(place, hello)],
      ['conversations.open', () => outgoing.toDirect('U0ADA', hello)],
      ['chat.postMessage', () => outgoing.toDirect('U0ADA', hello)],
      ['conversations.history', () => outgoing.findPost({ channel: 'C0OPS' }, 'mine', new Date())],
    ])('calls %s again', async (method, call) => {
      answer(method, tooEarly(1));
      await call({ type: 'modal', title: { type: 'plain_text', text: 'T' }, blocks: hello.blocks });
      expect(called(method)).toHaveLength(2);
    });
  });

  describe('while Slack cannot be reached', () => {
    const place = { channel: 'C0OPS', user: 'U0ADA' };
    const view: View = { type: 'modal', title: { type: 'plain_text', text: 'T' }, blocks: hello.blocks };
    const UNREACHED: Answer[] = [{ isCut: true }, { status: 503 }, { status: 500 }, { isCut: true }];
    const ways: [method: string, send: () => Promise<unknown>][] = [
      ['chat.postEphemeral', () => outgoing.toPerson(place, hello)],
      ['conversations.open', () => outgoing.toDirect('U0ADA', hello)],
      ['chat.postMessage', () => outgoing.toDirect('U0ADA', hello)],
      ['views.publish', () => outgoing.publishHome('U0ADA', hello.blocks)],
    ];

    it.each(ways)(
      'sends an answer by %s again after 2, 8 and 30 seconds, and says so in the log',
      async (method, send) => {
        answer(method, ...UNREACHED.slice(0, 3));
        await send();
        expect(waited).toEqual([2_000, 8_000, 30_000]);
        expect(called(method)).toHaveLength(4);
        expect(logged.filter((line) => line.includes('the answer is sent again'))).toHaveLength(3);
      },
    );

    it.each(ways)('gives an answer by %s up after the fourth time', async (method, send) => {
      answer(method, ...UNREACHED);
      await expect(send()).rejects.toThrow();
      expect(waited).toEqual([2_000, 8_000, 30_000]);
      expect(called(method)).toHaveLength(4);
    });

    it.each<[string, string, () => Promise<unknown>]>([
      ['what is followed by more', 'chat.postEphemeral', () => outgoing.toPerson(place, hello, { passing: true })],
      ['how far it is', 'views.update', () => outgoing.updateView('V0VIEW', view, { passing: true })],
      ['what is for everybody', 'chat.postMessage', () => outgoing.toChannel(place, hello)],
      ['a view whose trigger has its time', 'views.open', () => outgoing.openView('trigger', view)],
    ])('sends %s once', async (_, method, send) => {
      answer(method, ...UNREACHED);
      await expect(send()).rejects.toThrow();
      expect(waited).toEqual([]);
      expect(called(method)).toHaveLength(1);
    });

    const LOST: [string, Answer, number][] = [
      ['cut off', { isCut: true }, 2_000],
      ['an error of Slack’s', { status: 500 }, 2_000],
      ['a fault in its body', { body: { ok: false, error: 'internal_error' } }, 2_000],
      ['“too many calls”, for longer than anybody would wait', tooEarly(40), 40_000],
      ['“no such view” once', { body: { ok: false, error: 'not_found' } }, 500],
    ];
    const shows: [string, () => Promise<unknown>][] = [
      ['an answer', () => outgoing.updateView('V0VIEW', view)],
      ['a secret', () => outgoing.reveal('V0VIEW', view)],
    ];
    it.each(LOST.flatMap(([what, given, pause]) => shows.map(([name, show]) => ({ what, given, pause, name, show }))))(
      'shows $name in its view though Slack says $what',
      async ({ given, pause, show }) => {
        answer('views.update', given);
        await show();
        expect(waited).toEqual([pause]);
        expect(called('views.update')).toHaveLength(2);
        expect(called('views.update')[0]).toEqual(called('views.update')[1]);
      },
    );

    it.each(shows)('sends %s to a view for half an hour, and no longer', async (_, show) => {
      answer('views.update', ...Array.from({ length: 100 }, (): Answer => ({ status: 503 })));
      await expect(show()).rejects.toThrow();
      const minutes = waited.reduce((sum, one) => sum + one, 0) / 60_000;
      expect(minutes).toBeGreaterThan(29);
      expect(minutes).toBeLessThanOrEqual(30);
    });

    it.each(shows)('sends %s twice to a view that is gone', async (_, show) => {
      refuse('views.update', 'not_found', 'not_found');
      await expect(show()).rejects.toThrow('not_found');
      expect(called('views.update')).toHaveLength(2);
    });

    it.each(shows)('does not send %s again where Slack refuses what is in the view', async (_, show) => {
      refuse('views.update', 'view_too_large', 'view_too_large', 'view_too_large');
      await expect(show()).rejects.toThrow('view_too_large');
      expect(waited).toEqual([]);
    });
  });

  describe('where Slack does not know tables', () => {
    const place = { channel: 'C0OPS', user: 'U0ADA' };

    it.each([
      ['invalid_blocks', /Slack refused native blocks: sent as text/],
      ['invalid_blocks_format', /Slack refused native blocks: sent as text/],
      ['invalid_arguments', /Slack refused native blocks: sent as text/],
      ['msg_blocks_too_long', /Slack found a message too long: sent shorter/],
      ['attachment_payload_limit_exceeded', /Slack found a message too long: sent shorter/],
    ])('sends them as text after %s', async (error, line) => {
      refuse('chat.postMessage', error);
      await outgoing.toChannel(place, native);
      const [first, second] = called('chat.postMessage').map(({ blocks }) => JSON.stringify(blocks));
      expect(first).toContain('data_table');
      expect(second).not.toContain('data_table');
      expect(second).toContain('shop-assets');
      expect(logged.join()).toMatch(line);
    });

    const ways: [string, () => Promise<unknown>, method: string][] = [
      ['a message', () => outgoing.toChannel(place, native), 'chat.postMessage'],
      ['a post', () => outgoing.post({ channel: 'C0OPS' }, native), 'chat.postMessage'],
      ['an update', () => outgoing.update('C0OPS', '17.1', native), 'chat.update'],
      ['a direct message', () => outgoing.toDirect('U0ADA', native), 'chat.postMessage'],
      [
        'an ephemeral message',
        () => outgoing.toPerson({ user: 'U0ADA', channel: 'C0OPS' }, native),
        'chat.postEphemeral',
      ],
      ['a response URL', () => outgoing.toPerson(ada(), native), 'respond'],
    ];
    it.each(ways)('does not try them a second time in %s', async (_, send, method) => {
      if (method === 'respond') answer('respond', { status: 400, body: 'invalid_blocks' });
      else refuse(method, 'invalid_blocks');
      for (let time = 0; time < 3; time += 1) await send();
      const hasTable = called(method).map(({ blocks }) => JSON.stringify(blocks).includes('data_table'));
      expect(hasTable).toEqual([true, false, false, false]);
    });

    it('goes on trying them on other surfaces', async () => {
      refuse('chat.postEphemeral', 'invalid_blocks');
      await outgoing.toPerson({ user: 'U0ADA', channel: 'C0OPS' }, native);
      await outgoing.post({ channel: 'C0OPS' }, native);
      expect(JSON.stringify(called('chat.postMessage'))).toContain('data_table');
    });

    it('goes on trying them where Slack has taken them before', async () => {
      await outgoing.post({ channel: 'C0OPS' }, native);
      refuse('chat.postMessage', 'invalid_blocks');
      for (let time = 0; time < 2; time += 1) await outgoing.post({ channel: 'C0OPS' }, native);
      const hasTable = called('chat.postMessage').map(({ blocks }) => JSON.stringify(blocks).includes('data_table'));
      expect(hasTable).toEqual([true, true, false, true]);
    });

    it.each(['invalid_blocks', 'invalid_attachments', 'invalid_payload'])(
      'sends them as text after %s from a response URL',
      async (error) => {
        answer('respond', { status: 400, body: error });
        await outgoing.toPerson(ada(), native);
        expect(methods()).toEqual(['respond', 'respond']);
        expect(JSON.stringify(called('respond')[1])).not.toContain('data_table');
      },
    );

    it('does not repeat what was refused for another reason', async () => {
      refuse('chat.postMessage', 'too_many_attachments');
      await expect(outgoing.toChannel(place, native)).rejects.toThrow(/too_many_attachments/);
      expect(methods()).toEqual(['chat.postMessage']);
    });

    it('sends bare text where Slack refuses blocks that it takes everywhere, and says that the buttons are missing', async () => {
      const given = message('Hello', actions(commandButton('Again', 'help')));
      for (const error of ['invalid_blocks', 'no_text']) {
        calls = [];
        refuse('chat.postMessage', error);
        await outgoing.toChannel(place, given);
        expect(called('chat.postMessage')).toMatchObject([
          { blocks: given.blocks },
          { blocks: [], text: 'Hello\nIts buttons cannot be shown: type the command again.' },
        ]);
      }
      expect(logged.join()).toMatch(/"level":50.*Slack refused the blocks of a message/);
      calls = [];
      answer('respond', { status: 400, body: 'invalid_blocks' });
      await outgoing.toPerson(ada(), hello);
      expect(called('respond')).toMatchObject([{ blocks: hello.blocks }, { blocks: [], text: 'Hello' }]);
    });

    it('gives up where Slack takes not even that', async () => {
      refuse('chat.postMessage', 'invalid_blocks', 'invalid_blocks');
      await expect(outgoing.toChannel(place, hello)).rejects.toThrow(/invalid_blocks/);
      expect(methods()).toHaveLength(2);
    });

    it.each(['msg_too_long', 'msg_blocks_too_long'])('sends less after %s, and all of it in a file', async (error) => {
      refuse('chat.update', error);
      const long = message(...Array.from({ length: 30 }, (_, at) => `${at} ${'x'.repeat(200)}`));
      await outgoing.update('C0OPS', '17.1', long);
      const [first, second] = called('chat.update').map((body) => String(body.text).length);
      expect(first).toBeGreaterThan(3_700);
      expect(second).toBeLessThanOrEqual(3_000);
      expect(called('upload')[0]?.text).toContain('29 xxx');
    });

    it('cuts the text of an update to 4,000 bytes at a line end, and leaves its blocks whole', async () => {
      const line = `${'é'.repeat(99)} 👩 end`;
      const long = message(...Array.from({ length: 30 }, () => line));
      await outgoing.update('C0OPS', '17.1', long);
      expect(methods()).toEqual(['chat.update']);
      const [{ text, blocks }] = called('chat.update') as [{ text: string; blocks: Block[] }];
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_000);
      expect(text).toBe(`${Array.from({ length: 19 }, () => line).join('\n')}\n…`);
      expect(blocks).toEqual(long.blocks);
      await outgoing.toChannel(place, long);
      expect(called('chat.postMessage')[0]).toMatchObject({ text: long.text, blocks: long.blocks });
    });

    it('sends a chart as text, and tries no native one there again', async () => {
      const visits = chart({
        title: `Visits ${SECRET}`,
        type: 'line',
        categories: ['Mon', 'Tue'],
        series: [{ name: 'Visits', values: [1, 2] }],
      });
      refuse('chat.postMessage', 'invalid_blocks');
      for (let time = 0; time < 2; time += 1) await outgoing.toChannel(place, message(visits));
      const sent = called('chat.postMessage');
      expect(sent.map(({ blocks }) => (blocks as Block[]).map(({ type }) => type))).toEqual([
        ['data_visualization'],
        ['section', 'rich_text'],
        ['section', 'rich_text'],
      ]);
      expect(sent.map(({ text }) => text)).toEqual(Array(3).fill(expect.stringContaining('Visits [secret]')));
      const { blocks } = message('Hi', visits);
      await outgoing.updateView('V0VIEW', { type: 'modal', title: { type: 'plain_text', text: 'Title' }, blocks });
      expect(JSON.stringify(called('views.update'))).toMatch(/▁.*█/);
    });

    it('lets no half of a secret out that the text form cuts through', async () => {
      refuse('chat.postMessage', 'invalid_blocks');
      const line = `${'x'.repeat(540)}${SECRET}`;
      const given = message(table({ caption: 'Lines', columns: [{ label: 'Line' }], rows: [[line]] }));
      await outgoing.toChannel(place, given);
      expect(JSON.stringify(called('chat.postMessage'))).not.toContain('k7-the-acc');
      expect(called('chat.postMessage')).toHaveLength(2);
    });
  });

  describe('in views', () => {
    const view = (text: string): View => ({
      type: 'modal',
      title: { type: 'plain_text', text: 'Title' },
      blocks: message(text).blocks,
    });

    it('opens one, and says which', async () => {
      expect(await outgoing.openView('trigger', view('Hi'))).toBe('V0VIEW');
      expect(called('views.open')).toMatchObject([{ trigger_id: 'trigger', view: view('Hi') }]);
      for (const body of [{ ok: true }, { ok: true, view: {} }]) {
        answer('views.open', { body });
        await expect(outgoing.openView('trigger', view('Hi'))).rejects.toThrow('Slack opened no view');
      }
    });

    it('updates one, and publishes the Home tab', async () => {
      await outgoing.updateView('V0VIEW', view('Hi'));
      expect(called('views.update')).toMatchObject([{ view_id: 'V0VIEW', view: view('Hi') }]);
      await outgoing.publishHome('U0ADA', hello.blocks);
      expect(called('views.publish')).toMatchObject([
        { user_id: 'U0ADA', view: { type: 'home', blocks: hello.blocks } },
      ]);
    });

    it('shows a new token in the one view that is made for it', async () => {
      await outgoing.reveal('V0VIEW', view(`the token ${JWT}`));
      expect(called('views.update')).toMatchObject([{ view_id: 'V0VIEW', view: view(`the token ${JWT}`) }]);
    });
  });

  describe('a file of bytes', () => {
    const sent = async (content: Buffer | string) => {
      await outgoing.post({ channel: 'C0OPS' }, { ...hello, files: [{ name: 'a.log', content }] });
      return Buffer.from(String(called('upload').at(-1)?.bytes), 'latin1');
    };
    const [dirty, clean] = [SECRET, '[secret]'].map((word) => (line: string) => line.replaceAll('SECRET', word)) as [
      (line: string) => string,
      (line: string) => string,
    ];

    it.each([
      ['of a few lines', 'a SECRET ü\nb SECRET\n'],
      ['of many lines', `${'x'.repeat(999)}\nSECRET\n`.repeat(400)],
      ['of one long line', `${'x'.repeat(200_000)} SECRET ${'y'.repeat(200_000)} SECRET`],
      ['of a line that begins with its end', `\n${'x'.repeat(140_000)}\nSECRET\n`],
      ['with one at the end of the line where it is cut', `${'x'.repeat(131_060)} SECRET\n${'y'.repeat(40)}\n`],
      [
        'with one where it would be cut if it had no lines',
        `${`${'x'.repeat(99)}\n`.repeat(2621)}${'y'.repeat(25)} SECRET\n`,
      ],
    ])('%s is the same without its secrets', async (_, text) => {
      const multipart = await sent(Buffer.from(dirty(text)));
      expect(multipart.includes(Buffer.from(clean(text)))).toBe(true);
      expect(multipart.includes(SECRET)).toBe(false);
    });

    it('that are no text stays as it is', async () => {
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => 255 - at));
      expect((await sent(bytes)).includes(bytes)).toBe(true);
    });
  });

  describe('keeps secrets', () => {
    it.each<[string, (text: string) => Promise<unknown> | unknown]>([
      ['a message to one person', (text) => outgoing.toPerson(ada(), message(text))],
      ['a message in a channel', (text) => outgoing.toChannel({ channel: 'C0OPS', user: 'U0ADA' }, message(text))],
      ['a post', (text) => outgoing.post({ channel: 'C0OPS' }, message(text))],
      ['an update', (text) => outgoing.update('C0OPS', '17.1', message(text))],
      [
        'the name of a post',
        (text) => outgoing.post({ channel: 'C0' }, hello, { event_type: 'e', event_payload: { slot: text } }),
      ],
      ['a view', (text) => outgoing.openView('t', { type: 'home', blocks: message(text).blocks })],
      ['a view that changes', (text) => outgoing.updateView('V', { type: 'home', blocks: message(text).blocks })],
      [
        'what a view remembers',
        (text) =>
          outgoing.updateView('V', { type: 'home', blocks: [], private_metadata: JSON.stringify({ a: { b: text } }) }),
      ],
      ['the Home tab', (text) => outgoing.publishHome('U0ADA', message(text).blocks)],
      [
        'a file',
        (text) => outgoing.post({ channel: 'C0OPS' }, { ...hello, files: [{ name: 'a.txt', content: text }] }),
      ],
      [
        'a file of bytes',
        (text) =>
          outgoing.post({ channel: 'C0OPS' }, { ...hello, files: [{ name: 'a.txt', content: Buffer.from(text) }] }),
      ],
      [
        'a file’s name',
        (text) => outgoing.post({ channel: 'C0OPS' }, { ...hello, files: [{ name: text, content: 'x' }] }),
      ],
      [
        'a file’s title',
        (text) =>
          outgoing.post({ channel: 'C0OPS' }, { ...hello, files: [{ name: 'a.txt', title: text, content: 'x' }] }),
      ],
    ])('out of %s', async (_, send) => {
      await send(`here: ${SECRET} and ${JWT}.`);
      const sent = JSON.stringify(calls);
      expect(sent).toContain('[secret]');
      expect(sent).not.toContain(SECRET);
      expect(sent).not.toContain(JWT);
    });
  });
});

/** What a form or JSON says; values that are JSON are read. Anything else is one text. */
function bodyOf(raw: Buffer, type: string): Record<string, unknown> {
  const text = raw.toString();
  if (type.startsWith('application/json')) return JSON.parse(text) as Record<string, unknown>;
  if (!type.startsWith('application/x-www-form-urlencoded')) return { text, bytes: raw.toString('latin1') };
  const { token: _, ...fields } = Object.fromEntries(new URLSearchParams(text));
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, /^([{[]|true$|false$)/.test(value) ? JSON.parse(value) : value]),
  );
}
