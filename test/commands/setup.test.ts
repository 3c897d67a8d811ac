import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv, stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PlatformSimulator, startPlatformSimulator } from '../../playground/platform/simulator.ts';
import { type SlackEmulator, startSlackEmulator } from '../../playground/slack/emulator.ts';
import { parseConfig } from '../../src/config.ts';
import { SCOPES } from '../../src/manifest.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Gives a process a terminal. From util-linux; its flags are others elsewhere. */
const hasTerminals = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

describe('npm run setup', () => {
  let slack: SlackEmulator;
  let platform: PlatformSimulator;
  let folder: string;
  let children: ChildProcess[] = [];
  beforeAll(async () => {
    [slack, platform] = await Promise.all([
      startSlackEmulator({ deliverTo: 'socket', scopes: Object.keys(SCOPES) }),
      startPlatformSimulator(),
    ]);
  });
  afterAll(async () => {
    await slack.close();
    await platform.close();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgewise-setup-'));
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children = [];
    await rm(folder, { recursive: true });
  });

  const command = [process.execPath, join(root, 'bin/run.mjs'), 'setup'];

  /** Somebody who answers each question once it is asked. */
  function sit(words = command, more: Record<string, string> = {}) {
    const { PLATFORM_ACCESS_KEY, PLATFORM_DATABASE_HOST, ...addresses } = platform.environment;
    const { SLACK_API_URL = '' } = slack.environment;
    const { PATH = '' } = process.env;
    const env = { PATH, TZ: 'Europe/Berlin', ...addresses, SLACK_API_URL, ...more };
    const child = spawn(words[0]!, words.slice(1), { cwd: folder, env });
    children.push(child);
    let said = '';
    let read = 0;
    let hear = () => undefined as unknown;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += stripVTControlCharacters(String(chunk));
        hear();
      });
    const ended = new Promise<number | null>((resolve) => {
      child.once('close', (code) => {
        hear();
        resolve(code);
      });
    });
    const heard = (what: RegExp) =>
      new Promise<void>((resolve, reject) => {
        hear = () => {
          const found = what.exec(said.slice(read));
          if (found !== null) {
            read += found.index + found[0].length;
            resolve();
          } else if (child.exitCode !== null) reject(new Error(`${what} was not said: ${said.slice(read)}`));
        };
        hear();
      });
    return {
      child,
      ended,
      heard,
      said: () => said,
      async answer(question: RegExp, line: string) {
        await heard(question);
        child.stdin.write(`${line}\r`);
      },
    };
  }
  const secrets = () => {
    const { SLACK_BOT_TOKEN: bot = '', SLACK_APP_TOKEN: app = '' } = slack.environment;
    return { bot, app, key: platform.environment.PLATFORM_ACCESS_KEY ?? '' };
  };
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;

  it('walks from nothing to settings that the bot starts with, and explains each mistake before it asks again', async () => {
    const { bot, app, key } = secrets();
    const person = sit(command, { PLATFORM_API_URL: slack.environment.SLACK_API_URL ?? '' });
    await person.answer(/How does Slack reach the bot/, '');
    await person.heard(/https:\/\/api\.slack\.com\/apps\?new_app=1&manifest_json=(\S+)/);
    await person.answer(/Press Enter/, '');
    await person.answer(/Bot token/, 'xoxp-1-of-ada');
    await person.answer(/A bot token begins with xoxb-[\s\S]*Bot token/, 'xoxb-1-mistyped');
    await person.answer(/Slack refuses SLACK_BOT_TOKEN \(invalid_auth\)\. Copy the token anew[\s\S]*Bot token/, bot);
    await person.answer(/the bot is U[\s\S]*App-level token/, 'nonsense');
    await person.answer(/begins with xapp-[\s\S]*App-level token/, app);
    await person.answer(/Who may change things/, 'Nobody Here');
    await person.answer(/Nobody here is called Nobody Here\. Write the name[\s\S]*Who may/, 'ada@example.com');
    await person.answer(/The app may not see e-mail addresses\.[\s\S]*Who may/, 'Ada');
    await person.answer(/That is not the platform’s API: [\s\S]*management API/, 'http://127.0.0.1:9');
    await person.answer(
      /That is not the platform’s API: [\s\S]*management API/,
      platform.environment.PLATFORM_API_URL!,
    );
    await person.answer(/answers, and wants a key[\s\S]*access key/, 'mistyped');
    await person.answer(/The platform refuses PLATFORM_ACCESS_KEY \(401\)[\s\S]*access key/, key);
    await person.answer(/the platform takes it[\s\S]*Channel for daily/, '#nowhere');
    await person.answer(/There is no channel #nowhere[\s\S]*Channel for daily/, '#random');
    await person.answer(/The bot is not in #random\. Type \/invite[\s\S]*Channel for daily/, '#ops');
    await person.answer(/Time zone of the reports\s[\s\S]*Europe\/Berlin/, 'Mars/Olympus');
    await person.answer(/not a time zone[\s\S]*Time zone/, '');
    expect(await person.ended, person.said()).toBe(0);
    expect(person.said()).toMatch(/encryption key was made[\s\S]*npm run doctor/);
    for (const secret of [bot, app, key]) expect(person.said()).not.toContain(secret);
    expect(modeOf('.env')).toBe(0o600);
    expect(existsSync(join(folder, '.env.draft'))).toBe(false);
    const config = parseConfig(parseEnv(read('.env')) as Record<string, string>);
    expect(config.SLACK_BOT_TOKEN.reveal()).toBe(bot);
    expect(config).toMatchObject({
      EDGEWISE_ADMINS: [slack.workspace.user('ada').id],
      REPORT_CHANNEL: slack.workspace.channel('#ops').id,
      REPORT_TIMEZONE: 'Europe/Berlin',
    });
    expect(config.EDGEWISE_ENCRYPTION_KEY?.reveal()).toMatch(/^[\w+/]{43}=$/);
  });

  it('loses nothing by Ctrl-C, writes nothing half, and goes on from there', async () => {
    const { bot, app, key } = secrets();
    const before = '# mine\nLOG_LEVEL=debug\n';
    writeFileSync(join(folder, '.env'), before);
    const first = sit();
    await first.answer(/How does Slack reach the bot/, '');
    await first.answer(/Press Enter/, '');
    await first.answer(/Bot token/, bot);
    await first.answer(/App-level token/, app);
    await first.heard(/Who may change things/);
    first.child.kill('SIGINT');
    expect(await first.ended).toBe(130);
    expect(first.said()).toMatch(
      /Stopped\. \.env is as it was\. Your answers are in \.env\.draft: npm run setup continues from there\.\s*$/,
    );
    expect(read('.env')).toBe(before);
    expect(modeOf('.env.draft')).toBe(0o600);
    const second = sit(command, { PLATFORM_API_URL: `"${platform.environment.PLATFORM_API_URL}"` });
    await second.answer(/Who may change things/, 'ada');
    await second.answer(/access key/, key);
    await second.answer(/Channel for daily/, 'none');
    expect(await second.ended, second.said()).toBe(0);
    expect(second.said()).not.toMatch(/How does Slack reach|Press Enter|token \(/);
    expect(read('.env')).toMatch(/^# mine\nLOG_LEVEL=debug\nSLACK_/);
    expect(existsSync(join(folder, '.env.draft'))).toBe(false);
  });

  it('ends with 130 where nobody answers any more', async () => {
    const person = sit();
    person.child.stdin.end();
    expect(await person.ended).toBe(130);
    expect(person.said()).toContain('Nobody answers here.');
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });

  it('says what to check where it does not reach Slack', async () => {
    const person = sit(command, { SLACK_API_URL: 'http://127.0.0.1:1/api/' });
    await person.answer(/How does Slack reach the bot/, '');
    await person.answer(/Press Enter/, '');
    await person.answer(/Bot token/, 'xoxb-1-of-the-bot');
    await person.heard(/Slack could not be reached: [\s\S]*HTTPS_PROXY where only a proxy does[\s\S]*Bot token/);
  });

  it.skipIf(!hasTerminals)('shows at a terminal what is typed, but no secret', async () => {
    const { bot } = secrets();
    const person = sit([
      'script',
      '--quiet',
      '--return',
      '--command',
      `stty cols 120 rows 40; ${command.join(' ')}`,
      '/dev/null',
    ]);
    await person.answer(/How does Slack reach the bot/, '');
    await person.answer(/Press Enter/, 'shown');
    await person.answer(/Bot token/, bot);
    await person.heard(/the bot is U/);
    expect(person.said()).toContain('shown');
    expect(person.said()).not.toContain(bot);
    await person.heard(/App-level token/);
    person.child.stdin.write('\u0003');
    expect(await person.ended).toBe(130);
    expect(person.said()).toContain('Stopped.');
  });
});
