import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { useFakeServer } from '../fixture.ts';

const server = useFakeServer();
const billing = () => server().platform({ budget: 500 }).billing;

describe('the balance', () => {
  it('is what is available, with charges by product and the payment that is made by itself', async () => {
    server().reply({
      body: {
        Balance: 60,
        AvailableBalance: 42.5,
        ThisMonthCharges: '71.25',
        MonthlyChargesEUTraffic: 40,
        MonthlyChargesOptimizer: 31.25,
        MonthlyChargesStorage: 0,
        MonthlyChargesDNS: null,
        AutomaticRechargeEnabled: true,
        AutomaticRechargeTreshold: 20,
        AutomaticPaymentAmount: 50,
        AutomaticPaymentFailureCount: 2,
      },
    });
    expect(await billing().get()).toEqual({
      left: 42.5,
      month: 71.25,
      budget: 500,
      products: [
        { name: 'Traffic, Europe', amount: 40 },
        { name: 'Optimizer', amount: 31.25 },
      ],
      recharge: { below: 20, amount: 50, failures: 2 },
    });
    expect(server().requests[0]).toMatchObject({ method: 'GET', url: '/billing' });
  });

  it('is unknown where the platform gives none, and not zero', async () => {
    server().reply({ body: { Balance: null, AutomaticRechargeEnabled: false } });
    expect(await billing().get()).toMatchObject({
      left: undefined,
      month: undefined,
      products: [],
      recharge: undefined,
    });
  });

  it('is read without payment methods', async () => {
    server().reply({ body: { Balance: 1, SavedPaymentMethods: [{ Token: 'tok-123', LastFour: '4242' }] } });
    const read = await billing().get();
    expect(JSON.stringify(read) + inspect(read, { depth: 9 })).not.toMatch(/tok-123|4242/);
  });

  it('has a history, in order, whose times are UTC', async () => {
    server().reply({
      body: {
        UserBalanceHistoryChart: {
          '2026-06-11T00:08:03': 8,
          '2026-06-10T00:08:03': 9.5,
          rubbish: 1,
          '2026-06-12T00:08:03': null,
        },
      },
    });
    const range = { from: new Date('2026-06-01T00:00:00Z'), to: new Date('2026-06-12T12:00:00Z') };
    expect(await billing().history(range)).toEqual([
      { at: Date.parse('2026-06-10T00:08:03Z'), left: 9.5 },
      { at: Date.parse('2026-06-11T00:08:03Z'), left: 8 },
    ]);
    expect(server().requests[0]?.url).toBe(
      '/statistics?dateFrom=2026-06-01T00%3A00%3A00Z&dateTo=2026-06-12T12%3A00%3A00Z&loadUserBalanceHistory=true',
    );
    await expect(server().platform({ statisticsExtras: false }).billing.history(range)).resolves.toEqual([]);
    expect(server().requests).toHaveLength(1);
  });
});

describe('charges and payments', () => {
  it('are read by zone, the largest first, and payments only while they are not paid', async () => {
    server().reply({ body: [{ PullZoneId: 1, MonthlyUsage: 2 }, null, { PullZoneId: 2, MonthlyUsage: 9 }] });
    expect(await billing().zones()).toEqual([
      { id: 2, amount: 9 },
      { id: 1, amount: 2 },
    ]);
    server().reply({
      body: [
        { Amount: 100, TaxedAmount: 121, DateDue: '2026-12-01T00:00:00', Paid: false },
        { Amount: 7, Paid: true },
      ],
    });
    expect(await billing().pending()).toEqual([{ amount: 121, due: Date.parse('2026-12-01T00:00:00Z') }]);
  });
});

describe('what a shield zone took beyond its plan', () => {
  it('is asked for the month of the time, in UTC', async () => {
    server().reply({
      body: { shieldZoneId: 5101, totalOverage: 1_840_000, totalCleanRequests: 31_400_000, segments: [] },
    });
    const { billing } = server().platform();
    expect(await billing.overage(5101, new Date('2026-11-30T23:59:00Z'))).toBe(1_840_000);
    expect(server().requests[0]).toMatchObject({
      method: 'GET',
      url: '/shield/metrics/overages/5101?year=2026&month=11',
    });
  });

  it('is nothing where the platform gives no number', async () => {
    server().reply({ body: { totalOverage: null } });
    expect(await billing().overage(5101, new Date(0))).toBe(0);
  });
});
