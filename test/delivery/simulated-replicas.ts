import { pino } from 'pino';
import { message } from '../../src/blocks/message.ts';
import { createCollectReport } from '../../src/delivery/collect.ts';
import { slotKey } from '../../src/delivery/deliver.ts';
import { runSlot } from '../../src/delivery/run.ts';
import { createScheduler, nextSlotOf, type Scheduler } from '../../src/delivery/scheduler.ts';
import type { ReportServices } from '../../src/delivery/services.ts';
import type { Platform } from '../../src/platform/client.ts';
import { POST_TIMEOUT, type Poster, PostRefusedError } from '../../src/reports/post.ts';
import { defineReport } from '../../src/reports/report.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createReportAnchors } from '../../src/store/report-anchors.ts';
import { createReportLedger } from '../../src/store/report-ledger.ts';
import { createSubscriptions, type SubscriptionSettings } from '../../src/store/subscriptions.ts';
import { PLAIN } from '../support/subscription.ts';

/** A message in the simulated channel. */
export interface Said {
  key: string;
  channel: string;
  at: number;
}

/** What may go wrong, each as a chance per minute or per call. */
export interface Chances {
  /** A replica is killed, to be started again some minutes later. */
  kill: number;
  /** A replica stands still for up to ten minutes, in the middle of whatever it does. */
  freeze: number;
  /** The store's clock is put forward or back by up to two hours and a half. */
  jump: number;
  /** Slack takes a message, but the answer is lost. */
  lostAnswer: number;
  /** A message never arrives. */
  lostPost: number;
  /** Slack says no. */
  refusal: number;
}

export interface WorldOptions {
  seed: number;
  from: Date;
  to: Date;
  replicas: number;
  chances: Partial<Chances>;
  subscriptions: readonly { cron: string; timezone: string }[];
  /** To show that it matters: nobody looks whether a message is there already. */
  blind?: boolean;
}

export interface World {
  said: Said[];
  rows: { subscription: number; slot: Date; state: string; foldedInto: Date | undefined; epoch: number }[];
  /** What was done to it, counted. */
  faults: Record<keyof Chances, number>;
  /** Where the store's clock has been, latest. */
  latest: Date;
}

const MINUTE = 60_000;

const plainReport = defineReport({
  name: 'plain',
  summary: 'Says its time',
  schedule: '0 9 * * *',
  args: {},
  collect: async (_, { to }) => to,
  render: (to) => message(to.toISOString()),
});

/** Mulberry32: the same seed, the same world. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Several replicas on one store in one process, in virtual time: every statement and every call takes a while, and at any of
 * them a replica may die or stand still, the store's clock may jump, and Slack may lose a message or its answer.
 */
export async function simulate(options: WorldOptions): Promise<World> {
  const { chances, blind = false } = options;
  const random = randomOf(options.seed);
  const chance = (name: keyof Chances) => {
    const happens = random() < (chances[name] ?? 0);
    if (happens) faults[name] += 1;
    return happens;
  };
  const faults: World['faults'] = { kill: 0, freeze: 0, jump: 0, lostAnswer: 0, lostPost: 0, refusal: 0 };
  /** Real time; the store's clock is so far ahead of it. */
  let time = options.from.getTime();
  let skew = 0;
  let latest = time;
  const timers: { at: number; run: () => void }[] = [];
  const after = (milliseconds: number, run: () => void) => void timers.push({ at: time + milliseconds, run });
  const sleep = (milliseconds: number) => new Promise<void>((resolve) => after(milliseconds, resolve));
  const log = pino({ level: 'silent' });

  const said: Said[] = [];
  const store = await openDatabase({ url: ':memory:', clock: () => new Date(time + skew) });

  const start = () => {
    let alive = true;
    let frozenUntil = 0;
    /** Whatever a replica waits for comes to it a little later; never, when it is dead by then. */
    const gate = async <T>(work: () => Promise<T> | T, longest = 40): Promise<T> => {
      const pass = async () => {
        await sleep(random() * longest);
        while (alive && frozenUntil > time) await sleep(frozenUntil - time);
        if (!alive) await new Promise(() => undefined);
      };
      await pass();
      try {
        return await work();
      } finally {
        await pass();
      }
    };
    const database: Database = { ...store, execute: (sql, args) => gate(() => store.execute(sql, args)) };
    const request = (arrive: () => void): Promise<{ ts: string }> =>
      new Promise((resolve, reject) => {
        if (chance('refusal')) return after(100, () => reject(new PostRefusedError('ratelimited')));
        const timedOut = () => after(POST_TIMEOUT, () => reject(new Error('no answer')));
        if (chance('lostPost')) return timedOut();
        // On its way it is out of anybody's hands: a kill does not stop it.
        const travel = random() < 0.9 ? random() * 500 : random() * (POST_TIMEOUT - 1_000);
        after(travel, arrive);
        if (chance('lostAnswer')) return timedOut();
        after(travel + 50, () => resolve({ ts: String(time) }));
      });
    const poster: Poster = {
      async post({ channel, key, ready }) {
        await gate(() => undefined, 1_000);
        await ready?.();
        return request(() => said.push({ key, channel, at: time }));
      },
      async update({ ready }) {
        await ready?.();
        await request(() => undefined);
      },
      find: ({ channel }, key) =>
        gate(() => {
          const found = blind ? undefined : said.find((one) => one.channel === channel && one.key === key);
          return found === undefined ? undefined : { ts: String(found.at) };
        }, 2_000),
      tell: () => gate(() => undefined),
    };
    const subscriptions = createSubscriptions(database);
    const ledger = createReportLedger(database);
    const collect = createCollectReport({
      platform: {} as Platform,
      zones: async () => ({ items: [] }),
      now: () => new Date(time),
    });
    const reports = [{ ...plainReport, collect: (_: object, context: { to: Date }) => gate(() => context.to, 20_000) }];
    const services: ReportServices = {
      reports,
      subscriptions,
      ledger,
      anchors: createReportAnchors(database),
      collect,
      poster,
      log,
      elapsed: () => time,
      wait: (milliseconds, signal) =>
        new Promise((resolve, reject) => {
          after(milliseconds, () => void gate(() => undefined, 1).then(resolve));
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    };
    const scheduler: Scheduler = createScheduler({ ...services, run: (...given) => runSlot(services, ...given) });
    return {
      tick: () => void scheduler.tick(),
      kill() {
        alive = false;
      },
      freeze(milliseconds: number) {
        frozenUntil = time + milliseconds;
      },
    };
  };

  const settings = (one: { cron: string; timezone: string }): SubscriptionSettings => ({
    ...PLAIN,
    ...one,
    report: 'plain',
    schedule: one.cron,
  });
  const added = createSubscriptions(store);
  for (const one of options.subscriptions) await added.add(settings(one), nextSlotOf(one));

  const replicas = Array.from({ length: options.replicas }, () => ({ replica: start(), down: 0 }));
  const minute = (isCalm: boolean) => {
    for (const one of replicas) {
      if (one.down > 0) {
        one.down -= 1;
        if (one.down === 0) one.replica = start();
      } else if (!isCalm && chance('kill')) {
        // Somewhere within the minute, in the middle of what it does.
        const { replica } = one;
        after(random() * MINUTE, () => replica.kill());
        one.down = 1 + Math.floor(random() * 5);
      }
      const { replica } = one;
      if (!isCalm && chance('freeze')) after(random() * MINUTE, () => replica.freeze(random() * 10 * MINUTE));
      // Each process has its own idea of when a minute begins.
      if (one.down === 0) after(random() * 2_000, replica.tick);
    }
    if (!isCalm && chance('jump')) {
      skew += Math.round((random() - 0.45) * 300) * MINUTE;
      // Put back, in the end: a clock that stays hours behind would leave slots for later than the simulation.
      if (Math.abs(skew) > 150 * MINUTE) skew = 0;
    }
  };

  const end = options.to.getTime();
  // After the end there is an hour in which nothing goes wrong: what was begun is finished.
  for (let next = time; next < end + 90 * MINUTE; next += MINUTE) {
    const isCalm = next >= end;
    if (isCalm) skew = Math.max(skew, 0);
    after(next - time, () => minute(isCalm));
    while (timers.length > 0) {
      let first = 0;
      for (let index = 1; index < timers.length; index += 1) if (timers[index]!.at < timers[first]!.at) first = index;
      if (timers[first]!.at > next + MINUTE - 1) break;
      const [timer] = timers.splice(first, 1);
      time = Math.max(time, timer!.at);
      latest = Math.max(latest, time + skew);
      timer!.run();
      await new Promise((resolve) => setImmediate(resolve));
    }
    time = next + MINUTE - 1;
  }

  const { rows } = await store.execute('SELECT * FROM report_ledger ORDER BY subscription, slot');
  await store.close();
  return {
    said,
    faults,
    latest: new Date(latest),
    rows: rows.map((row) => ({
      subscription: Number(row.subscription),
      slot: new Date(Number(row.slot)),
      state: String(row.state),
      foldedInto: row.folded_into === null ? undefined : new Date(Number(row.folded_into)),
      epoch: Number(row.epoch),
    })),
  };
}

/** The key of a slot's message. */
export const keyOf = (subscription: number, slot: Date) => slotKey({ subscription, slot });
