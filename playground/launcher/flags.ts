/** The flags of `npm run playground`. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** Things that go wrong with a zone when they are asked for; each is a flag. */
export const TROUBLES = ['origin-down', 'traffic-gone', 'cache-collapsed', 'certificate-expired', 'flood'] as const;
/** One of them. */
export type Trouble = (typeof TROUBLES)[number];

/** The flags as they were read. */
export interface PlaygroundFlags {
  specOnly: boolean;
  /** A v1 log to load onto a zone, by the zone's id or name (the first zone without one). */
  accessLog: { file: string; zone: string | undefined } | undefined;
  faults: string[];
  slackFaults: string[];
  /** Payloads go to the bot over Socket Mode instead of HTTP. */
  socket: boolean;
  /** Troubles that begin soon after the start, each with its zone, by id or name. */
  troubles: Partial<Record<Trouble, string>>;
  /** The workspace belongs to an organisation of Enterprise Grid, which has the app for this one, or for all. */
  grid: 'workspace' | 'org' | undefined;
  /** A workspace without data tables and charts. */
  plainBlocks: boolean;
  /** The port of the page; undefined: 4400, or any free one where that is taken. */
  port: number | undefined;
  seed: number;
  /** Where the bot's store and log are kept; undefined: a new temporary folder. */
  folder: string | undefined;
  /** The bot's POLICY_FILE; undefined: docs/policy.example.yml in a demonstration, else the built-in policy. */
  policy: string | undefined;
  /** Something goes on when people come: #ops has a report, an incident and an approval that waits. */
  demo: boolean;
  /** The label of a second bot in the workspace, which operates another account by a command of its own. */
  secondBot: string | undefined;
  help: boolean;
}

/** A flag that is wrong: one line, for the person at the terminal. */
export class FlagError extends Error {
  override name = 'FlagError';
}

/** The help text. */
export const usage = `npm run playground -- [flags]

  --port N              the page's port (4400, or a free one where that is taken)
  --data DIR            keep the bot's store and log there, to go on with them later
  --policy FILE         who may do what (docs/policy.example.yml; with --empty ada everything, the others read)
  --empty               nothing goes on yet: no morning report, no origin that is down, no approval that waits
  --second-bot LABEL    another bot beside it, for another account, with a store of its own: staging hears /edge-staging
  --seed N              another account: everything in it is a function of this number (1)
  --spec-only           answer 404 to everything that the specification does not have
  --access-log FILE     load a real access log (v1, pipe-delimited) onto a zone; its last date becomes yesterday
  --access-log-zone Z   onto this one, by id or name (the first)
  --fault SPEC          let the platform misbehave, as often as you like: slow=2000, status=503@logging,
                        drop-after@DELETE /mc/apps*1, html, truncated, envelope, accepted …
  --slack-fault SPEC    let Slack misbehave, as often as you like, by any error that it documents, a status, drop or hang:
                        chat.update=msg_too_long*3, usergroups.list=plan_upgrade_required, any=503*20s,
                        chat.postMessage=drop-after*1, socket=refresh_requested@30, socket=silence@60 …
  --origin-down Z       let the origin of this zone, by id or name, be down for half an hour, two minutes after the start
  --traffic-gone Z, --cache-collapsed Z, --certificate-expired Z
                        the same with other trouble, for an hour from a quarter of an hour after the start: the bot has
                        to see the zone well once. No failing requests: only statistics show it, after half an hour
  --flood Z             let a few machines flood this zone, by id or name, for three hours, two minutes after the start
  --socket              deliver over Socket Mode instead of HTTP
  --grid KIND           put the workspace into an organisation of Enterprise Grid: workspace (the app is installed
                        here), or org (for all workspaces at once)
  --plain-blocks        refuse data tables and charts, as workspaces do that do not have them yet
  --help                this text

The bot's reports go to #ops. DAILY_STATISTICS_CRON, ERROR_SUMMARY_CRON, ERROR_SUMMARY_PER_HOUR and REPORT_TIMEZONE are
taken from the shell, so that they can be seen soon: ERROR_SUMMARY_CRON='*/2 * * * *' npm run playground`;

/** Arguments → flags. Throws FlagError. */
export function parseFlags(args: readonly string[]): PlaygroundFlags {
  const values = read(args);
  const file = values['access-log'];
  if (file !== undefined && !existsSync(file)) throw new FlagError(`--access-log: there is no file ${file}`);
  if (file === undefined && values['access-log-zone'] !== undefined)
    throw new FlagError('--access-log-zone needs --access-log FILE');
  const { policy } = values;
  if (policy !== undefined && !existsSync(policy)) throw new FlagError(`--policy: there is no file ${policy}`);
  return {
    specOnly: values['spec-only'] ?? false,
    accessLog: file === undefined ? undefined : { file, zone: values['access-log-zone'] },
    faults: values.fault ?? [],
    slackFaults: values['slack-fault'] ?? [],
    socket: values.socket ?? false,
    troubles: Object.fromEntries(
      TROUBLES.flatMap((kind) => (values[kind] === undefined ? [] : [[kind, values[kind]]])),
    ),
    grid: gridOf(values.grid),
    plainBlocks: values['plain-blocks'] ?? false,
    port: values.port === undefined ? undefined : wholeNumber('--port', values.port, 65_535),
    seed: values.seed === undefined ? 1 : wholeNumber('--seed', values.seed, 2 ** 31 - 1),
    folder: values.data,
    policy,
    demo: !values.empty,
    secondBot: labelOf(values['second-bot']),
    help: values.help ?? false,
  };
}

function read(args: readonly string[]) {
  try {
    const { values, tokens } = parseArgs({
      args: [...args],
      tokens: true,
      options: {
        'spec-only': { type: 'boolean' },
        'access-log': { type: 'string' },
        'access-log-zone': { type: 'string' },
        fault: { type: 'string', multiple: true },
        'slack-fault': { type: 'string', multiple: true },
        socket: { type: 'boolean' },
        'origin-down': { type: 'string' },
        'traffic-gone': { type: 'string' },
        'cache-collapsed': { type: 'string' },
        'certificate-expired': { type: 'string' },
        flood: { type: 'string' },
        grid: { type: 'string' },
        'plain-blocks': { type: 'boolean' },
        port: { type: 'string' },
        seed: { type: 'string' },
        data: { type: 'string' },
        policy: { type: 'string' },
        empty: { type: 'boolean' },
        'second-bot': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const names = tokens.flatMap((token) =>
      token.kind === 'option' && !token.name.endsWith('fault') ? [token.name] : [],
    );
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) throw new FlagError(`--${twice} is given twice`);
    return values;
  } catch (error) {
    if (error instanceof FlagError) throw error;
    throw new FlagError(error instanceof Error ? (error.message.split('. ')[0] ?? error.message) : String(error));
  }
}

function labelOf(text: string | undefined): string | undefined {
  if (text === undefined || /^[a-z\d-]{1,20}$/.test(text)) return text;
  throw new FlagError('--second-bot is a label of small letters, like staging');
}

function gridOf(text: string | undefined): PlaygroundFlags['grid'] {
  if (text === undefined || text === 'workspace' || text === 'org') return text;
  throw new FlagError(`--grid is workspace or org, not ${text}`);
}

function wholeNumber(flag: string, text: string, most: number): number {
  if (!/^\d+$/.test(text) || Number(text) > most)
    throw new FlagError(`${flag} is a whole number up to ${most}, not ${text}`);
  return Number(text);
}
