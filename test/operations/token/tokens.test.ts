import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/blocks/message.ts';
import { plain } from '../../../src/blocks/mrkdwn.ts';
import { UsageError } from '../../../src/errors.ts';
import { PlatformConnectionError, PlatformError, PlatformShapeError } from '../../../src/platform/errors.ts';
import type { Database } from '../../../src/platform/resources/databases.ts';
import { Secret } from '../../../src/secret.ts';
import { type Overrides, perform, useSimulated } from '../database/simulated.ts';
import { buttonsOf, catalogueOf, contextOf } from '../performing.ts';

const simulated = useSimulated();
const shop = () => simulated.simulator.account.databases[0]!;

const DATABASE: Database = {
  id: 'db_1',
  name: 'orders',
  url: 'libsql://one.db.example/',
  block_reads: false,
  block_writes: false,
  size_max: undefined,
  current_size: undefined,
  size_max_bytes: undefined,
  current_size_bytes: undefined,
  storage_region: undefined,
  primary_regions: [],
  replicas_regions: [],
};

const WHERE = { service: 'databaseControl', method: 'PUT', path: '/v2/databases/db_1/auth/generate' };
const refused = new PlatformError('Too many tokens', { status: 400, ...WHERE });
const broken = new PlatformError('Internal error', { status: 500, ...WHERE });
const lost = new PlatformConnectionError('The connection was lost.', { applied: 'maybe', ...WHERE });

/** A platform on which tokens are made or fail, kind by kind, and what was asked of it. */
function platformOf(outcomes: Partial<Record<'full-access' | 'read-only' | 'revoke', Error>>) {
  const asked: string[] = [];
  const platform = {
    databases: {
      get: async () => DATABASE,
      revokeTokens: async () => {
        asked.push('revoke');
        if (outcomes.revoke !== undefined) throw outcomes.revoke;
        return { extra: {} };
      },
      generateToken: async (
        _: string,
        { authorization, expires_at }: { authorization: 'full-access' | 'read-only'; expires_at: string | null },
      ) => {
        asked.push(`${authorization} ${expires_at}`);
        const failure = outcomes[authorization];
        if (failure !== undefined) throw failure;
        return { token: Secret.of(`secret-of-${authorization}`) };
      },
    },
  };
  return { asked, platform: platform as never };
}

/** Performs a line on such a platform. */
async function on(line: string, outcomes: Parameters<typeof platformOf>[0] = {}, overrides: Overrides = {}) {
  const { asked, platform } = platformOf(outcomes);
  const performance = await perform(line, {
    ...contextOf(),
    platform,
    catalogue: catalogueOf({ databases: [DATABASE] }),
    ...overrides,
  });
  return { ...performance, asked };
}

/** An environment file that remembers what was written. */
function fileOf(failure?: Error) {
  const saved: { token: string; url?: string }[] = [];
  return {
    saved,
    environmentFile: {
      check: () => undefined,
      path: '/srv/secret-place.env',
      save: async (values: { token: string; url?: string }) => {
        if (failure !== undefined) throw failure;
        saved.push(values);
        return { wroteUrl: true, isOtherUrl: false };
      },
    },
  };
}

const whole = (message: Message | undefined) => JSON.stringify(message);

describe('token create', () => {
  it('says that existing tokens stay valid, before and after', async () => {
    const performance = await on('token create orders --read-only --expiry 30d');
    const preview = await performance.preview();
    expect(preview.details?.text).toContain('Existing tokens for orders (db_1) stay valid.');
    expect(preview.after).toEqual({ access: 'read-only', expires_at: '2026-12-21T12:00:00.000Z' });
    const { message } = await performance.run();
    expect(message.text).toContain('Existing tokens stay valid.');
    expect(performance.asked).toEqual(['read-only 2026-12-21T12:00:00.000Z']);
  });

  it.each([
    ['', ['full-access null']],
    ['--full-access', ['full-access null']],
    ['--read-only', ['read-only null']],
    ['--both --no-save', ['full-access null', 'read-only null']],
  ])('makes the kinds that were asked for: %s', async (flags, expected) => {
    const performance = await on(`token create db_1 ${flags}`);
    await performance.run();
    expect(performance.asked).toEqual(expected);
  });

  it('asks for two tokens as two', async () => {
    const { operation, preview } = await on('token create orders --both');
    const { title } = operation.words!({ target: 'orders', given: {}, after: (await preview()).after });
    expect(plain(title)).toBe('Create a new full-access and a new read-only token for orders');
  });

  it('shows each token once, with the two lines to copy, and never in the channel', async () => {
    const { message, revealed } = await (await on('token create orders --both')).run();
    expect(revealed?.text).toContain(
      'PLATFORM_DATABASE_AUTH_TOKEN=secret-of-full-access\nPLATFORM_DATABASE_URL=libsql://one.db.example/',
    );
    expect(revealed?.text).toContain('PLATFORM_DATABASE_AUTH_TOKEN=secret-of-read-only\n');
    expect(whole(message)).not.toContain('secret-of');
  });

  it.each([
    ['--read-only --both', 'Choose one of --read-only, --full-access and --both'],
    ['--save-env --no-save', 'contradict each other'],
    ['--save-env', 'There is no environment file to write to.'],
  ])('refuses %s before anything is made', async (flags, said) => {
    const performance = await on(`token create orders ${flags}`);
    await expect(performance.preview()).rejects.toThrow(said);
    expect(performance.asked).toEqual([]);
  });

  it.each(['--expiry 2026-11-20', '--expiry 0d', '--expiry soon'])('refuses %s', async (flags) => {
    await expect(on(`token create orders ${flags}`)).rejects.toBeInstanceOf(UsageError);
  });

  it('fails as a whole when nothing was made, and shows what was made otherwise', async () => {
    await expect((await on('token create orders', { 'full-access': refused })).run()).rejects.toBe(refused);
    const { message, revealed } = await (await on('token create orders --both', { 'full-access': refused })).run();
    expect(message.text).toContain('the full-access token: Too many tokens (status 400)');
    expect(revealed?.text).toContain('secret-of-read-only');
  });

  it('writes the token to the operator’s file with --save-env alone', async () => {
    const { saved, environmentFile } = fileOf();
    const { message } = await (await on('token create orders --both --save-env', {}, { environmentFile })).run();
    expect(saved).toEqual([{ token: 'secret-of-full-access', url: 'libsql://one.db.example/' }]);
    expect(message.text).toContain(
      'The full-access token was written to the operator’s environment file, and the URL, which was missing there.',
    );
    await (await on('token create orders', {}, { environmentFile })).run();
    expect(saved).toHaveLength(1);
  });

  it('names a file that could not be written, without its path, and shows the token all the same', async () => {
    const { environmentFile } = fileOf(
      Object.assign(new Error("EACCES: open '/srv/secret-place.env'"), { code: 'EACCES' }),
    );
    const { message, revealed } = await (await on('token create orders --save-env', {}, { environmentFile })).run();
    expect(message.text).toContain('writing the environment file: EACCES');
    expect(whole(message)).not.toContain('secret-place');
    expect(revealed?.text).toContain('secret-of-full-access');
  });

  it('says, when nobody can tell how it ended, that a token may exist that nobody saw', async () => {
    const performance = await on('token create orders --read-only');
    const told = performance.operation.whenUnknown?.(performance.canonical);
    expect(told?.text).toContain('The platform may have created a token that nobody saw. Existing tokens still work.');
    expect(told === undefined ? undefined : buttonsOf(told)).toEqual({ 'Create one': 'token create db_1' });
  });

  it('makes nothing for the database in the settings', async () => {
    const configuredDatabase = { url: 'libsql://x.db.example', token: Secret.of('t') };
    const performance = await on('token create configured', {}, { configuredDatabase });
    await expect(performance.preview()).rejects.toThrow(
      'Tokens of the database in the settings cannot be created or invalidated here',
    );
  });
});

describe.each(['token regenerate orders', 'token invalidate orders'])('%s', (line) => {
  it('warns of what stops, of who fails, and of both scopes', async () => {
    const performance = await on(line);
    const { warnings = [], before } = await performance.preview();
    expect(before).toBeUndefined();
    expect(performance.target).toBe('orders (db_1)');
    expect(performance.operation.typed?.(performance.values)).toBe('orders');
    expect(performance.operation.effect).toBe('destructive');
    expect(warnings[0]).toBe('All existing tokens stop working at once.');
    expect(warnings[1]).toContain('Applications that use them can’t connect');
    expect(warnings[2]).toContain('only this database’s');
    expect(warnings[2]).toContain('tokens of all databases');
    expect(performance.asked).toEqual([]);
  });

  it('says, when nobody can tell how it ended, what may be gone and what to do', async () => {
    const performance = await on(line);
    const told = performance.operation.whenUnknown?.(performance.canonical);
    expect(told?.text).toContain('The old tokens may be gone, and any new one is lost');
    expect(told === undefined ? undefined : buttonsOf(told)).toEqual({
      'Create both tokens': 'token create db_1 --both',
      'Create one': 'token create db_1 --full-access',
    });
  });

  it('ends nothing and says nothing of success when ending is refused', async () => {
    const performance = await on(line, { revoke: refused });
    await expect(performance.run()).rejects.toBe(refused);
    expect(performance.asked).toEqual(['revoke']);
  });
});

describe('token regenerate', () => {
  it('ends all tokens, then makes a full-access and a read-only one', async () => {
    const performance = await on('token regenerate orders');
    const { message, revealed } = await performance.run();
    expect(performance.asked).toEqual(['revoke', 'full-access null', 'read-only null']);
    expect(message.text).toContain('invalidated all tokens of orders');
    expect(message.text).not.toContain('No valid token remains');
    expect(whole(message)).not.toContain('secret-of');
    expect(revealed?.text).toContain('secret-of-full-access');
    expect(revealed?.text).toContain('secret-of-read-only');
  });

  it.each([
    [{ 'full-access': refused }, 'full-access', 'read-only'],
    [{ 'read-only': refused }, 'read-only', 'full-access'],
  ] as const)('names the part that failed, shows the other, and offers to make it', async (outcomes, failed, made) => {
    const { message, revealed } = await (await on('token regenerate orders', outcomes)).run();
    expect(message.text).toContain(`the ${failed} token: Too many tokens (status 400)`);
    expect(revealed?.text).toContain(`secret-of-${made}`);
    expect(revealed?.text).toContain(`the ${failed} token: Too many tokens`);
    expect(buttonsOf(message)).toEqual({ [`Create the ${failed} token`]: `token create db_1 --${failed}` });
  });

  it('says that no valid token remains when none could be made', async () => {
    const { message, revealed } = await (
      await on('token regenerate orders', { 'full-access': refused, 'read-only': refused })
    ).run();
    expect(message.text).toContain('No valid token remains.');
    expect(buttonsOf(message)).toMatchObject({ 'Create both tokens': 'token create db_1 --both' });
    expect(revealed?.text).toMatch(/No token was made .* none to show\. No valid token remains\./);
    expect(revealed?.text).toContain('/edge token create db_1 --both');
    expect(revealed?.text).not.toMatch(/\.\s*\(status/);
  });

  it('does not call a token gone that may exist unseen', async () => {
    const { message } = await (
      await on('token regenerate orders', { 'full-access': refused, 'read-only': lost })
    ).run();
    expect(message.text).not.toContain('No valid token remains');
    expect(message.text).toContain('No token that anybody has seen is valid.');
    expect(buttonsOf(message)).toMatchObject({ 'Create both tokens': 'token create db_1 --both' });
  });

  it('says that a token may exist that nobody has seen when its answer was lost', async () => {
    const unreadable = new PlatformShapeError('the answer is empty', WHERE);
    for (const failure of [lost, broken, unreadable]) {
      const { message } = await (await on('token regenerate orders', { 'read-only': failure })).run();
      expect(message.text).toContain('the platform may have created a token that nobody saw');
    }
  });

  it('does it for real: old tokens are refused at once, the new ones work', async () => {
    const old = shop().seeded.fullAccess;
    const { revealed } = await (await simulated.perform(`token regenerate ${shop().name} --force`)).run();
    const [token = ''] = /(?<=AUTH_TOKEN=)\S+/.exec(revealed?.text ?? '') ?? [];
    const select = (secret: string) =>
      simulated.platform.sql.execute({ url: shop().url ?? '', token: Secret.of(secret) }, ['SELECT 1']);
    await expect(select(old)).rejects.toBeInstanceOf(PlatformError);
    await expect(select(token)).resolves.toHaveLength(1);
    expect(
      simulated.simulator
        .writes()
        .filter(({ path }) => path.includes('/auth/'))
        .map(({ path }) => path.split('/').at(-1)),
    ).toEqual(['revoke', 'generate', 'generate']);
  });
});

describe('token invalidate', () => {
  it('leaves no valid token, says so, and offers to create one', async () => {
    const performance = await on('token invalidate orders');
    expect((await performance.preview()).warnings).toContain('No valid token remains.');
    const { message, revealed } = await performance.run();
    expect(performance.asked).toEqual(['revoke']);
    expect(message.text).toContain('No valid token remains.');
    expect(buttonsOf(message)).toMatchObject({ 'Create one': 'token create db_1 --full-access' });
    expect(revealed).toBeUndefined();
  });

  it('makes new ones with --regenerate, and saves one only then', async () => {
    const { saved, environmentFile } = fileOf();
    const performance = await on('token invalidate orders --regenerate --save-env --force', {}, { environmentFile });
    await performance.run();
    expect(performance.asked).toEqual(['revoke', 'full-access null', 'read-only null']);
    expect(saved).toEqual([{ token: 'secret-of-full-access', url: 'libsql://one.db.example/' }]);
    const without = await on('token invalidate orders --save-env', {}, { environmentFile });
    await expect(without.preview()).rejects.toThrow('--save-env needs --regenerate');
  });
});
