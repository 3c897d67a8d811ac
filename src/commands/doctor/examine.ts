import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { countOf } from '../../blocks/format.ts';
import { commandOf } from '../../changes/permission.ts';
import {
  type Config,
  parseConfig,
  platformSettings,
  readPolicy,
  secretsOf,
  storeSettings,
  UNSEALED,
} from '../../config.ts';
import { routes } from '../../network.ts';
import { operations } from '../../operations/index.ts';
import { checkPlatform } from '../../platform/check.ts';
import { createPlatform } from '../../platform/client.ts';
import { PlatformError } from '../../platform/errors.ts';
import { type PolicyDocument, referencesOf, stateOf } from '../../policy/document.ts';
import { tooFewToApprove } from '../../policy/policy.ts';
import { createClients, identify } from '../../slack/clients.ts';
import { createDirectory, NO_REFERENCES } from '../../slack/directory.ts';
import { createSecretFilter } from '../../slack/out/secrets.ts';
import { createPeople, describedIn } from '../../slack/people.ts';
import { StartError } from '../../start-error.ts';
import { tryStore } from '../../store/store.ts';
import { check, complained, type Finding } from './finding.ts';
import { slackFindings } from './slack.ts';

/** Changes nothing, and shows no secrets. */
export async function examine(environment: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  const { value: config, findings } = complained('Settings', () => {
    routes();
    return parseConfig(environment);
  });
  const { hideIn } = createSecretFilter(config === undefined ? [] : secretsOf(config));
  if (config === undefined) return hideIn(findings);
  const { value: document, findings: complaints } = complained('Policy', () =>
    readPolicy(config, operations.map(commandOf)),
  );
  const store = await lookAtStore(config);
  const slack = await slackFindings(config, store.isRunning);
  return hideIn([
    { what: 'Settings', ok: true, detail: config.EDGEWISE_ENCRYPTION_KEY === undefined ? UNSEALED : 'complete' },
    ...slack,
    ...complaints,
    // Without Slack nobody is found, which its own finding says.
    ...(document === undefined || slack[0]?.ok !== true ? [] : [await policyFinding(config, document)]),
    ...(await platformFindings(config)),
    store.finding,
  ]);
}

function policyFinding(config: Config, document: PolicyDocument): Promise<Finding> {
  return check(
    'Policy',
    async () => {
      const clients = createClients(config.SLACK_BOT_TOKEN, config.SLACK_API_URL);
      const { teamId } = await identify(clients);
      const now = () => new Date();
      const slack = { client: clients.interactive, teamId, now, log: pino({ level: 'silent' }) };
      const directory = createDirectory({
        ...slack,
        references: config.POLICY_FILE === undefined ? NO_REFERENCES : referencesOf(document),
        wait: sleep,
      });
      await directory.refresh();
      const { ok, detail } = stateOf(document, [
        ...directory.problems(),
        ...(await tooFewToApprove(document, directory, describedIn(createPeople(slack), teamId))),
      ]);
      if (!ok) throw new Error(detail);
      return detail;
    },
    'What cannot be found matches nobody: write ids, invite the bot to private channels, and name more approvers where too few are left.',
  );
}

async function platformFindings(config: Config): Promise<Finding[]> {
  const platform = createPlatform(platformSettings(config));
  let zone: number | undefined;
  const key = await check(
    'Platform',
    () => checkPlatform(platform),
    'Check PLATFORM_API_URL, and HTTPS_PROXY where only a proxy reaches it.',
  );
  // A refused key is refused for all.
  const findings = !key.ok
    ? [key]
    : [
        key,
        await check(
          'Zones',
          async () => {
            const { items } = await platform.pullZones.list();
            zone = items.find(({ Enabled, Suspended }) => Enabled !== false && Suspended !== true)?.Id;
            return countOf(items.length, 'pull zone');
          },
          'Names cannot be looked up. Ids still work.',
        ),
        await check(
          'Databases',
          async () => countOf((await platform.databases.list()).items.length, 'database'),
          'Check PLATFORM_DATABASE_API_URL. Ids still work.',
        ),
        await check(
          'Balance',
          async () => {
            try {
              await platform.billing.get();
              return 'can be read';
            } catch (error) {
              if (!(error instanceof PlatformError && [401, 403].includes(error.status))) throw error;
              return 'may not be read with this key, so balance show and the report balance are off; the owner’s key may';
            }
          },
          'The command balance show and the report balance do not work; everything else does.',
        ),
        await logFinding(config, 'Access log', ['PLATFORM_LOGGING_URL', 'PLATFORM_LOGGING_JWT'], zone, (id) =>
          platform.accessLogs.query(id, { limit: 1 }),
        ),
        await logFinding(config, 'Origin log', ['PLATFORM_ORIGIN_LOGS_URL', 'PLATFORM_ORIGIN_LOGS_JWT'], zone, (id) =>
          platform.originErrors.get(id, new Date()),
        ),
      ];
  await platform.close();
  return findings;
}

function logFinding(
  config: Config,
  what: string,
  [address, jwt]:
    | ['PLATFORM_LOGGING_URL', 'PLATFORM_LOGGING_JWT']
    | ['PLATFORM_ORIGIN_LOGS_URL', 'PLATFORM_ORIGIN_LOGS_JWT'],
  zone: number | undefined,
  ask: (zone: number) => Promise<unknown>,
): Promise<Finding> {
  const refused =
    config[jwt] === undefined
      ? `${address}: it refuses PLATFORM_ACCESS_KEY. Give a token for that service as ${jwt}.`
      : `${address}: it refuses ${jwt}. Make that token anew, or leave it out: PLATFORM_ACCESS_KEY is sent then.`;
  const look = async () => {
    if (zone === undefined) return 'was not asked: no pull zone is switched on';
    try {
      await ask(zone);
      return 'answers';
    } catch (error) {
      if (error instanceof PlatformError && error.key === 'logging_disabled')
        return `answers; zone ${zone} keeps no log`;
      const isRefused = error instanceof PlatformError && [401, 403].includes(error.status);
      throw isRefused ? new StartError('refused', refused, { cause: error }) : error;
    }
  };
  return check(what, look, `Is ${address} the address of that service?`);
}

/** `isRunning`: a bot has the embedded store. */
export async function lookAtStore(config: Config): Promise<{ finding: Finding; isRunning: boolean }> {
  let isRunning = false;
  const look = async () => {
    try {
      isRunning = await tryStore(storeSettings(config));
      return isRunning ? 'opens, and a bot runs on it' : 'opens';
    } catch (error) {
      isRunning = error instanceof StartError && error.kind === 'taken';
      if (isRunning) return 'is in use by the bot that runs here';
      throw error;
    }
  };
  return { finding: await check('Store', look, 'Check STORE_URL.'), isRunning };
}
