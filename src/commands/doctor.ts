import { existsSync } from 'node:fs';
import { pino } from 'pino';
import { ConfigError, parseConfig, readPolicy } from '../config.ts';
import { SCOPES } from '../manifest.ts';
import { operations } from '../operations/index.ts';
import { commandOf } from '../operations/policy-names.ts';
import { createPlatform } from '../platform/client.ts';
import { referencesOf } from '../policy/document.ts';
import { stateOf } from '../policy/state.ts';
import { problemOf } from '../problem.ts';
import { createClients, identify } from '../slack/clients.ts';
import { createDirectory, NO_REFERENCES } from '../slack/directory.ts';
import { openStore } from '../store/store.ts';

/** One thing looked at: fine, or what is wrong and how to mend it. */
interface Finding {
  what: string;
  ok: boolean;
  detail: string;
}

/** Looks at everything that the bot needs, changes nothing, and says what is wrong with the fix. Exit code 1: something is. */
async function examine(): Promise<Finding[]> {
  const findings: Finding[] = [];
  const check = async (what: string, look: () => Promise<string>, fix: string) => {
    try {
      findings.push({ what, ok: true, detail: await look() });
    } catch (error) {
      const reason = error instanceof Error && error.name === 'Error' ? error.message : problemOf(error).summary;
      findings.push({
        what,
        ok: false,
        detail: `${reason.startsWith('unexpected error') ? messageOf(error) : reason}. ${fix}`,
      });
    }
  };

  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = complained('Settings', findings, () => parseConfig(process.env));
  if (config === undefined) return findings;
  findings.push({ what: 'Settings', ok: true, detail: 'complete' });

  const { interactive } = createClients(config.SLACK_BOT_TOKEN, config.SLACK_API_URL);
  await check(
    'Slack',
    async () => `the bot is ${(await identify(interactive)).userId}`,
    'Look at SLACK_BOT_TOKEN; reinstall the app if needed.',
  );
  await check(
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
  if (config.SLACK_APP_TOKEN !== undefined) {
    const token = config.SLACK_APP_TOKEN;
    await check(
      'Socket Mode',
      async () => {
        await interactive.apps.connections.open({ token: token.reveal() });
        return 'can connect';
      },
      'SLACK_APP_TOKEN needs the scope connections:write, and Socket Mode has to be on.',
    );
  }
  const document = complained('Policy', findings, () => readPolicy(config, operations.map(commandOf)));
  if (document !== undefined) {
    await check(
      'Policy',
      async () => {
        const directory = createDirectory({
          client: interactive,
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

  const platform = createPlatform({
    apiUrl: config.PLATFORM_API_URL,
    originLogsUrl: config.PLATFORM_ORIGIN_LOGS_URL,
    loggingUrl: config.PLATFORM_LOGGING_URL,
    databaseApiUrl: config.PLATFORM_DATABASE_API_URL,
    databaseHosts: config.PLATFORM_DATABASE_HOST,
    accessKey: config.PLATFORM_ACCESS_KEY,
    originLogsJwt: config.PLATFORM_ORIGIN_LOGS_JWT,
    loggingJwt: config.PLATFORM_LOGGING_JWT,
  });
  await check(
    'Platform',
    async () => `${(await platform.apiKeys.list({ perPage: 5 })).TotalItems ?? 'some'} keys`,
    'Look at PLATFORM_API_URL and PLATFORM_ACCESS_KEY.',
  );
  await check(
    'Zones',
    async () => `${(await platform.pullZones.list()).items.length} pull zones`,
    'Names cannot be looked up: ids work all the same.',
  );
  await check(
    'Databases',
    async () => `${(await platform.databases.list()).items.length} databases`,
    'Look at PLATFORM_DATABASE_API_URL; ids work all the same.',
  );
  await platform.close();

  await check(
    'Store',
    async () => {
      const own = config.STORE_URL === 'platform';
      const store = await openStore({
        url: own ? (config.PLATFORM_DATABASE_URL ?? '') : config.STORE_URL,
        authToken: own ? config.PLATFORM_DATABASE_AUTH_TOKEN : config.STORE_AUTH_TOKEN,
      });
      await store.close();
      return 'opens';
    },
    'Look at STORE_URL and STORE_AUTH_TOKEN; an embedded store is locked while the bot runs.',
  );
  return findings;
}

/** What is read, or a finding for each complaint about it. */
function complained<T>(what: string, findings: Finding[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const complaint of error.complaints) findings.push({ what, ok: false, detail: complaint });
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const findings = await examine();
for (const { what, ok, detail } of findings) console.log(`${ok ? 'ok   ' : 'WRONG'} ${what.padEnd(12)} ${detail}`);
process.exit(findings.every(({ ok }) => ok) ? 0 : 1);
