import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { createConfirmations } from '../../src/store/confirmations.ts';
import type { Database } from '../../src/store/database.ts';
import { BEAT_EVERY, createJobs, createSelf, FENCE, type Job, type Jobs, LEASE } from '../../src/store/jobs.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createReportLedger } from '../../src/store/report-ledger.ts';
import { createSeal } from '../../src/store/seal.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { asProcess } from '../support/as-process.ts';
import { leftChanges } from '../support/left.ts';
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

const press = (key = 'action:1') => ({ kind: 'payload', key, body: 'a press' });

describe('a process', () => {
  let database: Database;
  let jobs: Jobs;
  let isAway: boolean;
  let now: number;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    isAway = false;
    now = Date.parse('2026-11-21T12:00:00Z');
    database = await openDatabase({ url: ':memory:', clock: () => new Date(now) });
    jobs = createJobs({
      ...database,
      execute: (...statement) => (isAway ? Promise.reject(new Error('away')) : database.execute(...statement)),
    });
    expect(await add(press())).toBe(true);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await database.close();
  });

  async function add(job: Parameters<Jobs['add']>[0]): Promise<boolean> {
    const isFirst = jobs.add(job);
    await vi.advanceTimersByTimeAsync(100);
    return isFirst;
  }
  async function finished(key: string): Promise<void> {
    void jobs.release({ key, epoch: 1 });
    await vi.advanceTimersByTimeAsync(100);
  }
  /** What the next process goes on with, once this one is dead. */
  async function leftByIt(): Promise<unknown[]> {
    await database.execute("UPDATE jobs SET holder = 'another' WHERE holder IS NOT NULL");
    return (await jobs.claim(9)).map(({ body }) => body);
  }

  it('leaves to the next one what it is not done with', async () => {
    expect(await leftByIt()).toEqual(['a press']);
  });

  it('writes an end that the store did not take every two seconds again, so that its sender’s press is not done later', async () => {
    isAway = true;
    void jobs.release({ key: 'action:1', epoch: 1 });
    await vi.advanceTimersByTimeAsync(110_000);
    isAway = false;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await leftByIt()).toEqual([]);
  });

  it('gives up on an end after two minutes, and then it is the next one that says so', async () => {
    isAway = true;
    void jobs.release({ key: 'action:1', epoch: 1 });
    await vi.advanceTimersByTimeAsync(130_000);
    isAway = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await leftByIt()).toEqual(['a press']);
  });

  it('ends nothing by an older claim', async () => {
    await leftByIt();
    await finished('action:1');
    expect(await leftByIt()).toEqual(['a press']);
  });

  it('goes on with what it has written down last', async () => {
    jobs.rewrite({ key: 'action:1', epoch: 1 }, 'payload', 'a press, and its view');
    await vi.advanceTimersByTimeAsync(100);
    expect(await leftByIt()).toEqual(['a press, and its view']);
  });

  it('keeps what is for later until its time, and hands it out once', async () => {
    await finished('action:1');
    await add({ kind: 'follow-up', key: 'follow-up:1', body: 'first', delay: 5_000 });
    await add({ kind: 'follow-up', key: 'follow-up:1', body: 'second', delay: 0 });
    now += 4_800;
    expect(await jobs.claim(9)).toEqual([]);
    now += 200;
    expect(await jobs.claim(9)).toMatchObject([{ key: 'follow-up:1', body: 'first', epoch: 1, deaths: 0 }]);
    expect(await jobs.claim(9)).toEqual([]);
    await finished('follow-up:1');
    await add({ kind: 'follow-up', key: 'follow-up:1', body: 'third', delay: 0 });
    expect(await leftByIt()).toEqual([]);
  });

  it('tells what was given back in order from what processes have died with', async () => {
    const claim = async () => (await jobs.claim(9))[0]!;
    await leftByIt();
    await jobs.release({ key: 'action:1', epoch: 2 }, 60_000);
    expect(await jobs.claim(9)).toEqual([]);
    expect(await jobs.dueIn()).toBe(60_000);
    now += 60_000;
    expect(await claim()).toMatchObject({ epoch: 3, deaths: 1 });
    await jobs.leave();
    expect(await claim()).toMatchObject({ epoch: 4, deaths: 1 });
  });

  it('does before its time what is asked for by the beginning of its key, and nothing else', async () => {
    const woken: number[] = [];
    jobs.onDue((delay) => void woken.push(delay));
    for (const key of ['undo-ends:1:a', 'undo-ends:1:b', 'undo-ends:10:c', 'undo-ends:_:d'])
      await add({ kind: 'undo-ends', key, body: key, delay: 5_000 });
    await jobs.sooner('undo-ends:1:');
    expect(woken).toEqual([5_000, 5_000, 5_000, 5_000, 0]);
    expect((await jobs.claim(9)).map(({ body }) => body).sort()).toEqual(['undo-ends:1:a', 'undo-ends:1:b']);
  });
});

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
  async function join(seal = createSeal(), isLost = () => false) {
    const self = createSelf(true);
    const process = asProcess(database, self);
    const own: typeof process = {
      ...process,
      async execute(sql, args) {
        const answer = await process.execute(sql, args);
        if (isLost()) throw new Error('The answer was lost.');
        return answer;
      },
    };
    const jobs = createJobs(own, seal);
    await jobs.beat();
    const claim = () => jobs.claim(100);
    return { id: self.id, jobs, claim, confirmations: createConfirmations(own), ledger: createReportLedger(own) };
  }
  type Replica = Awaited<ReturnType<typeof join>>;

  /** All of them say for so long that they live. */
  async function live(milliseconds: number, ...all: Replica[]): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += BEAT_EVERY) {
      pass(BEAT_EVERY);
      for (const { jobs } of all) await jobs.beat();
    }
  }

  it('renew the lease of a job until it is done, and know nothing of a key that is only remembered', async () => {
    const self = createSelf(true);
    const jobs = createJobs(asProcess(database, self));
    await jobs.add({ kind: 'stop', key: 'stop:1' });
    await jobs.add(press());
    expect([...self.known.keys()]).toEqual(['action:1']);
    await jobs.release({ key: 'action:1', epoch: 1 });
    expect(self.known.size).toBe(0);
  });

  it('never get one job both, of 10,000', async () => {
    const [one, other] = [await join(), await join()];
    const claimed: Job[][] = [[], []];
    const work = async ({ claim }: Replica, own: Job[]) => {
      for (let got = [...(await claim())]; got.length > 0; got = [...(await claim())]) own.push(...got);
    };
    const keys = Array.from({ length: 10_000 }, (_, index) => `job:${index}`);
    await Promise.all(keys.map((key) => one.jobs.add({ kind: 'later', key, body: key, delay: 0 })));
    await Promise.all([work(one, claimed[0]!), work(other, claimed[1]!)]);
    expect(
      claimed
        .flat()
        .map(({ key }) => key)
        .sort(),
    ).toEqual(keys.sort());
    expect(claimed.map((own) => own.length > 1_000)).toEqual([true, true]);
  });

  it('take over within twelve seconds what one of them left that died, and nothing of those that live', async () => {
    const [one, other] = [await join(), await join()];
    await live(LEASE, one, other);
    await one.jobs.add(press());
    await live(LEASE - BEAT_EVERY, other);
    expect(await other.jobs.claim(9)).toEqual([]);
    await live(2 * BEAT_EVERY, other);
    expect((await other.jobs.claim(9)).map(({ key, deaths }) => [key, deaths])).toEqual([['action:1', 1]]);
    expect(await other.jobs.claim(9)).toEqual([]);
  });

  it.each<[string, (one: Replica) => Promise<unknown>]>([
    ['claimed', ({ claim }) => claim()],
    ['held', ({ jobs }) => jobs.hold('later', 'later:1')],
  ])('do within twelve seconds what one of them %s without hearing that it has it', async (_, take) => {
    let isLost = false;
    const one = await join(createSeal(), () => isLost);
    await live(LEASE, one);
    await one.jobs.arm('later', 'later:1', 0);
    isLost = true;
    await expect(take(one)).rejects.toThrow('lost');
    isLost = false;
    await live(LEASE - BEAT_EVERY, one);
    expect(await one.claim()).toEqual([]);
    await live(2 * BEAT_EVERY, one);
    const [job] = await one.claim();
    expect(job).toMatchObject({ key: 'later:1' });
    await live(2 * LEASE, one);
    expect(await one.claim(), 'this time it knows').toEqual([]);
    await one.jobs.release(job!);
    expect(await one.claim()).toEqual([]);
  });

  it('leave to the one that has taken over what a sleeper wakes up with', async () => {
    const [one, other] = [await join(), await join()];
    await live(LEASE, one, other);
    await one.jobs.add(press());
    await live(75_000, other);
    const [taken] = await other.claim();
    expect(one.jobs.isMine('action:1', 0)).toBe(false);
    await one.jobs.beat();
    expect(one.jobs.isMine('action:1', 0), 'awake, it has lost it').toBe(false);
    expect(await one.claim()).toEqual([]);
    void one.jobs.release({ key: 'action:1', epoch: 1 });
    await one.jobs.release({ key: 'action:1', epoch: 1 }, 0);
    await one.jobs.leave();
    expect(await one.claim()).toEqual([]);
    await other.jobs.release(taken!, 0);
    expect(await one.claim()).toMatchObject([{ key: 'action:1', epoch: 3 }]);
  });

  it('go on with nothing that somebody else has written there', async () => {
    const seal = createSeal(Secret.of('nobody else knows this key'));
    const [one, other] = [await join(seal), await join(seal)];
    await live(LEASE, one, other);
    for (const key of ['a', 'b', 'c']) await one.jobs.add({ kind: 'payload', key, body: { said: key } });
    await live(2 * LEASE, other);
    await database.execute("UPDATE jobs SET body = (SELECT body FROM jobs WHERE key = 'b') WHERE key = 'a'");
    await database.execute("UPDATE jobs SET kind = 'held' WHERE key = 'c'");
    expect((await other.claim()).map(({ key, body }) => [key, body])).toEqual([
      ['a', undefined],
      ['b', { said: 'b' }],
      ['c', undefined],
    ]);
  });

  it('take over a subscription’s slots within twelve seconds of a death, and look for what may have been sent', async () => {
    const [one, other] = [await join(), await join()];
    await live(LEASE, one, other);
    const subscriptions = createSubscriptions(database);
    const slot = now;
    const subscription = await subscriptions.add(PLAIN, () => slot);
    await subscriptions.arm();
    expect(await one.claim()).toMatchObject([{ key: 'slots:1' }]);
    await one.ledger.open(subscription, [{ slot, state: 'due', notBefore: slot }]);
    const first = (await one.ledger.claim(1, slot))!;
    expect(await one.ledger.sending(first)).toBe(true);
    await live(LEASE - BEAT_EVERY, other);
    await subscriptions.arm();
    expect(await other.claim()).toEqual([]);
    await live(2 * BEAT_EVERY, other);
    expect(await other.claim()).toMatchObject([{ key: 'slots:1', deaths: 1 }]);
    expect(await other.ledger.claim(1, slot)).toMatchObject({ epoch: 2, sending: true });
    expect(await one.ledger.sending(first)).toBe(false);
  });

  it('end within twelve seconds a change that one of them left that died, and nothing of those that live', async () => {
    const [one, other] = [await join(), await join()];
    await live(LEASE, one, other);
    const { id } = await one.confirmations.create(ASKED);
    await one.confirmations.claim(id, ADA);
    await one.confirmations.send(id);
    await live(LEASE - BEAT_EVERY, other);
    expect(await leftChanges(other.jobs, other.confirmations)).toEqual([]);
    await live(2 * BEAT_EVERY, other);
    expect(await leftChanges(other.jobs, other.confirmations)).toMatchObject([{ id, state: 'unknown' }]);
  });

  it('send nothing any more, each of them, before others may give them up', async () => {
    const one = await join();
    await one.jobs.add(press());
    pass(BEAT_EVERY);
    await one.jobs.beat();
    pass(FENCE - 1);
    expect(one.jobs.isMine('action:1', 0)).toBe(true);
    pass(1);
    expect(one.jobs.isMine('action:1', 0)).toBe(false);
    // Between the fence and the moment when others speak, what has just left can arrive.
    expect(FENCE + BEAT_EVERY).toBeLessThan(LEASE);
  });

  it('give nobody up for not having reached a store that was away for all', async () => {
    const [one, other] = [await join(), await join()];
    await live(LEASE, one, other);
    const { id } = await one.confirmations.create(ASKED);
    await one.confirmations.claim(id, ADA);
    await one.jobs.add(press());
    pass(30_000);
    await other.jobs.beat();
    expect(await leftChanges(other.jobs, other.confirmations)).toEqual([]);
    expect(await other.jobs.claim(9)).toEqual([]);
    await one.jobs.beat();
    await live(LEASE, one, other);
    expect(await leftChanges(other.jobs, other.confirmations)).toEqual([]);
    expect(await other.jobs.claim(9)).toEqual([]);
  });

  it('take at once what one has left that ended in order', async () => {
    const [one, other] = [await join(), await join()];
    const { id } = await one.confirmations.create(ASKED);
    await one.confirmations.claim(id, ADA);
    await one.jobs.add(press());
    await one.jobs.leave();
    expect(await leftChanges(other.jobs, other.confirmations)).toMatchObject([
      { id, state: 'failed', interrupted: true },
    ]);
    expect((await other.jobs.claim(9)).map(({ key }) => key).sort()).toEqual(['action:1']);
  });
});

describe('an embedded store that is opened again', () => {
  it('knows at once that whoever had it is dead', async () => {
    const store = await embedded.prepare();
    const one = await store.open();
    const { id } = await createConfirmations(one).create(ASKED);
    await createConfirmations(one).claim(id, ADA);
    await createJobs(one).add(press());
    await one.close();
    const next = await store.open();
    expect(await leftChanges(createJobs(next), createConfirmations(next))).toMatchObject([
      { id, state: 'failed', interrupted: true },
    ]);
    expect(await createJobs(next).claim(9)).toMatchObject([{ key: 'action:1', body: 'a press', deaths: 1 }]);
    await store.close();
  });
});
