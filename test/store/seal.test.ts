import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { openStore } from '../../src/store/store.ts';

const ADA = { id: 'U1', teamId: 'T1' };
const asked = {
  operation: 'variable add',
  given: { script: '501', name: 'API_TOKEN', default: 'hunter2-as-it-was-typed' },
  target: 'API_TOKEN of router',
  preview: { after: { Name: 'API_TOKEN' } },
  actor: ADA.id,
  team: ADA.teamId,
  channel: 'C1',
  approval: { count: 1, lifetime: 60_000, names: { default: [['hunter2-as-it-was-typed']] } },
};

describe('what people typed', () => {
  let folder: string;
  const url = () => `file:${join(folder, 'edgewise.db')}`;
  const open = (key?: string) =>
    openStore({ url: url(), ...(key === undefined ? {} : { encryptionKey: Secret.of(key) }) });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgewise-seal-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Everything that stands in the files of the store. */
  async function onDisk(): Promise<string> {
    const names = await readdir(folder);
    return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('');
  }

  it('is sealed while it waits, outlives a restart with the same key, and is nothing to another', async () => {
    const store = await open('the key');
    const { id } = await store.confirmations.create(asked);
    await store.reversals.keep({ confirmation: id, given: asked.given });
    expect(await onDisk()).toContain('API_TOKEN of router');
    expect(await onDisk()).not.toContain('hunter2');
    await store.close();

    const again = await open('the key');
    expect(await again.confirmations.read(id)).toMatchObject({ given: asked.given, approval: asked.approval });
    expect(await again.approvals.request(id, ADA, 'because', 60_000)).toMatchObject({ given: asked.given });
    expect(await again.reversals.read(id)).toMatchObject({ given: asked.given });
    await again.close();

    const other = await open('another key');
    expect(await other.confirmations.read(id)).toMatchObject({ given: {}, unreadable: true });
    expect(await other.reversals.read(id)).toMatchObject({ given: {} });
    expect(await other.approvals.waiting(10)).toMatchObject([{ unreadable: true }]);
    await other.close();
  });

  it('is sealed for its own row: in another’s place it cannot be read', async () => {
    const store = await open('the key');
    const one = await store.confirmations.create(asked);
    const two = await store.confirmations.create(asked);
    await store.database.execute(
      'UPDATE confirmations SET given = (SELECT given FROM confirmations WHERE id = :one) WHERE id = :two',
      { one: one.id, two: two.id },
    );
    expect(await store.confirmations.read(two.id)).toMatchObject({ given: {}, unreadable: true });
    await store.close();
  });

  it('is kept as it is without a key, and still read once there is one', async () => {
    const store = await open();
    const { id } = await store.confirmations.create(asked);
    await store.close();
    const sealing = await open('the key');
    expect(await sealing.confirmations.read(id)).toMatchObject({ given: asked.given });
    await sealing.close();
  });
});
