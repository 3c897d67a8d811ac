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
  zones: readonly { id: number; amount: number }[];
  pending: readonly PendingPayment[];
  /** Ends with what is left now. */
  history: readonly BalanceAt[];
  isHistoryUnread: boolean;
  aDay: number | undefined;
  days: number | undefined;
}

/** Four requests. Throws PlatformFailure if the key may not read the balance; what else it may not read is empty. */
export async function readSpending(
  { billing }: Pick<Platform, 'billing'>,
  { now, ...options }: CallOptions & { now: Date },
): Promise<Spending> {
  const orUnread = <T>(reading: Promise<T>): Promise<T | undefined> =>
    reading.catch((error: unknown) => {
      if (error instanceof PlatformFailure) return undefined;
      throw error;
    });
  const range = { from: new Date(now.getTime() - 30 * DAY), to: now };
  const [account, zones = [], pending = [], known] = await Promise.all([
    billing.get(options),
    orUnread(billing.zones(options)),
    orUnread(billing.pending(options)),
    orUnread(billing.history(range, options)),
  ]);
  const at = now.getTime();
  const { left } = account;
  const before = (known ?? []).filter((point) => point.at < at);
  const history = left === undefined ? before : [...before, { at, left }];
  return {
    ...account,
    zones,
    pending,
    history,
    isHistoryUnread: known === undefined,
    aDay: spentADay(history, at),
    days: left === undefined ? undefined : daysLeft(history, { at, left }),
  };
}
