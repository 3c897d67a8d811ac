import { existsSync } from 'node:fs';
import { pino } from 'pino';
import { type Config, ConfigError, parseConfig, platformSettings, readPolicy, storeSettings } from '../config.ts';
import { SCOPES } from '../manifest.ts';
import { operations } from '../operations/index.ts';
import { commandOf } from '../operations/policy-names.ts';
import { createPlatform } from '../platform/client.ts';
import { type PolicyDocument, referencesOf } from '../policy/document.ts';
import { stateOf } from '../policy/state.ts';
import { problemOf } from '../problem.ts';
import { createClients, identify } from '../slack/clients.ts';
import { createDirectory, NO_REFERENCES } from '../slack/directory.ts';
import { usageErrorOf } from '../slack/refusals.ts';
import { openStore } from '../store/store.ts';

/** One thing looked at: fine, or what is wrong and how to mend it. */
interface Finding {
  what: string;
  ok: boolean;
  detail: string;
}

/** Looks at everything that the bot needs, changes nothing, and says what is wrong with the fix. Exit code 1: something is. */
async function examine(): Promise<Finding[]> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const { value: config, findings } = complained('Settings', () => parseConfig(process.env));
  if (config === undefined) return findings;
  const { value: document, findings: complaints } = complained('Policy', () =>
    readPolicy(config, operations.map(commandOf)),
  );
  return [
    { what: 'Settings', ok: true, detail: 'complete' },
    ...(await slackFindings(config)),
    ...complaints,
    ...(document === undefined ? [] : [await policyFinding(config, document)]),
    ...(await platformFindings(config)),
    await storeFinding(config),
  ];
}

async function check(what: string, look: () => Promise<string>, fix: string): Promise<Finding> {
  try {
    return { what, ok: true, detail: await look() };
  } catch (error) {
    const refused = usageErrorOf(error);
    if (refused !== undefined) return { what, ok: false, detail: `${refused.message} ${refused.hint ?? ''} ${fix}` };
    const reason = error instanceof Error && error.name === 'Error' ? error.message : problemOf(error).summary;
    return {
      what,
      ok: false,
      detail: `${reason.startsWith('unexpected error') ? messageOf(error) : reason}. ${fix}`,
    };
  }
}

async function slackFindings({
  SLACK_BOT_TOKEN: botToken,
  SLACK_APP_TOKEN: appToken,
  SLACK_API_URL: apiUrl,
}: Config): Promise<Finding[]> {
  const { interactive } = createClients(botToken, apiUrl);
  const identity = await check(
    'Slack',
    async () => `the bot is ${(await identify(interactive)).userId}`,
    'Look at SLACK_BOT_TOKEN; reinstall the app if needed.',
  );
  const scopes = await check(
    'Scopes',
    async () => {
      const { response_metadata } = await interactive.auth.test();
      const granted = response_metadata?.scopes;
      if (granted === undefined) return 'Slack does not say which are granted';
      const missing = Object.keys(SCOPES).filter((scope) => !granted.includes(scope));
      if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`);
      return 'all granted';
    },
    'Update the app from manifest.yml and install it again.',
  );
  if (appToken === undefined) return [identity, scopes];
  const socket = await check(
    'Socket Mode',
    async () => {
      await interactive.apps.connections.open({ token: appToken.reveal() });
      return 'can connect';
    },
    'SLACK_APP_TOKEN needs the scope connections:write, and Socket Mode has to be on.',
  );
  return [identity, scopes, socket];
}

function policyFinding(config: Config, document: PolicyDocument): Promise<Finding> {
  return check(
    'Policy',
    async () => {
      const { interactive: client } = createClients(config.SLACK_BOT_TOKEN, config.SLACK_API_URL);
      const { teamId } = await identify(client);
      const directory = createDirectory({
        client,
        teamId,
        references: config.POLICY_FILE === undefined ? NO_REFERENCES : referencesOf(document),
        now: () => new Date(),
        log: pino({ level: 'silent' }),
      });
      await directory.refresh();
      const { ok, detail } = stateOf(document, directory.problems());
      if (!ok) throw new Error(detail);
      return detail;
    },
    'What cannot be found matches nobody: write ids, and invite the bot to private channels.',
  );
}

async function platformFindings(config: Config): Promise<Finding[]> {
  const platform = createPlatform(platformSettings(config));
  const findings = [
    await check(
      'Platform',
      async () => `${(await platform.apiKeys.list({ perPage: 5 })).TotalItems ?? 'some'} keys`,
      'Look at PLATFORM_API_URL and PLATFORM_ACCESS_KEY.',
    ),
    await check(
      'Zones',
      async () => `${(await platform.pullZones.list()).items.length} pull zones`,
      'Names cannot be looked up: ids work all the same.',
    ),
    await check(
      'Databases',
      async () => `${(await platform.databases.list()).items.length} databases`,
      'Look at PLATFORM_DATABASE_API_URL; ids work all the same.',
    ),
  ];
  await platform.close();
  return findings;
}

function storeFinding(config: Config): Promise<Finding> {
  return check(
    'Store',
    async () => {
      await (await openStore(storeSettings(config))).close();
      return 'opens';
    },
    'Look at STORE_URL and STORE_AUTH_TOKEN; an embedded store is locked while the bot runs.',
  );
}

/** The value that `read` gives, or a finding for each complaint about it. */
function complained<T>(what: string, read: () => T): { value?: T; findings: Finding[] } {
  try {
    return { value: read(), findings: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { findings: error.complaints.map((detail) => ({ what, ok: false, detail })) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const findings = await examine();
for (const { what, ok, detail } of findings) console.log(`${ok ? 'ok   ' : 'WRONG'} ${what.padEnd(12)} ${detail}`);
process.exit(findings.every(({ ok }) => ok) ? 0 : 1);
