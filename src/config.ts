import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { nearest } from './nearest.ts';
import type { PlatformOptions } from './platform/client.ts';
import { type PolicyDocument, parsePolicy } from './policy/document.ts';
import { FileError } from './policy/lines.ts';
import type { Command } from './policy/names.ts';
import { isTimezone } from './schedule/offsets.ts';
import { parseSchedule } from './schedule/words.ts';
import { Secret } from './secret.ts';
import { TOKENS, type TokenName } from './slack/patience.ts';
import { fileProblem, StartError } from './start-error.ts';
import { SHORTEST_KEY } from './store/seal.ts';
import type { StoreKeys } from './store/store.ts';

const secret = z
  .string()
  .min(1)
  .transform((value) => Secret.of(value));
const address = z
  .url({ protocol: /^https?$/, error: 'is not an address. Write one that begins with https://.' })
  .transform((value) => value.replace(/(?<!\/)\/+$/, ''));
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const onOff = z
  .enum(['on', 'off', 'true', 'false', '1', '0'], { error: 'is neither on nor off. Write one of the two.' })
  .transform((value) => ['on', 'true', '1'].includes(value));
const timezone = z.string().refine(isTimezone, { error: 'is not a time zone. Write one such as Europe/Berlin.' });

/** A whole number between two others, both included. */
const within = (least: number, most: number) => {
  const error = `is not a number from ${least} to ${most}. Write one.`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
};
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const schedule = z
  .string()
  .refine(isSchedule, { error: 'is no schedule. Write one such as 0 9 * * 1-5 or weekdays at 9:00.' });

function isSchedule(text: string): boolean {
  try {
    parseSchedule(text);
    return true;
  } catch {
    return false;
  }
}

/** The environment that the bot reads. `docs/operating.md` lists it from the descriptions here. */
export const environmentSchema = z.object({
  SLACK_BOT_TOKEN: secret.describe("The bot's token, `xoxb-…`"),
  SLACK_APP_TOKEN: secret.optional().describe('The app-level token, `xapp-…`; given: Socket Mode'),
  SLACK_SIGNING_SECRET: secret.optional().describe('For HTTP mode instead'),
  SLACK_API_URL: address
    .default('https://slack.com/api')
    .describe(
      "Slack's Web API, and by it all its hosts; `https://slack-gov.com/api` in GovSlack, another one for an emulator",
    ),
  PORT: within(0, 65_535).default(3000).describe("Of health, metrics and, in HTTP mode, Slack's requests"),
  METRICS_PORT: within(0, 65_535)
    .optional()
    .describe('A port of its own for `/metrics`, which is then not found on `PORT`'),
  METRICS_TOKEN: secret
    .optional()
    .describe('`/metrics` answers those alone who send it as `Authorization: Bearer …`; 24 characters at least'),
  PLATFORM_API_URL: address.describe("The management API; bunny.net's is `https://api.bunny.net`"),
  PLATFORM_ACCESS_KEY: secret.describe("The account's access key"),
  PLATFORM_ORIGIN_LOGS_URL: address.describe('The origin error log service'),
  PLATFORM_LOGGING_URL: address.describe('The access log service'),
  PLATFORM_ORIGIN_LOGS_JWT: secret.optional().describe('Instead of the key there: the whole `Authorization` value'),
  PLATFORM_LOGGING_JWT: secret.optional().describe('Instead of the key there: sent as `Bearer`'),
  PLATFORM_DATABASE_API_URL: address.optional().describe('The database control plane (`{PLATFORM_API_URL}/database`)'),
  PLATFORM_DATABASE_HOST: list
    .default([])
    .describe('Comma list of hosts; a database token goes to these and those under them, nowhere else'),
  PLATFORM_DATABASE_URL: z
    .string()
    .min(1)
    .optional()
    .describe('One database given directly, without the control plane'),
  PLATFORM_DATABASE_AUTH_TOKEN: secret.optional().describe('Its token, better a read-only one'),
  PLATFORM_STATISTICS_EXTRAS: onOff
    .default(true)
    .describe("`off`: statistics are asked for with the specification's parameters alone"),
  PLATFORM_SQL_CLOSE: onOff.default(true).describe('`off`: no `close` item after statements'),
  STORE_URL: z
    .string()
    .min(1)
    .default('file:data/edgewise.db')
    .describe('What the bot remembers: `file:data/edgewise.db` (one process), `libsql://…` (several), or `platform`'),
  STORE_AUTH_TOKEN: secret.optional().describe('The token of that database'),
  EDGEWISE_ADMINS: list.default([]).describe('Comma list of Slack user ids'),
  POLICY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Who may do what, where; see [policy](policy.md). Without it everybody reads, and `EDGEWISE_ADMINS` change things',
    ),
  EDGEWISE_ENCRYPTION_KEY: secret
    .optional()
    .describe(
      `Seals what was typed and signs what is stored, so that nobody who can write to the store commands the platform; ${SHORTEST_KEY} characters at least (\`openssl rand -base64 32\`). Without it what was typed stands readable in the store for a day`,
    ),
  EDGEWISE_ENCRYPTION_KEY_OLD: secret
    .optional()
    .describe('The key until now, while it is changed: a start with both writes the store anew with the new one'),
  EDGEWISE_STORE_ADOPT: onOff
    .optional()
    .describe('`on` for one start: takes over what an earlier version, or the bot without a key, has stored'),
  AUDIT_CHANNEL: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Id of a channel that gets the head of the audit at each start and once a day; a start reads it back, and so knows an older store',
    ),
  // Changes of the last month are held against the audit.
  AUDIT_KEEP_DAYS: within(40, 36_500)
    .default(400)
    .describe('How long an entry of the audit stays in the store; whole months that are older go to files'),
  AUDIT_ARCHIVE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The folder of those files. Left out: `audit` beside an embedded store; with a store on a server the audit stays whole',
    ),
  TOKEN_ENV_FILE: z.string().min(1).optional().describe('The file that `--save-env` writes a new database token to'),
  REPORT_CHANNEL: z
    .string()
    .min(1)
    .optional()
    .describe('Id of the channel for the two reports; without it there are none'),
  DAILY_STATISTICS_CRON: schedule.default('0 9 * * *').describe('When daily statistics are posted'),
  ERROR_SUMMARY_CRON: schedule.default('*/15 * * * *').describe('When errors are looked at'),
  ERROR_SUMMARY_PER_HOUR: within(1, 60)
    .default(4)
    .describe('Most error summaries per hour and channel; the rest is folded'),
  REPORT_TIMEZONE: timezone.default('UTC').describe('Time zone of both'),
  LOG_LEVEL: z
    .enum(LEVELS, { error: `is none of ${LEVELS.join(', ')}. Write one of them.` })
    .default('info')
    .describe('One JSON object a line on standard output'),
});

/** Tokens of Slack by how they begin. Source: docs.slack.dev, Tokens. */
const TOKEN_KINDS = {
  'xoxb-': 'a bot token',
  'xapp-': 'an app-level token',
  'xoxp-': 'the token of a person',
  'xoxe-': 'a token for renewing others',
  'xoxe.xoxp-': 'a token for the app’s settings',
  'xoxc-': 'the token of a browser',
  'xoxd-': 'the token of a browser',
  'xoxs-': 'the token of a browser',
} as const;

/** A token that was pasted into the place of another kind. */
function wrongToken(name: TokenName, token: string | undefined, wanted: keyof typeof TOKEN_KINDS): string[] {
  const found = Object.entries(TOKEN_KINDS).find(([begin]) => token?.startsWith(begin));
  if (found === undefined || found[0] === wanted) return [];
  const [begin, kind] = found;
  return [
    `${name} is ${kind} (${begin}…). Give ${TOKEN_KINDS[wanted]} (${wanted}…): it stands in the app’s settings under ${TOKENS[name]}.`,
  ];
}

/** Complaints about several settings at once, or that need more than a schema. */
function crossChecks(given: Readonly<Record<string, string | undefined>>): string[] {
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
      given.METRICS_TOKEN !== undefined && !/^[!-~]{24,}$/.test(given.METRICS_TOKEN),
      'METRICS_TOKEN has fewer than 24 characters, or some that no header can have. Make one with `openssl rand -hex 32`.',
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
      store === 'platform' && given.PLATFORM_DATABASE_URL === undefined,
      'STORE_URL is `platform`, but PLATFORM_DATABASE_URL is missing. Attach a database to the container.',
    ],
    [
      store !== undefined && !isStoreAddress(store),
      'STORE_URL is not an address of a store. Begin it with file:, libsql:, https: or http:, or write `platform`.',
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
    ...admins
      .filter((id) => id !== '' && !/^[UW][A-Z0-9]{2,}$/.test(id))
      // It may be a token that was pasted into the wrong line.
      .map((id) => (id.length > 8 ? `${id.slice(0, 4)}…` : id))
      .map((id) => `EDGEWISE_ADMINS has “${id}”, which is not a Slack user id. Write ids, U…: profiles show them.`),
  ];
}

function isStoreAddress(text: string): boolean {
  if (text === 'platform' || /^(file:|:memory:$)/.test(text)) return true;
  return /^(libsql|https?|wss?):/.test(text) && URL.canParse(text);
}

/** Settings of other programs that are so near. */
const OF_OTHERS: ReadonlySet<string> = new Set(['LOGLEVEL', 'SLACK_API_TOKEN']);

/**
 * Names with a letter too many, too few, wrong or in another's place, of settings that are not given, with what to say: else a
 * setting would be off that somebody has switched on.
 */
function misspelt(given: Readonly<Record<string, string>>): Map<string, string> {
  const names = Object.keys(environmentSchema.shape);
  const missing = names.filter((name) => given[name] === undefined && name.includes('_'));
  const lettersOf = (name: string) => [...name].sort().join('');
  const found = Object.keys(given).map((name): [string | undefined, string] => {
    const reach = (best: string) => (lettersOf(best) === lettersOf(name) ? 2 : 1);
    return [names.includes(name) || OF_OTHERS.has(name) ? undefined : nearest(name, missing, reach), name];
  });
  return new Map(
    found.flatMap(([meant, name]) =>
      meant === undefined ? [] : [[meant, `${name} is not a setting. Did you mean ${meant}?`]],
    ),
  );
}

/** The settings, checked. Secrets are `Secret`s. */
export type Config = z.output<typeof environmentSchema>;

/** Every complaint about the settings at once, each on a line; no value of a secret is repeated. */
export class ConfigError extends StartError {
  override name = 'ConfigError';
  readonly complaints: string[];

  constructor(complaints: string[]) {
    const lines = complaints.map((complaint) =>
      complaint
        .split('\n')
        .map((line) => line.trim())
        .join(' '),
    );
    super('settings', lines.join('\n'));
    this.complaints = lines;
  }
}

/** Environment → settings. Empty strings count as not given. Throws ConfigError. */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
  const spelling = misspelt(given);
  const result = environmentSchema.safeParse(given);
  const issues = (result.error?.issues ?? []).flatMap((issue) => {
    const name = String(issue.path[0] ?? 'environment');
    if (given[name] !== undefined || issue.code !== 'invalid_type') return [`${name} ${issue.message}`];
    return spelling.has(name)
      ? []
      : [`${name} is missing. Set it in .env or in the environment, as docs/operating.md says.`];
  });
  const complaints = [...issues, ...spelling.values(), ...crossChecks(given)];
  if (!result.success || complaints.length > 0) throw new ConfigError(complaints);
  return result.data;
}

/** Every secret of the settings: what must never leave. */
export function secretsOf(config: Config): Secret[] {
  return Object.values(config).filter((value) => value instanceof Secret);
}

/** The settings that the platform's client is built with. */
export function platformSettings(config: Config): PlatformOptions {
  return {
    apiUrl: config.PLATFORM_API_URL,
    originLogsUrl: config.PLATFORM_ORIGIN_LOGS_URL,
    loggingUrl: config.PLATFORM_LOGGING_URL,
    databaseApiUrl: config.PLATFORM_DATABASE_API_URL,
    databaseHosts: config.PLATFORM_DATABASE_HOST,
    accessKey: config.PLATFORM_ACCESS_KEY,
    originLogsJwt: config.PLATFORM_ORIGIN_LOGS_JWT,
    loggingJwt: config.PLATFORM_LOGGING_JWT,
    statisticsExtras: config.PLATFORM_STATISTICS_EXTRAS,
    pipelineClose: config.PLATFORM_SQL_CLOSE,
  };
}

/** Where the bot's own store is: `platform` stands for the database that the platform gave its container. */
export function storeSettings(config: Config): { url: string; authToken: Secret | undefined } {
  return config.STORE_URL === 'platform'
    ? { url: config.PLATFORM_DATABASE_URL ?? '', authToken: config.PLATFORM_DATABASE_AUTH_TOKEN }
    : { url: config.STORE_URL, authToken: config.STORE_AUTH_TOKEN };
}

/** Where entries of the audit go that are older than so many days. Undefined: none go. */
export function archiveSettings(config: Config): { folder: string; days: number } | undefined {
  const { AUDIT_ARCHIVE, AUDIT_KEEP_DAYS: days } = config;
  const { url } = storeSettings(config);
  const beside = url.startsWith('file:')
    ? join(dirname(url.slice('file:'.length).split('?', 1)[0]!), 'audit')
    : undefined;
  const folder = AUDIT_ARCHIVE ?? beside;
  return folder === undefined ? undefined : { folder, days };
}

/** The keys of the store, and whether it takes over what was never signed. */
export function storeKeys(config: Config): StoreKeys {
  return {
    encryptionKey: config.EDGEWISE_ENCRYPTION_KEY,
    encryptionKeyOld: config.EDGEWISE_ENCRYPTION_KEY_OLD,
    adopt: config.EDGEWISE_STORE_ADOPT,
  };
}

/** The database that the settings give to operations, with its token. */
export function configuredDatabase(config: Config): { url: string; token: Secret } | undefined {
  const { PLATFORM_DATABASE_URL: url, PLATFORM_DATABASE_AUTH_TOKEN: token } = config;
  return url === undefined || token === undefined ? undefined : { url, token };
}

/** The host of the bot's own store, where that is a server. */
export function ownDatabaseHost(config: Config): string | undefined {
  const { url } = storeSettings(config);
  return /^(libsql|https?|wss?):/.test(url) ? new URL(url).host : undefined;
}

/** The settings that Slack is reached with. */
export function slackSettings(config: Config) {
  return {
    botToken: config.SLACK_BOT_TOKEN,
    appToken: config.SLACK_APP_TOKEN,
    signingSecret: config.SLACK_SIGNING_SECRET,
    apiUrl: config.SLACK_API_URL,
  };
}

/** The policy of POLICY_FILE, or the built-in one. Throws ConfigError, which names the line of every mistake. */
export function readPolicy(
  { POLICY_FILE: file, EDGEWISE_ADMINS: admins }: Pick<Config, 'POLICY_FILE' | 'EDGEWISE_ADMINS'>,
  commands: readonly Command[],
): PolicyDocument {
  if (file === undefined) return parsePolicy({ commands, admins });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const problem = fileProblem('POLICY_FILE', file, error);
    throw problem instanceof StartError ? new ConfigError([problem.message]) : problem;
  }
  try {
    return parsePolicy({ text, file: basename(file), commands, admins });
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new ConfigError(
      error.complaints.map(({ line, message }) => {
        const sentence = /[.?!]$/.test(message) ? message : `${message}.`;
        const isAdvised = /[.:] \S|\?$/.test(message);
        return `POLICY_FILE: ${file} line ${line}: ${sentence}${isAdvised ? '' : ' Mend that line.'}`;
      }),
    );
  }
}
