import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Runs the start command and collects what it prints. */
function run(...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'playground/launcher/main.ts', ...args], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      for (const listener of listeners) listener();
    });
  const ended = once(child, 'exit').then(([code]) => code as number);
  return {
    child,
    ended,
    printed: () => printed,
    /** Resolves with the match when the output has it. Rejects when the process ends before, or prints it too late. */
    until: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(printed);
          if (match) resolve(match);
        };
        listeners.add(look);
        look();
        void ended.then(() => reject(new Error(`It ended before it printed ${pattern}:\n${printed}`)));
        setTimeout(() => reject(new Error(`It has not printed ${pattern} in 100 s:\n${printed}`)), 100_000).unref();
      }),
  };
}

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
};

describe('npm run playground', () => {
  it('prints the link to a page that answers, starts the bot again when told to, and ends everything', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'edgewise-test-'));
    const playground = run('--port', '0', '--empty', '--data', folder);
    const [, url = ''] = await playground.until(/ready: {2}(http:\/\/127\.0\.0\.1:\d+)/);
    expect(await answers(url)).toBe(true);
    expect(await answers(`${url}/page.js`)).toBe(true);
    expect(playground.printed()).toContain(join(folder, 'edgewise.log'));

    const bot = Number((await playground.until(/The bot's process: {2}(\d+)/))[1]);
    process.kill(bot, 'SIGKILL');
    await playground.until(/The bot is gone: was ended by SIGKILL/);
    playground.child.stdin.write('\n');
    await playground.until(/The bot is back/);

    playground.child.stdin.write('chat.update=msg_too_long*3\nchat.update=gremlins\n');
    await playground.until(
      /Slack: chat\.update=msg_too_long\*3 is on\.\s*Slack documents no error “gremlins” for chat\.update, but/,
    );

    playground.child.kill('SIGINT');
    expect(await playground.ended).toBe(0);
    expect(await answers(url)).toBe(false);
    await rm(folder, { recursive: true });
  });

  it('answers a mistake with one line and exit code 2', async () => {
    const playground = run('--fault', 'gremlins');
    expect(await playground.ended).toBe(2);
    const other = run('--slack-fault', 'chat.update=gremlins');
    expect(await other.ended).toBe(2);
    expect(other.printed()).toMatch(/^--slack-fault: Slack documents no error “gremlins” for chat\.update, but /m);
    expect(playground.printed()).toMatch(/^--fault: Unknown fault "gremlins".*\(--help shows the flags\)$/m);
  });

  it('explains its flags', async () => {
    const playground = run('--help');
    expect(await playground.ended).toBe(0);
    expect(playground.printed()).toContain('--access-log FILE');
  });
});
