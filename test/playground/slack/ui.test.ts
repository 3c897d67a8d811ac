import type { App } from '@slack/bolt';
import { expect, test } from 'vitest';
import type { UiChange, UiState, UiView } from '../../../playground/slack/ui-types.ts';
import { stage } from './bolt.ts';

const ADA = 'U0ADA000001';
const BEN = 'U0BEN000002';
const OPS = 'C0OPS000001';
const plain = (text: string) => ({ type: 'plain_text' as const, text });

/** Reads the stream of changes until one is found. */
async function follow(url: string, user: string) {
  const stop = new AbortController();
  const response = await fetch(`${url}ui/events?user=${user}`, { signal: stop.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const next = async (): Promise<UiChange> => {
    for (;;) {
      const end = rest.indexOf('\n\n');
      if (end >= 0) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        return JSON.parse(line.replace(/^data: /, '')) as UiChange;
      }
      const { value, done } = await reader.read();
      if (done) throw new Error('the stream ended');
      rest += value;
    }
  };
  const until = async <T extends UiChange['type']>(type: T): Promise<Extract<UiChange, { type: T }>> => {
    for (;;) {
      const change = await next();
      if (change.type === type) return change as Extract<UiChange, { type: T }>;
    }
  };
  return { until, stop: () => stop.abort() };
}

/** Posts for Ada as the page does, and gives the answer. */
async function postAsAda<T>(url: string, path: string, body: object): Promise<T> {
  const response = await fetch(`${url}ui/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: ADA, ...body }),
  });
  return (await response.json()) as T;
}

/** A bot with a form for a zone and a file; both go to `document` when it is submitted. */
function registerUpload(app: App, document: unknown[]): void {
  app.command('/edge', async ({ ack, respond }) => {
    await ack();
    await respond({
      text: 'twin',
      blocks: [
        { type: 'actions', block_id: 'ask', elements: [{ type: 'button', action_id: 'open', text: plain('Open') }] },
      ],
    });
  });
  app.action('open', async ({ ack, body, client }) => {
    await ack();
    if (body.type !== 'block_actions') return;
    await client.views.open({
      trigger_id: body.trigger_id,
      view: {
        type: 'modal',
        callback_id: 'form',
        title: plain('Upload'),
        submit: plain('Go'),
        blocks: [
          {
            type: 'input',
            block_id: 'zone',
            label: plain('Zone'),
            element: { type: 'external_select', action_id: 'pick', min_query_length: 0 },
          },
          {
            type: 'input',
            block_id: 'file',
            label: plain('File'),
            element: { type: 'file_input', action_id: 'file' },
          },
        ],
      },
    });
  });
  app.options('pick', async ({ ack, payload }) =>
    ack({ options: [{ text: plain(`zone ${payload.value}`), value: '7' }] }),
  );
  app.view('form', async ({ ack, body, client }) => {
    document.push(
      body.view.state.values.zone?.pick?.selected_option?.value,
      body.view.state.values.file?.file?.files?.[0]?.name,
    );
    await ack();
    await client.chat.postMessage({ channel: OPS, text: 'uploaded' });
  });
}

test('a page can do over JSON what people do: type, press, choose, fill in, submit', async () => {
  const document: unknown[] = [];
  await using world = await stage((app) => registerUpload(app, document));
  const { url } = world.slack;
  const post = <T>(path: string, body: object) => postAsAda<T>(url, path, body);
  const ada = await follow(url, ADA);
  await ada.until('ready');

  expect(await post('type', { channel: OPS, text: '/edge guardian upload' })).toEqual({ ok: true });
  const { message } = await ada.until('message');
  expect(message).toMatchObject({ ephemeral: true, text: 'twin', blocks: [{ type: 'actions', block_id: 'ask' }] });

  const pressed = { at: { channel: OPS, ts: message.ts }, block: 'ask', action: 'open' };
  expect(await post('click', pressed)).toEqual({ ok: true });
  const { views } = await ada.until('views');
  const view = views[0] as UiView;
  expect(view).toMatchObject({
    title: 'Upload',
    submit: 'Go',
    close: 'Cancel',
    values: { zone: { pick: null }, file: { file: [] } },
  });

  const suggested = await post('suggest', { at: { view: view.id }, block: 'zone', action: 'pick', query: 'shop' });
  expect(suggested).toEqual({ ok: true, options: [{ text: plain('zone shop'), value: '7' }], groups: [] });
  expect(await post('submit', { view: view.id, values: {} })).toMatchObject({
    ok: true,
    errors: { zone: 'Please complete this required field.' },
  });
  expect((await ada.until('views')).views[0]?.errors).toHaveProperty('zone');

  const upload = await fetch(`${url}ui/upload?user=${ADA}&name=spec.json`, {
    method: 'POST',
    body: '{"openapi":"3.1.0"}',
  });
  const { file } = (await upload.json()) as { file: { id: string; url: string } };
  expect(await (await fetch(file.url)).text()).toBe('{"openapi":"3.1.0"}');
  expect(await post('submit', { view: view.id, values: { zone: { pick: '7' }, file: { file: [file.id] } } })).toEqual({
    ok: true,
  });
  expect((await ada.until('views')).views).toEqual([]);
  expect((await ada.until('message')).message.text).toBe('uploaded');
  expect(document).toEqual(['7', 'spec.json']);

  const state = async (user: string) => (await (await fetch(`${url}ui/state?user=${user}`)).json()) as UiState;
  expect((await state(ADA)).messages[OPS]?.map((each) => each.text)).toEqual(['twin', 'uploaded']);
  const ben = await state(BEN);
  expect(ben.messages[OPS]?.map((each) => each.text)).toEqual(['uploaded']);
  expect(ben.channels.map((each) => each.name)).toEqual(['ops', 'releases', 'random', 'partners', 'edgewise']);
  expect(ben).toMatchObject({ user: { role: 'member' }, views: [], home: null, bot: { userId: 'U0EDGEWISE1' } });
  ada.stop();
});

test('a press that the bot cannot take is told to the page', async () => {
  await using world = await stage((app) => {
    app.command('/edge', async ({ ack }) =>
      ack({
        blocks: [
          {
            type: 'actions',
            block_id: 'ask',
            elements: [{ type: 'button', action_id: 'broken', text: plain('Break') }],
          },
        ],
      }),
    );
    app.action('broken', async () => {
      throw new Error('on purpose');
    });
  });
  const ops = world.slack.person('ada').in('#ops');
  await ops.type('/edge');
  const card = await ops.expectMessage('Break');
  await expect(card.click('Break')).rejects.toThrow('dispatch_failed');
});

test('a page that is mounted gets every other path', async () => {
  await using world = await stage(() => undefined, {
    page: (request, response) => {
      if (request.url !== '/') return false;
      response.end('<h1>Page</h1>');
      return true;
    },
  });
  expect(await (await fetch(world.slack.url)).text()).toBe('<h1>Page</h1>');
  expect((await fetch(`${world.slack.url}nothing`)).status).toBe(404);
  expect((await fetch(`${world.slack.url}ui/state?user=U0NOBODY`)).status).toBe(400);
  const foreign = { headers: { origin: 'https://elsewhere.example' } };
  expect((await fetch(`${world.slack.url}ui/people`, foreign)).status).toBe(403);
  expect((await fetch(`${world.slack.url}ui/people`)).status).toBe(200);
});
