import { once } from 'node:events';
import { appendFile, chmod, chown, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import type { EmulatorOptions, SlackEmulator } from '../../playground/slack/emulator.ts';
import { Secret } from '../../src/secret.ts';
import type { StartError } from '../../src/start-error.ts';
import { openStore } from '../../src/store/store.ts';
import { byHand } from '../../test/support/by-hand.ts';
import { type Postgres, startPostgres } from '../../test/support/postgres.ts';

/** What a start stands on: a Slack and a platform that are well, and a folder of its own. */
export interface Ground {
  folder: string;
  slack: SlackEmulator;
  /** A server that does this with requests; by itself it never answers. */
  serve(answer?: RequestListener): Promise<string>;
}

/** Settings beside those of a good start; undefined leaves one out. */
type Settings = Record<string, string | undefined>;

/** A start with something wrong. */
export interface BadStart {
  /** As in: it ends (or waits) when … */
  when: string;
  slack?: EmulatorOptions;
  prepare?(ground: Ground): Settings | undefined | Promise<Settings | undefined>;
  /** The process has a disk of 32 kB, or no right to what belongs to other users. */
  within?: 'small disk' | 'own files';
  says: string | RegExp | readonly string[];
}

/** A start that ends by itself, with one line for each mistake. */
export interface EndedStart extends BadStart {
  kind: StartError['kind'];
}

/** A start that waits, and says so; `ready`: it is of use all the same. */
export interface WaitingStart extends BadStart {
  ready?: true;
}

/** Nobody listens there: the port is given to no one by itself, and `fetch` does not mind it. */
const NOBODY = 'http://127.0.0.1:2';
const KEY = 'a key of the tests, and of nobody else';
/** A lock ends when nobody refers to it any more. */
const held: unknown[] = [];
/** A server that takes connections, and says nothing. */
async function silent(): Promise<string> {
  const one = createNetServer().listen(0, '127.0.0.1').unref();
  await once(one, 'listening');
  return `postgres://edgewise@127.0.0.1:${(one.address() as AddressInfo).port}/edgewise`;
}
let server: Promise<Postgres> | undefined;
/** Ends what the starts had around them. */
export const endServers = async (): Promise<void> => (await server)?.close();
const someServer = () => {
  server ??= startPostgres('fsync=off');
  return server;
};
const OTHERS = 65_534;
const BOT_TOKEN_PLACE = 'It is in the app’s settings under OAuth & Permissions.';
const APP_TOKEN_PLACE =
  'is in the app’s settings under Basic Information → App-Level Tokens, with the scope connections:write.';

/** The settings of a good start but Slack's and the platform's. */
export const settingsOf = ({ folder }: Pick<Ground, 'folder'>): Settings => ({
  STORE_URL: `file:${folder}/edgewise.db`,
  EDGEWISE_ADMINS: 'U0ADA',
  EDGEWISE_ENCRYPTION_KEY: KEY,
});

/** A store with a word in its audit. */
export async function write({ folder }: Pick<Ground, 'folder'>, key: string | undefined): Promise<undefined> {
  const encryptionKey = key === undefined ? undefined : Secret.of(key);
  const store = await openStore({ url: `file:${folder}/edgewise.db`, encryptionKey });
  await store.audit.append({
    ...{ actor: 'U1', team: 'T1', channel: 'C1', operation: 'zone list', target: '', given: {} },
    ...{ outcome: 'done', detail: '' },
  });
  await store.close();
}

async function policy({ folder }: Ground, text: string): Promise<Settings> {
  await writeFile(join(folder, 'policy.yml'), text);
  return { POLICY_FILE: join(folder, 'policy.yml') };
}

const fault =
  (text: string) =>
  ({ slack }: Ground) =>
    void slack.fault(text);

const SETTINGS: readonly EndedStart[] = [
  {
    when: 'settings are missing',
    prepare: () => ({ SLACK_BOT_TOKEN: undefined, PLATFORM_ACCESS_KEY: '' }),
    kind: 'settings',
    says: ['SLACK_BOT_TOKEN', 'PLATFORM_ACCESS_KEY'].map(
      (name) => `${name} is missing. Run \`npm run setup\`, or set it in .env.`,
    ),
  },
  {
    when: 'a setting’s name is misspelt, which would be off',
    prepare: () => ({ EDGEWISE_ENCRIPTION_KEY: KEY, EDGEWISE_ENCRYPTION_KEY: undefined }),
    kind: 'settings',
    says: 'EDGEWISE_ENCRIPTION_KEY is not a setting. Did you mean EDGEWISE_ENCRYPTION_KEY?',
  },
  {
    when: 'an app-level token is given for the bot',
    prepare: () => ({ SLACK_BOT_TOKEN: 'xapp-1-A0-1-secret' }),
    kind: 'settings',
    says: `SLACK_BOT_TOKEN is an app-level token (xapp-…). Give a bot token (xoxb-…): it is in the app’s settings under OAuth & Permissions.`,
  },
  {
    when: 'a bot token is given for the app',
    prepare: () => ({ SLACK_APP_TOKEN: 'xoxb-1-secret', SLACK_SIGNING_SECRET: undefined }),
    kind: 'settings',
    says: `SLACK_APP_TOKEN is a bot token (xoxb-…). Give an app-level token (xapp-…): it ${APP_TOKEN_PLACE}`,
  },
  {
    when: 'a token is the placeholder of .env.example',
    prepare: () => ({ SLACK_BOT_TOKEN: 'xoxb-…' }),
    kind: 'settings',
    says: 'SLACK_BOT_TOKEN still has the placeholder …, or a curly quote or a second line. Copy the value anew, in plain quotes or none.',
  },
  {
    when: 'the certificate of the store’s issuer is not there',
    prepare: ({ folder }) => ({ STORE_URL: 'postgres://db.example/edgewise', STORE_CA: `${folder}/none.pem` }),
    kind: 'settings',
    says: 'STORE_CA: its file does not exist. Make it, or name another.',
  },
  {
    when: 'there is neither an app-level token nor a signing secret',
    prepare: () => ({ SLACK_SIGNING_SECRET: undefined }),
    kind: 'settings',
    says: 'SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is missing. Give the first for Socket Mode, or the second for HTTP.',
  },
  {
    when: 'both modes are set',
    prepare: () => ({ SLACK_APP_TOKEN: 'xapp-1-A0-1-secret' }),
    kind: 'settings',
    says: 'SLACK_APP_TOKEN and SLACK_SIGNING_SECRET are both given. Leave the second out for Socket Mode, or the first for HTTP.',
  },
  {
    when: 'the encryption key is too short',
    prepare: () => ({ EDGEWISE_ENCRYPTION_KEY: 'short' }),
    kind: 'settings',
    says: 'EDGEWISE_ENCRYPTION_KEY has fewer than 24 characters. Make one with `openssl rand -base64 32`, and give the one until now as EDGEWISE_ENCRYPTION_KEY_OLD.',
  },
  {
    when: 'the settings are in a file of somebody else',
    async prepare({ folder }) {
      const file = `${folder}/.env`;
      await writeFile(file, 'LOG_LEVEL=debug\n');
      if (process.getuid?.() === 0) await chown(file, OTHERS, OTHERS);
      await chmod(file, process.getuid?.() === 0 ? 0o600 : 0);
      return undefined;
    },
    within: 'own files',
    kind: 'refused',
    says: 'The settings: .env may not be used by the user that the bot runs as (USER). Make that user the owner of it and of its folder, or start the bot as the user who owns it.',
  },
  {
    when: 'the policy is no YAML',
    prepare: (ground) => policy(ground, 'roles:\n  admins:\n    allow: [ssl *\n'),
    kind: 'settings',
    says: /^POLICY_FILE: FOLDER\/policy\.yml line 4: .*\. Fix that line\.$/,
  },
  {
    when: 'the policy names a command that there is not',
    prepare: (ground) => policy(ground, 'roles:\n  everybody:\n    allow:\n      - ssl forse\n'),
    kind: 'settings',
    says: 'POLICY_FILE: FOLDER/policy.yml line 4: there is no command “ssl forse”. Did you mean “ssl force”?',
  },
  {
    when: 'the policy cannot be read',
    prepare: ({ folder }) => ({ POLICY_FILE: `${folder}/none.yml` }),
    kind: 'settings',
    says: 'POLICY_FILE: FOLDER/none.yml does not exist. Make it, or name another.',
  },
];

const SERVICES: readonly EndedStart[] = [
  {
    when: 'the bot’s token was revoked',
    prepare: fault('auth.test=token_revoked'),
    kind: 'refused',
    says: `Slack refuses SLACK_BOT_TOKEN (token_revoked). Copy the token anew. ${BOT_TOKEN_PLACE}`,
  },
  {
    when: 'the bot’s token was mistyped',
    prepare: () => ({ SLACK_BOT_TOKEN: 'xoxb-1-mistyped' }),
    kind: 'refused',
    says: `Slack refuses SLACK_BOT_TOKEN (invalid_auth). Copy the token anew. ${BOT_TOKEN_PLACE}`,
  },
  {
    when: 'the app-level token lacks connections:write',
    slack: { deliverTo: 'socket' },
    prepare: fault('apps.connections.open=missing_scope'),
    kind: 'refused',
    says: `Slack refuses SLACK_APP_TOKEN (missing_scope). Make another one. It ${APP_TOKEN_PLACE}`,
  },
  {
    when: 'the clock is ten minutes slow',
    slack: { now: () => new Date(Date.now() + 600_000) },
    kind: 'settings',
    says: 'This machine’s clock is 10 minutes slow, compared with Slack’s. Set it (`timedatectl set-ntp true`). Otherwise Edgewise refuses Slack’s requests as too old and posts its reports late.',
  },
  {
    when: 'the platform refuses the access key',
    prepare: () => ({ PLATFORM_ACCESS_KEY: 'mistyped' }),
    kind: 'refused',
    says: 'The platform refuses PLATFORM_ACCESS_KEY (401). Copy the access key anew from the account’s settings.',
  },
  {
    when: 'the port is taken',
    prepare: async ({ serve }) => ({ PORT: new URL(await serve()).port }),
    kind: 'taken',
    says: /^PORT: \d+ is taken by another process\. End that one, or set another port\.$/,
  },
  {
    when: 'the port of the metrics is taken',
    prepare: async ({ serve }) => ({ METRICS_PORT: new URL(await serve()).port }),
    kind: 'taken',
    says: /^METRICS_PORT: \d+ is taken by another process\. End that one, or set another port\.$/,
  },
  {
    when: 'the host is another machine',
    prepare: () => ({ HOST: '192.0.2.1' }),
    kind: 'refused',
    says: 'HOST: 192.0.2.1 is not an address of this machine. Set one that is, or leave it out.',
  },
];

const STORES: readonly EndedStart[] = [
  {
    when: 'the store’s server has no such database',
    prepare: async () => ({ STORE_URL: (await someServer()).url.replace(/[^/]*$/, 'none') }),
    kind: 'settings',
    says: /^STORE_URL: 127\.0\.0\.1:\d+ has no database of the name in STORE_URL\. Make it: `CREATE DATABASE edgewise`\.$/,
  },
  {
    when: 'the store’s server has no such schema',
    prepare: async () => ({ STORE_URL: `${(await someServer()).url}?options=-c%20search_path%3Dnone` }),
    kind: 'settings',
    says: /^STORE_URL: 127\.0\.0\.1:\d+ has no schema of the name in STORE_URL\. Make it: `CREATE SCHEMA edgewise`\.$/,
  },
  {
    when: 'the store’s address is that of a libSQL server',
    prepare: async () => ({ STORE_URL: 'libsql://db.example' }),
    kind: 'settings',
    says: 'STORE_URL names a libSQL database, which may lose what was committed. Give a PostgreSQL server: postgres://user@host/database.',
  },
  {
    when: 'the store is a text',
    prepare: async ({ folder }) => void (await writeFile(`${folder}/edgewise.db`, 'a text, no database\n'.repeat(200))),
    kind: 'store',
    says: 'STORE_URL: FOLDER/edgewise.db is not a database. Move it away, or name another one.',
  },
  {
    when: 'the store is of another version',
    async prepare(ground) {
      await write(ground, KEY);
      const client = byHand(`${ground.folder}/edgewise.db`);
      await client.execute(`UPDATE schema_hash SET hash = 'of next year'`);
      client.close();
      return undefined;
    },
    kind: 'store',
    says: 'The store was written by another version of Edgewise. Start that version, or name a new store in STORE_URL.',
  },
  {
    when: 'the store is in use',
    async prepare({ folder }) {
      const lock = byHand(`${folder}/edgewise.db.lock`);
      await lock.executeMultiple('BEGIN IMMEDIATE');
      held.push(lock);
      return undefined;
    },
    kind: 'taken',
    says: 'STORE_URL: FOLDER/edgewise.db is in use by another process. End that one: an embedded store belongs to one bot, and several need STORE_URL=postgres://…',
  },
  {
    when: 'the store was never signed',
    prepare: (ground) => write(ground, undefined),
    kind: 'store',
    says: 'Nothing in the store is signed: it was written without EDGEWISE_ENCRYPTION_KEY, or by somebody else. Name a new store in STORE_URL, or leave the key out.',
  },
  {
    when: 'the encryption key is another one',
    prepare: (ground) => write(ground, 'the key that it was until yesterday'),
    kind: 'settings',
    says: 'The store was written with another EDGEWISE_ENCRYPTION_KEY. Give that one, or give it as EDGEWISE_ENCRYPTION_KEY_OLD beside the new one.',
  },
  {
    when: 'the encryption key is gone',
    prepare: async (ground) => ({ EDGEWISE_ENCRYPTION_KEY: await write(ground, KEY) }),
    kind: 'settings',
    says: 'EDGEWISE_ENCRYPTION_KEY is missing, and the store was written with one. Give the same key as before.',
  },
  {
    when: 'a file is where the folder has to be',
    async prepare({ folder }) {
      await appendFile(`${folder}/data`, '');
      return { STORE_URL: `file:${folder}/data/edgewise.db` };
    },
    kind: 'create',
    says: 'STORE_URL: FOLDER/data/edgewise.db has a file where a folder has to be. Move that file, or name another.',
  },
  {
    when: 'the folder may not be written to',
    async prepare({ folder }) {
      await chmod(folder, 0o555);
      return undefined;
    },
    within: 'own files',
    kind: 'refused',
    says: 'STORE_URL: FOLDER/edgewise.db may not be used by the user that the bot runs as (USER). Make that user the owner of it and of its folder, or start the bot as the user who owns it.',
  },
  {
    when: 'the store belongs to another user',
    async prepare(ground) {
      await write(ground, KEY);
      const file = `${ground.folder}/edgewise.db`;
      await chmod(ground.folder, 0o777);
      // Only root can give a file away.
      if (process.getuid?.() === 0) await chown(file, OTHERS, OTHERS);
      await chmod(file, process.getuid?.() === 0 ? 0o666 : 0o444);
      return undefined;
    },
    within: 'own files',
    kind: 'refused',
    says: /^STORE_URL: FOLDER\/edgewise\.db (does not belong to|may not be used by) the user that the bot runs as \(USER\)\. Make that user the owner of it and of its folder, or start the bot as the user who owns it\.$/,
  },
  {
    when: 'the disk is full',
    within: 'small disk',
    kind: 'disk',
    says: 'STORE_URL: FOLDER/edgewise.db cannot be written to: the disk is full, or fails. Make room on it, or check it.',
  },
];

/** Every mistake that somebody has to mend. */
export const ENDED: readonly EndedStart[] = [...SETTINGS, ...SERVICES, ...STORES];

const AWAY = 'could not be reached: it is tried again';

/** Everything that may pass by itself; the longest first. */
export const WAITING: readonly WaitingStart[] = [
  {
    when: 'Slack hangs',
    prepare: async ({ serve }) => ({ SLACK_API_URL: `${await serve()}/api` }),
    says: `Slack ${AWAY}: no answer in time`,
  },
  {
    when: 'the store’s server hangs',
    prepare: async () => ({ STORE_URL: await silent() }),
    says: `The server of the store ${AWAY}: Connection terminated due to connection timeout`,
  },
  {
    when: 'the platform hangs',
    prepare: async ({ serve }) => ({ PLATFORM_API_URL: await serve() }),
    ready: true,
    says: 'The platform could not be reached: each command tries it again: no answer in time',
  },
  {
    when: 'Slack cannot be reached',
    prepare: () => ({ SLACK_API_URL: `${NOBODY}/api` }),
    says: `Slack ${AWAY}: connect ECONNREFUSED`,
  },
  { when: 'Slack has a fault', prepare: fault('any=503'), says: `Slack ${AWAY}: a web page came, and no answer` },
  {
    when: 'the store’s server cannot be reached',
    prepare: () => ({ STORE_URL: `${NOBODY.replace('http', 'postgres')}/edgewise` }),
    says: `The server of the store ${AWAY}: connect ECONNREFUSED`,
  },
  {
    when: 'the platform cannot be reached',
    prepare: () => ({ PLATFORM_API_URL: NOBODY }),
    ready: true,
    says: 'The platform could not be reached: each command tries it again: no connection to the platform could be made (ECONNREFUSED)',
  },
];
