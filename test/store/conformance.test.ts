import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { createAgentTokens } from '../../src/store/agent-tokens.ts';
import { createAnchors } from '../../src/store/anchors.ts';
import { createApprovals, GLASS_A_DAY } from '../../src/store/approvals.ts';
import { createAudit } from '../../src/store/audit.ts';
import {
  type Asked,
  CONFIRMATION_LIFETIME,
  type Confirmations,
  createConfirmations,
} from '../../src/store/confirmations.ts';
import type { Database } from '../../src/store/database.ts';
import { forgetOld } from '../../src/store/forget.ts';
import { createJobs, KEPT } from '../../src/store/jobs.ts';
import { createMarks } from '../../src/store/marks.ts';
import { createResults } from '../../src/store/results.ts';
import { createReversals } from '../../src/store/reversals.ts';
import { SCHEMA_HASH } from '../../src/store/schema.ts';
import { createSeal } from '../../src/store/seal.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { taken } from '../support/approval-steps.ts';
import { leftChanges } from '../support/left.ts';
import { PLAIN } from '../support/subscription.ts';
import { type OpenStore, onEachKind } from './replicas.ts';

const ADA = { id: 'U1', teamId: 'T1' };
const BEN = { id: 'U2', teamId: 'T1' };
/** The same id in another workspace is another person. */
const ELSEWHERE = { id: 'U1', teamId: 'T2' };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const asked: Asked = {
  operation: 'ssl force',
  given: { hostname: 'cdn.example.com@1', state: 'on' },
  target: 'cdn.example.com',
  typedName: 'cdn.example.com',
  preview: { before: { ForceSSL: false }, after: { ForceSSL: true } },
  actor: ADA.id,
  team: ADA.teamId,
  channel: 'C1',
  thread: '1.2',
};

onEachKind(({ prepare, several }) => {
  let store: OpenStore;
  let now: number;
  const clock = () => new Date(now);
  /** One connection, or two as two replicas have. */
  let databases: Database[];

  beforeEach(async () => {
    now = Date.UTC(2026, 10, 21, 12);
    store = await prepare();
    databases = several ? await Promise.all([store.open(clock), store.open(clock)]) : [await store.open(clock)];
  });
  afterEach(() => store.close());

  const replicas = <T>(create: (database: Database) => T): T[] => databases.map((database) => create(database));
  /** What all of them together find left of changes. */
  const left = async () =>
    (
      await Promise.all(databases.map((database) => leftChanges(createJobs(database), createConfirmations(database))))
    ).flat();
  const one = <T>(create: (database: Database) => T): T => create(databases[0]!);

  it('has every table once, also when two replicas start at the same moment', async () => {
    expect((await databases[0]!.execute('SELECT hash FROM schema_hash')).rows).toEqual([{ hash: SCHEMA_HASH }]);
  });

  it.each([
    ['sealed', createSeal(Secret.of('a key of the anchors'))],
    ['unsealed', undefined],
  ])('replaces an anchor once, however many have read the one before: %s', async (_, seal) => {
    const all = replicas((database) => createAnchors(database, seal));
    const twenty = (before?: string) =>
      Promise.all(
        Array.from({ length: 20 }, (_, by) => all[by % all.length]!.replace(7, 'taken', before, `U${by}${before}`)),
      );
    expect((await twenty()).filter(Boolean)).toHaveLength(1);
    const first = await all[0]!.read<string>(7, 'taken');
    expect((await twenty('another')).filter(Boolean)).toEqual([]);
    expect((await twenty(first)).filter(Boolean)).toHaveLength(1);
    expect(await all.at(-1)!.read(7, 'taken')).toMatch(`${first}`);
  });

  describe('a confirmation', () => {
    let all: Confirmations[];
    const confirmations = () => all[0]!;
    beforeEach(() => {
      all = replicas(createConfirmations);
    });

    it('is kept as it was asked for', async () => {
      const { id } = await confirmations().create(asked);
      const kept = await all.at(-1)!.read(id);
      expect(kept).toEqual({
        ...asked,
        id,
        state: 'asked',
        createdAt: clock(),
        expiresAt: new Date(now + CONFIRMATION_LIFETIME),
      });
      expect(await confirmations().read('another')).toBeUndefined();
    });

    it('is claimed once, however many try at the same moment', async () => {
      const { id } = await confirmations().create(asked);
      const tries = Array.from({ length: 20 }, (_, index) => all[index % all.length]!.claim(id, ADA));
      const claimed = (await Promise.all(tries)).filter((one) => one !== undefined);
      expect(claimed).toHaveLength(1);
      expect(claimed[0]).toMatchObject({ id, state: 'claimed', given: asked.given });
    });

    it('is claimed or cancelled, never both', async () => {
      for (let round = 0; round < 10; round += 1) {
        const { id } = await confirmations().create(asked);
        const [claimed, cancelled] = await Promise.all([all[0]!.claim(id, ADA), all.at(-1)!.cancel(id, ADA)]);
        expect([claimed !== undefined, cancelled].filter(Boolean)).toHaveLength(1);
      }
    });

    it('belongs to the person who asked', async () => {
      const { id } = await confirmations().create(asked);
      for (const other of [BEN, ELSEWHERE]) {
        expect(await confirmations().claim(id, other)).toBeUndefined();
        expect(await confirmations().cancel(id, other)).toBe(false);
      }
      expect(await confirmations().claim(id, ADA)).toBeDefined();
    });

    it('cannot be claimed from the moment that it expires, and is handed out once then', async () => {
      const { id } = await confirmations().create(asked);
      now += CONFIRMATION_LIFETIME - 1;
      expect(await confirmations().expire()).toEqual([]);
      now += 1;
      expect(await confirmations().claim(id, ADA)).toBeUndefined();
      const expired = (await Promise.all(all.map((each) => each.expire()))).flat();
      expect(expired.map((each) => [each.id, each.state])).toEqual([[id, 'expired']]);
      expect(await confirmations().cancel(id, ADA)).toBe(false);
    });

    it('is withdrawn with all that was asked for in a channel, or anywhere, by one of many', async () => {
      const there = { ...asked, channel: 'C0GONE' };
      const [mine, here, hers, undoing] = await Promise.all([
        confirmations().create(asked),
        confirmations().create(there),
        confirmations().create({ ...there, actor: BEN.id }),
        confirmations().create({ ...there, undoes: `of-${now}`, attempt: 1 }),
      ]);
      const gone = (await Promise.all(all.map((each) => each.withdraw({ channel: 'C0GONE' }, 'gone')))).flat();
      expect(gone.map(({ id, state, outcome }) => [id, state, outcome]).sort()).toEqual(
        [here, hers].map(({ id }) => [id, 'withdrawn', 'gone']).sort(),
      );
      expect((await confirmations().withdraw({ channel: 'C0GONE' }, 'gone')).length).toBe(0);
      expect((await confirmations().withdraw('all', 'gone')).map(({ id }) => id)).toContain(mine.id);
      expect(await confirmations().claim(mine.id, ADA)).toBeUndefined();
      expect(await confirmations().read(undoing.id)).toMatchObject({ state: 'asked' });
    });

    it('with a time is planned once, and begun once at that time, however many try at the same moment', async () => {
      const due = new Date(now + 60 * MINUTE);
      const { id, expiresAt } = await confirmations().create({ ...asked, due });
      expect(expiresAt).toEqual(new Date(now + CONFIRMATION_LIFETIME));
      const each = <T>(step: (one: Confirmations) => Promise<T | undefined>) =>
        Promise.all(Array.from({ length: 20 }, (_, index) => step(all[index % all.length]!)));
      const took = (tries: readonly unknown[]) => tries.filter((one) => one !== undefined).length;
      expect(await confirmations().claim(id, ADA)).toBeUndefined();
      expect(await confirmations().plan(id, BEN)).toBeUndefined();
      expect(took(await each((one) => one.plan(id, ADA)))).toBe(1);
      now += 45 * MINUTE;
      expect(await confirmations().expire()).toEqual([]);
      expect(await confirmations().plannedIn(id)).toBe(15 * MINUTE);
      expect(took(await each((one) => one.begin(id)))).toBe(0);
      now += 29 * MINUTE;
      expect(await confirmations().claim(id, ADA)).toBeUndefined();
      expect(took(await each((one) => one.begin(id)))).toBe(1);
      expect(await confirmations().read(id)).toMatchObject({ state: 'claimed', due });
    });

    it('with a time cannot be confirmed after it; once planned it does not expire', async () => {
      const [early, late] = [
        await confirmations().create({ ...asked, due: new Date(now + 5 * MINUTE) }),
        await confirmations().create({ ...asked, due: new Date(now + 10 * MINUTE) }),
      ];
      expect(await confirmations().plan(late.id, ADA)).toBeDefined();
      now += 5 * MINUTE;
      expect(await confirmations().plan(early.id, ADA)).toBeUndefined();
      now += 20 * MINUTE;
      expect((await confirmations().expire()).map(({ id }) => id)).toEqual([early.id]);
      expect(await confirmations().begin(late.id)).toBeDefined();
    });

    it('is sent and settled once, in this order', async () => {
      const { id } = await confirmations().create(asked);
      expect(await confirmations().send(id)).toBe(false);
      expect(await confirmations().settle(id, 'done', 'too early')).toBe(false);
      await confirmations().claim(id, ADA);
      expect(await Promise.all(all.map((each) => each.send(id))).then((sent) => sent.filter(Boolean))).toEqual([true]);
      expect(await confirmations().settle(id, 'done', 'Force SSL is on')).toBe(true);
      expect(await confirmations().settle(id, 'failed', 'too late')).toBe(false);
      expect(await confirmations().read(id)).toMatchObject({ state: 'done', outcome: 'Force SSL is on' });
    });

    it('whose process gave no sign of life is handed out once: unknown when the request was out, else failed', async () => {
      const [sent, claimed, alive] = await Promise.all([1, 2, 3].map(() => confirmations().create(asked)));
      for (const each of [sent, claimed, alive]) await confirmations().claim(each!.id, ADA);
      await confirmations().send(sent!.id);
      now += KEPT - 1;
      for (const database of databases) await createJobs(database).beat();
      expect(await left()).toEqual([]);
      await createJobs(databases[0]!).renew(`change:${alive!.id}`);
      now += 2;
      const found = await left();
      const states = Object.fromEntries(found.map((each) => [each.id, each.state]));
      expect(found).toHaveLength(2);
      expect(states).toEqual({ [sent!.id]: 'unknown', [claimed!.id]: 'failed' });
      // The process that was only slow finds out before it sends anything.
      expect(await confirmations().send(claimed!.id)).toBe(false);
      // What is unknown can still become known.
      expect(await confirmations().settle(sent!.id, 'done', 'seen on the platform')).toBe(true);
    });
  });

  describe('how a confirmation ended', () => {
    it('is handed out again after every lease until somebody says that the person was told', async () => {
      const all = replicas(createConfirmations);
      const { id } = await all[0]!.create(asked);
      await all[0]!.claim(id, ADA);
      await all[0]!.send(id);
      await all[0]!.settle(id, 'done', 'Force SSL is on');
      const handedOut = async () => {
        // A process that says nothing is taken for dead, with what it was handed out.
        for (const database of databases) await createJobs(database).beat();
        return (await left()).map((each) => each.id);
      };
      expect(await handedOut()).toEqual([]);
      for (let lease = 0; lease < 2; lease += 1) {
        now += KEPT + 1;
        expect(await handedOut()).toEqual([id]);
      }
      await all.at(-1)!.notified(id);
      now += KEPT + 1;
      expect(await handedOut()).toEqual([]);
      expect(await all[0]!.read(id)).toMatchObject({ state: 'done' });
    });

    it('is kept for a month, what it was asked with for a day', async () => {
      const confirmations = one(createConfirmations);
      const [ended, open] = [await confirmations.create(asked), await confirmations.create(asked)];
      await confirmations.cancel(ended.id, ADA);
      const approvals = one((database) => createApprovals(database, createAudit(database)));
      await approvals.copied(ended.id, { channel: 'D1', ts: '1.2' });
      await approvals.copied(ended.id, { channel: 'D1', ts: '1.2' });
      expect(await approvals.copies(ended.id)).toEqual([{ channel: 'D1', ts: '1.2', isOwn: false }]);
      now += 24 * 60 * MINUTE + 1;
      await forgetOld(databases[0]!);
      expect(await confirmations.read(ended.id)).toMatchObject({ given: {}, state: 'cancelled' });
      expect(await confirmations.read(open.id)).toMatchObject({ given: asked.given });
      now += 29 * 24 * 60 * MINUTE;
      await forgetOld(databases[0]!);
      expect(await confirmations.read(ended.id)).toBeUndefined();
      expect(await approvals.copies(ended.id)).toEqual([]);
    });

    describe('was planned days before', () => {
      const doneAfter = async (wait: number, reversal: { dueIn?: number; watchFor?: number }) => {
        const confirmations = one(createConfirmations);
        const reversals = one((database) => createReversals(database, createJobs(database)));
        const due = new Date(now + wait);
        const { id } = await confirmations.create({ ...asked, due });
        await confirmations.plan(id, ADA);
        now = due.getTime();
        await confirmations.begin(id);
        await reversals.keep({ confirmation: id, given: { ...asked.given, state: 'off' }, ...reversal });
        await confirmations.send(id);
        await confirmations.settle(id, 'done', '');
        await reversals.open(id);
        return { id, confirmations, reversals };
      };

      it('is kept with what it was asked with for a day after it ended', async () => {
        const { id, confirmations } = await doneAfter(2 * DAY, { watchFor: 13 * MINUTE });
        now += DAY;
        await forgetOld(databases[0]!);
        expect(await confirmations.read(id)).toMatchObject({ given: asked.given });
        now += 1;
        await forgetOld(databases[0]!);
        expect(await confirmations.read(id)).toMatchObject({ given: {}, emptied: true });
      });

      it('is kept whole until the clock has undone it, however late that is', async () => {
        const { id, confirmations, reversals } = await doneAfter(7 * DAY, { dueIn: 30 * DAY });
        now += 30 * DAY + 1;
        await forgetOld(databases[0]!);
        expect(await confirmations.read(id)).toMatchObject({ given: asked.given, preview: asked.preview });
        expect(await reversals.due(id)).toMatchObject({ confirmation: id });
        await forgetOld(databases[0]!);
        expect(await confirmations.read(id)).toMatchObject({ given: asked.given });
        await confirmations.undone(id);
        await reversals.settle(id, 'done');
        now += DAY + 1;
        await forgetOld(databases[0]!);
        expect(await confirmations.read(id)).toMatchObject({ given: {}, emptied: true });
      });
    });
  });

  describe('a change that others were asked about', () => {
    const approvalsOf = (database: Database) => createApprovals(database, createAudit(database));
    const approved = async (more: Partial<Asked> = {}) => {
      const [confirmations, approvals] = [one(createConfirmations), one(approvalsOf)];
      const { id } = await confirmations.create({ ...asked, approval: { count: 1, lifetime: 2 * DAY }, ...more });
      await approvals.request(taken(id, ADA, 'waiting'), 2 * DAY);
      await approvals.vote(taken(id, BEN, 'approved'), { count: 1, lifetime: 2 * DAY, outcome: '' });
      return id;
    };
    it('gets the vote of each with its entry in the audit, of two at once as of two after each other', async () => {
      const confirmations = one(createConfirmations);
      const { id } = await confirmations.create({ ...asked, approval: { count: 1, lifetime: DAY } });
      const all = replicas(approvalsOf);
      await all[0]!.request(taken(id, ADA, 'waiting', 'why not'), DAY);
      const votes = [BEN, { id: 'U3', teamId: 'T1' }, { id: 'U4', teamId: 'T1' }, BEN];
      const counted = await Promise.all(
        votes.map((who, at) =>
          all[at % all.length]!.vote(taken(id, who, 'approved'), { count: 1, lifetime: DAY, outcome: '' }),
        ),
      );
      expect(counted.filter((counts) => counts)).toHaveLength(1);
      expect(await all[0]!.verdicts(id)).toHaveLength(1);
      expect(await confirmations.read(id)).toMatchObject({ state: 'approved', reason: 'why not' });
      const entries = await one(createAudit).list({ limit: 10 });
      expect(entries.map(({ outcome }) => outcome)).toEqual(['approved', 'waiting']);
      expect((await one(createAudit).verify()).problems).toEqual([]);
    });

    it('is let through without approval a few times a day by one person, however many are asked for at once', async () => {
      const confirmations = one(createConfirmations);
      const all = replicas(approvalsOf);
      const made = Array.from({ length: 9 }, () =>
        confirmations.create({ ...asked, approval: { count: 1, lifetime: DAY } }),
      );
      const ids = (await Promise.all(made)).map(({ id }) => id);
      const may = await Promise.all(
        ids.map((id, at) => all[at % all.length]!.mayBreakGlass(taken(id, ADA, 'break-glass', 'an outage'))),
      );
      expect(may.filter((allowed) => allowed)).toHaveLength(GLASS_A_DAY);
      now += DAY + 1;
      const { id } = await confirmations.create({ ...asked, approval: { count: 1, lifetime: DAY } });
      expect(await all[0]!.mayBreakGlass(taken(id, BEN, 'break-glass', 'not mine'))).toBe(false);
      expect(await all[0]!.mayBreakGlass(taken(id, ADA, 'break-glass', 'an outage'))).toBe(true);
    });

    const decided = async (of = ADA) => (await one(approvalsOf).decided(of, 10)).map(({ id, state }) => [id, state]);

    it('is its requester’s to run, then to ask for again for a week, unless they have', async () => {
      const confirmations = one(createConfirmations);
      const [id, other] = [await approved(), await approved({ target: 'another one' })];
      expect(await decided()).toEqual([
        [id, 'approved'],
        [other, 'approved'],
      ]);
      expect([await decided(BEN), await decided(ELSEWHERE)]).toEqual([[], []]);
      await confirmations.claim(other, ADA);
      now += 2 * DAY + 1;
      expect(await decided(), 'not said to have expired yet').toEqual([]);
      await confirmations.expire();
      await forgetOld(databases[0]!);
      expect(await confirmations.read(id)).toMatchObject({ given: asked.given, state: 'expired' });
      expect(await decided()).toEqual([[id, 'expired']]);
      const again = await approved();
      expect(await decided()).toEqual([[again, 'approved']]);
      now += 7 * DAY;
      await forgetOld(databases[0]!);
      expect(await confirmations.read(id)).toMatchObject({ given: {} });
    });
  });

  it('a subscription that has ended, or is older, is known by what the audit last says of it', async () => {
    const seal = createSeal(Secret.of('a key that only the bot knows'));
    const audits = replicas((database) => createAudit(database, seal));
    const [audit] = audits;
    const subscriptions = one((database) => createSubscriptions(database, seal, audit));
    const first = await subscriptions.add(PLAIN, () => undefined);
    const second = await subscriptions.add(PLAIN, () => undefined);
    await subscriptions.mute(second.id, { by: ADA.id });
    expect(await audit!.doubt(first)).toBeUndefined();
    await subscriptions.end(first.id);
    for (const known of audits) {
      expect(await known.doubt(first)).toBe('has ended, as the audit says');
      expect(await known.doubt(second)).toBe('is older than the audit says');
      expect(await known.doubt((await subscriptions.read(second.id))!)).toBeUndefined();
    }
  });

  describe('a job', () => {
    const named = (key: string, delay?: number) => ({
      ...{ kind: 'payload', key, body: `what ${key} asks for` },
      ...(delay === undefined ? {} : { delay }),
    });

    it('is written down once, whoever is asked', async () => {
      const all = replicas(createJobs);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => all[index % all.length]!.add(named(`key-${index % 4}`))),
      );
      expect(answers.filter(Boolean)).toHaveLength(4);
      expect(await all[0]!.add(named('key-1'))).toBe(false);
      expect(await all.at(-1)!.add(named('a key with \'quotes\' and "more"'))).toBe(true);
    });

    it('is handed out once, at its time, with what it is about', async () => {
      const all = replicas(createJobs);
      for (let index = 0; index < 30; index += 1) await all[0]!.add(named(`key-${index}`, MINUTE));
      expect(await all[0]!.claim(100)).toEqual([]);
      now += MINUTE;
      const claimed = (await Promise.all([...all, ...all].map((jobs) => jobs.claim(10)))).flat();
      claimed.push(...(await all[0]!.claim(100)));
      expect(claimed.map(({ key }) => key).sort()).toEqual(Array.from({ length: 30 }, (_, at) => `key-${at}`).sort());
      expect(claimed[0]).toMatchObject({ kind: 'payload', body: `what ${claimed[0]!.key} asks for`, epoch: 1 });
    });

    it('is remembered for two hours after it is done, not longer', async () => {
      const jobs = one(createJobs);
      await jobs.add(named('key'));
      now += 120 * MINUTE;
      await forgetOld(databases[0]!);
      expect(await jobs.add(named('key'))).toBe(false);
      void jobs.release({ key: 'key', epoch: 1 });
      await expect
        .poll(() => databases[0]!.execute("SELECT body FROM jobs WHERE key = 'key'"))
        .toMatchObject({ rows: [{ body: null }] });
      now += 120 * MINUTE;
      await forgetOld(databases[0]!);
      expect(await jobs.add(named('key'))).toBe(false);
      now += 1;
      await forgetOld(databases[0]!);
      expect(await jobs.add(named('key'))).toBe(true);
    });

    it('is begun by nobody when the store cannot say', async () => {
      const jobs = one(createJobs);
      await databases[0]!.execute('DROP TABLE jobs');
      const answers = await Promise.allSettled([jobs.add(named('a')), jobs.add(named('b'))]);
      expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    });
  });

  describe('the way to undo a change that is watched', () => {
    const reversals = () => replicas((database) => createReversals(database, createJobs(database), seal));
    const seal = createSeal(Secret.of('a key'));
    const watched = async (more: { dueIn?: number } = {}) => {
      await reversals()[0]!.keep({ confirmation: 'C', given: { state: 'off' }, watchFor: 12 * MINUTE, ...more });
      await reversals()[0]!.open('C');
    };

    it('is looked at every two minutes until the watch is over, or --for is', async () => {
      await watched({ dueIn: 5 * MINUTE });
      const pauses = [];
      for (const passed of [0, 3, 1]) {
        now += passed * MINUTE;
        pauses.push(await reversals()[0]!.dueIn('C'));
      }
      expect(pauses).toEqual([2 * MINUTE, 2 * MINUTE, MINUTE]);
    });

    it('is due at once for what was seen, once, whoever saw it', async () => {
      await watched();
      expect(await reversals()[0]!.due('C')).toBeUndefined();
      await Promise.all(reversals().map((one) => one.hasten('C', 'it failed')));
      expect(await reversals()[0]!.dueIn('C')).toBe(0);
      const due = await Promise.all(reversals().map((one) => one.due('C')));
      expect(due.filter((one) => one !== undefined && !one.interrupted)).toMatchObject([{ why: 'it failed' }]);
      await reversals()[0]!.settle('C', 'done');
      await reversals()[0]!.hasten('C', 'again');
      expect(await reversals()[0]!.read('C')).toMatchObject({ state: 'done', why: 'it failed' });
    });

    it('is not due after the watch, and not watched again where nothing was undone', async () => {
      await watched();
      await reversals()[0]!.hasten('C', 'it failed');
      await reversals()[0]!.due('C');
      await reversals()[0]!.reopen('C');
      expect(await reversals()[0]!.dueIn('C')).toBeUndefined();
      now += 13 * MINUTE;
      await reversals()[0]!.hasten('C', 'again');
      expect((await reversals()[0]!.read('C'))?.why).toBeUndefined();
    });

    it('is due at the time of --for all the same, where it was due before for what was seen and nothing was undone', async () => {
      await watched({ dueIn: 20 * MINUTE });
      now += 4 * MINUTE;
      await reversals()[0]!.hasten('C', 'it failed');
      await reversals()[0]!.due('C');
      await reversals()[0]!.reopen('C');
      expect(await reversals()[0]!.dueIn('C')).toBe(16 * MINUTE);
    });
  });

  describe('a result', () => {
    const seal = createSeal(Secret.of('a key for results'));
    const value = { text: 'Grüße', blocks: [{ type: 'divider' }] };

    it('can be taken once, by the one who asked, for an hour, by every replica with the key', async () => {
      const all = replicas((database) => createResults(database, seal));
      const ids = [];
      for (let count = 0; count < 3; count += 1) ids.push((await all[0]!.keep(ADA, value))!);
      const [id = '', late = '', later = ''] = ids;
      const other = all.at(-1)!;
      expect(await other.take(id, BEN)).toBeUndefined();
      expect(await other.take(id, ELSEWHERE)).toBeUndefined();
      const taken = await Promise.all([other.take(id, ADA), all[0]!.take(id, ADA)]);
      expect(taken.filter((one) => one !== undefined)).toEqual([value]);
      now += 60 * MINUTE - 1;
      expect(await other.take(late, ADA)).toEqual(value);
      now += 1;
      expect(await other.take(later, ADA)).toBeUndefined();
      await forgetOld(databases[0]!);
      expect((await databases[0]!.execute('SELECT count(*) AS count FROM results')).rows).toEqual([{ count: 0 }]);
    });

    it('is sealed: neither readable in the store nor with another key', async () => {
      const id = await one((database) => createResults(database, seal)).keep(ADA, { text: 'plainly visible' });
      const { rows } = await databases[0]!.execute('SELECT sealed FROM results');
      expect(rows[0]!.sealed).toMatch(/^sealed:/);
      expect(Buffer.from(String(rows[0]!.sealed).slice(7), 'base64').toString('latin1')).not.toContain('visible');
      expect(
        await one((database) => createResults(database, createSeal(Secret.of('another key')))).take(id!, ADA),
      ).toBeUndefined();
      expect(await one((database) => createResults(database)).take(id!, ADA)).toBeUndefined();
    });

    it('cannot be put in the place of another one', async () => {
      const results = one((database) => createResults(database, seal));
      const [mine, hers] = [await results.keep(BEN, 'mine'), await results.keep(ADA, 'hers')];
      await databases[0]!.execute(
        'UPDATE results SET sealed = (SELECT sealed FROM results WHERE id = :hers) WHERE id = :mine',
        { hers: hers!, mine: mine! },
      );
      expect(await results.take(mine!, BEN)).toBeUndefined();
    });

    /** What was kept until now is older than what comes. */
    const aged = () => databases[0]!.execute('UPDATE results SET expires_at = expires_at - 1');

    it('goes when its reader has a hundred newer ones, and when everybody has', async () => {
      const results = one((database) => createResults(database, seal));
      const first = await results.keep(ADA, 1);
      await aged();
      const second = await results.keep(ADA, 2);
      await aged();
      const hers = await results.keep(BEN, 'hers');
      const elsewhere = await results.keep(ELSEWHERE, 'elsewhere');
      await aged();
      for (let count = 0; count < 99; count += 1) await results.keep(ADA, count);
      const left = async (...ids: (string | undefined)[]) => {
        const { rows } = await databases[0]!.execute('SELECT id FROM results');
        return ids.map((id) => rows.some((row) => row.id === id));
      };
      expect(await left(first, second)).toEqual([false, true]);
      await databases[0]!.execute(
        `INSERT INTO results WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 4897)
         SELECT 'other' || n, 'U' || n, 'T', '', :now + 1000000000 FROM n`,
      );
      await results.keep(BEN, 'more');
      expect(await left(second)).toEqual([true]);
      await results.keep(BEN, 'still more');
      expect(await left(second, hers, elsewhere)).toEqual([false, true, true]);
    });

    it('goes when newer ones of its reader are large', async () => {
      const results = one((database) => createResults(database, seal));
      const first = await results.keep(ADA, 'first');
      const large = [];
      for (let count = 0; count < 21; count += 1) {
        await aged();
        large.push(await results.keep(ADA, 'x'.repeat(990_000)));
      }
      expect(await results.take(first!, ADA)).toBeUndefined();
      expect(await results.take(large[0]!, ADA)).toBeUndefined();
      expect(await results.take(large[1]!, ADA)).toBeDefined();
    });

    it('is not kept when it is too large', async () => {
      const results = one((database) => createResults(database, seal));
      expect(await results.keep(ADA, 'x'.repeat(1_000_000))).toBeUndefined();
      expect(await results.keep(ADA, 'x'.repeat(900_000))).toBeDefined();
    });
  });

  describe('a mark', () => {
    const from = (at: number) => ({ since: new Date(at), until: new Date(at + DAY), limit: 10 });

    it('is listed for its zone or for all, newest first, once an hour, and for two weeks', async () => {
      const [marks, other] = [replicas(createMarks)[0]!, replicas(createMarks).at(-1)!];
      const begun = now;
      await marks.add({ text: 'deploy', zone: 7, url: 'https://ci.example.com/1' });
      await other.add({ text: 'deploy', zone: 7, url: 'https://ci.example.com/1' });
      now += 30 * MINUTE;
      await other.add({ text: 'deploy', zone: 7, url: 'https://ci.example.com/1' });
      await marks.add({ text: 'everything', zone: null, url: null });
      now += 31 * MINUTE;
      await marks.add({ text: 'deploy', zone: 7, url: 'https://ci.example.com/1' });
      const texts = async (zone?: number) => (await other.list({ ...from(begun), zone })).map(({ text }) => text);
      expect(await texts(7)).toEqual(['deploy', 'everything', 'deploy']);
      expect(await texts(8)).toEqual(['everything']);
      expect(await texts()).toEqual(['deploy', 'everything', 'deploy']);
      expect((await marks.list({ ...from(begun), limit: 1 }))[0]).toEqual({
        at: new Date(now),
        text: 'deploy',
        zone: 7,
        url: 'https://ci.example.com/1',
      });
      now += 14 * DAY;
      expect(await texts()).toEqual([]);
    });

    it('knows the owner of a token for agents by its hash alone, until another one, its end or three months', async () => {
      const [tokens, other] = [replicas(createAgentTokens)[0]!, replicas(createAgentTokens).at(-1)!];
      const [ada, ben] = [
        { id: 'U0ADA', teamId: 'T0' },
        { id: 'U0BEN', teamId: 'T0' },
      ] as const;
      const first = await tokens.create(ada);
      const second = await tokens.create(ada);
      const theirs = await other.create(ben);
      const ownerOf = ({ token }: typeof first) => other.ownerOf(token.reveal());
      expect([await ownerOf(first), await ownerOf(second), await ownerOf(theirs)]).toEqual([undefined, ada, ben]);
      expect(await other.until(ada)).toEqual(second.until);
      await other.revoke(ben);
      expect([await ownerOf(theirs), await tokens.until(ben)]).toEqual([undefined, undefined]);
      now += 89 * DAY;
      expect(await ownerOf(second)).toEqual(ada);
      now += DAY;
      expect([await ownerOf(second), await tokens.until(ada)]).toEqual([undefined, undefined]);
    });

    it('is looked for among a thousand wrong ones, by some statements', async () => {
      const [database] = databases;
      let statements = 0;
      const execute: Database['execute'] = (...asked) => {
        statements += 1;
        return database!.execute(...asked);
      };
      const tokens = createAgentTokens({ ...database!, execute });
      const { token } = await tokens.create(ADA);
      const shown = Array.from({ length: 1_000 }, (_, at) => (at === 500 ? token.reveal() : `edgewise_${at}`));
      const owners = await Promise.all(shown.map((one) => tokens.ownerOf(one)));
      expect(owners.filter((owner) => owner !== undefined)).toEqual([ADA]);
      expect([owners[500], statements < 30]).toEqual([ADA, true]);
    });
  });
});
