/** A Slack for this machine: the Web API, deliveries to the bot, and a workspace of people, on one loopback port. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { installApp } from './apps.ts';
import { addProblem, listen, record, untilIdle, whileBusy } from './changes.ts';
import { type BotAnswer, closeDelivery, type RequestOptions, redeliver, sendRequest } from './delivery.ts';
import { addFault, clearFaults, fail, takeFault } from './faults.ts';
import { readBody } from './http.ts';
import { createPerson, type Person } from './people/person.ts';
import { postToResponseUrl, type Response } from './response-urls.ts';
import {
  type Ack,
  type Change,
  type ConnectionFault,
  createSlack,
  type Delivery,
  type DeliveryTarget,
  type DisconnectReason,
  type EmulatorOptions,
  type Outgoing,
  type Slack,
  SlackError,
} from './slack.ts';
import {
  attachSockets,
  closeSockets,
  disconnectAll,
  disconnectSocket,
  dropSockets,
  openSockets,
  sayLimited,
  sendEnvelope,
  silenceSocket,
  untilConnected,
} from './socket-mode.ts';
import { answerUi } from './ui.ts';
import { receiveUpload } from './web-api/files.ts';
import { answerApi } from './web-api/index.ts';
import type { Workspace } from './workspace.ts';

export type { BotAnswer, RequestOptions } from './delivery.ts';
export type { Change, Delivery, EmulatorOptions, Outgoing } from './slack.ts';

/** An emulator that listens. */
export interface SlackEmulator {
  /** `http://127.0.0.1:PORT/` */
  url: string;
  apiUrl: string;
  /** The bot's settings for this workspace: `SLACK_APP_TOKEN` with Socket Mode, else `SLACK_SIGNING_SECRET`. */
  readonly environment: Record<string, string>;
  /** Where payloads go from now on. */
  deliverTo(target: DeliveryTarget): void;
  workspace: Workspace;
  /** The settings of the second app's bot, where there is one. */
  readonly second: Record<string, string>;
  /** Everything that left the bot, in order. */
  outgoing: Outgoing[];
  /** Everything the bot did that Slack would refuse or ignore. */
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
  /**
   * Lets Slack misbehave: `chat.update=msg_too_long*3`, `any=503`; `faults.ts` has the table. Call what it returns to end that.
   * Throws a RangeError with a sentence about what is wrong with it.
   */
  fault(text: string): () => void;
  /** Socket Mode on a bad day. */
  sockets: SocketControls;
  close(): Promise<void>;
}

/** The unkindness of Socket Mode, on demand. */
export interface SocketControls {
  /** Each call of `apps.connections.open` fails like the first. */
  faults: ConnectionFault[];
  /** Every call of any method fails like this, as long as it is set. */
  away: ConnectionFault | undefined;
  /** How many calls failed like that. */
  readonly failed: number;
  /** How many connections there are, also those that Slack ends. */
  readonly standing: number;
  /** How many connections payloads may go over. */
  readonly open: number;
  /** Ends connections, all or the first ones: says so, and closes them so many milliseconds later. */
  disconnect(reason: DisconnectReason, options?: { count?: number; closeAfter?: number }): void;
  /** Cuts every connection without a word. */
  drop(): void;
  /** Answers nothing more on the connections, pings neither. */
  silence(): void;
  /** Sends an envelope of any shape; resolves when it is acked. */
  send(fields: Record<string, unknown>): Promise<Ack>;
  /** Says that the app gets too many events. */
  limit(): Promise<Ack>;
}

/** Starts an emulator on loopback. */
export async function startSlackEmulator(options: EmulatorOptions = {}): Promise<SlackEmulator> {
  const slack = createSlack({ ...options });
  const server = createServer((request, response) => {
    answer(slack, request, response).catch((error: unknown) => {
      addProblem(slack, `the emulator itself failed at ${request.url}: ${String(error)}`);
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(String(error));
    });
  });
  if (options.second) installApp(slack, options.second);
  attachSockets(slack, server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const ownUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  slack.url = options.publicUrl ?? ownUrl;
  const persons = new Map<string, Person>();

  return {
    url: ownUrl,
    apiUrl: `${slack.url}api/`,
    get environment() {
      return environmentOf(slack);
    },
    get second() {
      return environmentOf(slack.apps[1] ?? slack);
    },
    deliverTo(target) {
      slack.options.deliverTo = target;
    },
    workspace: slack.workspace,
    outgoing: slack.outgoing,
    problems: slack.problems,
    deliveries: slack.deliveries,
    person(name) {
      const user = slack.workspace.user(name);
      const person = persons.get(user.id) ?? createPerson(slack, user);
      persons.set(user.id, person);
      return person;
    },
    on: (listener) => listen(slack, listener),
    redeliver: (times = 1, delivery) => redeliver(slack, times, delivery),
    signedRequest: (body, requestOptions) => sendRequest(slack, body, requestOptions),
    idle: () => untilIdle(slack),
    connected: () => untilConnected(slack),
    refreshSockets: () => disconnectAll(slack, 'refresh_requested'),
    fault: (text) => addFault(slack, text),
    sockets: controlSockets(slack),
    close() {
      clearFaults(slack);
      closeDelivery(slack);
      for (const own of slack.apps) closeSockets(own);
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function controlSockets(slack: Slack): SocketControls {
  const { sockets } = slack;
  return {
    faults: sockets.faults,
    get away() {
      return sockets.away;
    },
    set away(fault) {
      sockets.away = fault;
    },
    get failed() {
      return sockets.failed;
    },
    get standing() {
      return sockets.open.length;
    },
    get open() {
      return openSockets(sockets).length;
    },
    disconnect(reason, { count, closeAfter } = {}) {
      for (const socket of openSockets(sockets).slice(0, count)) disconnectSocket(slack, socket, reason, closeAfter);
    },
    drop: () => dropSockets(sockets),
    silence() {
      for (const socket of openSockets(sockets)) silenceSocket(slack, socket);
    },
    send: (fields) => sendEnvelope(slack, fields),
    limit: () => sayLimited(slack),
  };
}

function environmentOf(slack: Slack): Record<string, string> {
  return {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_API_URL: `${slack.url}api/`,
    ...(slack.options.deliverTo === 'socket'
      ? { SLACK_APP_TOKEN: slack.appToken }
      : { SLACK_SIGNING_SECRET: slack.signingSecret }),
  };
}

async function answer(slack: Slack, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // As Slack's own, by which the bot looks at its clock.
  response.setHeader('date', (slack.options.dated ?? slack.now)().toUTCString());
  const path = new URL(request.url ?? '/', slack.url).pathname;
  if (path.startsWith('/api/')) return answerApi(slack, path.slice('/api/'.length), request, response);
  if (path.startsWith('/ui/')) return answerUi(slack, request, response);
  if (path.startsWith('/response/'))
    return whileBusy(slack, () => answerResponseUrl(slack, path.slice(1), request, response));
  if (path.startsWith('/upload/v1/')) return whileBusy(slack, () => answerUpload(slack, path, request, response));
  if (path.startsWith('/files-pri/')) return answerDownload(slack, path, request, response);
  if (slack.options.page?.(request, response)) return undefined;
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
  const fault = takeFault(slack, 'response_url');
  if (fault && !fault.isAfter && (await fail(slack, fault.outcome, response))) return;
  try {
    postToResponseUrl(slack, path, posted as Response);
    if (fault?.isAfter && (await fail(slack, fault.outcome, response))) return;
    record(slack, 'response_url', posted);
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('ok');
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    record(slack, 'response_url', posted, error.message);
    response.writeHead(error.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(error.answer));
  }
}

async function answerUpload(
  slack: Slack,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { raw, files } = await readBody(request);
  const bytes = files[0]?.bytes ?? raw;
  const isKnown = receiveUpload(slack, path.slice('/upload/v1/'.length), bytes);
  response.writeHead(isKnown ? 200 : 404, { 'content-type': 'text/plain' });
  response.end(isKnown ? `OK - ${bytes.length}` : 'not found');
}

async function answerDownload(
  slack: Slack,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fault = takeFault(slack, 'download');
  if (fault && (await fail(slack, fault.outcome, response))) return;
  const id = /^\/files-pri\/[^/]+-([^/-]+)\//.exec(path)?.[1] ?? '';
  const file = slack.workspace.files.get(id);
  if (!slack.apps.some(({ botToken }) => request.headers.authorization === `Bearer ${botToken}`)) {
    // Slack sends the sign-in page instead of an error; a careless client takes it for the file.
    addProblem(slack, 'a file was fetched without the bot token');
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
