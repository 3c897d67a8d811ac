import { randomBytes } from 'node:crypto';
import { isCancel, log, password, select, text } from '@clack/prompts';
import { pino } from 'pino';
import { parseConfig } from '../../config.ts';
import { buildManifest, MANIFESTS, PUBLIC_ADDRESS, SCOPES } from '../../manifest.ts';
import { routes } from '../../network.ts';
import { checkPlatform } from '../../platform/check.ts';
import { createPlatform } from '../../platform/client.ts';
import { isTimezone } from '../../schedule/offsets.ts';
import { Secret } from '../../secret.ts';
import { createChannels } from '../../slack/channels.ts';
import { createClients, type Identity, identify, pagesOf } from '../../slack/clients.ts';
import { membershipOf } from '../../slack/membership.ts';
import { StartError } from '../../start-error.ts';
import { detailOf, reasonFor, refusedAs } from '../doctor/finding.ts';

export interface Setup {
  known: Record<string, string>;
  keep(name: string, value: string): void;
}

/** The platform's API is bunny.net's. */
const BUNNY = {
  PLATFORM_API_URL: 'https://api.bunny.net',
  PLATFORM_ORIGIN_LOGS_URL: 'https://cdn-origin-logging.bunny.net',
  PLATFORM_LOGGING_URL: 'https://logging.bunnycdn.com',
} as const;

/** Ctrl-C, or nobody answers. */
export class StoppedError extends Error {
  override name = 'StoppedError';
}

async function answerOf(asked: Promise<string | symbol>): Promise<string> {
  const answer = await asked;
  if (typeof answer === 'symbol') throw new StoppedError();
  return answer.trim();
}

/** `check` throws what is wrong with an answer. */
interface Question {
  setting: string;
  ask: string;
  secret?: boolean;
  /** Taken when nothing is typed. */
  preset?: string;
  check(answer: string): Promise<{ value: string; found: string }>;
}

/** Asks until the answer is good. A known answer is checked first. */
async function settle({ known, keep }: Setup, question: Question): Promise<string> {
  const { setting, ask, secret = false, preset, check } = question;
  let answer = known[setting];
  for (let isFirst = true; ; isFirst = false) {
    if (answer === undefined || !isFirst) {
      const validate = (typed: string | undefined) =>
        typed?.trim() || preset !== undefined ? undefined : 'Nothing was typed.';
      answer = await answerOf(
        secret
          ? password({ message: ask, validate })
          : text({
              message: ask,
              validate,
              ...(preset === undefined ? {} : { placeholder: preset, defaultValue: preset }),
            }),
      );
    }
    try {
      const { value, found } = await check(answer);
      keep(setting, value);
      log.success(found);
      return value;
    } catch (error) {
      log.error(detailOf(error));
    }
  }
}

const clientsOf = ({ known }: Setup) =>
  createClients(
    Secret.of(known.SLACK_BOT_TOKEN ?? ''),
    (known.SLACK_API_URL ?? 'https://slack.com/api').replace(/(?<!\/)\/+$/, ''),
  );

/** How Slack reaches the bot, and the app from the manifest where there is none. */
export async function makeApp({ known }: Setup): Promise<'socket' | 'http'> {
  if (known.SLACK_APP_TOKEN !== undefined) return 'socket';
  if (known.SLACK_SIGNING_SECRET !== undefined) return 'http';
  const chosen = await select<'socket' | 'http'>({
    message: 'How does Slack reach the bot?',
    options: [
      { value: 'socket', label: 'Socket Mode', hint: 'the bot calls Slack; no public address' },
      { value: 'http', label: 'HTTP', hint: 'Slack calls the bot at https://…' },
    ],
  });
  if (isCancel(chosen)) throw new StoppedError();
  if (known.SLACK_BOT_TOKEN !== undefined) return chosen;
  const host = chosen === 'socket' ? '' : await askHost();
  const manifest = JSON.stringify(
    buildManifest(chosen, { command: known.EDGEWISE_COMMAND, label: known.EDGEWISE_LABEL }),
  ).replaceAll(PUBLIC_ADDRESS, `https://${host}/slack/events`);
  const site = known.SLACK_API_URL?.includes('slack-gov.com') === true ? 'api.slack-gov.com' : 'api.slack.com';
  console.log(`\nMake the app: open this address, choose the workspace, press Create, then Install to Workspace.
It is the manifest of ${MANIFESTS[chosen]}, with your command and label.\n\nhttps://${site}/apps?new_app=1&manifest_json=${encodeURIComponent(manifest)}\n`);
  await answerOf(text({ message: 'Press Enter when it is installed.' }));
  return chosen;
}

async function askHost(): Promise<string> {
  const hostOf = (typed = '') => (URL.canParse(typed) ? new URL(typed).hostname : typed.trim());
  const typed = await answerOf(
    text({
      message: 'The bot’s public host, such as edgewise.example.com',
      validate: (one) =>
        /^[\w.-]+\.[a-z]{2,}$/i.test(hostOf(one))
          ? undefined
          : 'That is not a host. Write its name alone, without a path.',
    }),
  );
  return hostOf(typed);
}

export async function connectSlack(setup: Setup, mode: 'socket' | 'http'): Promise<Identity> {
  const { known, keep } = setup;
  let bot: Identity | undefined;
  await settle(setup, {
    setting: 'SLACK_BOT_TOKEN',
    ask: 'Bot token (xoxb-…, from OAuth & Permissions; it is not shown)',
    secret: true,
    async check(value) {
      if (!value.startsWith('xoxb-')) throw new Error('A bot token begins with xoxb-. Copy the Bot User OAuth Token.');
      const clients = clientsOf({ ...setup, known: { ...known, SLACK_BOT_TOKEN: value } });
      bot = await identify(clients).catch(refusedAs('SLACK_BOT_TOKEN'));
      const { response_metadata } = await clients.interactive.auth.test();
      const missing = Object.keys(SCOPES).filter((scope) => response_metadata?.scopes?.includes(scope) === false);
      if (missing.length > 0)
        throw new Error(
          `The app lacks ${missing.join(', ')}. Update it from ${MANIFESTS[mode]}, install it again, and paste its token.`,
        );
      return { value, found: `the bot is ${bot.userId}` };
    },
  });
  if (mode === 'socket')
    await settle(setup, {
      setting: 'SLACK_APP_TOKEN',
      ask: 'App-level token (xapp-…, from Basic Information → App-Level Tokens → Generate, with connections:write)',
      secret: true,
      async check(value) {
        if (!value.startsWith('xapp-')) throw new Error('An app-level token begins with xapp-.');
        await clientsOf(setup).interactive.apps.connections.open({ token: value }).catch(refusedAs('SLACK_APP_TOKEN'));
        return { value, found: 'Socket Mode can be used' };
      },
    });
  else
    await settle(setup, {
      setting: 'SLACK_SIGNING_SECRET',
      ask: 'Signing secret (from Basic Information → App Credentials)',
      secret: true,
      async check(value) {
        if (/^xo|^xapp/.test(value)) throw new Error('That is a token. The signing secret is under App Credentials.');
        return { value, found: 'the bot’s log says so if Slack’s requests are not signed with it' };
      },
    });
  keep('SLACK_API_URL', known.SLACK_API_URL ?? '');
  if (bot === undefined) throw new Error('Slack does not say who the bot is.');
  return bot;
}

/** By id, by name, or by e-mail address where the app may see those. */
export async function chooseAdmins(setup: Setup, { teamId }: Identity): Promise<void> {
  const { interactive } = clientsOf(setup);
  await settle(setup, {
    setting: 'EDGEWISE_ADMINS',
    ask: 'Who may change things? Your name in Slack, or ids (U…) separated by commas',
    async check(answer) {
      const words = answer.split(',').map((word) => word.trim());
      const found = await Promise.all(
        words.map((word) => (/^[UW][A-Z0-9]{5,}$/.test(word) ? word : findPerson(interactive, teamId, word))),
      );
      const names = await Promise.all(
        found.map(async (user) => {
          const { user: person } = await interactive.users.info({ user });
          if (membershipOf(person, teamId) !== 'member') throw new Error(`${user} is not a member of this workspace.`);
          return `${person?.real_name ?? person?.name} (${user})`;
        }),
      );
      return { value: found.join(','), found: names.join(', ') };
    },
  });
}

async function findPerson(
  client: ReturnType<typeof createClients>['interactive'],
  teamId: string,
  word: string,
): Promise<string> {
  const wanted = word.replace(/^@/, '').toLowerCase();
  const found: { id: string; name: string }[] = [];
  // How many pages of people are searched.
  for await (const { members = [] } of pagesOf(50, (more) => client.users.list({ limit: 200, ...more }))) {
    for (const person of members) {
      const { id, name = '', real_name = '', profile } = person;
      const called = [name, real_name, profile?.display_name ?? '', profile?.email ?? ''];
      const isMeant = called.some((one) => one.toLowerCase() === wanted);
      if (id !== undefined && isMeant && membershipOf(person, teamId) === 'member')
        found.push({ id, name: real_name || name });
    }
  }
  const [first] = found;
  if (first === undefined)
    throw new Error(
      `Nobody here is called ${word}. ${word.includes('@') && !word.startsWith('@') ? 'The app may not see e-mail addresses. ' : ''}Write the name as Slack shows it, or the id: Profile → ⋮ → Copy member ID.`,
    );
  if (found.length === 1) return first.id;
  const some = found.slice(0, 10).map(({ id, name }) => `${name} ${id}`);
  throw new Error(`${found.length} people have that name: ${some.join(', ')}. Write the id.`);
}

async function keysOf(apiUrl: string, key: string): Promise<string> {
  const platform = createPlatform({ apiUrl, accessKey: Secret.of(key), now: () => new Date() });
  return checkPlatform(platform).finally(() => platform.close());
}

/** Any other site answers differently. */
async function asksForKey(apiUrl: string): Promise<string> {
  await keysOf(apiUrl, 'none-yet').catch((error: unknown) => {
    if (!(error instanceof StartError)) throw new Error(`That is not the platform’s API: ${reasonFor(error)}`);
  });
  return `${apiUrl} answers, and wants a key`;
}

async function answers(address: string): Promise<string> {
  await fetch(address, { signal: AbortSignal.timeout(10_000), ...({ dispatcher: routes() } as object) }).catch(() => {
    throw new Error('Nothing answers there. Write another address.');
  });
  return `${address} answers`;
}

export async function connectPlatform(setup: Setup): Promise<void> {
  const { known, keep } = setup;
  const address = (setting: keyof typeof BUNNY, ask: string, look: (value: string) => Promise<string>) =>
    settle(setup, {
      setting,
      ask,
      preset: BUNNY[setting],
      async check(value) {
        if (!/^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : ''))
          throw new Error('That is not an address. Write one that begins with https://.');
        return { value, found: await look(value) };
      },
    });
  const api = await address('PLATFORM_API_URL', 'The platform’s management API', asksForKey);
  // bunny.net's other addresses are known.
  if (api === BUNNY.PLATFORM_API_URL) {
    for (const [name, value] of Object.entries(BUNNY)) keep(name, known[name] ?? value);
    keep('PLATFORM_DATABASE_HOST', known.PLATFORM_DATABASE_HOST ?? 'lite.bunnydb.net');
  } else {
    await address('PLATFORM_ORIGIN_LOGS_URL', 'Its origin error log', answers);
    await address('PLATFORM_LOGGING_URL', 'Its access log', answers);
  }
  await settle(setup, {
    setting: 'PLATFORM_ACCESS_KEY',
    ask: 'The account’s access key (it is not shown)',
    secret: true,
    async check(value) {
      return { value, found: `the platform takes it, ${await keysOf(api, value)}` };
    },
  });
}

/** Reports are subscribed at the first start. */
export async function chooseReports(setup: Setup): Promise<void> {
  const { interactive: client } = clientsOf(setup);
  const channels = createChannels({ client, now: () => new Date(), log: pino({ level: 'silent' }) });
  const channel = await settle(setup, {
    setting: 'REPORT_CHANNEL',
    ask: 'Channel for daily statistics and error summaries, such as #ops; none: no reports',
    preset: 'none',
    async check(answer) {
      if (answer === 'none') return { value: '', found: 'no reports; the command report subscribe makes some later' };
      const found = await channels.find(answer, { fresh: true });
      if (found === undefined)
        throw new Error(`There is no channel ${answer} that the bot can see. Invite it to a private one.`);
      if (found.member === false)
        throw new Error(`The bot is not in ${found.name}. Type /invite @edgewise there, then write the channel again.`);
      return { value: found.id, found: `${found.name} gets both` };
    },
  });
  if (channel === '') return;
  await settle(setup, {
    setting: 'REPORT_TIMEZONE',
    ask: 'Time zone of the reports',
    preset: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
    async check(value) {
      if (!isTimezone(value)) throw new Error('That is not a time zone. Write one such as Europe/Berlin.');
      return { value, found: `daily statistics at 9:00 there` };
    },
  });
}

/** Makes a missing key, then checks all as a start does. Throws ConfigError. */
export function finish({ known, keep }: Setup): void {
  if (known.EDGEWISE_ENCRYPTION_KEY === undefined) {
    keep('EDGEWISE_ENCRYPTION_KEY', randomBytes(32).toString('base64'));
    log.warn('An encryption key was made. Keep a copy of it apart from the store: nobody can read that without it.');
  }
  parseConfig(known);
}
