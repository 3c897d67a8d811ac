import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { createConfirmations } from '../../src/store/confirmations.ts';
import type { Database } from '../../src/store/database.ts';
import { createDeliveries } from '../../src/store/deliveries.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { ALIVE, ALIVE_FENCE, BEAT_EVERY, createProcesses, createSelf, withSelf } from '../../src/store/processes.ts';
import { createReportLedger } from '../../src/store/report-ledger.ts';
import { createSeal } from '../../src/store/seal.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { PLAIN } from '../support/subscription.ts';
import { embedded } from './replicas.ts';

const ADA = { id: 'UADA', teamId: 'T1' };
const ASKED = {
  operation: 'ssl force',
  given: {},
  target: 'shop',
  preview: { after: {} },
  actor: ADA.id,
  team: ADA.teamId,
  channel: 'C1',
};

describe('processes that share a store', () => {
  let now: Date;
  let elapsed: number;
  let database: Database;

  beforeEach(async () => {
    [now, elapsed] = [new Date('2026-11-21T12:00:00Z'), 0];
    vi.spyOn(performance, 'now').mockImplementation(() => elapsed);
    database = await openDatabase({ url: ':memory:', clock: () => now });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await database.close();
  });

  function pass(milliseconds: number): void {
    now = new Date(now.getTime() + milliseconds);
    elapsed += milliseconds;
  }

  /** One of several on the same store. */
  async function join() {
    const self = createSelf(true);
    const own: Database = { ...database, self, execute: (sql, args) => database.execute(withSelf(sql, self), args) };
    const processes = createProcesses(own, self);
    await processes.beat();
    return { database: own, processes, confirmations: createConfirmations(own), ledger: createReportLedger(own) };
  }

  /** All of them say for so long that they live. */
  async function live(milliseconds: number, ...all: Awaited<ReturnType<typeof join>>[]): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += BEAT_EVERY) {
      pass(BEAT_EVERY);
      for (const { processes } of all) await processes.beat();
    }
  }

  it('go on with nothing that somebody else has written there', async () => {
    const seal = createSeal(Secret.of('nobody else knows this key'));
    const [one, other] = [await join(), await join()];
    await live(ALIVE, one, other);
    const deliveries = (of: typeof one) => createDeliveries(of.database, seal);
    await Promise.all(['a', 'b'].map((key) => deliveries(one).first(key, () => ({ said: key }))));
    await live(2 * ALIVE, other);
    await database.execute(
      "UPDATE deliveries SET content = (SELECT content FROM deliveries WHERE key = 'b') WHERE key = 'a'",
    );
    const left = await deliveries(other).left();
    expect(left.map(({ key, content }) => [key, content])).toEqual([
      ['a', undefined],
      ['b', { said: 'b' }],
    ]);
  });

  it('take over a slot within twelve seconds of a death, unless its message may have left', async () => {
    const [one, other] = [await join(), await join()];
    await live(ALIVE, one, other);
    const begin = () => now;
    const [plain, sending] = await Promise.all(
      ['C1', 'C2'].map((channel) => createSubscriptions(database).add({ ...PLAIN, channel }, begin)),
    );
    const slot = now;
    const claimed = [];
    for (const subscription of [plain!, sending!]) {
      await one.ledger.open(subscription, [{ slot, state: 'due', notBefore: slot }]);
      claimed.push(await one.ledger.claim(subscription.id, slot, 120_000));
    }
    expect(await one.ledger.sending(claimed[1]!, 120_000)).toBe(true);
    await live(ALIVE - BEAT_EVERY, other);
    expect(await other.processes.haveLeft()).toBe(false);
    await live(2 * BEAT_EVERY, other);
    expect(await other.processes.haveLeft()).toBe(true);
    expect((await other.ledger.workable(9)).map(({ subscription }) => subscription)).toEqual([plain!.id]);
    expect(await other.ledger.claim(plain!.id, slot, 120_000)).toMatchObject({ epoch: 2 });
    expect(await other.ledger.claim(sending!.id, slot, 120_000)).toBeUndefined();
    expect(await one.ledger.sending(claimed[0]!, 120_000)).toBe(false);
    expect(await other.processes.haveLeft()).toBe(false);
  });

  it('end within twelve seconds what one of them left that died, and nothing of those that live', async () => {
    const [one, other] = [await join(), await join()];
    await live(ALIVE, one, other);
    const { id } = await one.confirmations.create(ASKED);
    await one.confirmations.claim(id, ADA);
    await one.confirmations.send(id);
    await live(ALIVE - BEAT_EVERY, other);
    expect(await other.processes.haveLeft()).toBe(false);
    expect(await other.confirmations.abandoned()).toEqual([]);
    await live(2 * BEAT_EVERY, other);
    expect(await other.processes.haveLeft()).toBe(true);
    expect(await other.confirmations.abandoned()).toMatchObject([{ id, state: 'unknown' }]);
    expect(await other.processes.haveLeft()).toBe(false);
  });

  it('send nothing any more, each of them, before others may give them up', async () => {
    const one = await join();
    pass(ALIVE_FENCE - 1);
    expect(one.processes.isAlive()).toBe(true);
    pass(1);
    expect(one.processes.isAlive()).toBe(false);
    // Between the fence and the moment when others speak, what has just left can arrive.
    expect(ALIVE_FENCE + BEAT_EVERY).toBeLessThan(ALIVE);
  });

  it('give nobody up for not having reached a store that was away for all', async () => {
    const [one, other] = [await join(), await join()];
    await live(ALIVE, one, other);
    const { id } = await one.confirmations.create(ASKED);
    await one.confirmations.claim(id, ADA);
    pass(30_000);
    await other.processes.beat();
    expect(await other.confirmations.abandoned()).toEqual([]);
    await one.processes.beat();
    await live(ALIVE, one, other);
    expect(await other.confirmations.abandoned()).toEqual([]);
  });

  it('take at once what one has left that ended in order', async () => {
    const [one, other] = [await join(), await join()];
    const { id } = await one.confirmations.create(ASKED);
    await one.confirmations.claim(id, ADA);
    await one.processes.leave();
    expect(await other.confirmations.abandoned()).toMatchObject([{ id, state: 'failed', interrupted: true }]);
  });
});

describe('an embedded store that is opened again', () => {
  it('knows at once that whoever had it is dead', async () => {
    const store = await embedded.prepare();
    const one = await store.open();
    const { id } = await createConfirmations(one).create(ASKED);
    await createConfirmations(one).claim(id, ADA);
    await one.close();
    const next = await store.open();
    expect(await createConfirmations(next).abandoned()).toMatchObject([{ id, state: 'failed', interrupted: true }]);
    await store.close();
  });
});
