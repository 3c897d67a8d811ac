import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChannelPace } from '../../src/store/channel-pace.ts';
import type { Database } from '../../src/store/database.ts';
import { createJobs } from '../../src/store/jobs.ts';
import { createReportLedger, type ReportLedger } from '../../src/store/report-ledger.ts';
import {
  createSubscriptions,
  type Subscription,
  type SubscriptionSettings,
  type Subscriptions,
} from '../../src/store/subscriptions.ts';
import { PLAIN } from '../support/subscription.ts';
import { type OpenStore, onEachKind } from './replicas.ts';

const MINUTE = 60_000;
const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));
const next = (after: Date) => new Date(Math.floor(after.getTime() / (15 * MINUTE) + 1) * 15 * MINUTE);

const SETTINGS: SubscriptionSettings = {
  ...PLAIN,
  report: 'daily-statistics',
};

let now: Date;
let database: Database;
let ledger: ReportLedger;
let subscriptions: Subscriptions;
let subscription: Subscription;

const due = (slot: Date, notBefore = slot) => ({ slot, notBefore, state: 'due' as const });

onEachKind((kind) => {
  let store: OpenStore;

  beforeEach(async () => {
    now = at(0);
    store = await kind.prepare();
    database = await store.open(() => now);
    ledger = createReportLedger(database);
    subscriptions = createSubscriptions(database);
    subscription = await subscriptions.add(SETTINGS, next);
  });
  afterEach(() => store.close());

  describe('the ledger of slots', () => {
    it('lets one process do a subscription’s slots, in order', async () => {
      await subscriptions.add({ ...SETTINGS, channel: 'C2' }, () => at(45));
      now = at(31);
      for (let count = 0; count < 2; count += 1) await subscriptions.arm();
      const jobs = createJobs(database);
      const claimed = await Promise.all([1, 2, 3].map(() => jobs.claim(9, ['slots'])));
      expect(claimed.flat().map(({ key }) => key)).toEqual(['slots:1']);
      for (let count = 0; count < 2; count += 1) await ledger.open(subscription, [due(at(30)), due(at(15))]);
      expect(await ledger.next(1)).toMatchObject({ slot: at(15) });
      const claim = await ledger.claim(1, at(15));
      expect(await ledger.settle(claim!, { state: 'posted', ts: '1.5', from: at(0), to: at(15) })).toBe(true);
      expect(await ledger.claim(1, at(15))).toBeUndefined();
      expect(await ledger.next(1)).toMatchObject({ slot: at(30) });
      expect(await ledger.claim(1, at(30))).toMatchObject({ epoch: 1, sending: false });
    });

    it('fences off who had a claim before', async () => {
      now = at(15);
      await ledger.open(subscription, [due(at(15))]);
      const first = (await ledger.claim(1, at(15)))!;
      expect(await ledger.sending(first)).toBe(true);
      const second = (await ledger.claim(1, at(15)))!;
      expect(second).toMatchObject({ epoch: 2, sending: true });
      expect(await ledger.sending(first)).toBe(false);
      expect(await ledger.settle(first, { state: 'posted', ts: '1.0' })).toBe(false);
      expect(await ledger.settle(second, { state: 'posted', ts: '2.0' })).toBe(true);
      expect(await ledger.next(1)).toBeUndefined();
    });

    it('gives back what was not sent, and has looked for what may have been', async () => {
      now = at(15);
      await ledger.open(subscription, [due(at(15))]);
      const first = (await ledger.claim(1, at(15)))!;
      await ledger.sending(first);
      await ledger.release(first, 2 * MINUTE);
      expect(await ledger.next(1)).toEqual({ slot: at(15), delay: 2 * MINUTE });
      expect(await ledger.claim(1, at(15))).toBeUndefined();
      now = at(17);
      const second = (await ledger.claim(1, at(15)))!;
      expect(second).toMatchObject({ sending: false, attempts: 1 });
      await ledger.sending(second);
      await ledger.release(second);
      expect(await ledger.claim(1, at(15))).toMatchObject({ sending: true, attempts: 2 });
    });

    it('takes no slots of settings that have changed, or of a subscription that has ended', async () => {
      await ledger.open({ id: 1, version: 7 }, [due(at(0))]);
      expect(await ledger.next(1)).toBeUndefined();
      await subscriptions.end(1);
      await ledger.open(subscription, [due(at(0))]);
      expect(await ledger.next(1)).toBeUndefined();
    });

    it('folds what waits for the end of quiet hours into the latest', async () => {
      await ledger.open(subscription, [due(at(0), at(30))]);
      await ledger.open(subscription, [due(at(15), at(30))]);
      await ledger.foldWaiting(1, at(15));
      now = at(30);
      expect(await ledger.next(1)).toEqual({ slot: at(15), delay: 0 });
      expect(await ledger.folded(1, at(15))).toEqual([at(0)]);
    });
  });

  describe('subscriptions', () => {
    it('are due by their next slot, and go on from where they were', async () => {
      expect(subscription).toMatchObject({ id: 1, slotsUntil: at(0), nextSlot: at(15), state: 'active' });
      const due = async () => {
        await subscriptions.arm();
        return (await createJobs(database).claim(9, ['slots'])).length;
      };
      expect(await due()).toBe(0);
      now = at(16);
      expect(await due()).toBe(1);
      expect(await subscriptions.advance(subscription, at(16), at(30))).toBe(true);
      expect(await subscriptions.advance(subscription, at(16), at(30))).toBe(false);
      expect(await due()).toBe(0);
    });

    it('of the settings are kept once, follow the settings, and else stay as people left them', async () => {
      const kept = await subscriptions.keep('settings:one', SETTINGS, next);
      expect((await subscriptions.keep('settings:one', SETTINGS, next)).id).toBe(kept.id);
      await subscriptions.end(kept.id);
      expect(await subscriptions.keep('settings:one', SETTINGS, next)).toMatchObject({ id: kept.id, state: 'ended' });
      expect(await subscriptions.keep('settings:one', { ...SETTINGS, channel: 'C2' }, next)).toMatchObject({
        id: kept.id,
        state: 'active',
        channel: 'C2',
        version: 3,
      });
      expect((await subscriptions.list({ channel: 'C2' })).map(({ id }) => id)).toEqual([kept.id]);
    });

    it('tell their owner once that they are broken, until they work again', async () => {
      expect(await subscriptions.fail(1, 'archived')).toBe(true);
      expect(await subscriptions.fail(1, 'archived')).toBe(false);
      expect(await subscriptions.read(1)).toMatchObject({ state: 'broken', reason: 'archived' });
      await subscriptions.works(1);
      expect(await subscriptions.read(1)).toMatchObject({ state: 'active', reason: undefined });
      expect(await subscriptions.fail(1, 'archived')).toBe(true);
    });

    it('are muted for a while or until they say something else, by somebody', async () => {
      expect(await subscriptions.mute(1, { until: at(60), by: 'U2' })).toBe(true);
      expect((await subscriptions.read(1))?.muted).toEqual({ until: at(60), print: undefined, by: 'U2' });
      expect(await subscriptions.mute(1)).toBe(true);
      expect(await subscriptions.mute(1)).toBe(false);
      expect((await subscriptions.read(1))?.muted).toBeUndefined();
    });
  });

  describe('the turns of a channel', () => {
    it('are a second apart, for everybody together', async () => {
      const pace = createChannelPace(database);
      const turns = await Promise.all([1, 2, 3].map(() => pace.reserve('C1', 1000)));
      // A server takes what is asked for at once in any order.
      expect(turns.toSorted((a, b) => a - b)).toEqual([0, 1000, 2000]);
      expect(await pace.reserve('C2', 1000)).toBe(0);
      now = at(1);
      expect(await pace.reserve('C1', 1000)).toBe(0);
      await pace.hold('C1', 5000);
      expect(await pace.reserve('C1', 1000)).toBe(5000);
    });

    it('that a clock took which was ahead do not count', async () => {
      const pace = createChannelPace(database);
      now = at(300);
      await pace.reserve('C1', 1000);
      now = at(0);
      expect(await pace.reserve('C1', 1000)).toBe(0);
    });
  });
});
