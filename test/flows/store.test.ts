import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { byHand } from '../support/by-hand.ts';
import { ASKED, CONFIRM } from '../support/changes.ts';
import {
  FULL,
  OWNS_POSTGRES,
  type Postgres,
  PROMOTED,
  READ_ONLY,
  ROOM,
  startPostgres,
  WITHOUT_POSTGRES,
} from '../support/postgres.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** So patient is the bot with its store in these tests, in milliseconds. */
const PATIENCE = { statement: 1_000, failures: 1, probe: 50 };

let workspace: TestWorkspace;
let postgres: Postgres | undefined;
const ada = () => workspace.slack.person('ada');
const ops = () => ada().in('#ops');

async function start(environment: Record<string, string> = {}): Promise<void> {
  workspace = await startTestWorkspace({ environment, storePatience: PATIENCE });
}
/** No file of this process grows beyond this: as on a disk without room, but for the number of the error. */
const most = (bytes: string) => execFileSync('prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:`]);
afterEach(async () => {
  if (process.platform === 'linux') most('unlimited');
  postgres?.signal('SIGCONT');
  await workspace.close();
  await postgres?.close();
  postgres = undefined;
});

/** The lines of the log with these words. */
const told = (words: string) => workspace.logged.filter((line) => line.includes(words));

/** A change that can be confirmed: its hostname, the preview, and whether it was made. */
async function previewed() {
  const host = workspace.platform.account.zones
    .flatMap(({ Hostnames }) => Hostnames)
    .find((one) => !one.ForceSSL && one.HasCertificate && !one.IsSystemHostname)!;
  await ops().type(`/edge ssl force ${host.Value} on`);
  return { host, preview: await ops().expectMessage(/Force HTTPS: .*off/) };
}

/** What people read of everything that they do, while the store has some trouble, and after. */
async function everythingSays(sentence: RegExp, begin: () => Promise<unknown>, end: () => Promise<unknown>) {
  const { host, preview } = await previewed();
  await ops().type('/edge ssl force');
  const form = await ada().expectModal(/force/i);
  await begin();

  await ops().type('/edge zone list');
  await ops().expectMessage(sentence);
  await ops().type('@edgewise zone list');
  await ops().expectMessage(sentence);
  await preview.click(CONFIRM);
  await ops().expectMessage(sentence);
  await ada().openHome();
  await ada().expectHome(sentence);
  await form.fill({ Hostname: host.Value, State: 'on' });
  await (await form.submit()).expectChange(sentence);
  expect(workspace.platform.writes()).toEqual([]);

  await end();
  const begun = told('the store does nothing').length;
  await expect.poll(() => told('the store answers again').length, { timeout: 10_000 }).toBe(begun);
  const isHomeBack = async () => {
    await ada().openHome();
    await workspace.slack.idle();
    const shown = workspace.slack.outgoing.findLast(({ method }) => method === 'views.publish');
    return JSON.stringify(shown?.body);
  };
  await expect.poll(isHomeBack, { timeout: 20_000 }).toContain('operates your edge platform');
  await preview.click(CONFIRM);
  await ops().expectMessage(/switched force HTTPS .*on for/);
  expect(workspace.platform.writes()).toHaveLength(1);
  expect(workspace.slack.problems).toEqual([]);
}

describe.skipIf(!OWNS_POSTGRES)(`a store on a server${WITHOUT_POSTGRES}`, () => {
  const startOnServer = async () => {
    postgres = await startPostgres();
    await start({ STORE_URL: postgres.url });
  };

  it('that hangs is said to everybody who asks, presses, submits or looks, and nothing is sent without it', async () => {
    await startOnServer();
    const hang = async () => postgres!.signal('SIGSTOP');
    const goOn = async () => postgres!.signal('SIGCONT');
    await everythingSays(/Edgewise’s own store does not answer in time/, hang, goOn);
    expect(told('the store does nothing').length).toBeGreaterThan(0);
    expect(told('unexpected error')).toEqual([]);
  });

  it('that is full is said so', async () => {
    await startOnServer();
    const full = () => postgres!.run(...FULL);
    await everythingSays(/The disk of Edgewise’s own store is full/, full, () => postgres!.run(...ROOM));
  });

  it('that fails over is said to be away until there is a primary', async () => {
    await startOnServer();
    const begin = () => postgres!.run(...READ_ONLY);
    await everythingSays(/Edgewise cannot reach its own store/, begin, () => postgres!.run(...PROMOTED));
  });

  it('that is away is said so', async () => {
    await startOnServer();
    await everythingSays(
      /Edgewise cannot reach its own store/,
      () => postgres!.stop('immediate'),
      () => postgres!.start(),
    );
  });
});

describe.each([
  ['embedded', false],
  [`on a server${WITHOUT_POSTGRES}`, true],
])('a store %s', (_, isServer) => {
  it.skipIf(isServer && !OWNS_POSTGRES)(
    'keeps a NUL that was typed, or stands in a name, in the words for it',
    async () => {
      if (isServer) postgres = await startPostgres('fsync=off');
      await start(postgres === undefined ? {} : { STORE_URL: postgres.url });
      const zone = workspace.platform.account.zones.find(({ Hostnames }) =>
        Hostnames.some((one) => !one.ForceSSL && one.HasCertificate && !one.IsSystemHostname),
      )!;
      zone.Name = 'nul\0zone';
      const { preview } = await previewed();
      await preview.click(CONFIRM);
      await ops().expectMessage(/switched force HTTPS .*on for .*nul(?:\[U\+0000\]|␀)zone/);
      await ops().type('/edge zone show no\0where');
      await ops().expectMessage(/no(?:\[U\+0000\]|␀)where/);
      await ops().type('/edge report subscribe daily-statistics "daily at 9:00" --zones shop --include path:/a\0b');
      await (await ops().expectMessage(ASKED)).click(CONFIRM);
      await ops().expectMessage(/subscribed #ops to daily-statistics/);
      await ops().type('/edge report list');
      await ops().expectMessage(/daily-statistics[\s\S]*daily at 9:00/);
      await ops().type('/edge audit list --reads');
      await ops().expectMessage(/switched force HTTPS[\s\S]*nul(?:\[U\+0000\]|␀)zone/);
      await ops().type('/edge audit verify');
      await ops().expectMessage(/audit is intact/);
      expect(told('unexpected error')).toEqual([]);
      expect(workspace.slack.problems).toEqual([]);
    },
  );
});

describe('an embedded store', () => {
  it.skipIf(process.platform !== 'linux')('whose disk is full is said so', async () => {
    await start();
    await everythingSays(
      /The disk of Edgewise’s own store is full/,
      async () => most('1'),
      async () => most('unlimited'),
    );
  });

  it('that another program holds is said to be held', async () => {
    await start();
    const other = byHand(workspace.storeFile);
    const hold = () => other.executeMultiple('BEGIN IMMEDIATE');
    const letGo = async () => other.close();
    await everythingSays(/Another program has locked Edgewise’s own store/, hold, letGo);
  });
});

it('a bot without an encryption key, and without anybody who may change anything, says so at its start', async () => {
  await start({ EDGEWISE_ENCRYPTION_KEY: '', EDGEWISE_ADMINS: '' });
  const warnings = workspace.logged.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
  expect(warnings.map(({ msg }) => msg)).toEqual([
    expect.stringMatching(/nobody may change anything: set EDGEWISE_ADMINS$/),
    expect.stringMatching(/^There is no EDGEWISE_ENCRYPTION_KEY/),
  ]);
});
