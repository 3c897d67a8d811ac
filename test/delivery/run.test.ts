import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Message, message } from '../../src/blocks/message.ts';
import { createCollectReport } from '../../src/delivery/collect.ts';
import { runSlot } from '../../src/delivery/run.ts';
import type { ReportServices } from '../../src/delivery/services.ts';
import { UsageError } from '../../src/errors.ts';
import type { Platform } from '../../src/platform/client.ts';
import { PlatformError } from '../../src/platform/errors.ts';
import { POST_TIMEOUT, type Post, PostRefusedError } from '../../src/reports/post.ts';
import { defineReport, type ReportContext } from '../../src/reports/report.ts';
import { type Anchors, createAnchors } from '../../src/store/anchors.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createReportLedger, type ReportLedger } from '../../src/store/report-ledger.ts';
import { createSubscriptions, type SubscriptionSettings, type Subscriptions } from '../../src/store/subscriptions.ts';
import { PLAIN } from '../support/subscription.ts';

const MINUTE = 60_000;
const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 12, minute));
const words = (minute: Date) => minute.toISOString().slice(11, 16);
const stretchOf = ({ from, to }: ReportContext) => `${words(from)}-${words(to)}`;

let now: Date;
let database: Database;
let ledger: ReportLedger;
let subscriptions: Subscriptions;
/** What reached Slack: `post C1`, `post C1 in 1`, `update 1`, `tell U1`. */
let said: { how: string; text: string }[];
let gone: Set<string>;
let refuses: string | undefined;
/** The message that is found in the channel. */
let posted: string | undefined;
/** What the report finds between two moments; undefined: nothing. */
let finds: (context: ReportContext) => string | undefined;
let anchors: Anchors;
let services: ReportServices;

const errors = defineReport({
  name: 'errors',
  summary: 'What went wrong',
  schedule: '*/15 * * * *',
  args: { least: 1 },
  window: { first: 15 * MINUTE, longest: 6 * 60 * MINUTE, lag: 0 },
  collect: async ({ least }, context) => ({ found: finds(context), least }),
  render: ({ found }) => (found === undefined ? undefined : message(found)),
  fingerprint: ({ found }) => found?.split(' ')[0] ?? '',
});

/** Speaks up when something is wrong: `finds` says in which zone. */
const alarms = defineReport({
  ...errors,
  name: 'alarms',
  troubles: ({ found }) =>
    found === 'first'
      ? undefined
      : found === undefined || found.startsWith('usual')
        ? []
        : [{ kind: 'k', zone: 'shop', name: 'shop', since: now.getTime() }],
});

const firstLines = () => said.map(({ how, text }) => `${how}: ${text.split('\n')[0]}`);

beforeEach(async () => {
  now = at(0);
  database = await openDatabase({ url: ':memory:', clock: () => now });
  ledger = createReportLedger(database);
  anchors = createAnchors(database);
  subscriptions = createSubscriptions(database);
  said = [];
  gone = new Set();
  refuses = undefined;
  posted = undefined;
  finds = stretchOf;
  const asked = async (ready: Post['ready']) => {
    await ready?.();
    if (refuses !== undefined) throw new PostRefusedError(refuses, 'no', 'I am not a member of the channel');
  };
  services = {
    reports: [errors, alarms],
    subscriptions,
    ledger,
    anchors,
    collect: createCollectReport({ platform: {} as Platform, zones: async () => ({ items: [] }), now: () => now }),
    log: pino({ level: 'silent' }),
    // A claim that was taken over is settled at once; everything else is waited for until it is stopped.
    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal.aborted || milliseconds === POST_TIMEOUT + 10_000) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    elapsed: () => 0,
    policy: { admins: ['UADMIN'] },
    stillMay: async () => undefined,
    refusalNow: async () => undefined,
    poster: {
      async post({ channel, message: text, thread, ready }) {
        await asked(ready);
        if (thread !== undefined && gone.has(thread)) throw new PostRefusedError('thread_not_found', 'message gone');
        said.push({ how: `post ${channel}${thread === undefined ? '' : ` in ${thread}`}`, text: text.text });
        return { ts: String(said.length) };
      },
      async update({ ts, message: text, ready }) {
        await asked(ready);
        if (gone.has(ts)) throw new PostRefusedError('message_not_found', 'message gone');
        said.push({ how: `update ${ts}`, text: text.text });
      },
      find: async () => (posted === undefined ? undefined : { ts: posted }),
      async tell(user, text: Message) {
        said.push({ how: `tell ${user}`, text: text.text });
      },
    },
  };
});
afterEach(() => database.close());

async function subscribed(more: Partial<SubscriptionSettings> = {}): Promise<number> {
  return (await subscriptions.add({ ...PLAIN, ...more }, () => undefined)).id;
}

/** The slot of this minute, as the scheduler does it. */
async function slot(id: number, minute: number) {
  now = at(minute);
  const subscription = await subscriptions.read(id);
  await ledger.open(subscription!, [{ slot: now, notBefore: now, state: 'due' }]);
  return runSlot(services, id, now, new AbortController().signal);
}

describe('a report that is due', () => {
  it('tells what came since the last one, and nothing when there is nothing', async () => {
    const id = await subscribed();
    expect(await slot(id, 0)).toBe('posted');
    finds = () => undefined;
    expect(await slot(id, 15)).toBe('quiet');
    finds = stretchOf;
    await slot(id, 30);
    await slot(id, 30 + 600);
    expect(firstLines()).toEqual(['post C1: 11:45-12:00', 'post C1: 12:15-12:30', 'post C1: 16:30-22:30']);
  });

  it('keeps to its messages an hour by bringing the last one up to date', async () => {
    const id = await subscribed({ perHour: 2 });
    for (const minute of [0, 10, 20, 30, 65]) await slot(id, minute);
    expect(firstLines()).toEqual([
      'post C1: 11:45-12:00',
      'post C1: 12:00-12:10',
      'update 2: 12:00-12:20',
      'update 2: 12:00-12:30',
      'post C1: 12:30-13:05',
    ]);
    expect(said[2]?.text).toContain('because the limit of 2 messages an hour is reached');
  });

  it('is silent while it is muted, or until its result changes', async () => {
    const id = await subscribed();
    finds = () => 'same';
    await slot(id, 0);
    await subscriptions.mute(id, { until: at(20), by: 'U2' });
    expect([await slot(id, 15), await slot(id, 30)]).toEqual(['muted', 'posted']);
    await subscriptions.mute(id, { fingerprint: (await ledger.lastFingerprint(id)) ?? '', by: 'U2' });
    expect(await slot(id, 45)).toBe('muted');
    finds = () => 'other';
    expect(await slot(id, 60)).toBe('posted');
    expect((await subscriptions.read(id))?.muted).toBeUndefined();
  });

  it('says that it is late, and for how many it stands', async () => {
    const id = await subscribed();
    const subscription = await subscriptions.read(id);
    now = at(50);
    await ledger.open(subscription!, [
      { slot: at(15), notBefore: at(15), state: 'folded', foldedInto: at(30) },
      { slot: at(30), notBefore: at(30), state: 'due' },
    ]);
    await runSlot(services, id, at(30), new AbortController().signal);
    expect(said[0]?.text).toMatch(
      /Late: this was due Nov 21, 2026, 12:30 PM UTC\.[\s\S]*This also covers the report due at 12:15 PM UTC\./,
    );
  });

  it('has its own numbers', async () => {
    const id = await subscribed({ thresholds: { least: 7 } });
    let least: unknown;
    const { collect } = errors;
    errors.collect = (args, context) => {
      least = args.least;
      return collect(args, context);
    };
    await slot(id, 0);
    errors.collect = collect;
    expect(least).toBe(7);
  });

  it('is collected once for all who want the same', async () => {
    let collected = 0;
    finds = (context) => {
      collected += 1;
      return stretchOf(context);
    };
    for (const channel of ['C1', 'C2', 'C3']) await slot(await subscribed({ channel }), 0);
    expect([collected, said.length]).toEqual([1, 3]);
  });
});

describe('a report that speaks up', () => {
  const incident = async (id: number, minute: number, zone: string | undefined) => {
    finds = (context) => (zone === undefined ? undefined : `${zone} ${stretchOf(context)}`);
    return slot(id, minute);
  };

  it('has one message for an incident, brought up to date with every look, and says when it is over', async () => {
    const id = await subscribed({ report: 'alarms' });
    const states = [];
    for (const [minute, zone] of [
      [0, 'usual'],
      [15, 'shop'],
      [30, 'shop'],
      [45, 'shop'],
      [60, 'shop'],
      [75, undefined],
      [90, 'usual'],
      [105, 'usual'],
    ] as const)
      states.push(await incident(id, minute, zone));
    expect(states).toEqual(['quiet', 'posted', 'updated', 'updated', 'updated', 'quiet', 'updated', 'quiet']);
    expect(firstLines()).toEqual([
      'post C1: shop 12:00-12:15',
      'update 1: shop 12:15-12:30',
      'update 1: shop 12:30-12:45',
      'update 1: shop 12:45-13:00',
      'post C1 in 1: ✅ shop recovered after 45 min, from 12:15 PM UTC to 1:00 PM UTC.',
      'update 1: ✅ shop recovered after 45 min, from 12:15 PM UTC to 1:00 PM UTC.',
    ]);
  });

  it('has another message, once, when somebody deleted the first, and that one is kept up to date', async () => {
    const id = await subscribed({ report: 'alarms' });
    await incident(id, 0, 'shop');
    gone.add('1');
    expect(await incident(id, 15, 'shop')).toBe('posted');
    expect(await incident(id, 60, 'shop')).toBe('updated');
    expect(firstLines()).toEqual([
      'post C1: shop 11:45-12:00',
      'post C1: shop 12:00-12:15',
      'update 2: shop 12:15-13:00',
    ]);
  });

  it('that is over says so once, though somebody deleted its message', async () => {
    const id = await subscribed({ report: 'alarms' });
    await incident(id, 0, 'shop');
    gone.add('1');
    for (const minute of [15, 30, 45]) expect(await incident(id, minute, undefined)).toBe('quiet');
    expect(firstLines()).toEqual(['post C1: shop 11:45-12:00', expect.stringMatching('post C1: ✅ shop recovered')]);
  });

  it('is silent while it is muted until it changes: when the incident is over, or comes somewhere else', async () => {
    const id = await subscribed({ report: 'alarms' });
    await incident(id, 0, 'shop');
    await subscriptions.mute(id, { fingerprint: (await ledger.lastFingerprint(id)) ?? '', by: 'U2' });
    expect([await incident(id, 15, 'shop'), await incident(id, 30, undefined)]).toEqual(['muted', 'muted']);
    expect(await incident(id, 45, 'usual')).toBe('updated');
    expect((await subscriptions.read(id))?.muted).toBeUndefined();
    expect(said.at(-1)?.text).toMatch(/^✅ shop recovered after 15 min, from 12:00 PM UTC to 12:15 PM UTC/u);
  });

  it('keeps to the incident that a killed bot has posted and could not write down', async () => {
    const id = await subscribed({ report: 'alarms' });
    const settle = ledger.settle;
    ledger.settle = async () => {
      throw new Error('killed');
    };
    const keep = anchors.set;
    let isKilled = false;
    anchors.set = async (subscription, name, anchor) => {
      if (isKilled) throw new Error('killed');
      isKilled = name === 'incident';
      return keep(subscription, name, anchor);
    };
    finds = () => 'shop';
    await slot(id, 0);
    [ledger.settle, anchors.set] = [settle, keep];
    expect(said).toHaveLength(1);
    posted = '1';
    now = at(3);
    expect(await runSlot(services, id, at(0), new AbortController().signal)).toBe('posted');
    posted = undefined;
    expect(await incident(id, 15, 'shop')).toBe('updated');
    expect(firstLines()).toEqual(['post C1: shop', 'update 1: shop 12:00-12:15']);
  });
});

describe('a report that fails', () => {
  it('is marked as broken with its reason, and said to its owner once until it works again', async () => {
    const id = await subscribed();
    refuses = 'not_in_channel';
    expect([await slot(id, 0), await slot(id, 15)]).toEqual(['failed', 'failed']);
    expect(await subscriptions.read(id)).toMatchObject({
      state: 'broken',
      reason: expect.stringContaining('not a member'),
    });
    refuses = undefined;
    expect(await slot(id, 30)).toBe('posted');
    expect(await subscriptions.read(id)).toMatchObject({ state: 'active' });
    finds = () => {
      throw new UsageError('The platform is away.');
    };
    await slot(id, 45);
    expect(firstLines()).toEqual([
      'tell U1: errors for <#C1> (subscription 1) is not working.',
      'post C1: 11:45-12:30',
      'tell U1: errors for <#C1> (subscription 1) is not working.',
    ]);
  });

  it('because of what may pass is tried again before anybody is told', async () => {
    const id = await subscribed();
    const away = new PlatformError('Bad gateway', { status: 502, service: 'api', method: 'GET', path: '/' });
    finds = () => {
      throw away;
    };
    expect(await slot(id, 0)).toBe('later');
    expect((await ledger.next(id))?.delay).toBe(60_000);
    now = at(1);
    finds = stretchOf;
    expect((await ledger.next(id))?.delay).toBe(0);
    expect(await runSlot(services, id, at(0), new AbortController().signal)).toBe('posted');
    expect(firstLines()).toEqual(['post C1: 11:45-12:00']);
  });

  it('by being stopped with the bot says nothing, and is free for the others at once', async () => {
    const id = await subscribed();
    const stop = new AbortController();
    finds = ({ signal }) => {
      stop.abort(new Error('stopping'));
      signal.throwIfAborted();
      return 'never';
    };
    await ledger.open((await subscriptions.read(id))!, [{ slot: at(0), notBefore: at(0), state: 'due' }]);
    expect(await runSlot(services, id, at(0), stop.signal)).toBe('later');
    expect((await ledger.next(id))?.delay).toBe(0);
    expect(said).toEqual([]);
  });

  it('never throws, even when the store is gone', async () => {
    const id = await subscribed();
    await database.close();
    expect(await runSlot(services, id, at(0), new AbortController().signal)).toBe('later');
    database = await openDatabase({ url: ':memory:' });
  });
});
