import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { FAILURES, WATCH } from '../../src/store/anchors.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createSeal } from '../../src/store/seal.ts';
import { createStore, openStore, type StoreKeys } from '../../src/store/store.ts';
import { taken } from '../support/approval-steps.ts';

const ADA = { id: 'U1', teamId: 'T1' };
const asked = {
  operation: 'variable add',
  given: { script: '501', name: 'API_TOKEN', default: 'hunter2-as-it-was-typed' },
  target: 'API_TOKEN of router',
  preview: { after: { Name: 'API_TOKEN' }, names: { default: [['hunter2-as-it-was-typed']] } },
  actor: ADA.id,
  team: ADA.teamId,
  channel: 'C1',
  approval: { count: 1, lifetime: 60_000, remarks: 'hunter2-as-it-was-typed' },
};

describe('what people typed', () => {
  let folder: string;
  const url = () => `file:${join(folder, 'edgewise.db')}`;
  const open = (key?: string, more: StoreKeys = {}) =>
    openStore({ url: url(), ...(key === undefined ? {} : { encryptionKey: Secret.of(key) }), ...more });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgewise-seal-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Everything that stands in the files of the store. */
  async function onDisk(...only: string[]): Promise<string> {
    const names = only.length > 0 ? only : await readdir(folder);
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
    await again.database.execute(`UPDATE confirmations SET state = 'waiting', expires_at = expires_at + 60000`);
    expect(await again.reversals.read(id)).toMatchObject({ given: asked.given });
    await again.close();

    const other = await open('another key');
    expect(await other.confirmations.read(id)).toMatchObject({ given: {}, unreadable: true });
    expect(await other.reversals.read(id)).toBeUndefined();
    expect(await other.approvals.waiting()).toMatchObject([{ unreadable: true }]);
    await other.close();

    const changed = await open('another key', { encryptionKeyOld: Secret.of('the key') });
    expect(await changed.confirmations.read(id)).toMatchObject({ given: asked.given, approval: asked.approval });
    await changed.close();
    const later = await open('another key');
    expect(await later.confirmations.read(id)).toMatchObject({ given: asked.given });
    expect(await later.reversals.read(id)).toMatchObject({ given: asked.given });
    await later.close();
  });

  it('is sealed for its own row and column: in another’s place it cannot be read', async () => {
    const store = await open('the key');
    const one = await store.confirmations.create(asked);
    const two = await store.confirmations.create(asked);
    const three = await store.confirmations.create(asked);
    await store.database.execute(
      'UPDATE confirmations SET given = (SELECT given FROM confirmations WHERE id = :one) WHERE id = :two',
      { one: one.id, two: two.id },
    );
    await store.database.execute('UPDATE confirmations SET preview = given WHERE id = :id', { id: three.id });
    expect(await store.confirmations.read(two.id)).toMatchObject({ given: {}, unreadable: true });
    expect(await store.confirmations.read(three.id)).toMatchObject({ unreadable: true });
    await store.close();
  });

  it('is kept as it is without a key, and no key takes it over', async () => {
    const store = await open();
    await store.confirmations.create(asked);
    await store.close();
    await expect(open('the key')).rejects.toThrow('Nothing in the store is signed');
    await (await open()).close();
  });

  const OLD = { encryptionKeyOld: Secret.of('the key') };
  const entry = { ...asked, outcome: 'done', detail: '' };

  it('is written anew once when the key is changed: what the old key writes later is refused, and never signed anew', async () => {
    const before = await open('the key');
    const { id } = await before.confirmations.create(asked);
    await before.jobs.add({ kind: 'payload', key: 'command:1', body: 'what it asks for' });
    await before.anchors.set(1, 'taken', 'by whom');
    await before.audit.append(entry);
    await before.close();
    const changed = await open('another key', OLD);
    expect(await changed.jobs.claim(9)).toMatchObject([{ key: 'command:1', body: 'what it asks for' }]);
    expect(await changed.anchors.read(1, 'taken')).toBe('by whom');
    await changed.close();

    // Whoever still has the old key, and can write to the store.
    const forger = createStore(await openDatabase({ url: url() }), createSeal(Secret.of('the key')));
    const forged = await forger.confirmations.create(asked);
    await forger.approvals.request(taken(forged.id, ADA, 'waiting', 'because'), 60_000);
    await forger.approvals.vote(taken(forged.id, { id: 'U2', teamId: 'T1' }, 'approved'), {
      count: 1,
      lifetime: 60_000,
      outcome: '',
    });
    await forger.audit.append(entry);
    await forger.close();

    for (const more of [OLD, {}, OLD]) {
      const store = await open('another key', more);
      expect(await store.confirmations.read(id)).toMatchObject({ given: asked.given });
      expect(await store.confirmations.read(forged.id)).toMatchObject({ given: {}, unreadable: true });
      expect(await store.approvals.verdicts(forged.id)).toEqual([]);
      expect((await store.audit.verify()).problems).toMatchObject(
        [2, 3, 4].map((number) => ({ number, what: 'unsigned' })),
      );
      await store.close();
    }
  });

  it('is written anew with all that is known of zones, so that no outage begins anew with the key', async () => {
    const before = await open('the key');
    await before.anchors.set(7, WATCH, { since: 1 });
    await before.anchors.set(7, FAILURES, { many: 2 });
    await before.close();
    const changed = await open('another key', OLD);
    expect(await changed.anchors.named(WATCH)).toEqual(new Map([[7, { since: 1 }]]));
    expect(await changed.anchors.read(7, FAILURES)).toEqual({ many: 2 });
    await changed.close();
  });

  it('is written anew as a whole, or not at all', async () => {
    const store = await open('the key');
    const { id } = await store.confirmations.create(asked);
    await store.audit.append(entry);
    await store.database.execute(
      `CREATE TRIGGER fails BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'the disk is full'); END`,
    );
    await store.close();
    await expect(open('another key', OLD)).rejects.toThrow('the disk is full');
    const again = await open('the key');
    expect(await again.confirmations.read(id)).toMatchObject({ given: asked.given });
    await again.database.execute('DROP TRIGGER fails');
    await again.close();
    const changed = await open('another key', OLD);
    expect(await changed.confirmations.read(id)).toMatchObject({ given: asked.given });
    await changed.close();
  });

  it('is not taken over later: a row without a signature is somebody else’s', async () => {
    const store = await open('the key');
    const { id } = await store.confirmations.create(asked);
    await store.database.execute('UPDATE confirmations SET mac = NULL, given = :given', { given: '{"script":"1"}' });
    await store.confirmations.create(asked);
    await store.close();
    const again = await open('the key');
    expect(await again.confirmations.read(id)).toMatchObject({ given: {}, unreadable: true });
    await again.close();
  });
});
