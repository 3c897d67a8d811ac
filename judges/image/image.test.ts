import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../playground/launcher/bot-process.ts';
import { type PlatformSimulator, startPlatformSimulator } from '../../playground/platform/simulator.ts';
import { type SlackEmulator, startSlackEmulator } from '../../playground/slack/emulator.ts';
import { SCOPES } from '../../src/manifest.ts';
import { buildImage, byNpm, type Image, installed } from './image.ts';

/** The image that the Dockerfile describes. `npm run check -- image` has npm install its packages; the suite takes those that are here. */
describe('the image', () => {
  let image: Image;
  let slack: SlackEmulator;
  let platform: PlatformSimulator;
  let settings: Record<string, string>;

  beforeAll(async () => {
    image = buildImage(process.env.EDGEWISE_IMAGE === 'npm' ? byNpm : installed);
    [slack, platform] = await Promise.all([
      startSlackEmulator({ deliverTo: 'socket', scopes: Object.keys(SCOPES) }),
      startPlatformSimulator(),
    ]);
    settings = {
      ...platform.environment,
      ...slack.environment,
      PORT: String(await freePort()),
      EDGEWISE_ADMINS: slack.workspace.user('ada').id,
      EDGEWISE_ENCRYPTION_KEY: 'a key for this test only',
    };
    delete settings.SLACK_SIGNING_SECRET;
  }, 300_000);
  afterAll(async () => {
    await slack?.close();
    await platform?.close();
    image?.remove();
  });

  const files = () =>
    readdirSync(image.folder, { recursive: true, encoding: 'utf8' }).filter((path) => !path.startsWith('data/'));
  const ended = async (words: readonly string[], more: Record<string, string> = {}) => {
    const child = image.run(words, { ...settings, ...more });
    const said = Promise.all([text(child.stdout!), text(child.stderr!)]);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said: (await said).join('') };
  };

  it('has what runs, and neither sources nor packages for development', () => {
    expect(readdirSync(image.folder).sort()).toEqual([
      'LICENSE',
      'bin',
      'data',
      'dist',
      'licences.txt',
      'node_modules',
      'package.json',
    ]);
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { dev?: true }>;
    };
    const development = Object.keys(packages).filter((path) => packages[path]!.dev === true);
    expect(development.length).toBeGreaterThan(100);
    expect(development.filter((path) => existsSync(join(image.folder, path)))).toEqual([]);
    expect(files().filter((path) => path.startsWith('dist') && /\.ts$|tsbuildinfo/.test(path))).toEqual([]);
  });

  it('says as whom and how it runs, how it is stopped, and what it is', () => {
    expect(image).toMatchObject({
      user: '1000:1000',
      stopSignal: 'SIGTERM',
      volumes: ['/app/data'],
      ports: ['3000'],
      environment: { NODE_ENV: 'production' },
    });
    const { version, license } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;
    expect(image.labels).toContain(`licenses="${license}"`);
    expect(readFileSync('Dockerfile', 'utf8')).toContain(`ARG VERSION=${version}\n`);
  });

  it('is examined by npm run doctor, which writes nothing either', async () => {
    const before = files();
    const { code, said } = await ended(['npm', 'run', '--silent', 'doctor'], {
      STORE_URL: ':memory:',
      HOME: '/nonexistent',
    });
    expect(said).toMatch(/^ok {4}Settings .*complete$/m);
    expect(said).not.toContain('WRONG');
    expect(code).toBe(0);
    expect(files()).toEqual(before);
  });

  it('runs on a root that is read-only, is healthy while it runs, and ends with 0 when it is told to stop', async () => {
    const before = files();
    expect((await ended(image.health)).code).toBe(1);
    const bot = image.run(image.command, settings);
    const closed = once(bot, 'close') as Promise<[number | null]>;
    let said = '';
    bot.stderr?.on('data', (chunk) => (said += chunk));
    const ready = new Promise((resolve, reject) => {
      bot.stdout?.on('data', (chunk) => {
        said += chunk;
        if (said.includes('Edgewise is ready')) resolve(said);
      });
      bot.once('close', () => reject(new Error(said)));
    });
    await ready;
    expect((await ended(image.health)).code).toBe(0);
    bot.kill(image.stopSignal);
    expect((await closed)[0]).toBe(0);
    expect(readdirSync(join(image.folder, 'data'))).toContain('edgewise.db');
    expect(files()).toEqual(before);
  });
});
