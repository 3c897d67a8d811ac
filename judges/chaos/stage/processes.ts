/** The bot and the store's server as processes of their own, which can be stopped, killed and started again. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../playground/launcher/bot-process.ts';
import { METRICS_TOKEN, metricsAt } from '../../../test/support/metrics.ts';
import { startPostgres, startStandby } from '../../../test/support/postgres.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A process that is started, and started again. */
export interface Running {
  readonly name: string;
  readonly port: number;
  readonly pid: number | undefined;
  /** Runs, as far as its parent knows; a stopped one (SIGSTOP) runs too. */
  readonly isAlive: boolean;
  /** Each start and end: what it was, and when. */
  readonly life: { at: number; what: string }[];
  start(): void;
  /** Sends a signal to this process alone. */
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** When it has ended: its exit code, or the signal's name. */
  ended(): Promise<string>;
  /** What it wrote, a line each, oldest first; the last 20,000. */
  readonly lines: string[];
}

interface Command {
  name: string;
  port: number;
  file: string;
  args: string[];
  environment: Record<string, string>;
  log: string;
}

/** Ends what still runs when the judge itself ends, by a mistake too. */
const kills = new Set<() => void>();
process.once('exit', () => {
  for (const kill of kills) kill();
});

function running({ name, port, file, args, environment, log }: Command): Running {
  const out = createWriteStream(log, { flags: 'a' });
  const life: Running['life'] = [];
  const lines: string[] = [];
  let child: ChildProcess | undefined;
  let end: Promise<string> = Promise.resolve('never started');
  kills.add(() => child?.kill('SIGKILL'));
  const isAlive = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    name,
    port,
    life,
    lines,
    get pid() {
      return child?.pid;
    },
    get isAlive() {
      return isAlive();
    },
    start: () => {
      const one = spawn(file, args, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
      child = one;
      life.push({ at: Date.now(), what: `start, pid ${one.pid}` });
      let rest = '';
      const take = (chunk: Buffer) => {
        out.write(chunk);
        const parts = (rest + chunk.toString()).split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts);
        if (lines.length > 20_000) lines.splice(0, 5_000);
      };
      one.stdout.on('data', take);
      one.stderr.on('data', take);
      end = once(one, 'exit').then(([code, signal]) => {
        life.push({ at: Date.now(), what: `end, ${signal ?? `exit ${code}`}` });
        return String(signal ?? code);
      });
    },
    signal: (signal) => {
      if (!isAlive()) return;
      life.push({ at: Date.now(), what: signal });
      child?.kill(signal);
    },
    ended: () => end,
  };
}

/** Whether `GET` of an address of a process of ours is answered 200 within `limit` milliseconds. */
export async function isOk(port: number, path: string, limit = 1_000): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(limit) });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

/** The text of `/metrics`, or nothing. */
export async function metricsOf(port: number): Promise<string> {
  try {
    return await metricsAt(port, AbortSignal.timeout(3_000));
  } catch {
    return '';
  }
}

/** Until something holds, looking every so often. Throws with `what` when it does not in time. */
export async function until(what: string, limit: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + limit;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${limit} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The server of the store, which is stopped and started like the bots; SIGKILL ends it as a power cut would. */
export interface StoreServer extends Running {
  url: string;
  /** Ends all connections of the bots. */
  cut(): Promise<void>;
  /** Puts the standby in its place: the bots reach it by the same address. Then that one gets a standby. */
  promote(switched: () => void): Promise<void>;
  close(): Promise<void>;
}

/** `synchronous`: nobody is told of a commit that the standby does not have. `asynchronous`: it lacks the last two seconds. */
export type Standby = 'synchronous' | 'asynchronous';

/** Statements on the one that has a standby. */
const WAITING = ["ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()'];
const ALONE = ['ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()'];
const BEHIND = ["ALTER SYSTEM SET primary_conninfo = ''", 'SELECT pg_reload_conf()'];

/** A PostgreSQL server of its own, by an address that stays; started. */
export async function startStore(standing?: Standby): Promise<StoreServer> {
  let server = await startPostgres();
  const follow = async () => {
    if (standing === undefined) return undefined;
    const standby = await startStandby(server);
    if (standing === 'synchronous') await server.run(...WAITING);
    return standby;
  };
  let standby = await follow();
  const sockets = new Set<Socket>();
  const door = createServer((client) => {
    const behind = connect(Number(new URL(server.url).port), '127.0.0.1');
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(one);
      one.setNoDelay();
      one.on('error', () => undefined).on('close', () => sockets.delete(one) && other.destroy());
      one.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  const url = new URL(server.url);
  url.port = String((door.address() as AddressInfo).port);
  const life: Running['life'] = [{ at: Date.now(), what: `start, pid ${server.pid}` }];
  let change: Promise<unknown> = Promise.resolve();
  let isAlive = true;
  const then = (what: string, work: () => Promise<void>) => {
    change = change.then(work).then(() => life.push({ at: Date.now(), what }));
  };
  return {
    name: 'postgres',
    port: Number(url.port),
    url: url.href,
    life,
    lines: [],
    get pid() {
      return server.pid;
    },
    get isAlive() {
      return isAlive;
    },
    start() {
      isAlive = true;
      then('start', () => server.start());
    },
    signal(name) {
      life.push({ at: Date.now(), what: name });
      if (name === 'SIGSTOP' || name === 'SIGCONT') return server.signal(name);
      isAlive = false;
      return then(`end, ${name}`, () => server.stop(name === 'SIGKILL' ? 'immediate' : 'fast'));
    },
    ended: async () => String((await change) ?? ''),
    async cut() {
      life.push({ at: Date.now(), what: 'cuts all connections' });
      await server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'edgewise'");
    },
    async promote(switched) {
      if (standby === undefined) throw new Error('There is no standby.');
      const [before, next] = [server, standby];
      if (standing === 'asynchronous') {
        await next.run(...BEHIND);
        await new Promise((resolve) => setTimeout(resolve, 2_000));
      }
      life.push({ at: Date.now(), what: 'is lost for good' });
      await before.close();
      await next.run('SELECT pg_promote()', ...ALONE);
      server = next;
      for (const socket of sockets) socket.destroy();
      life.push({ at: Date.now(), what: 'standby promoted' });
      switched();
      standby = await follow();
      life.push({ at: Date.now(), what: 'has a standby again' });
    },
    async close() {
      door.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all([server.close(), standby?.close()]);
    },
  };
}

export interface BotSettings {
  name: string;
  folder: string;
  slackUrl: string;
  platformUrl: string;
  storeUrl: string;
  /** Given: Socket Mode; else HTTP. */
  isSocket?: boolean;
  environment?: Record<string, string>;
}

export const SECRET = 'judge-signing-secret-0123456789';

/** A bot with real settings on a free port; not started yet. Wants `npm run build` before. */
export async function prepareBot(settings: BotSettings): Promise<Running> {
  const { name, folder, slackUrl, platformUrl, storeUrl, isSocket = false, environment = {} } = settings;
  const port = await freePort();
  return running({
    name,
    port,
    file: process.execPath,
    args: ['dist/index.js'],
    environment: {
      PATH: process.env.PATH ?? '',
      SLACK_BOT_TOKEN: 'xoxb-1-judge',
      ...(isSocket ? { SLACK_APP_TOKEN: `xapp-1-A0EDGEWISE1-1-${name}` } : { SLACK_SIGNING_SECRET: SECRET }),
      SLACK_API_URL: slackUrl,
      PORT: String(port),
      METRICS_TOKEN,
      PLATFORM_API_URL: platformUrl,
      PLATFORM_ACCESS_KEY: '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0',
      PLATFORM_ORIGIN_LOGS_URL: platformUrl,
      PLATFORM_LOGGING_URL: platformUrl,
      STORE_URL: storeUrl,
      EDGEWISE_ENCRYPTION_KEY: 'judge-encryption-key-0123456789abcdef',
      LOG_LEVEL: 'info',
      ...environment,
    },
    log: join(folder, `${name}.log`),
  });
}

/** The bot's scopes, as its manifest asks for them. */
export function scopesOfManifest(): string[] {
  const text = readFileSync(new URL('../../../manifest.yml', import.meta.url), 'utf8');
  const block = /\n {4}bot:\n((?: {6}- .*\n)+)/.exec(text)?.[1] ?? '';
  return [...block.matchAll(/- (\S+)/g)].map(([, scope]) => scope!);
}

/** Builds what `npm start` builds. */
export async function build(): Promise<void> {
  const child = spawn('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('The bot does not build.');
}
