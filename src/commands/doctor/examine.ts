import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { commandOf } from '../../changes/permission.ts';
import {
  type Config,
  parseConfig,
  platformSettings,
  readPolicy,
  secretsOf,
  storeKeys,
  storeSettings,
} from '../../config.ts';
import { operations } from '../../operations/index.ts';
import { checkPlatform } from '../../platform/check.ts';
import { createPlatform } from '../../platform/client.ts';
import { type PolicyDocument, referencesOf, stateOf } from '../../policy/document.ts';
import { createClients, identify } from '../../slack/clients.ts';
import { createDirectory, NO_REFERENCES } from '../../slack/directory.ts';
import { createSecretFilter } from '../../slack/out/secrets.ts';
import { openStore } from '../../store/store.ts';
import { check, complained, type Finding } from './finding.ts';
import { slackFindings } from './slack.ts';

/** Looks at everything that the bot needs, changes nothing, and says what is wrong with the fix, without secrets. */
export async function examine(environment: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  const { value: config, findings } = complained('Settings', () => parseConfig(environment));
  const { hideIn } = createSecretFilter(config === undefined ? [] : secretsOf(config));
  if (config === undefined) return hideIn(findings);
  const { value: document, findings: complaints } = complained('Policy', () =>
    readPolicy(config, operations.map(commandOf)),
  );
  return hideIn([
    { what: 'Settings', ok: true, detail: 'complete' },
    ...(await slackFindings(config)),
    ...complaints,
    ...(document === undefined ? [] : [await policyFinding(config, document)]),
    ...(await platformFindings(config)),
    await storeFinding(config),
    metricsFinding(config),
  ]);
}

function metricsFinding({ METRICS_PORT: apart, METRICS_TOKEN: token, PORT: port }: Config): Finding {
  const who =
    token === undefined ? 'to whoever reaches it; METRICS_TOKEN asks for a token' : 'to those with METRICS_TOKEN';
  return { what: 'Metrics', ok: true, detail: `/metrics answers on port ${apart ?? port}, ${who}` };
}

function policyFinding(config: Config, document: PolicyDocument): Promise<Finding> {
  return check(
    'Policy',
    async () => {
      const clients = createClients(config.SLACK_BOT_TOKEN, config.SLACK_API_URL);
      const { teamId } = await identify(clients);
      const directory = createDirectory({
        client: clients.interactive,
        teamId,
        references: config.POLICY_FILE === undefined ? NO_REFERENCES : referencesOf(document),
        now: () => new Date(),
        wait: sleep,
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
    await check('Platform', () => checkPlatform(platform), 'Look at PLATFORM_API_URL and PLATFORM_ACCESS_KEY.'),
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
      await (await openStore({ ...storeSettings(config), ...storeKeys(config) })).close();
      return 'opens';
    },
    'Look at STORE_URL and STORE_AUTH_TOKEN; an embedded store is locked while the bot runs.',
  );
}
