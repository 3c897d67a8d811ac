/*
 * The page's interface, on the emulator's own port. Requests and answers are the types of `ui-types.ts`, as JSON.
 *
 *   GET  /ui/people                     -> UiUser[]: who can sit at the page (the bot is not among them)
 *   GET  /ui/state?user=U…              -> UiState; with `&load` the page was loaded anew, and modals are closed
 *   GET  /ui/events?user=U…             -> server-sent events, each `data:` a UiChange; `ready` first
 *   GET  /ui/files/F…                   -> the file's bytes (?download=1 as an attachment)
 *   POST /ui/type      UiTypeRequest    -> UiAnswer
 *   POST /ui/edit      UiEditRequest    -> UiAnswer
 *   POST /ui/away      UiAwayRequest    -> UiAnswer
 *   POST /ui/click     UiClickRequest   -> UiAnswer
 *   POST /ui/select    UiSelectRequest  -> UiAnswer
 *   POST /ui/suggest   UiSuggestRequest -> UiSuggestAnswer
 *   POST /ui/submit    UiSubmitRequest  -> UiSubmitAnswer
 *   POST /ui/close     UiCloseRequest   -> UiAnswer
 *   POST /ui/home      UiHomeRequest    -> UiAnswer
 *   POST /ui/shortcut  UiShortcutRequest-> UiAnswer
 *   POST /ui/upload?user=U…&name=N      the bytes -> UiUploadAnswer
 *
 * A POST answers when the bot has acked or its time is over; messages, views and the home come as events.
 * Confirm dialogs are the page's own: it asks, then posts the click. In a form the page keeps what is typed and sends all
 * of it (`values`) with each click, select and submit.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { press, suggest } from './block-actions.ts';
import { setAway } from './built-ins.ts';
import { listen } from './changes.ts';
import { deleteText, editText, typeText } from './compose.ts';
import { openHome } from './events.ts';
import { storeFile } from './files.ts';
import { readBody } from './http.ts';
import { runShortcut } from './shortcuts.ts';
import type { Change, Slack } from './slack.ts';
import { closeView, submit } from './submissions.ts';
import { uiChannels, uiFile, uiMessage, uiState, uiUser, uiView } from './ui-state.ts';
import type {
  UiAwayRequest,
  UiChange,
  UiClickRequest,
  UiCloseRequest,
  UiEditRequest,
  UiHomeRequest,
  UiSelectRequest,
  UiShortcutRequest,
  UiSubmitRequest,
  UiSuggestRequest,
  UiTypeRequest,
} from './ui-types.ts';
import { clearStack, stackOf } from './views.ts';
import { isVisibleTo, type StoredFile, type User } from './workspace.ts';

/** Answers a request whose path begins with `/ui/`. */
export async function answerUi(slack: Slack, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', slack.url);
  const path = url.pathname.slice('/ui/'.length);
  const { files, users } = slack.workspace;

  if (isForeign(request)) return refuse(response, 403, 'Only the page itself may ask.');
  if (request.method === 'GET' && path === 'people') {
    return sendJson(
      response,
      [...users.values()].filter((user) => !user.isBot).map((user) => uiUser(slack, user)),
    );
  }
  if (request.method === 'GET' && path.startsWith('files/')) {
    const file = files.get(path.slice('files/'.length));
    if (file) return sendFile(response, file, url.searchParams.has('download'));
    return refuse(response, 404, 'There is no such file.');
  }

  const body = request.method === 'POST' ? await readBody(request) : undefined;
  const user = users.get(url.searchParams.get('user') ?? String(body?.fields.user ?? ''));
  if (!user || user.isBot) return refuse(response, 400, 'Say who you are: there is no such user.');
  if (request.method === 'GET' && path === 'state') {
    // A modal does not outlive the client that shows it; the app is told nothing.
    if (url.searchParams.has('load')) clearStack(slack, user.id);
    return sendJson(response, uiState(slack, user));
  }
  if (request.method === 'GET' && path === 'events') return streamChanges(slack, user, request, response);
  if (body && path === 'upload') {
    const file = storeFile(slack, user.id, url.searchParams.get('name') ?? 'file', body.raw);
    return sendJson(response, { ok: true, file: uiFile(slack, file) });
  }
  if (!body) return refuse(response, 404, 'There is no such page.');
  const answer = await act(slack, user, path, body.fields);
  return answer ? sendJson(response, answer) : refuse(response, 404, 'There is no such action.');
}

function sendJson(response: ServerResponse, answer: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(answer));
}

function refuse(response: ServerResponse, status: number, error: string): void {
  sendJson(response, { ok: false, error }, status);
}

/** Sends pictures as they are and the rest as plain text, so that no upload becomes a page. */
function sendFile(response: ServerResponse, file: StoredFile, isDownload: boolean): void {
  const isPicture = /^image\/(png|jpeg|gif)$/.test(file.mimetype);
  response.writeHead(200, {
    'content-type': isPicture ? file.mimetype : 'text/plain; charset=utf-8',
    'content-disposition': `${isDownload ? 'attachment' : 'inline'}; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    'x-content-type-options': 'nosniff',
  });
  response.end(file.bytes);
}

/** Does what the page posted. The page is ours, so its bodies are taken to have the shape of their types. */
async function act(slack: Slack, user: User, path: string, fields: object): Promise<object | undefined> {
  switch (path) {
    case 'type':
      return typeText(slack, user, fields as UiTypeRequest);
    case 'edit': {
      const { text, ...at } = fields as UiEditRequest;
      return text === undefined ? deleteText(slack, user, at) : editText(slack, user, { ...at, text });
    }
    case 'away':
      setAway(slack, user, (fields as UiAwayRequest).away === true);
      return { ok: true };
    case 'click':
      return press(slack, user, fields as UiClickRequest);
    case 'select':
      return press(slack, user, fields as UiSelectRequest);
    case 'suggest':
      return suggest(slack, user, fields as UiSuggestRequest);
    case 'submit':
      return submit(slack, user, fields as UiSubmitRequest);
    case 'close':
      return closeView(slack, user, fields as UiCloseRequest);
    case 'home':
      return openHome(slack, user, (fields as UiHomeRequest).tab);
    case 'shortcut':
      return runShortcut(slack, user, fields as UiShortcutRequest);
    default:
      return undefined;
  }
}

/** Sees that another site asks: a browser names the origin, and a name bent to this machine shows in the host. */
function isForeign({ headers }: IncomingMessage): boolean {
  const host = headers.host ?? '';
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host)) return true;
  return headers.origin !== undefined && headers.origin !== `http://${host}`;
}

function streamChanges(slack: Slack, user: User, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const send = (change: UiChange): void => {
    response.write(`data: ${JSON.stringify(change)}\n\n`);
  };
  send({ type: 'ready' });
  const stop = listen(slack, (change) => {
    for (const each of seenBy(slack, user.id, change)) send(each);
  });
  request.on('close', stop);
}

/** The part of a change that a person notices. */
function seenBy(slack: Slack, user: string, change: Change): UiChange[] {
  const { workspace } = slack;
  switch (change.type) {
    case 'message': {
      const { message } = change;
      if (!isVisibleTo(workspace, message, user)) return [];
      const root = message.threadTs === undefined ? undefined : workspace.message(message.channel, message.threadTs);
      // A new reply also changes the count at its root.
      return (root && change.isNew ? [root, message] : [message])
        .filter((each) => isVisibleTo(workspace, each, user))
        .map((each) => ({ type: 'message', message: uiMessage(slack, each, user) }));
    }
    case 'removed': {
      const { channel, ts, ephemeralTo } = change.message;
      if (ephemeralTo !== undefined && ephemeralTo !== user) return [];
      return workspace.channels.get(channel)?.members.has(user) ? [{ type: 'removed', channel, ts }] : [];
    }
    case 'views':
      return change.user === user ? [{ type: 'views', views: stackOf(slack, user).map(uiView) }] : [];
    case 'home': {
      const home = slack.homes.get(user);
      return change.user === user ? [{ type: 'home', home: home ? uiView(home) : null }] : [];
    }
    case 'channels':
      return [{ type: 'channels', channels: uiChannels(slack, user) }];
    case 'user':
      return [{ type: 'user', user: uiUser(slack, change.user) }];
    case 'notice':
      return change.user === user ? [{ type: 'notice', text: change.text }] : [];
    default:
      return [];
  }
}
