import { setTimeout as pause } from 'node:timers/promises';
import { App } from '@slack/bolt';
import { afterEach } from 'vitest';
import { createLog } from '../../../src/log.ts';
import { Secret } from '../../../src/secret.ts';
import { createLibraryLog } from '../../../src/slack/clients.ts';
import { ALLOWANCE, createAllowances } from '../../../src/slack/in/allowance.ts';
import { createPresence, type Presence } from '../../../src/slack/in/presence.ts';
import { createSocketMode, type SocketMode, type SocketTimes } from '../../../src/slack/in/socket-mode.ts';
import { createSecretFilter } from '../../../src/slack/out/secrets.ts';
import { type Fault, type FaultServer, startFaultServer } from './fault-server.ts';

const APP_TOKEN = 'xapp-1-A1-1-abc';

/** All that takes seconds takes milliseconds here. */
const TIMES: SocketTimes = {
  ...{ call: 400, arrival: 300, silence: 10_000, closing: 50, settled: 0, linger: 400, answers: 500 },
  ...{ spare: 150, first: 4, most: 30, slowly: 60 },
};

/** So long may the bot lag behind what is so, in milliseconds: both sides share a thread, and the machine is busy. */
export const MOMENT = 100;

export interface Bot {
  server: FaultServer;
  presence: Presence;
  socketMode: SocketMode;
  /** Log lines: their words, and everything in them. */
  log: { level: number; msg: string; [field: string]: unknown }[];
  /** Commands that reached a listener. */
  commands: string[];
  /** The longest time that the bot was wrong about having a connection, in milliseconds. */
  wrong(): number;
  says(words: string): boolean;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A hundred times as fast as real time, so that an absence is one. */
const now = () => new Date(1_800_000_000_000 + 100 * performance.now());

/** Bolt behind the connections, as the bot has it. */
export async function startBot(
  times: Partial<SocketTimes> = {},
  prepare: (server: FaultServer) => void = () => undefined,
): Promise<Bot> {
  const server = await startFaultServer(APP_TOKEN);
  closing.push(() => server.close());
  prepare(server);
  const log: Bot['log'] = [];
  const botLog = createLog('debug', createSecretFilter([]), (line) => log.push(JSON.parse(line)));
  const presence = createPresence('socket', now());
  const socketMode = createSocketMode({
    appToken: Secret.of(APP_TOKEN),
    apiUrl: server.apiUrl,
    presence,
    now,
    log: botLog,
    waiting: [],
    allowances: createAllowances({ ...ALLOWANCE, burst: 1_000_000, underway: 1_000_000 }),
    times: { ...TIMES, ...times },
  });
  const app = new App({
    receiver: socketMode,
    logger: createLibraryLog(botLog),
    convoStore: false,
    authorize: async () => ({ botToken: 'xoxb-1', botId: 'B1', botUserId: 'U1', teamId: 'T1' }),
  });
  const commands: string[] = [];
  app.command(/.*/, async ({ command, ack }) => {
    await ack();
    commands.push(command.text);
  });
  app.view(/.*/, async ({ ack, view }) => {
    if (view.callback_id === 'broken') throw new Error('this listener fails');
    await pause(view.callback_id === 'slow' ? 200 : 30);
    await ack({ response_action: 'clear' });
  });
  app.error(async () => undefined);
  closing.push(() => socketMode.stop());
  const wrong = watchReadiness(server, presence);
  return {
    server,
    presence,
    socketMode,
    log,
    commands,
    wrong,
    says: (words) => log.some(({ msg }) => msg.includes(words)),
  };
}

/** Compares at every turn what the bot believes with what is so. */
function watchReadiness(server: FaultServer, presence: Presence): () => number {
  let since: number | undefined;
  let longest = 0;
  const watching = setInterval(() => {
    const isRight = server.lines.length > 0 === presence.connections > 0;
    since = isRight ? undefined : (since ?? performance.now());
    if (since !== undefined) longest = Math.max(longest, performance.now() - since);
  }, 1);
  closing.push(async () => clearInterval(watching));
  return () => longest;
}

export async function until(what: () => boolean, patience = 5_000): Promise<void> {
  const deadline = performance.now() + patience;
  while (!what()) {
    if (performance.now() > deadline) throw new Error(`it did not come about: ${what}`);
    await pause(2);
  }
}

export const command = (text: string) => ({ command: '/edge', text, user_id: 'U2', team_id: 'T1', channel_id: 'C1' });

/** Everything that was delivered is answered. */
export const isAllAnswered = ({ delivered }: FaultServer) => delivered.every(({ isAnswered }) => isAnswered);

/** Both connections stand. */
export async function untilBoth({ server, presence }: Bot): Promise<void> {
  await until(() => server.lines.length === 2 && presence.connections === 2);
}

/** Commands all the time, over whatever connection there is. Returns what ends them and waits for the last. */
export function commandsUnderWay({ server, commands }: Bot): () => Promise<number> {
  let sent = 0;
  const load = setInterval(() => {
    if (server.lines.some(({ isLeaving }) => !isLeaving)) server.deliver('slash_commands', command(`${sent++}`));
  }, 3);
  closing.push(async () => clearInterval(load));
  return async () => {
    clearInterval(load);
    await until(() => commands.length === sent && isAllAnswered(server));
    return sent;
  };
}

export const AWAY: [string, Fault][] = [
  ['503', { kind: 'status', status: 503 }],
  ['429', { kind: 'status', status: 429, retryAfter: 0.05 }],
  ['drop', { kind: 'drop' }],
  ['a hang of ten seconds', { kind: 'hang', ms: 10_000 }],
  ['internal_error', { kind: 'error', error: 'internal_error' }],
  ['a page of HTML', { kind: 'garbage' }],
  ['a refused WebSocket', { kind: 'refuse' }],
  ['a WebSocket that nobody answers', { kind: 'mute' }],
  ['an answer without an address', { kind: 'nowhere' }],
  ['an address that is none', { kind: 'nowhere', url: 'not an address' }],
  ['an address at which nobody is', { kind: 'nowhere', url: 'ws://127.0.0.1:9/link' }],
  ['no hello', { kind: 'silent' }],
  ['link_disabled instead of hello', { kind: 'goodbye', reason: 'link_disabled' }],
  ['too_many_websockets instead of hello', { kind: 'goodbye', reason: 'too_many_websockets' }],
];
