import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../playground/launcher/bot-process.ts';
import type { PlatformSimulator } from '../../playground/platform/simulator.ts';
import { startSlackEmulator } from '../../playground/slack/emulator.ts';
import { type BadStart, type Ground, settingsOf } from './bad-starts.ts';

/** A bot that was started as a process of its own, in a folder of its own. */
export interface Started {
  folder: string;
  port: number;
  /** Standard error so far, line by line, with the folder and the user named alike on every machine. */
  errors(): string[];
  /** What was logged so far. */
  logged(): { msg: string; reason?: string; level: number; milliseconds?: number }[];
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
  signal(name: 'SIGTERM'): void;
  close(): Promise<void>;
}

/** Prepares the mistake, and starts the bot on it. */
export async function startBadly(bad: BadStart, main: string, platform: PlatformSimulator): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'edgewise-start-'));
  const slack = await startSlackEmulator(bad.slack);
  const servers: Server[] = [];
  const serve: Ground['serve'] = async (answer = () => undefined) => {
    const server = createServer(answer);
    servers.push(server);
    await once(server.listen(0), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const given = await bad.prepare?.({ folder, slack, serve });
  const port = await freePort();
  const settings = {
    ...platform.environment,
    ...slack.environment,
    ...settingsOf({ folder }),
    PORT: `${port}`,
    STOP_GRACE: '0',
    ...given,
  };
  const child = spawnBot(main, folder, settings, bad.within);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (chunk: Buffer) => (output[name] += chunk));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    folder,
    port,
    errors: () => linesOf(output.stderr.replaceAll(folder, 'FOLDER').replaceAll(`(${process.getuid?.()})`, '(USER)')),
    logged: () => linesOf(output.stdout).map((line) => JSON.parse(line)),
    ended,
    signal: (name) => void child.kill(name),
    async close() {
      child.kill('SIGKILL');
      await ended;
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
      await slack.close();
    },
  };
}

/** The last line may still be on its way. */
function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

function spawnBot(
  main: string,
  cwd: string,
  settings: Record<string, string | undefined>,
  within: BadStart['within'],
): ChildProcess {
  const env = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const bot = [process.execPath, main];
  // Blocks of 512 bytes; what exceeds them fails as on a disk that is full.
  if (within === 'small disk') bot.unshift('sh', '-c', 'ulimit -f 64; exec "$0" "$@"');
  // Root may use every file, unless it has given that right away.
  else if (within === 'own files' && process.getuid?.() === 0)
    bot.unshift('setpriv', '--bounding-set=-all', '--inh-caps=-all');
  const [command = '', ...args] = bot;
  const { PATH = '', HOME = '' } = process.env;
  return spawn(command, args, { cwd, env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}
