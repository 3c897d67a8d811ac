import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { basename } from 'node:path';
import * as z from 'zod';
import { passes } from './errors.ts';
import { networkOf } from './operations/arguments/attackers.ts';
import { toRun } from './own-name.ts';
import type { PlatformOptions } from './platform/client.ts';
import { type PolicyDocument, parsePolicy } from './policy/document.ts';
import { FileError } from './policy/lines.ts';
import type { Command } from './policy/names.ts';
import { isTimezone } from './schedule/offsets.ts';
import { parseSchedule } from './schedule/words.ts';
import { Secret } from './secret.ts';
import { crossChecks, fileOf, misspelt, settingsOf, withSecretFiles } from './setting-checks.ts';
import { fileProblem, StartError } from './start-error.ts';
import { SHORTEST_KEY } from './store/seal.ts';

const secretLike = (pattern: RegExp, error?: string) => z.string().regex(pattern, error).transform(Secret.of);
const secret = secretLike(/./);
/** What a header may hold. With anything else every request would fail as if its server were away. */
const token = secretLike(
  /^[ -~]+$/,
  'still has the placeholder …, or a curly quote or a second line. Copy the value anew, in plain quotes or none.',
);
const ownToken = secretLike(
  /^[!-~]{24,}$/,
  'has fewer than 24 characters, or some that no header can have. Make one with `openssl rand -hex 32`.',
);
const address = z
  .url({ protocol: /^https?$/, error: 'is not an address. Write one that begins with https://.' })
  .transform((value) => value.replace(/(?<!\/)\/+$/, ''));
const list = z.string().transform((value) => value.split(',').flatMap((item) => item.trim() || []));
const someText = z.string().min(1);
const channel = z.string().regex(/^[CGD][A-Z0-9]+$/, {
  error: 'is not the id of a channel. Write one such as C0123456789: it is at the bottom of the channel’s details.',
});
const onOff = z
  .enum(['on', 'off', 'true', 'false', '1', '0'], { error: 'is neither on nor off. Write one of the two.' })
  .transform((value) => ['on', 'true', '1'].includes(value));

const within = (least: number, most: number) => {
  const error = `is not a number from ${least} to ${most}. Write one.`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
};
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const schedule = z.string().refine((value) => passes(() => parseSchedule(value)), {
  error: 'is not a schedule. Write one such as 0 9 * * 1-5 or weekdays at 9:00.',
});

/** `docs/operating.md` lists it from these descriptions. */
export const environmentSchema = z.object({
  SLACK_BOT_TOKEN: token.describe("The bot's token, `xoxb-…`"),
  SLACK_APP_TOKEN: token.optional().describe('The app-level token, `xapp-…`; given: Socket Mode'),
  SLACK_SIGNING_SECRET: token.optional().describe('For HTTP mode instead'),
  SLACK_API_URL: address
    .default('https://slack.com/api')
    .describe(
      "Slack's Web API, and by it all its hosts; `https://slack-gov.com/api` in GovSlack, another one for an emulator",
    ),
  HOST: z
    .string()
    .refine((value) => isIP(value) !== 0 || value === 'localhost', {
      error: 'is not an address to listen on. Write one such as 127.0.0.1.',
    })
    .optional()
    .describe('The address that `PORT` and `METRICS_PORT` are opened on; all of this machine unless it is set'),
  PORT: within(0, 65_535)
    .default(3000)
    .describe("Of health, metrics, [agents](agents.md) and, in HTTP mode, Slack's requests"),
  METRICS_PORT: within(0, 65_535)
    .optional()
    .describe(
      'A port of its own for `/metrics`, which is then not found on `PORT`; in HTTP mode it needs this or a token',
    ),
  METRICS_TOKEN: ownToken
    .optional()
    .describe(
      'If set, `/metrics` answers only requests with `Authorization: Bearer <this token>`; at least 24 characters',
    ),
  MARKS_TOKEN: ownToken
    .optional()
    .describe(
      'If set, `POST /marks` on `PORT` takes [marks](reports.md#marks) with `Authorization: Bearer <this token>`; at least 24 characters',
    ),
  PLATFORM_API_URL: address.describe("The management API; bunny.net's is `https://api.bunny.net`"),
  PLATFORM_ACCESS_KEY: token.describe("The account's access key"),
  PLATFORM_ORIGIN_LOGS_URL: address.describe('The origin error log service'),
  PLATFORM_LOGGING_URL: address.describe('The access log service'),
  PLATFORM_ORIGIN_LOGS_JWT: token.optional().describe('Instead of the key there: the whole `Authorization` value'),
  PLATFORM_LOGGING_JWT: token.optional().describe('Instead of the key there: sent as `Bearer`'),
  PLATFORM_DATABASE_API_URL: address.optional().describe('The database control plane (`{PLATFORM_API_URL}/database`)'),
  PLATFORM_DATABASE_HOST: list
    .default([])
    .describe('Comma list of hosts; a database token goes to these and those under them, nowhere else'),
  PLATFORM_DATABASE_URL: someText.optional().describe('One database given directly, without the control plane'),
  PLATFORM_DATABASE_AUTH_TOKEN: token.optional().describe('Its token, better a read-only one'),
  PLATFORM_STATISTICS_EXTRAS: onOff
    .default(true)
    .describe("`off`: statistics are asked for with the specification's parameters alone"),
  STATISTICS_PER_SECOND: within(1, 100)
    .default(1)
    .describe('Requests for statistics a second with which error summaries watch the zones; fewer after a 429'),
  BUDGET_MONTHLY: within(1, 1_000_000_000)
    .optional()
    .describe('What the account may spend a month, in US dollars, for `balance show` and the report `balance`'),
  TRUSTED_ADDRESSES: list
    .refine((all) => all.every((one) => networkOf(one) !== undefined), {
      error: 'is not a list of addresses. Write one such as 203.0.113.7, 198.51.100.0/24.',
    })
    .default([])
    .describe('Comma list of addresses and networks, your office’s for one, that `block add` refuses to keep out'),
  STORE_URL: secret
    .default(Secret.of('file:data/edgewise.db'))
    .describe('What the bot remembers: `file:data/edgewise.db` (one process), or `postgres://…` (several)'),
  STORE_CA: someText
    .optional()
    .describe('File of the certificate that signs the PostgreSQL server’s, in PEM; the server is verified with it'),
  EDGEWISE_COMMAND: z
    .string()
    .regex(/^\/[a-z0-9_-]{1,31}$/, { error: 'is not a slash command. Write one such as /edge-staging.' })
    .default('/edge')
    .describe('The slash command. Two bots of one workspace need two'),
  EDGEWISE_LABEL: z
    .string()
    .regex(/^[\w .-]{1,20}$/, { error: 'is not a label. Write a word or two, such as staging.' })
    .optional()
    .describe('What account this is, such as `staging`: previews and outcomes say it'),
  EDGEWISE_ADMINS: list.default([]).describe('Comma list of Slack user ids'),
  POLICY_FILE: someText
    .optional()
    .describe(
      'Who may do what, where; see [policy](policy.md). Without it everybody reads, and `EDGEWISE_ADMINS` change things',
    ),
  EDGEWISE_ENCRYPTION_KEY: secret
    .optional()
    .describe(
      `Seals what was typed and signs what is stored, so that nobody can command the platform by writing to the store; ${SHORTEST_KEY} characters at least (\`openssl rand -base64 32\`). Without it, what was typed is readable in the store for a day`,
    ),
  EDGEWISE_ENCRYPTION_KEY_OLD: secret
    .optional()
    .describe(
      'The old key, set for one start only. That start rewrites the store with the new key; after it the old key is worthless',
    ),
  EDGEWISE_STORE_ADOPT: onOff
    .optional()
    .describe('`on` for one start: the store is the right one, whatever head of the audit was posted last'),
  AUDIT_CHANNEL: channel
    .optional()
    .describe(
      'Id of the channel where the head of the audit is posted at each start and once a day; at a start the bot reads it back, and trusts nothing without it. For a store in use, set it together with `EDGEWISE_STORE_ADOPT=on` once',
    ),
  // Changes of the last month have to stay provable by the audit.
  AUDIT_KEEP_DAYS: within(40, 36_500)
    .optional()
    .describe('After how many days an entry of the audit is removed for good. Left out: never'),
  TOKEN_ENV_FILE: someText
    .optional()
    .describe('The file that `--save-env` writes a new database token to, in quotes where a shell would need them'),
  REPORT_CHANNEL: channel.optional().describe('Id of the channel for the two reports; without it there are none'),
  DAILY_STATISTICS_CRON: schedule.default('daily at 9:00').describe('When daily statistics are posted'),
  ERROR_SUMMARY_CRON: schedule.default('every 5 minutes').describe('When errors are looked at'),
  ERROR_SUMMARY_PER_HOUR: within(1, 60)
    .default(12)
    .describe('Most error summaries per hour and channel; the rest is folded'),
  REPORT_TIMEZONE: z
    .string()
    .refine(isTimezone, { error: 'is not a time zone. Write one such as Europe/Berlin.' })
    .default('UTC')
    .describe('Time zone of both'),
  STOP_GRACE: within(0, 600)
    .default(15)
    .describe('So many seconds a stop still takes Slack’s requests over HTTP, until a balancer sends no more'),
  LOG_LEVEL: z
    .enum(LEVELS, { error: `is none of ${LEVELS.join(', ')}. Write one of them.` })
    .default('info')
    .describe('One JSON object a line on standard output'),
});

/** Each may also be a file, by its name with `_FILE`. */
export const SECRETS: readonly string[] = Object.entries(environmentSchema.shape)
  .filter(([, setting]) => setting.safeParse('a'.repeat(24)).data instanceof Secret)
  .map(([name]) => name);

export type Config = z.output<typeof environmentSchema>;

/** Names all mistakes at once, and repeats no secret. */
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

/** Undefined: Slack’s requests come in on `PORT`, and there is no token. */
export function metricsPort({ PORT, METRICS_PORT, METRICS_TOKEN, SLACK_APP_TOKEN }: Config): number | undefined {
  const isOpen = SLACK_APP_TOKEN !== undefined || METRICS_TOKEN !== undefined;
  return METRICS_PORT ?? (isOpen ? PORT : undefined);
}

/** Throws ConfigError. */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const { given, wrong } = withSecretFiles(settingsOf(environment), SECRETS);
  const spelling = misspelt(given, [...Object.keys(environmentSchema.shape), ...SECRETS.map(fileOf)]);
  const result = environmentSchema.safeParse(given);
  const issues = (result.error?.issues ?? []).flatMap((issue) => {
    const name = String(issue.path[0] ?? 'environment');
    if (given[name] !== undefined || issue.code !== 'invalid_type') return [`${name} ${issue.message}`];
    return spelling.has(name) ? [] : [`${name} is missing. Run \`${toRun('setup')}\`, or set it in .env.`];
  });
  // An unreadable secret is named only once.
  const others = [...issues, ...spelling.values(), ...crossChecks(given)].filter(
    (complaint) => ![...wrong.keys()].some((name) => complaint.includes(name)),
  );
  const complaints = [...wrong.values(), ...others];
  if (!result.success || complaints.length > 0) throw new ConfigError(complaints);
  return result.data;
}

export const UNSEALED =
  'There is no EDGEWISE_ENCRYPTION_KEY, so whoever writes to the store commands the bot. Make one with `openssl rand -base64 32`, and name a new store in STORE_URL with it.';

/** Secrets that must never leave. */
export function secretsOf(config: Config): Secret[] {
  const { STORE_URL: store, ...others } = config;
  const { password } = addressOfStore(store);
  return [...Object.values(others), password].filter((value) => value instanceof Secret);
}

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
    budget: config.BUDGET_MONTHLY,
    trusted: config.TRUSTED_ADDRESSES,
    resolveHost: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  };
}

export const storeSettings = (config: Config) => ({
  ...addressOfStore(config.STORE_URL),
  ca: config.STORE_CA,
  encryptionKey: config.EDGEWISE_ENCRYPTION_KEY,
  encryptionKeyOld: config.EDGEWISE_ENCRYPTION_KEY_OLD,
});

/** The address without its password, which is its only secret. */
export function addressOfStore(store: Secret): { url: string; password?: Secret } {
  const url = store.reveal();
  if (!url.startsWith('postgres')) return { url };
  const address = new URL(url);
  if (address.password === '') return { url };
  const password = Secret.of(decodeURIComponent(address.password));
  address.password = '';
  return { url: address.href, password };
}

export function configuredDatabase(config: Config): { url: string; token: Secret } | undefined {
  const { PLATFORM_DATABASE_URL: url, PLATFORM_DATABASE_AUTH_TOKEN: token } = config;
  return url === undefined || token === undefined ? undefined : { url, token };
}

export function slackSettings(config: Config) {
  return {
    botToken: config.SLACK_BOT_TOKEN,
    appToken: config.SLACK_APP_TOKEN,
    signingSecret: config.SLACK_SIGNING_SECRET,
    apiUrl: config.SLACK_API_URL,
  };
}

/** Throws ConfigError with the line of every mistake. */
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
        return `POLICY_FILE: ${file} line ${line}: ${sentence}${isAdvised ? '' : ' Fix that line.'}`;
      }),
    );
  }
}
