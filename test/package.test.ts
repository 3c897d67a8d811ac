import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What `npm pack` may choose from, in a folder without older builds. */
const SOURCES = [
  '.ci',
  'src',
  'playground',
  'bin',
  'docs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'manifest.yml',
  '.env.example',
];

/** The package as somebody has it who installed it: beside it there is nothing but the one dependency that is not bundled. */
describe('the package', () => {
  let folder: string;
  let home: string;
  let files: string[];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'edgewise-package-'));
    const stage = join(folder, 'stage');
    home = join(folder, 'home');
    mkdirSync(stage);
    for (const name of [...SOURCES, 'README.md', 'LICENSE'])
      cpSync(join(root, name), join(stage, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'));
    const npm = (...args: string[]) => execFileSync('npm', args, { cwd: stage, encoding: 'utf8', stdio: 'pipe' });
    const [packed] = JSON.parse(npm('run', '--silent', 'package')) as [{ filename: string; files: { path: string }[] }];
    files = packed.files.map(({ path }) => path);
    const installed = join(home, 'node_modules/edgewise');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', packed.filename, '-C', installed, '--strip-components=1'], { cwd: stage });
    symlinkSync(join(root, 'node_modules/@photostructure'), join(home, 'node_modules/@photostructure'));
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  /** As the link that npm makes of `bin` would. */
  const edgewise = () => {
    const { bin } = JSON.parse(readFileSync(join(home, 'node_modules/edgewise/package.json'), 'utf8'));
    return join(home, 'node_modules/edgewise', bin.edgewise);
  };
  const run = (...args: string[]) => {
    const environment = { PATH: process.env.PATH };
    const { status, stdout, stderr } = spawnSync(edgewise(), args, { cwd: home, env: environment, encoding: 'utf8' });
    return { status, said: stdout + stderr };
  };

  it('holds what runs, and nothing else', () => {
    const others = files.filter((path) => !/^dist\/([\w-]+\.js|playground\/[\w-]+\.mjs)$/.test(path));
    expect(others.sort()).toEqual([
      '.env.example',
      'LICENSE',
      'README.md',
      'bin/run.mjs',
      'dist/page/favicon.svg',
      'dist/page/index.html',
      'dist/page/page.css',
      'dist/page/page.js',
      'docs/manifest.http.yml',
      'docs/policy.cases.example.yml',
      'docs/policy.example.yml',
      'licences.txt',
      'manifest.yml',
      'package.json',
    ]);
  });

  it('takes little memory: its text is ASCII, of one byte a character, and of Bolt there is only what the bot uses', () => {
    const built = readdirSync(join(home, 'node_modules/edgewise/dist')).filter((name) => name.endsWith('.js'));
    const texts = built.map((name) => readFileSync(join(home, 'node_modules/edgewise/dist', name), 'utf8'));
    expect(built.filter((_, index) => /[^\0-\x7f]/.test(texts[index]!))).toEqual([]);
    expect(texts.join('')).not.toMatch(/node_modules\/(express|@slack\/oauth|iconv-lite)\//);
  });

  it('needs one package beside it, and says so', () => {
    const manifest = JSON.parse(readFileSync(join(home, 'node_modules/edgewise/package.json'), 'utf8'));
    expect(manifest.dependencies).toEqual({ '@photostructure/sqlite': expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    expect(manifest).not.toHaveProperty('devDependencies');
    expect(manifest).not.toHaveProperty('scripts');
    const licences = readFileSync(join(home, 'node_modules/edgewise/licences.txt'), 'utf8');
    for (const name of ['@slack/bolt', 'pino', 'preact', 'ws'])
      expect(licences).toMatch(new RegExp(`^${name} [\\d.]+: MIT\\n\\n\\S`, 'm'));
  });

  it('lists its commands, and each of them is there', () => {
    const { status, said } = run();
    expect(status).toBe(0);
    const commands = [...said.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name!);
    const written = readdirSync(join(root, 'src/commands'))
      .filter((name) => name.endsWith('.ts') && !['policy-cases.ts', 'with-store.ts'].includes(name))
      .map((name) => name.replace('.ts', ''));
    expect(commands.sort()).toEqual([...written, 'playground', 'start'].sort());
    for (const command of written) expect(files).toContain(`dist/${command}.js`);
    expect(run('dance').status).toBe(2);
  });

  it('says what is missing where there are no settings, in the words of npx', () => {
    const { status, said } = run('start');
    expect(status).toBe(78);
    expect(said).toContain('SLACK_BOT_TOKEN is missing. Run `npx edgewise setup`, or set it in .env.\n');
    expect(run('doctor')).toMatchObject({ status: 1, said: expect.stringContaining('SLACK_BOT_TOKEN is missing') });
    expect(run('backup')).toMatchObject({
      status: 2,
      said: expect.stringMatching(/^Usage: npx edgewise backup FILE\n/),
    });
  });

  it('has the playground, which needs no package for development', async () => {
    const child = spawn(edgewise(), ['playground', '--empty', '--port', '0'], {
      cwd: home,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    let said = '';
    const ready = new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        said += chunk;
        const address = /is ready: {2}(\S+)/.exec(said)?.[1];
        if (address !== undefined) resolve(address);
      });
      child.once('exit', () => reject(new Error(said)));
    });
    const address = await ready;
    for (const path of ['/', '/page.js', '/page.css', '/favicon.svg']) {
      const answer = await fetch(address + path);
      expect((await answer.text()).length).toBeGreaterThan(200);
    }
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(0);
  }, 60_000);
});
