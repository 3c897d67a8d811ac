/** A Slack for this machine: the Web API, deliveries to the bot, and a workspace of people, on one loopback port. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Change, type Outgoing, SlackError } from './core.ts';
import type { BotAnswer, Delivery, RequestOptions } from './delivery.ts';
import { readBody } from './http.ts';
import { createPerson, type Person } from './people/person.ts';
import type { Response } from './response-urls.ts';
import { createSlack, type Slack } from './slack.ts';
import { answerUi } from './ui.ts';
import type { UiCommand, UiShortcut } from './ui-types.ts';
import { createWebApi, type WebApi } from './web-api/index.ts';
import type { Workspace, WorkspaceSeed } from './workspace.ts';

export type { Change, Outgoing } from './core.ts';
export type { BotAnswer, Delivery, RequestOptions } from './delivery.ts';
export type { Workspace, WorkspaceSeed } from './workspace.ts';

export interface EmulatorOptions {
  /** The clock of triggers, response URLs, rate limits and timestamps. */
  now?: () => Date;
  /** Milliseconds until a person sees `operation_timeout`; 3000 as in Slack. Always real time. */
  ackTimeout?: number;
  deliverTo?: { eventsUrl: string } | 'socket';
  workspace?: WorkspaceSeed;
  /** The port; a free one by default. */
  port?: number;
  /** Where the bot reaches it, with a slash at the end, when something stands in between; its own address by default. */
  publicUrl?: string;
  /** The app's commands and shortcuts, from its manifest: for suggestions, and to refuse other commands. */
  commands?: UiCommand[];
  shortcuts?: UiShortcut[];
  /** The events the app subscribed to; `app_mention`, `message.im` and `app_home_opened` by default. */
  events?: string[];
  /** The bot token's scopes; every scope when absent. */
  scopes?: string[];
  /** Milliseconds before the first, second and third retry of an event; Slack's own by default. */
  retryDelays?: number[];
  /** A workspace that has no data tables and charts yet: messages with them are refused. */
  plainBlocksOnly?: boolean;
  /** Answers requests outside the emulator's own paths: the page. False means that it has nothing there. */
  page?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** How long the vocabulary waits for something, in milliseconds of real time; 5000 by default. */
  patience?: number;
  /** Resolves when the bot has nothing under way: makes `expectNothing` exact where it is known. */
  whenBotIsIdle?: () => Promise<void>;
}

export interface SlackEmulator {
  /** `http://127.0.0.1:PORT/` */
  url: string;
  apiUrl: string;
  /** The bot's settings for this workspace. `SLACK_APP_TOKEN` only with Socket Mode. */
  readonly environment: Record<string, string>;
  /** Where payloads go from now on. */
  deliverTo(target: { eventsUrl: string } | 'socket'): void;
  workspace: Workspace;
  /** Everything that left the bot, in order. */
  outgoing: Outgoing[];
  /** What the bot did that Slack would refuse or ignore. */
  problems: string[];
  /** Everything that was sent to the bot, in order. */
  deliveries: Delivery[];
  person(name: string): Person;
  on(listener: (change: Change) => void): () => void;
  /** Sends the last delivery (or the one given) again, byte for byte, `times` times at once; the answers change nothing. */
  redeliver(times?: number, delivery?: Delivery): Promise<BotAnswer[]>;
  /** POSTs to the bot's events URL. Fields become a form, `payload` in them JSON; signed unless told otherwise. */
  signedRequest(body: string | Record<string, unknown>, options?: RequestOptions): Promise<BotAnswer>;
  /** Resolves when every delivery is acked, no call of the bot is under way, and nothing more came for a moment. */
  idle(): Promise<void>;
  /** Resolves when a bot is connected over Socket Mode. */
  connected(): Promise<void>;
  /** Asks Socket Mode connections to reconnect. */
  refreshSockets(): void;
  close(): Promise<void>;
}

/** How long nothing must happen for the bot to count as idle. */
const QUIET_MS = 60;

export async function startSlackEmulator(options: EmulatorOptions = {}): Promise<SlackEmulator> {
  const slack = createSlack({ ...options });
  const { core, socket, delivery } = slack;
  const webApi = createWebApi(slack);
  const server = createServer((request, response) => {
    answer(slack, webApi, request, response).catch((error: unknown) => {
      core.problem(`the emulator itself failed at ${request.url}: ${String(error)}`);
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(String(error));
    });
  });
  socket.attach(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const ownUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  core.url = options.publicUrl ?? ownUrl;

  const idle = async (): Promise<void> => {
    for (;;) {
      await untilNotBusy(slack);
      await options.whenBotIsIdle?.();
      if (await staysQuiet(slack)) return;
    }
  };
  const persons = new Map<string, Person>();

  return {
    url: ownUrl,
    apiUrl: `${core.url}api/`,
    get environment() {
      return {
        SLACK_BOT_TOKEN: core.botToken,
        SLACK_SIGNING_SECRET: core.signingSecret,
        SLACK_API_URL: `${core.url}api/`,
        ...(core.options.deliverTo === 'socket' ? { SLACK_APP_TOKEN: core.appToken } : {}),
      };
    },
    deliverTo(target) {
      core.options.deliverTo = target;
    },
    workspace: core.workspace,
    outgoing: core.outgoing,
    problems: core.problems,
    deliveries: delivery.deliveries,
    person(name) {
      const user = core.workspace.user(name);
      const person = persons.get(user.id) ?? createPerson(slack, user, idle);
      persons.set(user.id, person);
      return person;
    },
    on: (listener) => core.on(listener),
    redeliver: (times = 1, wanted) => delivery.redeliver(times, wanted),
    signedRequest(body, requestOptions) {
      if (typeof body === 'string') return delivery.request(body, requestOptions);
      const fields = Object.entries(body).map(([name, value]): [string, string] => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      return delivery.request(new URLSearchParams(fields).toString(), requestOptions);
    },
    idle,
    connected: () => socket.connected(),
    refreshSockets: () => socket.refresh(),
    close() {
      delivery.close();
      socket.close();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(slack: Slack, webApi: WebApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { core } = slack;
  const path = new URL(request.url ?? '/', core.url).pathname;
  if (path.startsWith('/api/')) return webApi.answer(path.slice('/api/'.length), request, response);
  if (path.startsWith('/ui/')) return answerUi(slack, request, response);
  if (path.startsWith('/response/')) return core.busy(() => answerResponseUrl(slack, path.slice(1), request, response));
  if (path.startsWith('/upload/v1/')) return core.busy(() => answerUpload(webApi, path, request, response));
  if (path.startsWith('/files-pri/')) return answerDownload(slack, path, request, response);
  if (core.options.page?.(request, response)) return undefined;
  response.writeHead(404, { 'content-type': 'text/plain' });
  response.end('There is nothing here.');
}

async function answerResponseUrl(
  slack: Slack,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { raw, fields } = await readBody(request);
  const posted = Object.keys(fields).length > 0 ? fields : (JSON.parse(raw.toString() || '{}') as object);
  try {
    slack.responseUrls.post(path, posted as Response);
    slack.core.record('response_url', posted);
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('ok');
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    slack.core.record('response_url', posted, error.message);
    response.writeHead(error.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(error.answer));
  }
}

async function answerUpload(
  webApi: WebApi,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { raw, files } = await readBody(request);
  const bytes = files[0]?.bytes ?? raw;
  const isKnown = webApi.uploads.receive(path.slice('/upload/v1/'.length), bytes);
  response.writeHead(isKnown ? 200 : 404, { 'content-type': 'text/plain' });
  response.end(isKnown ? `OK - ${bytes.length}` : 'not found');
}

function answerDownload(slack: Slack, path: string, request: IncomingMessage, response: ServerResponse): void {
  const id = /^\/files-pri\/[^/]+-([^/-]+)\//.exec(path)?.[1] ?? '';
  const file = slack.core.workspace.files.get(id);
  if (request.headers.authorization !== `Bearer ${slack.core.botToken}`) {
    // Slack sends the sign-in page instead of an error; a careless client takes it for the file.
    slack.core.problem('a file was fetched without the bot token');
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end('<!DOCTYPE html><html><head><title>Sign in to Slack</title></head><body>Sign in</body></html>');
  } else if (file) {
    response.writeHead(200, { 'content-type': file.mimetype, 'content-length': file.bytes.length });
    response.end(file.bytes);
  } else {
    response.writeHead(404, { 'content-type': 'text/html' });
    response.end('<!DOCTYPE html><html><body>File not found</body></html>');
  }
}

function untilNotBusy(slack: Slack): Promise<void> {
  if (!slack.core.isBusy()) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = slack.core.on((change) => {
      if (change.type !== 'idle') return;
      stop();
      resolve();
    });
  });
}

/** Whether nothing happens for a moment: the bot's own work between two calls cannot be seen from here. */
function staysQuiet(slack: Slack): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isQuiet: boolean): void => {
      clearTimeout(timer);
      stop();
      resolve(isQuiet);
    };
    const timer = setTimeout(() => end(!slack.core.isBusy()), QUIET_MS);
    const stop = slack.core.on(() => end(false));
  });
}
