import type { Config } from '../../config.ts';
import { MANIFESTS, SCOPES } from '../../manifest.ts';
import { createClients, identify } from '../../slack/clients.ts';
import { check, type Finding } from './finding.ts';

/** The bot in Slack: its token, its scopes, and the way by which Slack reaches it. */
export async function slackFindings(config: Config): Promise<Finding[]> {
  const clients = createClients(config.SLACK_BOT_TOKEN, config.SLACK_API_URL);
  const manifest = MANIFESTS[config.SLACK_APP_TOKEN === undefined ? 'http' : 'socket'];
  const identity = await check(
    'Slack',
    async () => `the bot is ${(await identify(clients)).userId}`,
    'Look at SLACK_BOT_TOKEN; install the app again if needed.',
  );
  if (!identity.ok) return [identity, await reachFinding(config)];
  const { response_metadata } = await clients.interactive.auth.test();
  return [identity, ...scopeFindings(response_metadata?.scopes, manifest), await reachFinding(config)];
}

/** Each scope that the app lacks, with what does not work without it, by kind of conversation. */
export function scopeFindings(granted: readonly string[] | undefined, manifest: string): Finding[] {
  const what = 'Scopes';
  if (granted === undefined) return [{ what, ok: true, detail: 'Slack does not say which are granted' }];
  const missing = Object.entries(SCOPES).filter(([scope]) => !granted.includes(scope));
  if (missing.length === 0) return [{ what, ok: true, detail: 'all granted, for every kind of conversation' }];
  return [
    ...missing.map(([scope, { without }]) => ({ what, ok: false, detail: `${scope} is missing: ${without}.` })),
    { what, ok: false, detail: `Update the app from ${manifest} and install it again.` },
  ];
}

function reachFinding({
  SLACK_BOT_TOKEN: botToken,
  SLACK_APP_TOKEN: appToken,
  SLACK_API_URL: apiUrl,
  PORT: port,
}: Config): Promise<Finding> {
  if (appToken === undefined)
    return check(
      'HTTP',
      async () =>
        `Slack’s requests are taken at POST /slack/events on port ${port}; ${MANIFESTS.http} has the four places for its address`,
      '',
    );
  const { interactive } = createClients(botToken, apiUrl);
  return check(
    'Socket Mode',
    async () => {
      await interactive.apps.connections.open({ token: appToken.reveal() });
      return 'can connect';
    },
    `SLACK_APP_TOKEN needs the scope connections:write, and Socket Mode has to be on as in ${MANIFESTS.socket}; without SLACK_APP_TOKEN it is HTTP mode.`,
  );
}
