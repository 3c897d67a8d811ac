import { getTasks, type Logger } from 'node-cron';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createScheduler, nextSlotOf, type Scheduler, type SchedulerServices } from '../../src/delivery/scheduler.ts';
import type { AnyReport } from '../../src/reports/report.ts';
import type { Database } from '../../src/store/database.ts';
import { createJobs } from '../../src/store/jobs.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createReportLedger, type ReportLedger } from '../../src/store/report-ledger.ts';
import { createSubscriptions, type SubscriptionSettings, type Subscriptions } from '../../src/store/subscriptions.ts';
import { PLAIN } from '../support/subscription.ts';

const SETTINGS: SubscriptionSettings = {
  ...PLAIN,
  report: 'plain',
  schedule: 'hourly',
  cron: '0 * * * *',
};

let now: Date;
let database: Database;
let ledger: ReportLedger;
let subscriptions: Subscriptions;
let scheduler: Scheduler;
/** What was run: `1 01:00`. */
let runs: string[];
let run: SchedulerServices['run'];
let lines: Record<string, unknown>[];
/** What was folded because something newer waits for the end of quiet hours. */
let folded: string[];

const words = (slot: Date) => slot.toISOString().slice(11, 16);

/** As a slot is left that was done. */
const posted: SchedulerServices['run'] = async (subscription, slot) => {
  const claim = await ledger.claim(subscription, slot);
  await ledger.settle(claim!, { state: 'posted' });
  return 'posted';
};

beforeEach(async () => {
  now = new Date('2026-11-21T00:30Z');
  database = await openDatabase({ url: ':memory:', clock: () => now });
  ledger = createReportLedger(database);
  subscriptions = createSubscriptions(database);
  [runs, lines, folded, run] = [[], [], [], posted];
  const { foldWaiting } = ledger;
  ledger.foldWaiting = async (subscription, into) => {
    folded.push(words(into));
    await foldWaiting(subscription, into);
  };
  scheduler = createScheduler({
    reports: [
      { name: 'plain' },
      { name: 'errors', window: { first: 0, longest: 1, lag: 0 } },
    ] as unknown as AnyReport[],
    subscriptions,
    ledger,
    jobs: createJobs(database),
    async run(subscription, slot, signal) {
      runs.push(`${subscription} ${words(slot)}`);
      // A scheduler that never stops trying fails its test, and does not hang it.
      if (runs.length > 500) throw new Error('too often');
      return run(subscription, slot, signal);
    },
    log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await scheduler.stop();
  await database.close();
});

async function subscribed(more: Partial<SubscriptionSettings> = {}): Promise<void> {
  const settings = { ...SETTINGS, ...more };
  await subscriptions.add(settings, nextSlotOf(settings));
}

async function tick(time: string): Promise<void> {
  now = new Date(`2026-11-21T${time}Z`);
  await scheduler.tick();
}

async function rows(): Promise<string[]> {
  const { rows: all } = await database.execute('SELECT * FROM report_ledger ORDER BY subscription, slot');
  return all.map(
    ({ slot, state, folded_into: into }) =>
      `${words(new Date(Number(slot)))} ${state}${into === null ? '' : ` ${words(new Date(Number(into)))}`}`,
  );
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Until something has come to pass, without a clock. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2_000 && !isSo(); turn += 1) await turns(1);
  expect(isSo()).toBe(true);
}

describe('a tick', () => {
  it('does every subscription’s due slots, in order, and settles when they are done', async () => {
    for (const report of ['plain', 'errors']) await subscribed({ report });
    await tick('02:10');
    expect(runs).toEqual(['1 01:00', '2 02:00', '1 02:00']);
    expect(await rows()).toEqual(['01:00 posted', '02:00 posted', '01:00 folded 02:00', '02:00 posted']);
    expect(lines).toContainEqual(
      expect.objectContaining({
        subscription: 1,
        slot: '2026-11-21T01:00:00.000Z',
        outcome: 'posted',
        msg: expect.stringMatching(/\w/),
      }),
    );
    await tick('02:59');
    expect(runs).toHaveLength(3);
  });

  it('opens the slots of a report that this version does not have too: its run says so', async () => {
    await subscribed({ report: 'gone' });
    await tick('02:10');
    expect(runs).toEqual(['1 01:00', '1 02:00']);
  });

  it('tries what stays as it is once', async () => {
    run = async () => 'later';
    await subscribed();
    await tick('01:10');
    expect(runs).toEqual(['1 01:00']);
    await tick('01:11');
    expect(runs).toHaveLength(2);
  });

  it('leaves a subscription alone that another tick is at', async () => {
    let done = () => {};
    const held = new Promise<void>((resolve) => {
      done = resolve;
    });
    run = async () => {
      await held;
      return 'later';
    };
    for (let count = 0; count < 2; count += 1) await subscribed();
    const first = tick('01:10');
    await until(() => runs.length === 2);
    const second = tick('02:10');
    await turns(50);
    expect(runs).toEqual(['1 01:00', '2 01:00']);
    done();
    await Promise.all([first, second]);
  });

  it('has two hundred subscriptions under way at most', async () => {
    for (let count = 0; count < 201; count += 1) await subscribed({ owner: `U${count % 9}` });
    let done = () => {};
    const held = new Promise<void>((resolve) => {
      done = resolve;
    });
    run = async (subscription, slot, signal) => {
      await held;
      return posted(subscription, slot, signal);
    };
    const ticking = tick('01:10');
    await until(() => runs.length >= 200);
    await turns(5);
    expect(runs).toHaveLength(200);
    done();
    await ticking;
    await tick('01:11');
    expect(new Set(runs).size).toBe(201);
  });

  it('goes on with the others when the slots of one cannot be opened, or anything is lost', async () => {
    for (let count = 0; count < 2; count += 1) await subscribed();
    const { open } = ledger;
    ledger.open = async (subscription, slots) => {
      if (subscription.id === 1) throw new Error('not this one');
      return open(subscription, slots);
    };
    await tick('01:10');
    expect(runs).toEqual(['2 01:00']);
    const errors = () => lines.filter(({ level }) => level === 50);
    expect(errors()).toEqual([
      expect.objectContaining({
        key: 'slots:1',
        err: expect.objectContaining({ message: 'not this one' }),
        msg: expect.stringMatching(/\w/),
      }),
    ]);
    subscriptions.arm = () => Promise.reject(new Error('no store'));
    await tick('02:10');
    expect(errors()).toContainEqual(
      expect.objectContaining({
        err: expect.objectContaining({ message: 'no store' }),
        msg: expect.stringMatching(/\w/),
      }),
    );
  });
});

describe('quiet hours', () => {
  const quiet = { quiet: '22:00-06:00' };

  it('leave one slot to be told at their end, which stands for the others', async () => {
    await subscribed(quiet);
    await tick('01:10');
    expect(await rows()).toEqual(['01:00 due']);
    await tick('04:10');
    expect(await rows()).toEqual(['01:00 folded 04:00', '02:00 folded 04:00', '03:00 folded 04:00', '04:00 due']);
    expect(runs).toEqual([]);
    await tick('05:00');
    await tick('06:00');
    expect(runs).toEqual(['1 05:00', '1 06:00']);
    expect(folded).toEqual(['01:00', '04:00', '05:00']);
  });

  it('fold nothing when nothing that is due waits', async () => {
    await subscribed();
    await tick('01:10');
    now = new Date('2026-11-21T03:30Z');
    await subscribed(quiet);
    await tick('08:10');
    expect((await rows()).slice(-5)).toEqual([
      '04:00 folded 06:00',
      '05:00 folded 06:00',
      '06:00 posted',
      '07:00 posted',
      '08:00 posted',
    ]);
    expect(folded).toEqual([]);
  });
});

describe('the bot’s clock', () => {
  it('ticks at once and at every minute, and no more when it is stopped', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-21T00:30:30Z'), toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    let looked = 0;
    subscriptions.arm = async () => {
      looked += 1;
    };
    scheduler.start();
    await turns(50);
    expect(looked).toBe(1);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(looked).toBe(2);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(looked).toBe(4);
    await scheduler.stop();
    await vi.advanceTimersByTimeAsync(120_000);
    await scheduler.tick();
    expect(looked).toBe(4);
  });

  it('goes by UTC, and says what it has to say in the bot’s log', async () => {
    scheduler.start();
    const task = [...getTasks().values()].find(({ name }) => name === 'reports');
    // It shows neither to those who only use it.
    const { timezone, logger } = task as unknown as { timezone: string; logger: Logger };
    expect(timezone).toBe('UTC');
    await scheduler.stop();
    lines = [];
    logger.info('in');
    logger.warn('wa');
    logger.debug(new Error('de'));
    logger.error(new Error('alone'));
    logger.error('words', new Error('both'));
    expect(lines.map(({ level, msg, err }) => [level, (err as Error | undefined)?.message ?? msg])).toEqual([
      [30, 'in'],
      [40, 'wa'],
      [20, 'Error: de'],
      [50, 'alone'],
      [50, 'both'],
    ]);
    expect(lines.every(({ msg }) => msg !== '')).toBe(true);
  });

  it('is stopped by waiting for what is under way, which is told to stop', async () => {
    await subscribed();
    let reason: unknown;
    run = (_, __, signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          setImmediate(() => {
            runs.push('stopped');
            resolve('later');
          });
        }),
      );
    const ticking = tick('01:10');
    await until(() => runs.length === 1);
    await scheduler.stop();
    expect(runs).toEqual(['1 01:00', 'stopped']);
    expect((reason as Error).message).toMatch(/\w/);
    await ticking;
  });

  it('begins no slot once it is stopped', async () => {
    await subscribed();
    const { open } = ledger;
    ledger.open = async (subscription, slots) => {
      void scheduler.stop();
      await new Promise((resolve) => setImmediate(resolve));
      return open(subscription, slots);
    };
    await tick('01:10');
    expect([await rows(), runs]).toEqual([['01:00 due'], []]);
  });
});
