import * as z from 'zod';
import { toWireInstant } from '../dates.ts';
import { maybe, maybeBoolean, maybeNumber, momentOf, numericId, recordsOf, shortText } from '../shapes.ts';
import { type CallOptions, endpoint, type Transport } from '../transport.ts';

/** Wire name → product. Source: docs/platform.md, GET /billing. */
const PRODUCTS = {
  MonthlyChargesEUTraffic: 'Traffic, Europe',
  MonthlyChargesUSTraffic: 'Traffic, North America',
  MonthlyChargesASIATraffic: 'Traffic, Asia and Oceania',
  MonthlyChargesAFTraffic: 'Traffic, Africa',
  MonthlyChargesSATraffic: 'Traffic, South America',
  MonthlyChargesStorage: 'Storage',
  MonthlyChargesDNS: 'DNS',
  MonthlyChargesOptimizer: 'Optimizer',
  MonthlyChargesTranscribe: 'Transcription',
  MonthlyChargesPremiumEncoding: 'Video encoding',
  MonthlyChargesExtraPullZones: 'Extra pull zones',
  MonthlyChargesExtraStorageZones: 'Extra storage zones',
  MonthlyChargesExtraDnsZones: 'Extra DNS zones',
  MonthlyChargesExtraVideoLibraries: 'Extra video libraries',
  MonthlyChargesScripting: 'Edge scripts',
  MonthlyChargesDrm: 'DRM',
  MonthlyChargesMagicContainers: 'Container apps',
  MonthlyChargesShield: 'Shield',
  MonthlyChargesWebSockets: 'WebSockets',
  MonthlyChargesDB: 'Databases',
  MonthlyChargesLoadBalancer: 'Load balancer',
  MonthlyChargesTaxes: 'Taxes',
} as const;

const product = maybe(z.number().nonnegative());

/** Payment methods are not read. */
const billing = z.object({
  Balance: maybeNumber,
  AvailableBalance: maybeNumber,
  ThisMonthCharges: maybeNumber,
  AutomaticRechargeEnabled: maybeBoolean,
  AutomaticRechargeTreshold: maybeNumber,
  AutomaticPaymentAmount: maybeNumber,
  AutomaticPaymentFailureCount: maybeNumber,
  ...(Object.fromEntries(Object.keys(PRODUCTS).map((name) => [name, product])) as Record<
    keyof typeof PRODUCTS,
    typeof product
  >),
});

const zoneCharge = z.object({ PullZoneId: z.number(), MonthlyUsage: maybeNumber });

const overage = z.object({ totalOverage: maybeNumber });

const paymentRequest = z.object({
  Amount: maybeNumber,
  TaxedAmount: maybeNumber,
  DateDue: maybe(shortText),
  Paid: maybeBoolean,
});

/** What the account had, in US dollars, at a time in Unix milliseconds. */
export interface BalanceAt {
  at: number;
  left: number;
}

const statistics = z.object({
  UserBalanceHistoryChart: maybe(
    z.record(z.string(), z.unknown()).transform((chart): BalanceAt[] =>
      Object.entries(chart)
        .slice(0, 20_000)
        .map(([key, value]) => ({ at: momentOf(key), left: maybeNumber.parse(value) ?? Number.NaN }))
        .filter(({ at, left }) => !Number.isNaN(at) && !Number.isNaN(left))
        .sort((one, other) => one.at - other.at),
    ),
  ),
});

/** All amounts are US dollars. */
export interface Billing {
  left: number | undefined;
  /** Charges of this month so far. */
  month: number | undefined;
  /** What the settings allow a month. */
  budget: number | undefined;
  /** Charges of this month above zero, the largest first. */
  products: readonly { name: string; amount: number }[];
  /** The automatic payment when less than `below` is left. */
  recharge: { below: number | undefined; amount: number | undefined; failures: number } | undefined;
}

export interface PendingPayment {
  amount: number;
  /** In Unix milliseconds; NaN if the platform gives no time. */
  due: number;
}

export function createBilling(
  transport: Transport,
  { budget, extras }: { budget: number | undefined; extras: boolean },
) {
  return {
    async get(options?: CallOptions) {
      const read = await transport.read(endpoint('GET /billing'), billing, options);
      const charged = Object.entries(PRODUCTS).map(([wire, name]) => ({
        name,
        amount: read[wire as keyof typeof PRODUCTS] ?? 0,
      }));
      return {
        left: read.AvailableBalance ?? read.Balance,
        month: read.ThisMonthCharges,
        budget,
        products: charged.filter(({ amount }) => amount > 0).sort((one, other) => other.amount - one.amount),
        recharge:
          read.AutomaticRechargeEnabled === true
            ? {
                below: read.AutomaticRechargeTreshold,
                amount: read.AutomaticPaymentAmount,
                failures: read.AutomaticPaymentFailureCount ?? 0,
              }
            : undefined,
      };
    },

    /** Charges of this month by pull zone, the largest first. */
    async zones(options?: CallOptions) {
      const read = await transport.read(endpoint('GET /billing/summary'), recordsOf(zoneCharge), options);
      return read
        .map(({ PullZoneId, MonthlyUsage = 0 }) => ({ id: PullZoneId, amount: MonthlyUsage }))
        .sort((one, other) => other.amount - one.amount);
    },

    async pending(options?: CallOptions) {
      const read = await transport.read(endpoint('GET /billing/payment-requests'), recordsOf(paymentRequest), options);
      return read
        .filter(({ Paid }) => Paid === false)
        .map(({ Amount, TaxedAmount, DateDue }) => ({ amount: TaxedAmount ?? Amount ?? 0, due: momentOf(DateDue) }));
    },

    /** Requests beyond the plan of a shield zone, in the month of this time. */
    async overage(shieldZone: number, at: Date, options?: CallOptions) {
      const asked = endpoint('GET /shield/metrics/overages/{shieldZoneId}', numericId(shieldZone, 'shield zone'));
      const query = { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1 };
      return (await transport.read({ ...asked, query }, overage, options)).totalOverage ?? 0;
    },

    /** Oldest first; some points a day. */
    async history({ from, to }: { from: Date; to: Date }, options?: CallOptions) {
      if (!extras) return [];
      const query = { dateFrom: toWireInstant(from), dateTo: toWireInstant(to), loadUserBalanceHistory: true };
      const read = await transport.read({ ...endpoint('GET /statistics'), query }, statistics, options);
      return read.UserBalanceHistoryChart ?? [];
    },
  };
}
