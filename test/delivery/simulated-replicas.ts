import { pino } from 'pino';
import { vi } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { createCollectReport } from '../../src/delivery/collect.ts';
import { slotKey } from '../../src/delivery/deliver.ts';
import { runSlot } from '../../src/delivery/run.ts';
import { createScheduler, nextSlotOf } from '../../src/delivery/scheduler.ts';
import type { ReportServices } from '../../src/delivery/services.ts';
import type { Platform } from '../../src/platform/client.ts';
import { POST_TIMEOUT, type Poster, PostRefusedError } from '../../src/reports/post.ts';
import { defineReport } from '../../src/reports/report.ts';
import { createAnchors } from '../../src/store/anchors.ts';
import type { Database } from '../../src/store/database.ts';
import { BEAT_EVERY, createJobs, createSelf } from '../../src/store/jobs.ts';
import { openDatabase } from '../../src/store/open-database.ts';
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

/** The world while it is simulated. Real time is `time`; the store's clock is so far ahead of it. */
interface Simulation {
  options: WorldOptions;
  random: () => number;
  faults: World['faults'];
  said: Said[];
  store: Database;
  time: number;
  skew: number;
  latest: number;
  timers: { at: number; run: () => void }[];
}

/** A process of the bot, which may die or stand still. */
interface Replica {
  isAlive: boolean;
  frozenUntil: number;
  tick(): void;
  beat(): void;
}

/**
 * Several replicas on one store in one process, in virtual time: every statement and every call takes a while, and at any of
 * them a replica may die or stand still, the store's clock may jump, and Slack may lose a message or its answer.
 */
export async function simulate(options: WorldOptions): Promise<World> {
  // The alarms of the runners too come in virtual time, however busy the machine is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    return await simulated(options);
  } finally {
    vi.useRealTimers();
  }
}

async function simulated(options: WorldOptions): Promise<World> {
  const simulation: Omit<Simulation, 'store'> = {
    options,
    random: randomOf(options.seed),
    faults: { kill: 0, freeze: 0, jump: 0, lostAnswer: 0, lostPost: 0, refusal: 0 },
    said: [],
    time: options.from.getTime(),
    skew: 0,
    latest: options.from.getTime(),
    timers: [],
  };
  const store = await openDatabase({ url: ':memory:', clock: () => new Date(simulation.time + simulation.skew) });
  const world: Simulation = Object.assign(simulation, { store });
  const added = createSubscriptions(store);
  for (const one of options.subscriptions) {
    const settings: SubscriptionSettings = { ...PLAIN, ...one, report: 'plain', schedule: one.cron };
    await added.add(settings, nextSlotOf(one));
  }
  await runMinutes(world);
  const { rows } = await store.execute('SELECT * FROM report_ledger ORDER BY subscription, slot');
  await store.close();
  return {
    said: world.said,
    faults: world.faults,
    latest: new Date(world.latest),
    rows: rows.map((row) => ({
      subscription: Number(row.subscription),
      slot: new Date(Number(row.slot)),
      state: String(row.state),
      foldedInto: row.folded_into === null ? undefined : new Date(Number(row.folded_into)),
      epoch: Number(row.epoch),
    })),
  };
}

function chance({ options, random, faults }: Simulation, name: keyof Chances): boolean {
  const happens = random() < (options.chances[name] ?? 0);
  if (happens) faults[name] += 1;
  return happens;
}

const after = (world: Simulation, milliseconds: number, run: () => void) =>
  void world.timers.push({ at: world.time + milliseconds, run });
const sleep = (world: Simulation, milliseconds: number) =>
  new Promise<void>((resolve) => after(world, milliseconds, resolve));

/** Whatever a replica waits for comes to it a little later; never, when it is dead by then. */
async function gate<T>(world: Simulation, replica: Replica, work: () => Promise<T> | T, longest = 40): Promise<T> {
  const pass = async () => {
    await sleep(world, world.random() * longest);
    while (replica.isAlive && replica.frozenUntil > world.time) await sleep(world, replica.frozenUntil - world.time);
    if (!replica.isAlive) await new Promise(() => undefined);
  };
  await pass();
  try {
    return await work();
  } finally {
    await pass();
  }
}

/** A call to Slack, which may be refused, lost, or lose its answer. */
function request(world: Simulation, arrive: () => void): Promise<{ ts: string }> {
  return new Promise((resolve, reject) => {
    if (chance(world, 'refusal')) return after(world, 100, () => reject(new PostRefusedError('ratelimited', 'later')));
    const timedOut = () => after(world, POST_TIMEOUT, () => reject(new Error('no answer')));
    if (chance(world, 'lostPost')) return timedOut();
    // On its way it is out of anybody's hands: a kill does not stop it.
    const { random } = world;
    const travel = random() < 0.9 ? random() * 500 : random() * (POST_TIMEOUT - 1_000);
    after(world, travel, arrive);
    if (chance(world, 'lostAnswer')) return timedOut();
    after(world, travel + 50, () => resolve({ ts: String(world.time) }));
  });
}

function posterOf(world: Simulation, replica: Replica): Poster {
  return {
    async post({ channel, key, ready }) {
      await gate(world, replica, () => undefined, 1_000);
      await ready?.();
      return request(world, () => world.said.push({ key, channel, at: world.time }));
    },
    async update({ ready }) {
      await ready?.();
      await request(world, () => undefined);
    },
    find: ({ channel }, key) =>
      gate(
        world,
        replica,
        () => {
          const isThere = (one: Said) => one.channel === channel && one.key === key;
          const found = world.options.blind === true ? undefined : world.said.find(isThere);
          return found === undefined ? undefined : { ts: String(found.at) };
        },
        2_000,
      ),
    tell: () => gate(world, replica, () => undefined),
  };
}

function startReplica(world: Simulation): Replica {
  const replica: Replica = {
    isAlive: true,
    frozenUntil: 0,
    tick: () => void scheduler.tick(),
    beat: () => void jobs.beat(),
  };
  const { store } = world;
  const self = createSelf(true);
  const database: Database = {
    ...store,
    self,
    execute: (sql, args) => gate(world, replica, () => store.execute(sql, { ...args, process: self.id })),
  };
  const jobs = createJobs(database);
  const collectLater = (_: object, context: { to: Date }) => gate(world, replica, () => context.to, 20_000);
  const services: ReportServices = {
    reports: [{ ...plainReport, collect: collectLater }],
    subscriptions: createSubscriptions(database),
    ledger: createReportLedger(database),
    anchors: createAnchors(database),
    collect: createCollectReport({
      platform: {} as Platform,
      zones: async () => ({ items: [] }),
      now: () => new Date(world.time),
    }),
    poster: posterOf(world, replica),
    policy: { admins: [] },
    stillMay: async () => undefined,
    refusalNow: async () => undefined,
    log: pino({ level: 'silent' }),
    elapsed: () => world.time,
    wait: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        after(world, milliseconds, () => void gate(world, replica, () => undefined, 1).then(resolve));
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  };
  const scheduler = createScheduler({ ...services, jobs, run: (...given) => runSlot(services, ...given) });
  return replica;
}

/** Each replica ticks once; some are killed, some stand still, and the store's clock may jump. */
function beginMinute(world: Simulation, replicas: { replica: Replica; down: number }[], isCalm: boolean): void {
  const { random } = world;
  for (const one of replicas) {
    if (one.down > 0) {
      one.down -= 1;
      if (one.down === 0) one.replica = startReplica(world);
    } else if (!isCalm && chance(world, 'kill')) {
      // Somewhere within the minute, in the middle of what it does.
      const { replica } = one;
      after(world, random() * MINUTE, () => {
        replica.isAlive = false;
      });
      one.down = 1 + Math.floor(random() * 5);
    }
    const { replica } = one;
    if (!isCalm && chance(world, 'freeze')) {
      after(world, random() * MINUTE, () => {
        replica.frozenUntil = world.time + random() * 10 * MINUTE;
      });
    }
    // Each process has its own idea of when a minute begins.
    if (one.down === 0) after(world, random() * 2_000, replica.tick);
    for (let beat = 0; beat < MINUTE; beat += BEAT_EVERY) if (one.down === 0) after(world, beat, replica.beat);
  }
  if (isCalm || !chance(world, 'jump')) return;
  world.skew += Math.round((random() - 0.45) * 300) * MINUTE;
  // Put back, in the end: a clock that stays hours behind would leave slots for later than the simulation.
  if (Math.abs(world.skew) > 150 * MINUTE) world.skew = 0;
}

/** Minute by minute to the end, and an hour more in which nothing goes wrong: what was begun is finished. */
async function runMinutes(world: Simulation): Promise<void> {
  const { options, timers } = world;
  const replicas = Array.from({ length: options.replicas }, () => ({ replica: startReplica(world), down: 0 }));
  const end = options.to.getTime();
  for (let next = world.time; next < end + 90 * MINUTE; next += MINUTE) {
    const isCalm = next >= end;
    if (isCalm) world.skew = Math.max(world.skew, 0);
    after(world, next - world.time, () => beginMinute(world, replicas, isCalm));
    while (timers.length > 0) {
      let first = 0;
      for (let index = 1; index < timers.length; index += 1) if (timers[index]!.at < timers[first]!.at) first = index;
      if (timers[first]!.at > next + MINUTE - 1) break;
      const [timer] = timers.splice(first, 1);
      if (timer!.at > world.time) vi.advanceTimersByTime(timer!.at - world.time);
      world.time = Math.max(world.time, timer!.at);
      world.latest = Math.max(world.latest, world.time + world.skew);
      timer!.run();
      await new Promise((resolve) => setImmediate(resolve));
    }
    world.time = next + MINUTE - 1;
  }
}

/** The key of a slot's message. */
export const keyOf = (subscription: number, slot: Date) => slotKey({ subscription, slot });
