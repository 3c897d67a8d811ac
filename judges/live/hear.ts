import type { App, SlashCommand } from '@slack/bolt';
import type { Logger } from 'pino';
import { request } from 'undici';
import type { Secret } from '../../src/secret.ts';
import { TIMEOUT } from '../../src/slack/clients.ts';
import { hostsOf, isSlacks } from '../../src/slack/hosts.ts';
import { createAllowances } from '../../src/slack/in/allowance.ts';
import { createHttpServer } from '../../src/slack/in/http-server.ts';
import { parseCommand } from '../../src/slack/in/payloads.ts';
import { createPresence } from '../../src/slack/in/presence.ts';
import { createReceiver } from '../../src/slack/in/receiver.ts';
import { createSocketMode } from '../../src/slack/in/socket-mode.ts';
import type { Origin } from '../../src/slack/services.ts';

/** How Slack reaches whoever listens for one command: as it reaches the bot. */
export interface Hearing {
  appToken?: Secret | undefined;
  signingSecret?: Secret | undefined;
  apiUrl: string;
  port: number;
  log: Logger;
  /** Called when Slack can reach it. */
  ready(): void;
  /** Ends the listening. */
  signal: AbortSignal;
}

const BUSY = 'Edgewise’s doctor holds this connection for a minute. Nothing was done: try again then.';

/**
 * Listens beside the bot for one command whose line begins with a word. Others who send something meanwhile are told to come
 * again, and events are lost. Undefined: none came before the signal. Throws SlackRefusedError, and the error of a port that is taken.
 */
export async function hearCommand(
  hearing: Hearing,
  word: string,
): Promise<{ line: string; origin: Origin } | undefined> {
  const { signal } = hearing;
  let close = async () => undefined as unknown;
  try {
    return await new Promise((resolve, reject) => {
      const end = () => resolve(undefined);
      if (signal.aborted) end();
      signal.addEventListener('abort', end, { once: true });
      const processEvent = takeOne(hearing, word, resolve);
      close = open(hearing, { processEvent }, reject);
    });
  } finally {
    await close();
  }
}

/** Has Slack reach the app, and returns what ends that. */
function open(
  hearing: Hearing,
  app: Pick<App, 'processEvent'>,
  failed: (error: unknown) => void,
): () => Promise<unknown> {
  const { appToken, signingSecret, port, log, ready } = hearing;
  const now = () => new Date();
  const allowances = createAllowances();
  if (appToken !== undefined) {
    const socket = createSocketMode({
      ...hearing,
      allowances,
      waiting: [],
      appToken,
      presence: createPresence('socket', now()),
      now,
    });
    socket.init(app);
    socket.start().then(ready, failed);
    return () => socket.stop();
  }
  if (signingSecret === undefined) throw new Error('Neither Socket Mode nor HTTP is set up.');
  const receiver = createReceiver({ signingSecret, now, log, allowances, waiting: [] });
  receiver.init(app);
  const http = createHttpServer(new Map([['POST /slack/events', receiver.route]]), log);
  http.listen(port).then(ready, failed);
  return async () => {
    await receiver.stop();
    if (http.server.listening) await http.close();
  };
}

type Given = Parameters<App['processEvent']>[0];

function takeOne(
  { apiUrl, log }: Hearing,
  word: string,
  found: (heard: { line: string; origin: Origin }) => void,
): App['processEvent'] {
  return async ({ body, ack }: Given) => {
    // Unanswered, a form says that it could not be sent, and a select shows nothing.
    if (body.type === 'view_submission' || body.type === 'block_suggestion') return;
    await ack();
    if (typeof body.command === 'string' && String(body.text).startsWith(`${word} `)) {
      found(parseCommand(body as unknown as SlashCommand));
      return;
    }
    const { response_url: url } = body;
    if (typeof url !== 'string' || !isSlacks(hostsOf(apiUrl), 'responses', url)) return;
    const said = JSON.stringify({ text: BUSY, response_type: 'ephemeral', replace_original: false });
    const headers = { 'content-type': 'application/json' };
    await request(url, { method: 'POST', headers, body: said, signal: AbortSignal.timeout(TIMEOUT) }).catch(
      (error: unknown) => log.info({ err: error }, 'somebody could not be told to come again'),
    );
  };
}
