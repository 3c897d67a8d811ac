import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { moveStore } from '../../src/store/move-store.ts';
import { createSeal } from '../../src/store/seal.ts';
import { openStore, type Store, tryStore } from '../../src/store/store.ts';
import { HAS_POSTGRES, type Postgres, somePostgres, WITHOUT_POSTGRES } from '../support/postgres.ts';
import { PLAIN } from '../support/subscription.ts';

const encryptionKey = Secret.of('a key for this test only');
const seal = createSeal(encryptionKey);
const ADA = { id: 'U1', teamId: 'T1' };
const entry = (target: string) => ({
  ...{ actor: ADA.id, team: ADA.teamId, channel: 'C1', operation: 'ssl force', target },
  ...{ given: { hostname: target }, outcome: 'done' as const, detail: '' },
});

/** Something of everything: a change that was made, one that waits, a report, 1,200 entries of the audit. */
async function write(store: Store): Promise<{ made: string; waits: string }> {
  const asked = {
    ...{ operation: 'ssl force', given: { hostname: 'cdn.example.com' }, target: 'cdn.example.com' },
    ...{ preview: { before: { ForceSSL: false }, after: { ForceSSL: true } }, actor: ADA.id, team: ADA.teamId },
    channel: 'C1',
  };
  const [made, waits] = [await store.confirmations.create(asked), await store.confirmations.create(asked)];
  await store.confirmations.claim(made.id, ADA);
  await store.reversals.keep({ confirmation: made.id, given: { state: 'off' } });
  await store.confirmations.send(made.id);
  await store.confirmations.settle(made.id, 'done', '');
  await store.reversals.open(made.id);
  await store.subscriptions.add(PLAIN, () => new Date(9_999_999_999_999));
  for (let count = 0; count < 1_200; count += 1) await store.audit.append(entry(`host-${count}.example.com`));
  return { made: made.id, waits: waits.id };
}

/** The very same things can be said of it. */
async function read(url: string, { made, waits }: { made: string; waits: string }) {
  const store = await openStore({ url, encryptionKey });
  try {
    const audit = await store.audit.verify();
    return {
      made: await store.confirmations.read(made),
      waits: (await store.confirmations.read(waits))?.state,
      undo: (await store.reversals.read(made))?.given,
      reports: (await store.subscriptions.list()).map(({ report, channel }) => [report, channel]),
      audit: [audit.entries, audit.head, audit.problems, audit.rows],
    };
  } finally {
    await store.jobs.leave();
    await store.close();
  }
}

describe.skipIf(!HAS_POSTGRES)(`a store that is moved${WITHOUT_POSTGRES}`, () => {
  let folder: string;
  let postgres: Postgres;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgewise-move-'));
    postgres = await somePostgres();
  });
  afterAll(async () => {
    await postgres.close();
    await rm(folder, { recursive: true });
  });

  it('is the same on a server, and the same again in a file', { timeout: 60_000 }, async () => {
    const [first, second] = ['first', 'second'].map((name) => `file:${join(folder, `${name}.db`)}`);
    const store = await openStore({ url: first!, encryptionKey });
    const ids = await write(store);
    await store.close();
    const before = await read(first!, ids);
    expect(before).toMatchObject({
      waits: 'asked',
      undo: { state: 'off' },
      audit: [1_201, expect.any(String), [], []],
    });

    const there = await moveStore({ url: first! }, { url: postgres.url }, seal);
    expect(there.audit).toMatchObject({ entries: 1_201, problems: [] });
    expect(await read(postgres.url, ids)).toEqual(before);
    await expect(moveStore({ url: first! }, { url: postgres.url }, seal)).rejects.toThrow('is not empty');

    const back = await moveStore({ url: postgres.url }, { url: second! }, seal);
    expect(back.audit.head).toBe(there.audit.head);
    expect(await read(second!, ids)).toEqual(before);
  });

  it.skipIf(spawnSync('pg_dump', ['--version']).status !== 0)(
    'is put back as docs/operating.md says, in its place or in an empty database, and goes on',
    { timeout: 60_000 },
    async () => {
      const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
      const follow = (program: string, url: string) => {
        const [line = ''] = page.match(new RegExp(`^${program} .*$`, 'm')) ?? [];
        return execFileSync('sh', ['-c', line], { cwd: folder, env: { ...process.env, STORE_URL: url } });
      };
      const [url, empty] = [await postgres.fresh(), await postgres.fresh()];
      const entries = async (at: string, target: string) => {
        const store = await openStore({ url: at, encryptionKey });
        await store.audit.append(entry(target));
        const { entries: count, problems } = await store.audit.verify();
        await store.jobs.leave();
        await store.close();
        return [count, problems];
      };
      expect(await entries(url, 'one.example.com')).toEqual([1, []]);
      follow('pg_dump', url);
      expect(await entries(url, 'two.example.com')).toEqual([2, []]);
      expect(await entries(url, 'three.example.com')).toEqual([3, []]);
      for (const there of [url, empty]) {
        follow('pg_restore', there);
        expect(await entries(there, 'four.example.com')).toEqual([2, []]);
      }
    },
  );

  it('is not moved from under a bot', async () => {
    const url = await postgres.fresh();
    const bot = await openStore({ url, encryptionKey });
    await new Promise<void>((resolve) => bot.database.onTold(resolve));
    await expect(moveStore({ url }, { url: `file:${join(folder, 'third.db')}` }, seal)).rejects.toThrow(
      'A bot runs on the first store. Stop it first.',
    );
    await bot.close();
  });

  it('keeps its key while a bot runs on it, whoever gives another one, and is only looked at by the doctor', async () => {
    const url = await postgres.fresh();
    const [before, present] = ['the key of before, for this test', 'the present key, for this test'].map(Secret.of);
    const bot = await openStore({ url, encryptionKey: before });
    await new Promise<void>((resolve) => bot.database.onTold(resolve));
    await bot.audit.append(entry('www.example.com'));
    const both = { url, encryptionKey: present, encryptionKeyOld: before };
    await expect(openStore(both)).rejects.toThrow(
      'A bot runs on the store with the old EDGEWISE_ENCRYPTION_KEY. Stop all',
    );
    expect(await tryStore(both)).toBe(true);
    await bot.close();
    expect(await tryStore(both)).toBe(false);
    expect(await tryStore({ url, encryptionKey: before })).toBe(false);
    await (await openStore(both)).close();
    await expect(tryStore({ url, encryptionKey: before })).rejects.toThrow('another EDGEWISE_ENCRYPTION_KEY');
  });
});
