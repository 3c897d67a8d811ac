import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { BARE_READS } from '../operations/lines.ts';
import { byHand } from '../support/by-hand.ts';
import { type CannedPlatform, startCannedPlatform } from '../support/canned-platform.ts';
import { ASKED, CONFIRM, confirmed } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const ENCRYPTION_KEY = 'a key for this test only';

/** Everything that can be asked, as it is typed. */
const reads = [
  ...BARE_READS, 'can-i key list', 'zone show api', 'zone show video', 'zone show downloads', 'guardian show main-site',
  'bot list shop', 'variable list api-gateway', 'script releases api-gateway', 'app show stock-api', 'key list --per-page 1000', 'key list --page 2 --per-page 5',
  'stats show video --hourly', 'stats optimizer main-site', 'stats queue main-site', 'stats safehop shop', 'volume list stock-api',
  'errors show main-site yesterday', 'log search video --limit 100', 'log summary video --date yesterday',
  'log download video yesterday', 'database query shop SELECT * FROM sqlite_schema', 'database query configured SELECT 1',
  'audit list --limit 100 --reads', 'security summary shop', 'block list shop',
]; // biome-ignore format: a list of lines reads better as a block

const changes = [
  'ssl force dl.example.com on', 'certificate request cdn.example.com', 'certificate complete cdn.example.com',
  'block add shop 198.51.100.7', 'limit add shop /login 10 1m', 'attack on shop',
  'bot set shop seo block', 'variable add geo-redirect PLAIN one', 'token create shop --both --expiry 30d',
  'token create events --read-only --save-env', 'token regenerate events --save-env', 'token regenerate shop',
  'database execute events CREATE TABLE kept (id)', 'token invalidate events', 'app delete mailer',
  'script publish geo-redirect previous', 'app restart stock-api',
  'cache purge https://dl.example.com/a.zip', 'cache purge tag:news --zone shop', 'cache clear shop',
  'token-for-agents create', 'token-for-agents revoke',
]; // biome-ignore format: a list of lines reads better as a block

/** What makes tokens shows them in a view of its own. */
const makesTokens = /^token (create|regenerate)/;

const faults = ['status=401', 'status=500', 'html=500', 'truncated', 'cut'];

describe('secrets', () => {
  let workspace: TestWorkspace;
  let folder: string;
  let environmentFile: string;
  /** Every view that a person was shown after a token was made, as it was sent. */
  const views: { line: string; text: string }[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgewise-secrets-'));
    environmentFile = join(folder, 'database.env');
    await writeFile(environmentFile, 'OTHER=kept\nPLATFORM_DATABASE_URL=libsql://mine.example\n', { mode: 0o644 });
    workspace = await startTestWorkspace({
      platform: { faults: ['deletion=1'] },
      slack: { workspace: { channels: [{ name: 'one' }, { name: 'two' }, { name: 'three' }] } },
      environment: ({ account, jwt }) => ({
        PLATFORM_ORIGIN_LOGS_JWT: jwt.originLogs,
        PLATFORM_LOGGING_JWT: jwt.logging,
        PLATFORM_DATABASE_URL: account.databases[0]!.url,
        PLATFORM_DATABASE_AUTH_TOKEN: account.databases[0]!.seeded.readOnly,
        TOKEN_ENV_FILE: environmentFile,
      }),
    });
  });
  afterAll(async () => {
    await workspace.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ada = () => workspace.slack.person('ada');
  const ops = () => ada().in('#ops');
  /** Slack takes one message a second in each channel: so the changes are made all over the place. */
  const channelOf = (line: string) =>
    ['#ops', '#releases', '#one', '#two', '#three'][changes.indexOf(line) % 5] ?? '#ops';

  /** Every secret that there is, with a name to complain by. */
  function secrets(): Map<string, string> {
    const { slack, platform } = workspace;
    return new Map([
      ...platform.secrets().map((secret, index): [string, string] => [secret, `secret ${index} of the platform`]),
      [slack.environment.SLACK_BOT_TOKEN ?? '', 'the bot token'],
      [slack.environment.SLACK_SIGNING_SECRET ?? '', 'the signing secret'],
      [ENCRYPTION_KEY, 'the encryption key'],
    ]);
  }

  /** The names of the secrets that stand in a text, also escaped as JSON escapes them. */
  function found(text: string): string[] {
    return [...secrets()]
      .filter(([secret]) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)))
      .map(([, name]) => name);
  }

  it('has a line for every command', () => {
    const missing = operations.filter(
      ({ name, effect }) =>
        !/^(guardian upload|report|approval)/.test(name) &&
        !(effect === 'read' ? reads : changes).some((line) => line === name || line.startsWith(`${name} `)),
    );
    const forgotten = missing.map(
      ({ name, effect }) =>
        `test/flows/secrets.test.ts: add a line of \`${name}\` to \`${effect === 'read' ? 'reads' : 'changes'}\``,
    );
    expect(forgotten).toEqual([]);
  });

  it('runs every command', async () => {
    for (const line of reads) {
      await ops().type(`/edge ${line}`);
      expect((await ops().expectMessage(/^(?![\s\S]*takes a moment)/)).text, line).not.toMatch(/inside Edgewise/);
    }
  });

  it('makes every change, and shows each new token in its one view', async () => {
    for (const line of changes) {
      const known = new Set(workspace.platform.secrets());
      const from = workspace.slack.outgoing.length;
      if (makesTokens.test(line)) await made(line);
      else await confirmed(workspace, line, channelOf(line));
      const fresh = workspace.platform.secrets().filter((secret) => !known.has(secret));
      const where = workspace.slack.outgoing
        .slice(from)
        .filter(({ body }) => fresh.some((secret) => JSON.stringify(body).includes(secret)));
      if (!makesTokens.test(line)) {
        expect(where, line).toEqual([]);
        continue;
      }
      expect(fresh.length, line).toBe(/both|regenerate/.test(line) ? 2 : 1);
      expect(
        where.map(({ method }) => method),
        line,
      ).toEqual(['views.update']);
      for (const secret of fresh)
        expect(JSON.stringify(where[0]?.body)).toContain(`PLATFORM_DATABASE_AUTH_TOKEN=${secret}`);
      expect(JSON.stringify(where[0]?.body)).toMatch(/PLATFORM_DATABASE_URL=http/);
    }
  });

  /** Makes tokens and reads the view that shows them. */
  async function made(line: string): Promise<void> {
    const place = ada().in(channelOf(line));
    await place.type(`/edge ${line}`);
    const title = line.startsWith('token create') ? 'Token create' : 'Token regenerate';
    if (line.startsWith('token create')) await (await place.expectMessage(ASKED)).click(CONFIRM);
    else {
      const form = await ada().expectModal(title);
      await form.expectChange(/Type the name/);
      expect(form.text).toMatch(
        /stop working at once[\s\S]*can’t connect[\s\S]*tokens of all databases to stop working[\s\S]*only this database’s/,
      );
      await form.fill({ 'Type the name to confirm': line.split(' ')[2] ?? '' });
      await form.submit();
    }
    const view = await ada().expectModal(title);
    await view.expectChange(/New tokens for/);
    views.push({ line, text: view.text });
    await place.expectMessage(/@ada (created a new .* token|invalidated all tokens)/);
    await workspace.slack.idle();
    await view.close();
  }

  it('writes the token to the operator’s file alone, mode 600, the address only where it is missing', async () => {
    const text = await readFile(environmentFile, 'utf8');
    const [, token = ''] = /^PLATFORM_DATABASE_AUTH_TOKEN=(.+)$/m.exec(text) ?? [];
    expect(text).toMatch(/^OTHER=kept$/m);
    expect(text.match(/PLATFORM_DATABASE_URL=.*/g)).toEqual(['PLATFORM_DATABASE_URL=libsql://mine.example']);
    expect(text.match(/PLATFORM_DATABASE_AUTH_TOKEN=/g)).toHaveLength(1);
    expect(workspace.platform.secrets()).toContain(token);
    const view = views.find(({ line }) => line === 'token regenerate events --save-env')?.text;
    expect(view).toContain(token);
    // The file keeps its address, which is not that of this database.
    expect(view).toMatch(/PLATFORM_DATABASE_URL in that file is the address of another database/);
    expect((await stat(environmentFile)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['database.env']);
  });

  it('meets errors and faults', async () => {
    const { platform } = workspace;
    for (const fault of faults) {
      platform.fault(fault);
      for (const line of [
        'key list',
        'zone show 308001',
        'log search 308006',
        'errors show 308001',
        'database query shop SELECT 1',
        'script list',
      ]) {
        await ops().type(`/edge ${line}`);
        await ops().expectMessage(/^(?![\s\S]*takes a moment)/);
      }
      platform.clearFaults();
    }
    platform.fault('drop-after@PUT auth/generate');
    await confirmed(workspace, 'token create shop');
    platform.clearFaults();
  });

  it('keeps none of them in its store, and not what waits to be confirmed as it was typed', async () => {
    await ops().type('/edge variable add geo-redirect SHOP_PASSWORD swordfish-as-typed');
    await ops().expectMessage(/SHOP_PASSWORD of geo-redirect/);
    const beside = dirname(workspace.storeFile);
    const names = (await readdir(beside)).filter((name) => name.startsWith('edgewise.db'));
    expect(names).toContain('edgewise.db');
    for (const name of names) {
      const content = await readFile(join(beside, name), 'latin1');
      expect(found(content), name).toEqual([]);
      expect(content, name).not.toContain('swordfish-as-typed');
    }
  });

  it('is told secrets by people, and says none of them again', async () => {
    const { platform, slack } = workspace;
    const key = platform.environment.PLATFORM_ACCESS_KEY ?? '';
    for (const line of [
      `zone show ${key}`,
      `variable add geo-redirect PASTED ${key}`,
      `database query shop SELECT '${platform.jwt.logging}'`,
      `${slack.environment.SLACK_BOT_TOKEN} x`,
    ]) {
      await ops().type(`/edge ${line}`);
      await ops().expectMessage(/^(?![\s\S]*takes a moment)/);
    }
  });

  it('let none of them out, but the new tokens in their views', async () => {
    const { slack, logged } = workspace;
    await slack.idle();
    const shown = slack.outgoing.filter(
      ({ method, body }) => method === 'views.update' && JSON.stringify(body).includes('PLATFORM_DATABASE_AUTH_TOKEN='),
    );
    expect(shown).toHaveLength(changes.filter((line) => makesTokens.test(line)).length);
    for (const out of slack.outgoing.filter((one) => !shown.includes(one))) {
      expect(found(JSON.stringify(out.body)), `${out.method}: ${JSON.stringify(out.body).slice(0, 300)}`).toEqual([]);
    }
    for (const line of logged) expect(found(line), line.slice(0, 300)).toEqual([]);
    expect(logged.length).toBeGreaterThan(10);
    expect(slack.problems.filter((problem) => !/trigger/.test(problem))).toEqual([]);
  });

  it('keeps in the audit none of what people pasted', async () => {
    const client = byHand(workspace.storeFile);
    const { rows } = await client.execute('SELECT * FROM audit');
    client.close();
    expect(rows.length).toBeGreaterThan(changes.length + reads.length - 3);
    for (const row of rows) expect(found(JSON.stringify(row)), JSON.stringify(row)).toEqual([]);
  });

  it('shows keys by their last characters', async () => {
    await ops().type('/edge key list --per-page 5');
    const card = await ops().expectMessage(/API keys/);
    for (const { Key, Id } of workspace.platform.account.keys.slice(0, 5)) {
      expect(card.text).toMatch(new RegExp(`${Id} \\|[^|]*\\| [^a-z0-9\\s]+${Key.slice(-4)}`));
    }
  });
});

describe('a platform that repeats the key in its errors', () => {
  let canned: CannedPlatform;
  let workspace: TestWorkspace;

  beforeAll(async () => {
    canned = await startCannedPlatform();
    workspace = await startTestWorkspace({ environment: canned.environment });
  });
  afterAll(async () => {
    await workspace.close();
    await canned.close();
  });

  it('is quoted without it', async () => {
    const key = workspace.platform.environment.PLATFORM_ACCESS_KEY ?? '';
    const ops = workspace.slack.person('ada').in('#ops');
    for (const body of [
      { Message: `The key ${key} is wrong.`, Field: key },
      { title: 'No', detail: `${key} again`, errors: [{ message: key, field: key }] },
      `plain ${key}`,
    ]) {
      canned.answer('GET /api/apikey', { status: 401, body });
      await ops.type('/edge key list');
      const told = await ops.expectMessage(/The platform refused it/);
      expect(told.text).not.toContain(key);
      expect(told.fallback).not.toContain(key);
    }
    await ops.type('/edge audit list --reads');
    await ops.expectMessage(/key list/);
    expect(JSON.stringify(workspace.slack.outgoing)).not.toContain(key);
    expect(workspace.logged.join('\n')).not.toContain(key);
  });
});
