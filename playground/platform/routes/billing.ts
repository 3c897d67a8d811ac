import { chartKey, DAY, startOfDay } from '../clock.ts';
import { fractionOf } from '../random.ts';
import type { Incoming } from '../server.ts';
import type { Simulation, SimulationRoute } from '../simulation.ts';

/** What the account has, what it spends and on what. */
export const billingRoutes: SimulationRoute[] = [
  { method: 'GET', path: '/billing', spec: false, answer: showBilling },
  { method: 'GET', path: '/billing/summary', spec: false, answer: showSummary },
  { method: 'GET', path: '/shield/metrics/overages/{zone}', spec: false, answer: showOverages },
  { method: 'GET', path: '/billing/payment-requests', spec: false, answer: () => ({ status: 200, body: [] }) },
];

/** Somebody pays in that often. */
const PAID_EVERY = 28 * DAY;
const PAID = 140;
const LEAST = 15;

/** The shares of what is spent. */
const PRODUCTS = {
  MonthlyChargesEUTraffic: 0.46,
  MonthlyChargesUSTraffic: 0.21,
  MonthlyChargesASIATraffic: 0.09,
  MonthlyChargesOptimizer: 0.1,
  MonthlyChargesMagicContainers: 0.08,
  MonthlyChargesScripting: 0.04,
  MonthlyChargesDB: 0.02,
};

const cents = (dollars: number): number => Math.round(100 * dollars) / 100;

/** Dollars that are spent in a stretch of time. Each day has its own rate. */
function spent(seed: number, from: number, to: number): number {
  let sum = 0;
  for (let day = startOfDay(from); day < to; day += DAY) {
    const part = (Math.min(to, day + DAY) - Math.max(from, day)) / DAY;
    sum += part * (4 + 1.6 * fractionOf(seed, day, 'charges'));
  }
  return sum;
}

/** Dollars that are left at a moment. */
function balanceAt(seed: number, at: number): number {
  const paidAt = at - (at % PAID_EVERY);
  return cents(LEAST + PAID - spent(seed, paidAt, at));
}

/** `UserBalanceHistoryChart`: its keys have no Z, and are not full hours. */
export function balanceChart(seed: number, from: number, to: number): Record<string, number> {
  const chart: Record<string, number> = {};
  for (let day = startOfDay(from); day < to; day += DAY) {
    const at = day + 483_000;
    if (at < to) chart[chartKey(day).replace('00:00Z', '08:03')] = balanceAt(seed, at);
  }
  return chart;
}

function monthOf({ seed, now }: Simulation): number {
  const at = now();
  return spent(seed, Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1), at.getTime());
}

function showBilling(simulation: Simulation): ReturnType<SimulationRoute['answer']> {
  const [left, month] = [balanceAt(simulation.seed, simulation.now().getTime()), monthOf(simulation)];
  const products = Object.entries(PRODUCTS).map(([name, share]) => [name, cents(share * month)]);
  return {
    status: 200,
    body: {
      Balance: left,
      AvailableBalance: left,
      CouponBalance: 0,
      ThisMonthCharges: cents(month),
      LastRechargeBalance: PAID,
      BillingRecords: [],
      ...Object.fromEntries(products),
      MonthlyChargesStorage: 0,
      MonthlyChargesShield: 0,
      BillingEnabled: true,
      AutomaticRechargeEnabled: false,
      AutomaticRechargeTreshold: 0,
      AutomaticPaymentAmount: 0,
      AutomaticPaymentFailureCount: 0,
      SavedPaymentMethods: [],
    },
  };
}

/** `GET /shield/metrics/overages/{shieldZoneId}` */
function showOverages({ account, now }: Simulation, { params }: Incoming): ReturnType<SimulationRoute['answer']> {
  const shieldZone = account.shieldZones.find(({ shieldZoneId }) => String(shieldZoneId) === params.zone);
  if (!shieldZone) return { status: 404, body: { title: 'Not Found', status: 404 } };
  const [year, month] = [now().getUTCFullYear(), now().getUTCMonth() + 1];
  const counts = { totalOverage: shieldZone.planType === 1 ? 1_840_000 : 0, totalCleanRequests: 31_400_000 };
  return { status: 200, body: { shieldZoneId: shieldZone.shieldZoneId, year, month, ...counts, segments: [] } };
}

/** Larger zones spend more; nobody looks at the exact shares. */
function showSummary(simulation: Simulation): ReturnType<SimulationRoute['answer']> {
  const weights = simulation.account.zones.map(({ Id, MonthlyBandwidthUsed: bytes }) => ({ Id, bytes }));
  const all = weights.reduce((sum, { bytes }) => sum + bytes, 0);
  const month = monthOf(simulation);
  return {
    status: 200,
    body: weights.map(({ Id, bytes }) => ({
      PullZoneId: Id,
      MonthlyUsage: all === 0 ? 0 : cents((0.76 * month * bytes) / all),
      MonthlyBandwidthUsed: bytes,
    })),
  };
}
