import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCollectReport } from '../../../src/delivery/collect.ts';
import { runSlot } from '../../../src/delivery/run.ts';
import type { Platform } from '../../../src/platform/client.ts';
import { PlatformError } from '../../../src/platform/errors.ts';
import type { BalanceAt } from '../../../src/platform/resources/billing.ts';
import { balance } from '../../../src/reports/balance/balance.ts';
import { createHoursReader, type HoursReader } from '../../../src/reports/zone-hours.ts';
import { at, type Desk, openDesk, slot, subscribed } from '../../delivery/desk.ts';

const DAY = 24 * 60;

let desk: Desk;
let account: {
  left: (minute: number) => number;
  month: (minute: number) => number;
  budget: number | undefined;
  optimizer: (minute: number) => number;
};
let isAway: boolean;
let history: (() => Promise<never>) | undefined;
let statistics: (query: { dateFrom?: Date }) => Promise<object>;
let hours: HoursReader;

const minuteOf = (moment: Date | number) => (Number(moment) - at(0).getTime()) / 60_000;

beforeEach(async () => {
  desk = await openDesk();
  isAway = false;
  history = undefined;
  statistics = async () => ({});
  account = { left: (minute) => 200 - (10 * minute) / DAY, month: () => 0, budget: undefined, optimizer: () => 3 };
  const platform = {
    billing: {
      get: async () => ({
        left: account.left(minuteOf(desk.now)),
        month: account.month(minuteOf(desk.now)),
        budget: account.budget,
        products: [{ name: 'Optimizer', amount: account.optimizer(minuteOf(desk.now)) }],
        recharge: undefined,
      }),
      zones: async () => [{ id: 1, amount: 5 }],
      pending: async () => [],
      history: async (range: { from: Date; to: Date }) => {
        if (history !== undefined) return history();
        const { from, to } = range;
        if (isAway) return [];
        const points: BalanceAt[] = [];
        for (let point = Math.ceil(minuteOf(from) / DAY) * DAY; point < minuteOf(to); point += DAY)
          points.push({ at: at(point).getTime(), left: account.left(point) });
        return points;
      },
    },
    statistics: { get: (query: { dateFrom?: Date }) => statistics(query) },
    shieldZones: { mapping: async () => [] },
  } as unknown as Platform;
  const zones = async () => ({ items: [{ Id: 1, Name: 'shop', Hostnames: [] }] });
  hours = createHoursReader({ platform });
  desk.services = {
    ...desk.services,
    reports: [balance],
    collect: createCollectReport({ platform, zones, hours, now: () => desk.now }),
  };
});
afterEach(() => desk.database.close());

const lines = () => desk.said.filter(({ how }) => !how.includes(' in ')).map(({ text }) => text.split('\n')[0]);

async function days(id: number, from: number, to: number): Promise<void> {
  for (let day = from; day <= to; day += 1) await slot(desk, id, day * DAY);
}

describe('the balance', () => {
  it('is told at 14, 7, 3 and 1 days, each once, with what it is spent on in the thread', async () => {
    const id = await subscribed(desk, { report: 'balance' });
    await days(id, 0, 20);
    expect(lines()).toEqual([
      '🟡 $140.00 is left: 14 days at this week’s $10.00 a day.',
      '🟡 $70.00 is left: 7 days at this week’s $10.00 a day.',
      '🔴 $30.00 is left: 3 days at this week’s $10.00 a day.',
      '🔴 $10.00 is left: 1 day at this week’s $10.00 a day.',
    ]);
    expect(desk.said.find(({ how }) => how.includes(' in '))?.text).toMatch(/Optimizer[\s\S]*shop/);
  });

  it('is told once though a quiet weekend makes it last longer, and again after somebody paid in', async () => {
    const spentOn = (day: number) => (day >= 8 && day < 16 ? 1 : 10);
    account.left = (minute) => {
      const day = minute / DAY;
      let left = 200 + (day >= 27 ? 250 : 0);
      for (let one = 0; one < day; one += 1) left -= spentOn(one) * Math.min(1, day - one);
      return day < 0 ? 200 - 10 * day : left;
    };
    const id = await subscribed(desk, { report: 'balance' });
    await days(id, 0, 26);
    const told = () => lines().map((line) => Number(/: (\d+)/.exec(line ?? '')?.[1]));
    expect(told()).toEqual([14, 7, 3, 1]);
    await days(id, 27, 40);
    expect(told()).toEqual([14, 7, 3, 1, 14]);
  });

  it('is told once though a coupon or a revised bill makes it last some hours longer, or a month’s charge less', async () => {
    // A coupon of eight dollars on the 8th day, one of four on the 15th, and 15 dollars on 1 December, the tenth.
    account.left = (minute) =>
      210 -
      (10 * minute) / DAY +
      (minute > 7.2 * DAY ? 8 : 0) +
      (minute > 14.6 * DAY ? 4 : 0) -
      (minute > 9.5 * DAY ? 15 : 0);
    await days(await subscribed(desk, { report: 'balance' }), 0, 20);
    expect(lines().map((line) => Number(/: (\d+)/.exec(line ?? '')?.[1]))).toEqual([14, 7, 3, 1]);
  });

  it('is told once for two thresholds that it falls below at once', async () => {
    account.left = (minute) => 200 - (10 * minute) / DAY - (minute > 4 * DAY ? 130 : 0);
    await days(await subscribed(desk, { report: 'balance' }), 0, 5);
    expect(lines()).toEqual(['🔴 $20.00 is left: less than 3 days, less than a day at this week’s $28.57 a day.']);
  });

  it('is told again only at what a payment lifted it above', async () => {
    account.left = (minute) => 200 - (10 * minute) / DAY + (minute > 15.2 * DAY ? 70 : 0);
    await days(await subscribed(desk, { report: 'balance' }), 0, 24);
    expect(lines().map((line) => Number(/: (\d+)/.exec(line ?? '')?.[1]))).toEqual([14, 7, 7, 3]);
  });

  it('is told ever lower in any history in which nobody pays in', async () => {
    const amounts = fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 4, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(amounts, async (spent) => {
        account.left = (minute) =>
          spent.slice(Math.max(0, Math.round(minute / DAY))).reduce((sum, one) => sum + one, 10);
        desk.said.length = 0;
        await days(await subscribed(desk, { report: 'balance' }), 1, spent.length);
        const told = desk.said.filter(({ how }) => !how.includes(' in ')).map(({ text }) => text);
        const fewest = told.map((text) => Number(/: (\d+)/.exec(text)?.[1] ?? 0));
        expect(fewest.every((one, index) => index === 0 || one < fewest[index - 1]!)).toBe(true);
        expect(told.length).toBeLessThanOrEqual(4);
      }),
      { numRuns: 25 },
    );
  });

  it('is not told again after a restart, a slot that was lost and an answer that did not come', async () => {
    const id = await subscribed(desk, { report: 'balance' });
    await days(id, 0, 6);
    expect(lines()).toHaveLength(1);
    isAway = true;
    await days(id, 7, 7);
    isAway = false;
    await days(id, 8, 12);
    expect(lines()).toHaveLength(1);
  });

  it('is told by the message that was found in the channel where its process died before it could say so', async () => {
    const id = await subscribed(desk, { report: 'balance' });
    await days(id, 0, 5);
    desk.after = () => {
      throw new Error('the process is gone');
    };
    await slot(desk, id, 6 * DAY);
    desk.after = () => undefined;
    expect(lines()).toHaveLength(1);
    desk.found = '1';
    desk.now = at(6 * DAY + 10);
    await runSlot(desk.services, id, at(6 * DAY), new AbortController().signal);
    desk.found = undefined;
    await days(id, 7, 9);
    expect(lines()).toHaveLength(1);
  });
});

describe('what grew', () => {
  it('is the product that cost most more than in the week before, over the end of a month', async () => {
    // Slots of 21 November to 11 December: a dollar a day, and three from 2 December on.
    account.left = (minute) => 280 - (10 * minute) / DAY;
    account.optimizer = (minute) => {
      const day = minute / DAY;
      const spent = day + 2 * Math.max(0, day - 11);
      return day < 9.5 ? 20 + spent : spent - 9.5;
    };
    await days(await subscribed(desk, { report: 'balance' }), 0, 16);
    const [told] = desk.said.filter(({ how }) => !how.includes(' in '));
    expect(told?.text).toMatch(/Rose most in a week: Optimizer, \$\d+\.\d\d → \$\d+\.\d\d \(\+/);
  });

  it('is the zone whose traffic did, with the last day, though another report has read it a day before', async () => {
    // By the hour, 100 bytes until 20 November at noon, and 130 from then on.
    statistics = async ({ dateFrom }) => {
      const BandwidthUsedChart: Record<string, number> = {};
      for (let minute = minuteOf(dateFrom!); minute < minuteOf(desk.now); minute += 60)
        BandwidthUsedChart[at(minute).toISOString()] = minute < -DAY ? 100 : 130;
      return { RequestsServedChart: BandwidthUsedChart, BandwidthUsedChart };
    };
    const id = await subscribed(desk, { report: 'balance' });
    desk.now = at(5 * DAY + 60);
    const [from, to] = [at(-23 * DAY).getTime(), desk.now.getTime()];
    await hours(1, { from, to, age: 60_000, signal: new AbortController().signal });
    await slot(desk, id, 6 * DAY);
    expect(desk.said[0]?.text).toContain('Grew most in a week: shop, 16.8 kB → 21.8 kB (+30%).');
  });

  it('is not known in the first two weeks', async () => {
    account.optimizer = (minute) => minute / DAY;
    await days(await subscribed(desk, { report: 'balance' }), 0, 7);
    expect(desk.said.map(({ text }) => text).join()).not.toContain('Rose most');
  });
});

describe('a balance whose history cannot be read', () => {
  it('is no silence: the owner hears of it once', async () => {
    const refusal = new PlatformError('no', { status: 403, service: 'management', method: 'GET', path: '/statistics' });
    history = () => Promise.reject(refusal);
    await days(await subscribed(desk, { report: 'balance', owner: 'U1' }), 0, 6);
    expect(desk.said.map(({ how }) => how)).toEqual(['tell U1']);
    expect(desk.said[0]?.text).toContain('How fast the balance is spent is not known');
  });
});

describe('the month’s budget', () => {
  it('is told at 50, 75 and 100%, each once a month', async () => {
    // From noon of 21 November on.
    account = {
      ...account,
      left: () => 1e6,
      budget: 100,
      month: (minute) => (minute < 9.5 * DAY ? 44 + (7 * minute) / DAY : (7 * (minute - 9.5 * DAY)) / DAY),
    };
    const id = await subscribed(desk, { report: 'balance' });
    await days(id, 0, 25);
    expect(desk.said.map(({ text }) => /(\d+)% of the month’s budget/.exec(text)?.[1]).filter(Boolean)).toEqual([
      '50',
      '75',
      '100',
      '50',
      '75',
      '100',
    ]);
  });

  it('comes first in the message that tells it', async () => {
    account = { ...account, left: () => 1e6, budget: 100, month: () => 80 };
    await days(await subscribed(desk, { report: 'balance' }), 0, 0);
    expect(lines()).toEqual([
      '🟡 75% of the month’s budget is spent. $1,000,000.00 is left, for more than a year at this week’s rate.',
    ]);
  });

  it('says nothing without one', async () => {
    account = { ...account, left: () => 1e6, budget: undefined, month: () => 1e6 };
    await days(await subscribed(desk, { report: 'balance' }), 0, 3);
    expect(desk.said).toEqual([]);
  });
});
