import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { type Delivery, deliver, findDelivered, LostClaimError, slotKey } from '../../src/delivery/deliver.ts';
import type { ReportServices } from '../../src/delivery/services.ts';
import { type Poster, PostRefusedError } from '../../src/reports/post.ts';
import { type Anchors, createAnchors } from '../../src/store/anchors.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { type Claim, createReportLedger, type ReportLedger, type Settlement } from '../../src/store/report-ledger.ts';
import { createSubscriptions, type Subscription, type SubscriptionSettings } from '../../src/store/subscriptions.ts';
import { PLAIN } from '../support/subscription.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));

const SETTINGS: SubscriptionSettings = {
  ...PLAIN,
  timezone: 'Europe/Berlin',
};

let now: Date;
let database: Database;
let ledger: ReportLedger;
let anchors: Anchors;
/** What Slack has: in the channel, or in the thread of `thread`. */
let there: { ts: string; key: string; channel: string; thread?: string | undefined; text: string }[];
/** Everything in order: `fence`, `post 1:thread`, `update 1`, `find 1:thread`. */
let done: string[];
let updated: { ts: string; key?: string | undefined; text: string }[];
/** What Slack says to `thread 1` (a reply there) or `update 1`. */
let refuses: Map<string, string>;
let services: ReportServices;

beforeEach(async () => {
  now = at(0);
  database = await openDatabase({ url: ':memory:', clock: () => now });
  ledger = createReportLedger(database);
  anchors = createAnchors(database);
  [there, done, updated, refuses] = [[], [], [], new Map()];
  const refuse = (what: string) => {
    const code = refuses.get(what);
    if (code !== undefined) throw new PostRefusedError(code, code === 'ratelimited' ? 'later' : 'message gone');
  };
  const poster: Poster = {
    async post({ channel, key, thread, message: { text }, ready }) {
      await ready?.();
      done.push(`post ${key}`);
      refuse(`thread ${thread}`);
      const ts = String(there.length + 1);
      there.push({ ts, key, channel, thread, text });
      return { ts };
    },
    async update({ channel, ts, message: { text }, ready }) {
      await ready?.();
      done.push(`update ${channel} ${ts}`);
      refuse(`update ${ts}`);
      updated.push({ ts, text });
    },
    async find({ channel, thread }, key) {
      done.push(`find ${key}`);
      const found = there.find((one) => one.key === key && one.channel === channel && one.thread === thread);
      return found === undefined ? undefined : { ts: found.ts };
    },
    tell: async () => undefined,
  };
  const fenced = { ...ledger, sending: async () => done.push('fence') > 0 };
  const needed: Partial<ReportServices> = { ledger: fenced, anchors, poster, elapsed: () => 0 };
  services = { ...needed, log: pino({ level: 'silent' }) } as ReportServices;
});
afterEach(() => database.close());

const subscribed = (more: Partial<SubscriptionSettings>) =>
  createSubscriptions(database).add({ ...SETTINGS, ...more }, () => undefined);

async function claimed(subscription: Subscription, minute: number): Promise<Claim> {
  now = at(minute);
  await ledger.open(subscription, [{ slot: now, notBefore: now, state: 'due' }]);
  return (await ledger.claim(subscription.id, now))!;
}

const slotOf = (subscription: Subscription, claim: Claim) => ({
  ...{ subscription, claim, isLate: false },
  signal: new AbortController().signal,
});

/** One slot of this minute, delivered and written down. */
async function slot(subscription: Subscription, minute: number, more: Partial<Delivery & { epoch: number }> = {}) {
  const claim = await claimed(subscription, minute);
  const delivered = await deliver(services, {
    ...slotOf(subscription, { ...claim, epoch: more.epoch ?? claim.epoch }),
    news: { message: message(`news of ${minute}`, 'and more'), fingerprint: '' },
    withLast: async ({ from }) => ({
      message: message(`all since ${from.toISOString().slice(11, 16)}`),
      fingerprint: '',
    }),
    ...more,
  });
  await ledger.settle(claim, { from: at(minute - 15), to: at(minute), ...delivered });
  return delivered;
}

describe('the message of a slot', () => {
  it('has a key of its own', () => {
    expect(slotKey({ subscription: 7, slot: at(0) })).toBe('7:2026-11-21T12:00:00.000Z');
  });

  it('is known by that key, and leaves only after the claim was asked for once more', async () => {
    const subscription = await subscribed({});
    expect(await slot(subscription, 0)).toEqual({ state: 'posted', ts: '1' });
    expect(done).toEqual(['fence', `post ${slotKey({ subscription: 1, slot: at(0) })}`]);
  });

  it('stays here when the slot has another owner by now', async () => {
    services = { ...services, ledger: { ...ledger, sending: async () => false } };
    const lost = await slot(await subscribed({}), 0).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(LostClaimError);
    expect(lost).toMatchObject({ name: 'LostClaimError' });
    expect([there, done]).toEqual([[], []]);
  });
});

describe('a report with so many messages an hour', () => {
  it('is told by the last one, with everything since that one’s beginning', async () => {
    const subscription = await subscribed({ perHour: 1 });
    await slot(subscription, 0);
    done = [];
    expect(await slot(subscription, 15)).toEqual({ state: 'updated', ts: '1' });
    expect(done).toEqual(['fence', 'update C1 1']);
    expect(updated[0]?.text).toMatch(/^all since 11:45\n.*because the limit of 1 message an hour is reached/);
    expect(await ledger.coveredUntil(1)).toEqual(at(15));
  });

  it.each<[string, Settlement, Partial<Delivery>, string]>([
    [
      'there is nothing to be had of the whole',
      { state: 'posted', ts: '9', from: at(-30) },
      { withLast: async () => undefined },
      'news of 15',
    ],
    ['it is not known where the last one began', { state: 'posted', ts: '9' }, {}, 'news of 15'],
  ])('says what is new when %s', async (_, before, more, words) => {
    const subscription = await subscribed({ perHour: 1 });
    await ledger.settle(await claimed(subscription, 0), before);
    expect(await slot(subscription, 15, more)).toMatchObject({ state: 'updated', ts: '9' });
    expect(updated[0]?.text.split('\n')[0]).toBe(words);
  });

  it('counts those of the last hour only, up to its number', async () => {
    const subscription = await subscribed({ perHour: 2 });
    for (const minute of [0, 10]) expect(await slot(subscription, minute)).toMatchObject({ state: 'posted' });
    expect(await slot(subscription, 20)).toMatchObject({ state: 'updated', ts: '2' });
    expect(await slot(subscription, 61)).toMatchObject({ state: 'posted' });
  });

  it('has a message of its own when the last one is gone or nobody knows where it is', async () => {
    const subscription = await subscribed({ perHour: 1 });
    await slot(subscription, 0);
    refuses.set('update 1', 'message_not_found');
    expect(await slot(subscription, 15)).toEqual({ state: 'posted', ts: '2' });
    await ledger.settle(await claimed(subscription, 20), { state: 'posted' });
    expect(await slot(subscription, 30)).toEqual({ state: 'posted', ts: '3' });
    expect(updated).toEqual([]);
  });

  it('does not get past Slack’s no', async () => {
    const subscription = await subscribed({ perHour: 1 });
    await slot(subscription, 0);
    refuses.set('update 1', 'ratelimited');
    await expect(slot(subscription, 15)).rejects.toThrow('ratelimited');
  });
});

describe('a message that nobody wrote down', () => {
  it('is recognised in the channel', async () => {
    const subscription = await subscribed({});
    const { ts } = await slot(subscription, 0);
    const claim = { subscription: 1, slot: at(0), epoch: 2, sending: true, attempts: 1 };
    expect(await findDelivered(services, slotOf(subscription, claim))).toEqual({ state: 'posted', ts });
    expect(await findDelivered(services, slotOf(subscription, { ...claim, slot: at(50) }))).toBeUndefined();
    there = there.map((one) => ({ ...one, channel: 'C2' }));
    expect(await findDelivered(services, slotOf(subscription, claim))).toBeUndefined();
  });

  it('is looked for only where there is a place for it', async () => {
    const subscription = await subscribed({});
    const claim = await claimed(subscription, 0);
    expect(await findDelivered(services, slotOf(subscription, claim))).toBeUndefined();
    expect(done).toHaveLength(1);
  });
});
