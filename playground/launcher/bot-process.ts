/** The unmodified bot as a child process: started, waited for, watched, stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface BotProcess {
  readonly pid: number | undefined;
  /** Whether it runs and said that it is ready. */
  readonly isReady: boolean;
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
  /** Called when it ended without being told to. */
  onExit(reason: string): void;
}

/** The bot ended before it was ready, or did not get ready in time. */
export class BotEndedError extends Error {
  override name = 'BotEndedError';
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const readyLimit = 30_000;
const stopLimit = 10_000;
const keptLines = 15;

/** What of this process's own settings the bot may see: nothing that points it at a real workspace, platform or channel. */
export function inherited(environment: NodeJS.ProcessEnv): Record<string, string> {
  const own = /^(SLACK_|PLATFORM_|STORE_|EDGEWISE_|REPORT_CHANNEL$|POLICY_|TOKEN_ENV_FILE$|LOG_LEVEL$|PORT$)/;
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || own.test(name) ? [] : [[name, value]],
    ),
  );
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Prepares the process; `start` starts it. */
export function createBotProcess({ environment, port, logFile, onExit }: BotSettings): BotProcess {
  const log = createWriteStream(logFile, { flags: 'a' });
  let child: ChildProcess | undefined;
  let isReady = false;
  let isStopping = false;
  let lines: string[] = [];

  function keep(chunk: Buffer): void {
    log.write(chunk);
    lines = [
      ...lines,
      ...chunk
        .toString()
        .split('\n')
        .filter((line) => line.trim() !== ''),
    ].slice(-keptLines);
  }

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const running = child;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    isStopping = true;
    const ended = once(running, 'exit');
    running.kill(signal);
    const timer = setTimeout(() => running.kill('SIGKILL'), stopLimit);
    await ended;
    clearTimeout(timer);
  }

  return {
    get pid() {
      return child?.pid;
    },
    get isReady() {
      return isReady;
    },
    lastLines: () => lines,
    async start() {
      isStopping = false;
      lines = [];
      // A process group of its own: Ctrl-C is for this process, which stops the bot first and what it talks to last.
      const started = spawn(process.execPath, ['--import', 'tsx', 'src/index.ts'], {
        cwd: root,
        env: { ...inherited(process.env), ...environment, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      child = started;
      started.stdout.on('data', keep);
      started.stderr.on('data', keep);
      let ended = '';
      started.once('exit', (code, signal) => {
        ended = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
        const wasReady = isReady;
        isReady = false;
        if (wasReady && !isStopping) onExit(ended);
      });
      started.once('error', (error) => {
        ended = error.message;
      });

      const deadline = Date.now() + readyLimit;
      while (ended === '') {
        if (await isUp(`http://127.0.0.1:${port}/health/ready`)) {
          isReady = true;
          return;
        }
        if (Date.now() > deadline) {
          await end('SIGKILL');
          throw new BotEndedError(`The bot was not ready after ${readyLimit / 1000} seconds.`);
        }
        await pause(100);
      }
      throw new BotEndedError(`The bot ${ended} before it was ready.`);
    },
    async stop() {
      await end('SIGTERM');
    },
    async kill() {
      await end('SIGKILL');
    },
  };
}

async function isUp(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}
