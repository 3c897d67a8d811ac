import { DAY } from '../time.ts';
import type { Platform } from './client.ts';
import { PlatformFailure } from './errors.ts';
import type { BalanceAt, Billing, PendingPayment } from './resources/billing.ts';
import type { CallOptions } from './transport.ts';

/** US dollars a day in the week before, from the times in which nobody paid in. Undefined: less than two days are known. */
export function spentADay(history: readonly BalanceAt[], until: number): number | undefined {
  let [spent, known] = [0, 0];
  for (const [index, { at, left }] of history.entries()) {
    const next = history[index + 1];
    // A week has each weekday once.
    if (next === undefined || at < until - 7 * DAY || next.at > until || next.left > left) continue;
    spent += left - next.left;
    known += next.at - at;
  }
  return known < 2 * DAY ? undefined : (spent / known) * DAY;
}

/** How many days the balance lasts. Infinite: nothing is spent. */
export function daysLeft(history: readonly BalanceAt[], { at, left }: BalanceAt): number | undefined {
  const rate = spentADay(history, at);
  if (rate === undefined) return undefined;
  return left <= 0 ? 0 : left / rate;
}

/** The fewest days since somebody last paid in, so that a quiet weekend takes nothing back. */
export function fewestDays(history: readonly BalanceAt[]): number | undefined {
  const paid = history.findLastIndex(({ left }, index) => index > 0 && left > history[index - 1]!.left);
  const days = history.slice(Math.max(0, paid)).map((point) => daysLeft(history, point));
  const known = days.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

export interface Spending extends Billing {
  /** `overage`: requests beyond the plan of its shield, for the five zones that cost most. */
  zones: readonly { id: number; amount: number; overage?: number | undefined }[];
  pending: readonly PendingPayment[];
  /** Ends with what is left now. */
  history: readonly BalanceAt[];
  isHistoryUnread: boolean;
  aDay: number | undefined;
  /** The same, in the week before that. */
  aDayBefore: number | undefined;
  days: number | undefined;
}

/** Throws PlatformFailure if the key may not read the balance; what else it may not read is empty. */
export async function readSpending(
  { billing, shieldZones }: Pick<Platform, 'billing' | 'shieldZones'>,
  { now, ...options }: CallOptions & { now: Date },
): Promise<Spending> {
  const orUnread = <T>(reading: Promise<T>): Promise<T | undefined> =>
    reading.catch((error: unknown) => {
      if (error instanceof PlatformFailure) return undefined;
      throw error;
    });
  const range = { from: new Date(now.getTime() - 30 * DAY), to: now };
  const [account, zones = [], pending = [], known, shields = []] = await Promise.all([
    billing.get(options),
    orUnread(billing.zones(options)),
    orUnread(billing.pending(options)),
    orUnread(billing.history(range, options)),
    orUnread(shieldZones.mapping(options)),
  ]);
  const overages = await Promise.all(
    zones.slice(0, 5).map(async ({ id }) => {
      const shield = shields.find(({ pullZoneId }) => pullZoneId === id);
      return shield && (await orUnread(billing.overage(shield.shieldZoneId, now, options)));
    }),
  );
  const at = now.getTime();
  const { left } = account;
  const before = (known ?? []).filter((point) => point.at < at);
  const history = left === undefined ? before : [...before, { at, left }];
  return {
    ...account,
    zones: zones.map((zone, index) => ({ ...zone, overage: overages[index] })),
    pending,
    history,
    isHistoryUnread: known === undefined,
    aDay: spentADay(history, at),
    aDayBefore: spentADay(history, at - 7 * DAY),
    days: left === undefined ? undefined : daysLeft(history, { at, left }),
  };
}
