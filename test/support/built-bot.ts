import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const READY_LIMIT = 60_000;
const KEPT_LINES = 200;

/** The bot as JavaScript: it is started hundreds of times, and compiling it each time would be most of that. */
export interface BuiltBot {
  main: string;
  remove(): Promise<void>;
}

/** Its own sources, nothing put in or taken out; packages stay where they are. */
export async function buildBot(): Promise<BuiltBot> {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'edgewise-kill-'));
  await build({
    absWorkingDir: root,
    entryPoints: ['src/index.ts', 'src/workers/log-worker.ts', 'src/workers/definition-worker.ts'],
    outdir: folder,
    outbase: 'src',
    entryNames: '[name]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  return { main: join(folder, 'index.mjs'), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The bot as a process of its own, which can be killed as a machine that fails would. */
export interface KillableBot {
  /** Starts it; resolves when it says that it is ready, or when it has ended before. */
  start(): Promise<'ready' | 'ended'>;
  /** `kill -9`, at once. */
  kill(): void;
  /** Resolves when the process is gone. */
  gone(): Promise<void>;
  /** Its last log lines. */
  lines(): readonly string[];
}

export function createKillableBot(main: string, environment: Record<string, string>): KillableBot {
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  let lines: string[] = [];
  return {
    async start() {
      const { PATH = '', HOME = '', TMPDIR } = process.env;
      const started = spawn(process.execPath, [main], {
        cwd: root,
        env: { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      ended = once(started, 'exit');
      return new Promise((resolve, reject) => {
        const limit = setTimeout(
          () => reject(new Error(`the bot was not ready in time:\n${lines.join('\n')}`)),
          READY_LIMIT,
        );
        const settle = (state: 'ready' | 'ended') => {
          clearTimeout(limit);
          resolve(state);
        };
        const read = (chunk: Buffer) => {
          lines = [...lines, ...chunk.toString().split('\n')].slice(-KEPT_LINES);
          if (lines.some((line) => line.includes('Edgewise is ready'))) settle('ready');
        };
        lines = [];
        started.stdout.on('data', read);
        started.stderr.on('data', read);
        started.once('exit', () => settle('ended'));
      });
    },
    kill: () => void child?.kill('SIGKILL'),
    async gone() {
      await ended;
    },
    lines: () => lines,
  };
}
