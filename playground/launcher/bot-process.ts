/** The unmodified bot as a child process: started, waited for, watched, stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, type WriteStream } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The bot as a process that can be started, stopped and killed. */
export interface BotProcess {
  readonly pid: number | undefined;
  /** What its own port answers at. */
  readonly url: string;
  /** True while it runs, once it said that it is ready. */
  readonly isReady: boolean;
  readonly logFile: string;
  /** Its last log lines, oldest first. */
  lastLines(): string[];
  /** Starts it again after it ended; resolves when it is ready. Throws a BotEndedError. */
  start(): Promise<void>;
  /** Ends it as a deployment would (SIGTERM), and for good after some seconds. */
  stop(): Promise<void>;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
}

interface BotSettings {
  environment: Record<string, string>;
  port: number;
  logFile: string;
  /** Called when it runs for long and is not ready, with what it says of that: Slack may be away. */
  onWaiting?(reason: string): void;
  /** Called when it ended without being told to. */
  onExit(reason: string): void;
}

/** The bot ended before it was ready, or did not get ready in time. */
export class BotEndedError extends Error {
  override name = 'BotEndedError';
}

const root = fileURLToPath(new URL('../../', import.meta.url));
/** A package from npm has no sources. */
const program = existsSync(`${root}src`) ? ['--import', 'tsx', 'src/index.ts'] : ['dist/index.js'];
const readyLimit = 30_000;
const stopLimit = 10_000;
const keptLines = 15;

/** This process's own settings without those that would point the bot at a real workspace, platform or channel. */
export function inherited(environment: NodeJS.ProcessEnv): Record<string, string> {
  const own = /^(SLACK_|PLATFORM_|STORE_|EDGEWISE_|REPORT_CHANNEL$|POLICY_|TOKEN_ENV_FILE$|LOG_LEVEL$|PORT$)/;
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || own.test(name) ? [] : [[name, value]],
    ),
  );
}

/** A port that is free now, and that no outgoing connection takes while a bot is started again. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(randomInt(10_000, 30_000), '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  } catch {
    return freePort();
  }
}

/** The bot's process, and what it said. */
interface Bot {
  settings: BotSettings;
  log: WriteStream;
  child: ChildProcess | undefined;
  isReady: boolean;
  isStopping: boolean;
  lines: string[];
  /** Says how the process ended; empty while it runs. */
  ended: string;
}

/** Prepares the process; `start` starts it. */
export function createBotProcess(settings: BotSettings): BotProcess {
  const log = createWriteStream(settings.logFile, { flags: 'a' });
  const bot: Bot = { settings, log, child: undefined, isReady: false, isStopping: false, lines: [], ended: '' };
  return {
    get pid() {
      return bot.child?.pid;
    },
    url: `http://127.0.0.1:${settings.port}`,
    logFile: settings.logFile,
    get isReady() {
      return bot.isReady;
    },
    lastLines: () => bot.lines,
    start: () => start(bot),
    stop: () => end(bot, 'SIGTERM'),
    kill: () => end(bot, 'SIGKILL'),
  };
}

async function start(bot: Bot): Promise<void> {
  const { port } = bot.settings;
  spawnBot(bot);
  const deadline = Date.now() + readyLimit;
  let hasSaid = false;
  while (bot.ended === '') {
    const { ok, text } = await readiness(`http://127.0.0.1:${port}/health/ready`);
    if (ok) {
      bot.isReady = true;
      return;
    }
    if (Date.now() > deadline && text === undefined) {
      await end(bot, 'SIGKILL');
      throw new BotEndedError(`The bot was not ready after ${readyLimit / 1000} seconds.`);
    }
    if (Date.now() > deadline && text !== undefined && !hasSaid) {
      hasSaid = true;
      bot.settings.onWaiting?.(text);
    }
    await pause(100);
  }
  throw new BotEndedError(`The bot ${bot.ended} before it was ready.`);
}

function spawnBot(bot: Bot): void {
  const { environment, port, onExit } = bot.settings;
  Object.assign(bot, { isStopping: false, lines: [], ended: '' });
  // A process group of its own: Ctrl-C is for this process, which stops the bot first and what it talks to last.
  const child = spawn(process.execPath, program, {
    cwd: root,
    env: { ...inherited(process.env), ...environment, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  bot.child = child;
  child.stdout.on('data', (chunk: Buffer) => keepLines(bot, chunk));
  child.stderr.on('data', (chunk: Buffer) => keepLines(bot, chunk));
  child.once('exit', (code, signal) => {
    bot.ended = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
    const wasReady = bot.isReady;
    bot.isReady = false;
    if (wasReady && !bot.isStopping) onExit(bot.ended);
  });
  child.once('error', (error) => {
    bot.ended = error.message;
  });
}

function keepLines(bot: Bot, chunk: Buffer): void {
  bot.log.write(chunk);
  const said = chunk.toString().split('\n');
  bot.lines = [...bot.lines, ...said.filter((line) => line.trim() !== '')].slice(-keptLines);
}

async function end(bot: Bot, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const { child } = bot;
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  bot.isStopping = true;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), stopLimit);
  await ended;
  clearTimeout(timer);
}

/** A bot that answers says this of itself, ready or not. */
async function readiness(url: string): Promise<{ ok: boolean; text?: string }> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    return { ok: answer.ok, text: ((await answer.json()) as { says: string }).says };
  } catch {
    return { ok: false };
  }
}
