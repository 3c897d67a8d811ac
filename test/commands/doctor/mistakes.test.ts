import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { write } from '../../../judges/start/bad-starts.ts';
import { freePort } from '../../../playground/launcher/bot-process.ts';
import { type PlatformSimulator, startPlatformSimulator } from '../../../playground/platform/simulator.ts';
import { type EmulatorOptions, type SlackEmulator, startSlackEmulator } from '../../../playground/slack/emulator.ts';
import { examine } from '../../../src/commands/doctor/examine.ts';
import { SCOPES } from '../../../src/manifest.ts';
import { Secret } from '../../../src/secret.ts';
import { createClients } from '../../../src/slack/clients.ts';
import { startTestWorkspace } from '../../support/workspace.ts';

const KEY = 'a key of the tests, and of nobody else';

interface Ground {
  folder: string;
  slack: SlackEmulator;
}

/** A mistake, and the one line that names it with the step that mends it. */
interface Mistake {
  what: string;
  slack?: EmulatorOptions;
  plant(ground: Ground): Record<string, string> | undefined | Promise<Record<string, string> | undefined>;
  says: string | RegExp;
}

const fault =
  (...faults: string[]) =>
  ({ slack }: Ground): undefined => {
    for (const one of faults) slack.fault(one);
  };

const MISTAKES: readonly Mistake[] = [
  {
    what: 'a token of the bot that is no longer one',
    plant: () => ({ SLACK_BOT_TOKEN: 'xoxb-1-mistyped' }),
    says: 'Slack        Slack refuses SLACK_BOT_TOKEN (invalid_auth). Copy the token anew. It is in the app’s settings under OAuth & Permissions.',
  },
  {
    what: 'the token of a person in its place',
    plant: () => ({ SLACK_BOT_TOKEN: 'xoxp-1-of-ada' }),
    says: /^Settings {5}SLACK_BOT_TOKEN is the token of a person \(xoxp-…\)\. Give a bot token/,
  },
  {
    what: 'a scope that is missing',
    slack: { scopes: Object.keys(SCOPES).filter((scope) => scope !== 'files:write') },
    plant: () => undefined,
    says: /^Scopes {7}files:write is missing: .*\nScopes {7}Update the app from manifest\.yml and install it again\.$/,
  },
  {
    what: 'an app-level token without its scope',
    plant: fault('apps.connections.open=missing_scope'),
    says: 'Socket Mode  Slack refuses SLACK_APP_TOKEN (missing_scope). Make another one. It is in the app’s settings under Basic Information → App-Level Tokens, with the scope connections:write.',
  },
  {
    what: 'both modes set',
    plant: () => ({ SLACK_SIGNING_SECRET: 'x' }),
    says: 'Settings     SLACK_APP_TOKEN and SLACK_SIGNING_SECRET are both given. Leave the second out for Socket Mode, or the first for HTTP.',
  },
  {
    what: 'another access key of the platform',
    plant: () => ({ PLATFORM_ACCESS_KEY: 'mistyped' }),
    says: /^Platform {5}The platform refuses PLATFORM_ACCESS_KEY \(401\)\. Copy the access key anew from the account’s settings\./,
  },
  {
    what: 'a wrong token of the access log',
    plant: () => ({ PLATFORM_LOGGING_JWT: 'mistyped' }),
    says: 'Access log   PLATFORM_LOGGING_URL: it refuses PLATFORM_LOGGING_JWT. Make that token anew, or leave it out: PLATFORM_ACCESS_KEY is sent then.',
  },
  {
    what: 'another address than that of the access log',
    plant: () => ({ PLATFORM_LOGGING_URL: 'http://127.0.0.1:2' }),
    says: /^Access log {3}.*ECONNREFUSED.* Is PLATFORM_LOGGING_URL the address of that service\?$/,
  },
  {
    what: 'a wrong token of the origin log',
    plant: () => ({ PLATFORM_ORIGIN_LOGS_JWT: 'mistyped' }),
    says: 'Origin log   PLATFORM_ORIGIN_LOGS_URL: it refuses PLATFORM_ORIGIN_LOGS_JWT. Make that token anew, or leave it out: PLATFORM_ACCESS_KEY is sent then.',
  },
  {
    what: 'a channel of the reports that the bot is not in',
    plant: ({ slack }) => ({ REPORT_CHANNEL: slack.workspace.channel('#random').id }),
    says: 'REPORT_CHANNEL The bot is not in #random. Type /invite @edgewise in the channel, or give the id of another one (C…, at the end of its details).',
  },
  {
    what: 'a channel of the reports that is not there',
    plant: () => ({ REPORT_CHANNEL: 'C0NOWHERE01' }),
    says: /^REPORT_CHANNEL C0NOWHERE01 is not a channel that the bot can see\. Type \/invite/,
  },
  {
    what: 'an admin whom nobody knows',
    plant: ({ slack }) => ({ EDGEWISE_ADMINS: `${slack.workspace.user('ada').id},U0NOBODY001` }),
    says: 'Admins       U0NOBODY001 is nobody in this workspace. Take that id out of EDGEWISE_ADMINS, or write the one that their profile shows.',
  },
  {
    what: 'nobody who may change anything',
    plant: () => ({ EDGEWISE_ADMINS: '' }),
    says: /^Policy .*nobody may change anything: set EDGEWISE_ADMINS/,
  },
  {
    what: 'an approval that nobody is left to give',
    async plant({ folder, slack }) {
      const file = join(folder, 'policy.yml');
      slack.workspace.user('ben').isDeleted = true;
      await writeFile(
        file,
        `approval:\n  - operations: [ssl force]\n    approvers: { people: [${slack.workspace.user('ben').id}] }\n`,
      );
      return { POLICY_FILE: file };
    },
    says: /^Policy .*ssl force \(policy\.yml line 2\) needs an approval: nobody can give it\. .*name more approvers/,
  },
  {
    what: 'an encryption key that is too short',
    plant: () => ({ EDGEWISE_ENCRYPTION_KEY: 'short' }),
    says: /^Settings {5}EDGEWISE_ENCRYPTION_KEY has fewer than 24 characters\. Make one with `openssl rand -base64 32`/,
  },
  {
    what: 'another encryption key than that of the store',
    plant: (ground) => write(ground, 'the key that it was until yesterday'),
    says: 'Store        The store was written with another EDGEWISE_ENCRYPTION_KEY. Give that one, or give it as EDGEWISE_ENCRYPTION_KEY_OLD beside the new one.',
  },
  {
    what: 'a clock that is ten minutes slow',
    slack: { now: () => new Date(Date.now() + 600_000) },
    plant: () => undefined,
    says: /^Slack {8}This machine’s clock is 10 minutes slow, compared with Slack’s\. Set it/,
  },
  {
    what: 'a file where the folder of the store has to be',
    async plant({ folder }) {
      await writeFile(join(folder, 'data'), '');
      return { STORE_URL: `file:${folder}/data/edgewise.db` };
    },
    says: /^Store {8}STORE_URL: \S+edgewise\.db has a file where a folder has to be\. Move that file, or name another\.$/,
  },
  {
    what: 'a time zone that is none',
    plant: () => ({ REPORT_TIMEZONE: 'Mars/Olympus' }),
    says: 'Settings     REPORT_TIMEZONE is not a time zone. Write one such as Europe/Berlin.',
  },
  {
    what: 'a Slack that nobody reaches',
    plant: () => ({ SLACK_API_URL: 'http://127.0.0.1:2/api/' }),
    says: /^(?:(?:Slack {8}|Socket Mode {2})Slack could not be reached: [^\n]*\. Check whether this machine reaches Slack: SLACK_API_URL, and HTTPS_PROXY where only a proxy does\.\n?){2}$/,
  },
  {
    what: 'a connection that is not ours',
    async plant({ slack }) {
      const { SLACK_BOT_TOKEN = '', SLACK_APP_TOKEN: token = '', SLACK_API_URL = '' } = slack.environment;
      const { url = '' } = await createClients(
        Secret.of(SLACK_BOT_TOKEN),
        SLACK_API_URL.replace(/\/$/, ''),
      ).interactive.apps.connections.open({ token });
      await new Promise((opened) => new WebSocket(url).on('message', opened));
      return undefined;
    },
    says: 'Socket Mode  1 connection of this app is held by another process, which gets a part of what people send. End that process; if it is not yours, make another app-level token, and revoke the old one.',
  },
];

describe('the doctor', () => {
  let platform: PlatformSimulator;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    platform = await startPlatformSimulator();
  });
  afterAll(() => platform.close());
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function ground(mistake: Pick<Mistake, 'slack' | 'plant'>) {
    const folder = await mkdtemp(join(tmpdir(), 'edgewise-doctor-'));
    const slack = await startSlackEmulator({ deliverTo: 'socket', scopes: Object.keys(SCOPES), ...mistake.slack });
    closing.push(
      () => rm(folder, { recursive: true }),
      () => slack.close(),
    );
    return {
      ...platform.environment,
      ...slack.environment,
      PLATFORM_LOGGING_JWT: platform.jwt.logging,
      PLATFORM_ORIGIN_LOGS_JWT: platform.jwt.originLogs,
      SLACK_SIGNING_SECRET: '',
      PORT: String(await freePort()),
      STORE_URL: `file:${folder}/edgewise.db`,
      EDGEWISE_ADMINS: slack.workspace.user('ada').id,
      EDGEWISE_ENCRYPTION_KEY: KEY,
      REPORT_CHANNEL: slack.workspace.channel('#ops').id,
      ...(await mistake.plant({ folder, slack })),
    };
  }
  const wrongIn = async (environment: Record<string, string>) =>
    (await examine(environment)).filter(({ ok }) => !ok).map(({ what, detail }) => `${what.padEnd(12)} ${detail}`);

  it('finds nothing wrong where nothing is', async () => {
    expect(await wrongIn(await ground({ plant: () => undefined }))).toEqual([]);
  });

  it.each(MISTAKES.map((mistake) => [mistake.what, mistake] as const))(
    'names %s, with the one step that mends it',
    async (_, mistake) => {
      const wrong = (await wrongIn(await ground(mistake))).join('\n');
      if (typeof mistake.says === 'string') expect(wrong).toBe(mistake.says);
      else expect(wrong).toMatch(mistake.says);
    },
  );

  it('says once, and as nothing wrong, that the key may not read the balance', async () => {
    const environment = await ground({ plant: () => undefined });
    platform.fault('status=403@GET /billing*1');
    const all = await examine(environment);
    expect(all.filter(({ ok }) => !ok)).toEqual([]);
    expect(all.filter(({ detail }) => detail.includes('balance show')).map(({ what }) => what)).toEqual(['Balance']);
  });

  it('says, as nothing wrong, that there is no encryption key', async () => {
    const all = await examine(await ground({ plant: () => ({ EDGEWISE_ENCRYPTION_KEY: '' }) }));
    expect(all.filter(({ ok }) => !ok)).toEqual([]);
    expect(all.find(({ what }) => what === 'Settings')?.detail).toMatch(
      /^There is no EDGEWISE_ENCRYPTION_KEY, so .*`openssl rand -base64 32`/,
    );
  });

  it('ends with 1, and prints the rest as well', async () => {
    const environment = await ground({ plant: () => ({ EDGEWISE_ADMINS: 'U0NOBODY001' }) });
    const { PATH = '' } = process.env;
    const child = spawn(process.execPath, ['bin/run.mjs', 'doctor'], { env: { PATH, ...environment } });
    const [said, ended] = await Promise.all([
      text(child.stdout),
      new Promise((resolve) => child.once('exit', resolve)),
    ]);
    expect(ended).toBe(1);
    expect(said).toMatch(/^WRONG Admins {7}U0NOBODY001 is nobody/m);
    expect(said).toMatch(/^ok {4}Store {8}opens$/m);
  });

  describe('beside the bot that runs', () => {
    async function beside(options: Parameters<typeof startTestWorkspace>[0]) {
      const workspace = await startTestWorkspace(options);
      closing.push(() => workspace.close());
      const { slack, platform: other, app, storeFile } = workspace;
      const environment = {
        ...other.environment,
        ...slack.environment,
        PORT: String(app.port),
        STORE_URL: `file:${storeFile}`,
        EDGEWISE_ADMINS: slack.workspace.user('ada').id,
        EDGEWISE_ENCRYPTION_KEY: 'a key for this test only',
      };
      return { workspace, environment };
    }

    it('counts its connections as ours, and its hold on the store as right', async () => {
      const { environment } = await beside({ socket: true });
      const all = await examine({ ...environment, SLACK_SIGNING_SECRET: '' });
      expect(all.find(({ what }) => what === 'Socket Mode')).toMatchObject({
        ok: true,
        detail: expect.stringMatching(/only the bot/),
      });
      expect(all.find(({ what }) => what === 'Store')).toEqual({
        what: 'Store',
        ok: true,
        detail: 'is in use by the bot that runs here',
      });
    });
  });
});
