import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../playground/launcher/bot-process.ts';

/** The server's program, which the package `sqld` brings for Linux and macOS. Undefined: not for this system, and what needs it is skipped. */
export const SQLD = findProgram();

/** Why the tests that need it are skipped, for their names. */
export const WITHOUT_SQLD =
  SQLD === undefined ? ` (skipped: there is no sqld for ${process.platform}-${process.arch})` : '';

/** A libSQL server of its own, as several replicas share one: a process with a folder. */
export interface Sqld {
  /** `http://127.0.0.1:…`, the same after it was stopped and started. */
  readonly url: string;
  readonly pid: number | undefined;
  /** Starts it again on what it has stored. Resolves when it answers. */
  start(): Promise<void>;
  /** Ends it, by default in order. Resolves when it has ended. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** SIGSTOP holds it: connections are taken, and nothing is answered; SIGCONT lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends it and removes what it has stored. */
  close(): Promise<void>;
}

/** How long a start may take, in milliseconds: it takes 30 on a machine that has nothing else to do. */
const START_LIMIT = 20_000;

/** Starts a libSQL server on a free port, with nothing in it. Throws where there is none for this system. */
export async function startSqld(): Promise<Sqld> {
  const folder = await mkdtemp(join(tmpdir(), 'edgewise-sqld-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const start = async () => {
    if (SQLD === undefined) throw new Error(`There is no sqld for ${process.platform}-${process.arch}.`);
    const args = ['--no-welcome', '--http-listen-addr', `127.0.0.1:${port}`, '--db-path', folder];
    child = spawn(SQLD, args, { stdio: 'ignore', env: {} });
    for (const begun = Date.now(); !(await answers(url)); ) {
      if (!isRunning() || Date.now() > begun + START_LIMIT) throw new Error('sqld did not start.');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
    if (child === undefined || !isRunning()) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  await start();
  return {
    url,
    get pid() {
      return child?.pid;
    },
    start,
    stop,
    signal: (name) => void child?.kill(name),
    async close() {
      await stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/health`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.ok === true;
}

function findProgram(): string | undefined {
  try {
    const found = createRequire(import.meta.url).resolve(`@sqld/${process.platform}-${process.arch}/package.json`);
    const program = join(dirname(found), 'sqld');
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}
