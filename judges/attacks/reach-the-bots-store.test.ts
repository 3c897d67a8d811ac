import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../../test/support/workspace.ts';

/** Somebody who may do everything by chat wants to read or change what the bot remembers, the audit first of all. */
describe('the bot’s own store, where it is a database of the platform', () => {
  let workspace: TestWorkspace;
  const ada = () => workspace.slack.person('ada');
  const own = () => workspace.platform.account.databases[0]!;
  const touched = () =>
    workspace.platform.requests.filter(
      ({ method, path }) => /auth\/(generate|revoke)/.test(path) && method !== 'GET' && path.includes(own().id),
    );

  beforeAll(async () => {
    workspace = await startTestWorkspace({
      environment: ({ account }) => ({
        STORE_URL: 'platform',
        PLATFORM_DATABASE_URL: account.databases[0]!.url,
        PLATFORM_DATABASE_AUTH_TOKEN: account.databases[0]!.seeded.fullAccess,
      }),
    });
  });
  afterAll(() => workspace.close());

  const names = () => [own().name, own().name.toUpperCase(), own().id, 'configured', 'CONFIGURED'];

  it('is not read, whatever it is called', async () => {
    for (const name of names()) {
      await ada().in('#ops').type(`/edge database query ${name} SELECT * FROM audit`);
      await ada()
        .in('#ops')
        .expectMessage(/holds the bot’s own store: it is out of reach from here/);
    }
    expect(touched()).toEqual([]);
  });

  it.each(['--read-only', '--full-access', '--both', ''])('gives no token: %s', async (kind) => {
    for (const name of names()) {
      await ada().in('#ops').type(`/edge token create ${name} ${kind}`);
      await ada()
        .in('#ops')
        .expectMessage(/holds the bot’s own store/);
    }
    expect(touched()).toEqual([]);
  });

  it.each(['token invalidate', 'token regenerate', 'database execute'])('is not touched by %s', async (command) => {
    for (const name of names()) {
      const sql = command === 'database execute' ? 'DELETE FROM audit' : '';
      await ada().in('#ops').type(`/edge ${command} ${name} --force ${sql}`);
      const form = await ada().expectModal(/^(Token|Database) /, { ready: true });
      await form.expectChange(/holds the bot’s own store/);
      await form.close();
    }
    expect(touched()).toEqual([]);
  });

  it('is not offered in a form, and not said to be allowed', async () => {
    await ada().in('#ops').type(`/edge can-i database query ${own().name} SELECT 1`);
    await ada()
      .in('#ops')
      .expectMessage(/holds the bot’s own store/);
  });

  it('keeps nobody from the other databases', async () => {
    await ada().in('#ops').type('/edge token create events --both');
    expect(
      (
        await ada()
          .in('#ops')
          .expectMessage(/Existing tokens for events/)
      ).text,
    ).not.toMatch(/own store/);
    await ada().in('#ops').type('/edge database query events SELECT 1 AS one');
    await ada()
      .in('#ops')
      .expectMessage(/rows 1 to 1/);
  });
});
