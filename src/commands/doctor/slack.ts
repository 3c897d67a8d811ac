import { type Config, storeSettings } from '../../config.ts';
import { insteadOf } from '../../errors.ts';
import { MANIFESTS, SCOPES } from '../../manifest.ts';
import type { Secret } from '../../secret.ts';
import { type Clients, createClients, type Identity, identify, pagesOf } from '../../slack/clients.ts';
import { SocketClient } from '../../slack/in/socket-client.ts';
import { SOCKET_TIMES } from '../../slack/in/socket-mode.ts';
import { type DescribedUser, hasLeft, membershipOf } from '../../slack/membership.ts';
import { isGone } from '../../slack/refusals.ts';
import { check, type Finding, REACH, refusedAs } from './finding.ts';

/** `isRunning`: a bot runs on this embedded store. */
export async function slackFindings(config: Config, isRunning: boolean): Promise<Finding[]> {
  const clients = createClients(config.SLACK_BOT_TOKEN, config.SLACK_API_URL);
  const manifest = MANIFESTS[config.SLACK_APP_TOKEN === undefined ? 'http' : 'socket'];
  let bot: Identity | undefined;
  const identity = await check(
    'Slack',
    async () => {
      bot = await identify(clients).catch(refusedAs('SLACK_BOT_TOKEN'));
      return `the bot is ${bot.userId}`;
    },
    REACH,
  );
  const reached = await reachFinding(config, isRunning);
  if (bot === undefined) return [identity, reached];
  const { response_metadata } = await clients.interactive.auth.test();
  return [
    identity,
    ...scopeFindings(response_metadata?.scopes, manifest),
    reached,
    ...(await adminFindings(config, clients, bot)),
    ...(await channelFindings(config, clients)),
    ...(await otherBots(config, clients, bot)),
  ];
}

async function adminFindings(
  { EDGEWISE_ADMINS: admins }: Config,
  { interactive }: Clients,
  { teamId }: Identity,
): Promise<Finding[]> {
  const what = 'Admins';
  const mend = 'Take that id out of EDGEWISE_ADMINS, or write the one that their profile shows.';
  const look = (id: string) =>
    check(
      what,
      async () => {
        const asked = interactive.users.info({ user: id });
        const answer = await asked.catch(insteadOf((error) => isGone(error, 'person'), undefined));
        const problem = problemOf(answer?.user, teamId);
        if (problem !== undefined) throw new Error(`${id} ${problem}.`);
        return `${id} is here`;
      },
      mend,
    );
  const found = await Promise.all(admins.map(look));
  const wrong = found.filter(({ ok }) => !ok);
  return wrong.length > 0 || admins.length === 0
    ? wrong
    : [{ what, ok: true, detail: `${admins.length}, all of this workspace` }];
}

function problemOf(user: DescribedUser | undefined, teamId: string): string | undefined {
  if (user === undefined) return 'is nobody in this workspace';
  if (hasLeft(user, teamId)) return 'has left this workspace';
  const standing = membershipOf(user, teamId);
  if (standing === 'stranger') return 'is a bot, or somebody of another workspace';
  return standing === 'guest' ? 'is a guest, and guests change nothing without a policy' : undefined;
}

function channelFindings(config: Config, { interactive }: Clients): Promise<Finding[]> {
  const named = (['REPORT_CHANNEL', 'AUDIT_CHANNEL'] as const).filter((name) => config[name] !== undefined);
  return Promise.all(
    named.map((name) => {
      const id = config[name] ?? '';
      return check(
        name,
        async () => {
          const { channel } = await interactive.conversations.info({ channel: id }).catch((error: unknown) => {
            if (isGone(error, 'channel')) throw new Error(`${id} is not a channel that the bot can see.`);
            throw error;
          });
          if (channel?.is_archived === true) throw new Error(`#${channel.name} is archived.`);
          if (channel?.is_member !== true) throw new Error(`The bot is not in #${channel?.name}.`);
          return `the bot is in #${channel.name}`;
        },
        'Type /invite @edgewise in the channel, or give the id of another one (C…, at the end of its details).',
      );
    }),
  );
}

/** Slack does not say which app has which command, so other bots are found by their names. */
async function otherBots(
  { EDGEWISE_COMMAND: command }: Config,
  { interactive }: Clients,
  { userId }: Identity,
): Promise<Finding[]> {
  const others: string[] = [];
  // Ten thousand people.
  for await (const { members = [] } of pagesOf(10, (more) => interactive.users.list({ limit: 1000, ...more }))) {
    const isOther = ({ id, is_bot: isBot, deleted, name = '' }: (typeof members)[number]) =>
      isBot === true && deleted !== true && id !== userId && /^edgewise/i.test(name);
    others.push(...members.filter(isOther).map(({ name }) => String(name)));
  }
  if (others.length === 0) return [];
  const [are, it] = others.length === 1 ? ['is', 'it'] : ['are', 'one of them'];
  const detail = `${others.slice(0, 3).join(', ')} ${are} in this workspace too. If ${it} has ${command} as well, Slack sends ${command} to the one that was installed last: give each an EDGEWISE_COMMAND of its own.`;
  return [{ what: 'Other bots', ok: true, detail }];
}

/** What does not work without each missing scope. */
function scopeFindings(granted: readonly string[] | undefined, manifest: string): Finding[] {
  const what = 'Scopes';
  if (granted === undefined) return [{ what, ok: true, detail: 'Slack does not say which are granted' }];
  const missing = Object.entries(SCOPES).filter(([scope]) => !granted.includes(scope));
  if (missing.length === 0) return [{ what, ok: true, detail: 'all granted, for every kind of conversation' }];
  return [
    ...missing.map(([scope, { without }]) => ({ what, ok: false, detail: `${scope} is missing: ${without}.` })),
    { what, ok: false, detail: `Update the app from ${manifest} and install it again.` },
  ];
}

async function reachFinding(config: Config, isRunning: boolean): Promise<Finding> {
  const { SLACK_APP_TOKEN: appToken, PORT: port } = config;
  if (appToken === undefined)
    return {
      what: 'HTTP',
      ok: true,
      detail: `Slack’s requests are taken at POST /slack/events on port ${port}; ${MANIFESTS.http} has the four places for its address; the bot’s log says so if requests are not signed with SLACK_SIGNING_SECRET`,
    };
  return check(
    'Socket Mode',
    async () => {
      const counting = countConnections(appToken, config.SLACK_API_URL);
      const all = await counting.catch(refusedAs('SLACK_APP_TOKEN'));
      // A bot has two, and a third while it renews one.
      const others = !isRunning ? all : all <= 3 ? 0 : all - 2;
      if (others === 0) return `can connect; ${isRunning ? 'only the bot that runs here does' : 'nobody else does'}`;
      const are = others === 1 ? '1 connection of this app is' : `${others} connections of this app are`;
      // Replicas on a server have connections of their own.
      if (!/^(file:|:memory:)/.test(storeSettings(config).url))
        return `can connect; ${are} held elsewhere: by replicas, at two each, or by somebody else with the same token`;
      throw new Error(`${are} held by another process, which gets a part of what people send.`);
    },
    'End that process; if it is not yours, make another app-level token, and revoke the old one.',
  );
}

/** Besides its own. Source: docs.slack.dev, Socket Mode, `num_connections` of `hello`. A payload sent over it meanwhile is lost. */
async function countConnections(appToken: Secret, apiUrl: string): Promise<number> {
  let all = 0;
  const client = new SocketClient({
    ...{ appToken, apiUrl, times: SOCKET_TIMES },
    hear(message) {
      if (message.kind === 'hello') all = message.connections;
      if (message.kind === 'disconnect') client.end(message.reason);
    },
  });
  await client.open();
  await client.close();
  return all - 1;
}
