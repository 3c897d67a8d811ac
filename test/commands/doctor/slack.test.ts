import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slackFindings } from '../../../src/commands/doctor/slack.ts';
import { parseConfig } from '../../../src/config.ts';
import { buildManifest } from '../../../src/manifest.ts';
import { createFakeServer, type FakeServer } from '../../platform/fake-server.ts';

const SCOPES = buildManifest('socket').oauth_config.scopes.bot;
/** As Slack answers a bot token of one workspace. */
const IDENTITY = {
  ok: true,
  url: 'https://acme.slack.com/',
  team: 'Acme',
  user: 'edgewise',
  team_id: 'T0001',
  user_id: 'U0BOT',
  bot_id: 'B0001',
  is_enterprise_install: false,
};

describe('the doctor, looking at Slack', () => {
  let slack: FakeServer;
  beforeEach(async () => {
    slack = await createFakeServer();
  });
  afterEach(() => slack.close());

  const look = async (environment: Record<string, string> = { SLACK_SIGNING_SECRET: 'signing' }) => {
    const config = parseConfig({
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_API_URL: `${slack.url}/api`,
      PLATFORM_API_URL: slack.url,
      PLATFORM_ACCESS_KEY: 'key',
      PLATFORM_ORIGIN_LOGS_URL: slack.url,
      PLATFORM_LOGGING_URL: slack.url,
      ...environment,
    });
    return (await slackFindings(config, false)).map(
      ({ what, ok, detail }) => `${ok ? 'ok' : 'WRONG'} ${what}: ${detail}`,
    );
  };
  const answer = (scopes: readonly string[] | undefined, more: object = {}) =>
    slack.always({
      body: { ...IDENTITY, ...more },
      headers: scopes === undefined ? {} : { 'x-oauth-scopes': scopes.join(',') },
    });

  it('finds nothing wrong with the scopes of the manifest', async () => {
    answer(SCOPES);
    expect(await look()).toEqual([
      'ok Slack: the bot is U0BOT',
      'ok Scopes: all granted, for every kind of conversation',
      'ok HTTP: Slack’s requests are taken at POST /slack/events on port 3000; docs/manifest.http.yml has the four places for its address; the bot’s log says so if requests are not signed with SLACK_SIGNING_SECRET',
    ]);
  });

  it('names another Edgewise of the workspace, which may have the same command', async () => {
    const members = [
      { id: 'U0BOT', name: 'edgewise', is_bot: true },
      { id: 'U1', name: 'edgewise-fan' },
      { id: 'U2', name: 'edgewise-old', is_bot: true, deleted: true },
      { id: 'U3', name: 'edgewise-staging', is_bot: true },
    ];
    answer(SCOPES, { members });
    expect((await look()).at(-1)).toBe(
      'ok Other bots: edgewise-staging is in this workspace too. If it has /edge as well, Slack sends /edge to the one that was installed last: give each an EDGEWISE_COMMAND of its own.',
    );
  });

  it.each([
    ['channels:read', /subscribed in public channels/],
    ['groups:history', /in private channels .*may come twice/],
    ['im:read', /subscribed in direct messages/],
    ['mpim:read', /subscribed in group direct messages/],
    ['mpim:history', /in group direct messages/],
    ['im:history', /does not hear direct messages/],
    ['files:write', /attached files/],
    ['usergroups:read', /match nobody/],
  ])('says what does not work without %s, and which manifest has it', async (scope, without) => {
    answer(SCOPES.filter((one) => one !== scope));
    const wrong = (await look()).filter((line) => line.startsWith('WRONG'));
    expect(wrong).toHaveLength(2);
    expect(wrong[0]).toMatch(new RegExp(`^WRONG Scopes: ${scope} is missing: `));
    expect(wrong[0]).toMatch(without);
    expect(wrong[1]).toBe('WRONG Scopes: Update the app from docs/manifest.http.yml and install it again.');
  });

  it('names every scope of which Slack says that it is not there', async () => {
    answer([]);
    const missing = (await look({ SLACK_APP_TOKEN: 'xapp-1' })).filter((line) => line.includes(' is missing: '));
    expect(missing).toHaveLength(SCOPES.length);
  });

  it('does not guess where Slack says nothing about scopes', async () => {
    answer(undefined);
    expect(await look()).toContain('ok Scopes: Slack does not say which are granted');
  });

  it.each([
    // As Slack answers the token of an installation for a whole organisation: the organisation stands for the team.
    ['of a whole organisation', { team_id: 'E0001', enterprise_id: 'E0001', is_enterprise_install: true }],
    ['of a whole organisation, named after a team', { enterprise_id: 'E0001', is_enterprise_install: true }],
  ])('says what to do about a token %s', async (_, more) => {
    answer(SCOPES, more);
    expect((await look())[0]).toMatch(
      /^WRONG Slack: The app is installed for a whole organisation, .* install the app in that workspace/,
    );
  });

  it('takes a token of one workspace of an organisation', async () => {
    answer(SCOPES, { enterprise_id: 'E0001' });
    expect((await look())[0]).toBe('ok Slack: the bot is U0BOT');
  });

  it('says what a token that is refused means', async () => {
    slack.always({ body: { ok: false, error: 'token_revoked' } });
    expect((await look())[0]).toMatch(
      /^WRONG Slack: Slack refuses SLACK_BOT_TOKEN \(token_revoked\)\. Copy the token anew\./,
    );
  });
});
