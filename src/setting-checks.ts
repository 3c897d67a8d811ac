import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { nearest } from './nearest.ts';
import { TOKENS, type TokenName } from './slack/patience.ts';
import { fileProblem, StartError } from './start-error.ts';
import { SHORTEST_KEY } from './store/seal.ts';

/** Settings without empty values. */
export type Given = Readonly<Record<string, string>>;

/** The settings of `.env`, where there is one. Throws StartError. */
export function loadEnvironment(): void {
  if (!existsSync('.env')) return;
  try {
    // Node would report an unreadable file as missing.
    accessSync('.env', constants.R_OK);
    process.loadEnvFile('.env');
  } catch (error) {
    throw fileProblem('The settings', '.env', error);
  }
  if ((statSync('.env').mode & 0o077) !== 0 && process.platform !== 'win32')
    console.error('.env can be read by other users of this machine, and has secrets in it: chmod 600 .env');
}

/**
 * Leaves out line breaks and quotes around a value, as Docker and Kubernetes may leave them, and an editor's byte order
 * mark.
 */
export const settingsOf = (environment: Readonly<Record<string, string | undefined>>): Given =>
  Object.fromEntries(
    Object.entries(environment)
      .map(([name, value = '']) => [name.trim(), value.trim().replace(/^(["'])(.*)\1$/s, '$2')] as const)
      .filter(([, value]) => value !== ''),
  );

export const fileOf = (name: string): string => `${name}_FILE`;

/** Reads `SLACK_BOT_TOKEN_FILE` for `SLACK_BOT_TOKEN`, and the file of `STORE_CA`. `wrong` has a sentence for each failure. */
export function withSecretFiles(
  given: Given,
  secrets: readonly string[],
): { given: Given; wrong: Map<string, string> } {
  const read: Record<string, string> = { ...given };
  const wrong = new Map<string, string>();
  for (const [setting, name] of [
    ...secrets.map((one) => [fileOf(one), one] as const),
    ['STORE_CA', 'STORE_CA'] as const,
  ]) {
    const path = given[setting];
    if (path === undefined) continue;
    delete read[setting];
    if (read[name] !== undefined) {
      wrong.set(name, `${name} and ${setting} are both given. Leave one of them out.`);
      continue;
    }
    try {
      Object.assign(read, settingsOf({ [name]: readFileSync(path, 'utf8') }));
      if (read[name] === undefined)
        wrong.set(name, `${setting}: ${path} is empty. Write the secret into it, and nothing else.`);
    } catch (error) {
      // A key that was pasted there is not repeated.
      const problem = fileProblem(setting, name === setting ? 'its file' : path, error);
      if (!(problem instanceof StartError)) throw problem;
      wrong.set(name, problem.message);
    }
  }
  return { given: read, wrong };
}

const TOKEN_KINDS = {
  'xoxb-': 'a bot token',
  'xapp-': 'an app-level token',
  'xoxp-': 'the token of a person',
  xoxe: 'a token with rotation, which expires after twelve hours',
} as const;

/** A token that was pasted into the setting of another kind. */
function wrongToken(name: TokenName, token: string | undefined, wanted: keyof typeof TOKEN_KINDS): string[] {
  const found = Object.entries(TOKEN_KINDS).find(([begin]) => token?.startsWith(begin));
  if (found === undefined || found[0] === wanted) return [];
  const [begin, kind] = found;
  return [
    `${name} is ${kind} (${begin}…). Give ${TOKEN_KINDS[wanted]} (${wanted}…): it is in the app’s settings under ${TOKENS[name]}.`,
  ];
}

/** Checks that a schema cannot express. */
export function crossChecks(given: Given): string[] {
  const { STORE_URL: store, EDGEWISE_ENCRYPTION_KEY: key, SLACK_APP_TOKEN: app, SLACK_SIGNING_SECRET: signing } = given;
  const admins = (given.EDGEWISE_ADMINS ?? '').split(',').map((id) => id.trim());
  const complaints: [isSo: boolean, complaint: string][] = [
    [
      app === undefined && signing === undefined,
      'SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is missing. Give the first for Socket Mode, or the second for HTTP.',
    ],
    [
      app !== undefined && signing !== undefined,
      'SLACK_APP_TOKEN and SLACK_SIGNING_SECRET are both given. Leave the second out for Socket Mode, or the first for HTTP.',
    ],
    [
      key !== undefined && key.length < SHORTEST_KEY,
      `EDGEWISE_ENCRYPTION_KEY has fewer than ${SHORTEST_KEY} characters. Make one with \`openssl rand -base64 32\`, and give the one until now as EDGEWISE_ENCRYPTION_KEY_OLD.`,
    ],
    [
      Number(given.METRICS_PORT ?? 0) > 0 && Number(given.METRICS_PORT) === Number(given.PORT ?? 3000),
      'METRICS_PORT is that of PORT. Leave it out, or give another one.',
    ],
    [
      key === undefined && given.EDGEWISE_ENCRYPTION_KEY_OLD !== undefined,
      'EDGEWISE_ENCRYPTION_KEY is missing, while EDGEWISE_ENCRYPTION_KEY_OLD is given. Give the new key too.',
    ],
    [
      given.PLATFORM_DATABASE_URL !== undefined && given.PLATFORM_DATABASE_AUTH_TOKEN === undefined,
      'PLATFORM_DATABASE_AUTH_TOKEN is missing, while PLATFORM_DATABASE_URL is given. Give both or neither.',
    ],
  ];
  return [
    ...wrongToken('SLACK_BOT_TOKEN', given.SLACK_BOT_TOKEN, 'xoxb-'),
    ...wrongToken('SLACK_APP_TOKEN', app, 'xapp-'),
    ...complaints.filter(([isSo]) => isSo).map(([, complaint]) => complaint),
    ...(store === undefined ? [] : storeChecks('STORE_URL', store)),
    ...admins
      .filter((id) => id !== '' && !/^[UW][A-Z0-9]{2,}$/.test(id))
      // It may be a pasted token.
      .map((id) => (id.length > 8 ? `${id.slice(0, 4)}…` : id))
      .map((id) => `EDGEWISE_ADMINS has “${id}”, which is not a Slack user id. Write ids, U…: profiles show them.`),
  ];
}

/** Checks the address of a store, from the setting or an argument. */
export function storeChecks(name: string, store: string): string[] {
  const isFile = /^file:|^:memory:$/.test(store);
  const isAddress =
    isFile || (/^postgres(ql)?:\/\/./.test(store) && URL.canParse(store) && !/%(?![\da-f]{2})/i.test(store));
  const isServer = /^(libsql|https?|wss?):|^platform$/.test(store);
  const mode = isAddress && !isFile ? new URL(store).searchParams.get('sslmode') : null;
  if (isServer)
    return [
      `${name} names a libSQL database, which may lose what was committed. Give a PostgreSQL server: postgres://user@host/database.`,
    ];
  if (!isAddress)
    return [
      `${name} is not an address of a store. Begin it with file: or postgres://, and write characters such as # / % in its password as %23 %2F %25.`,
    ];
  if (mode !== null && !['disable', 'require', 'verify-ca', 'verify-full'].includes(mode))
    return [`${name} has an sslmode that is none. Write disable, require, verify-ca or verify-full.`];
  return [];
}

/** Finds misspelt settings, which would silently stay off, and others with the bot's name. */
export function misspelt(given: Given, names: readonly string[]): Map<string, string> {
  const missing = names.filter((name) => given[name] === undefined && name.includes('_'));
  const known = [...names, 'LOGLEVEL', 'SLACK_API_TOKEN', 'EDGEWISE_URL', 'EDGEWISE_TOKEN'];
  return new Map(
    Object.keys(given).flatMap((name): [string, string][] => {
      // Kubernetes sets these for a service that is called edgewise.
      if (known.includes(name) || /^EDGEWISE(_.*)?_(SERVICE|PORT)(_|$)/.test(name)) return [];
      const meant =
        nearest(name, missing, () => 1) ??
        missing.find((one) => name.startsWith(`${one}_`) || name === `EDGEWISE_${one}`);
      if (meant !== undefined) return [[meant, `${name} is not a setting. Did you mean ${meant}?`]];
      const isOurs = name.startsWith('EDGEWISE_');
      return isOurs ? [[name, `${name} is not a setting. Take it out, or correct its name.`]] : [];
    }),
  );
}
