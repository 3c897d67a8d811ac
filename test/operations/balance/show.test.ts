import { describe, expect, it } from 'vitest';
import { runReport } from '../../../src/operations/report/run.ts';
import { subscribeReport } from '../../../src/operations/report/subscribe.ts';
import { PlatformError } from '../../../src/platform/errors.ts';
import { reports } from '../../../src/reports/index.ts';
import { useSimulated } from '../database/simulated.ts';
import { blockText, contextOf, NOW, prepare } from '../performing.ts';

const DAY = 86_400_000;
const ACCOUNT = { left: 42, month: 80, budget: undefined, products: [], recharge: undefined };
const steady = Array.from({ length: 30 }, (_, day) => ({
  at: NOW.getTime() - (30 - day) * DAY,
  left: 42 + 6 * (30 - day),
}));
const billing = (more: object = {}, history = steady) => ({
  get: async () => ({ ...ACCOUNT, ...more }),
  zones: async () => [{ id: 1, amount: 60 }],
  pending: async () => [{ amount: 121, due: Date.parse('2026-12-01T00:00:00Z') }],
  history: async () => history,
  overage: async (shieldZone: number) => (shieldZone === 12 ? 1_840_000 : 0),
});
const shieldZones = { mapping: async () => [{ shieldZoneId: 12, pullZoneId: 1 }] };
const said = async (more: object = {}, history = steady) => {
  const setting = {
    platform: { billing: billing(more, history), shieldZones },
    lists: { zones: [{ Id: 1, Name: 'shop', Hostnames: [] }] },
  };
  return blockText(await (await prepare('balance show', setting)).run());
};

describe('balance show', () => {
  it.each([runReport, subscribeReport])(
    'is a right that the report of the balance needs, too: $name',
    async ({ args }) => {
      const all = () => reports.map((one) => ({ ...one, thresholds: {} }));
      const { policy, ...context } = contextOf({ reports: { all } });
      const asked = (mayShow: boolean) => {
        const may = (name: string) => mayShow || name !== 'balance show';
        return (async () => args.report.resolve('balance', { ...context, policy: { ...policy, may } }))();
      };
      await expect(asked(false)).rejects.toThrow('The report balance is for people who may run balance show.');
      await expect(asked(true)).resolves.toBeDefined();
    },
  );

  it('says how long the balance lasts, of what it is spent and what is to be paid', async () => {
    const text = await said({ budget: 160, products: [{ name: 'Traffic, Europe', amount: 60 }] });
    expect(text).toContain('*$42.00 is left: 7 days* at this week’s $6.00 a day.');
    expect(text).toContain('Spent this month: $80.00, 50% of the budget of $160.00.');
    expect(text).toContain('To be paid: $121.00 by Dec 1.');
    expect(text).toContain('shop');
    expect(text).toContain('75%');
    expect(text).toContain('Requests beyond the shield’s plan this month: shop 1,840,000.');
  });

  it.each([
    [{ left: undefined }, steady, 'The platform does not say what is left.'],
    [{ left: -3 }, steady, '*-$3.00 is left.* The platform switches pull zones off at a negative balance.'],
    [{}, [], '*$42.00 is left.* How fast it is spent is not known yet.'],
    [{ left: 1 }, steady, '*$1.00 is left: less than a day* at'],
    [{ left: 6_000_000 }, steady, 'for more than a year at this week’s rate.'],
  ])('says of %j what is known', async (more, history, words) => {
    expect(await said(more, history)).toContain(words);
  });

  it('gives a range where the last weeks differ', async () => {
    const at = (day: number) => NOW.getTime() - day * DAY;
    const dearer = Array.from({ length: 20 }, (_, index) => 20 - index).map((day) => ({
      at: at(day),
      left: 42 + 6 * Math.min(day, 7) + 3 * Math.max(0, day - 7),
    }));
    expect(await said({}, dearer)).toContain('*$42.00 is left: 6 to 15 days*, 7 days at this week’s $6.00 a day.');
  });

  it('says that the payment that is made by itself failed', async () => {
    expect(await said({ recharge: { below: 20, amount: 50, failures: 2 } })).toContain(
      '$50.00 is paid in by itself when less than $20.00 is left. *The last 2 payments failed.*',
    );
  });

  it('passes on that the key may not read it', async () => {
    const refusal = new PlatformError('no', { status: 401, service: 'management', method: 'GET', path: '/billing' });
    const platform = { billing: { ...billing(), get: () => Promise.reject(refusal) }, shieldZones };
    await expect((await prepare('balance show', { platform })).run()).rejects.toBe(refusal);
  });

  const simulated = useSimulated();
  it('reads the playground’s account', async () => {
    const { message } = await (await simulated.perform('balance show')).run();
    expect(message.text).toMatch(/\$\d+\.\d\d is left: \d+ days/);
    for (const path of ['/billing', '/billing/summary', '/billing/payment-requests', '/statistics'])
      expect(simulated.queriesOf(path)).toHaveLength(1);
    expect(message.text).toMatch(/Requests beyond the shield’s plan this month: [a-z-]+ 1,840,000/);
  });
});
