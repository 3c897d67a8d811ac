import { insteadOf } from '../errors.ts';
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
    // A week has each weekday once. Its days begin some minutes earlier or later.
    if (next === undefined || at < until - 7.1 * DAY || next.at > until + 0.1 * DAY || next.left > left) continue;
    spent += left - next.left;
    known += next.at - at;
  }
  return known < 2 * DAY ? undefined : (spent / known) * DAY;
}

/**
 * What a day costs, and the days until nothing is left: the fewest, those at this week’s rate and the most. NaN: that is not known.
 * `monthly`: what the beginning of this month cost by itself, if more than half a day’s spending. It is expected again.
 */
export function lasting(history: readonly BalanceAt[], now: BalanceAt) {
  const { at, left } = now;
  const month = (later: number) => Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth() + later);
  const past = history.filter((one) => one.at < at);
  const known = Number.isNaN(left) ? past : [...past, now];
  // What the 1st costs by itself is charged in the course of that day.
  const [before, after] = [0, 1.1 * DAY].map((more) => known.findLast((one) => one.at <= month(0) + more));
  const [from, to] = [before?.at ?? 0, after?.at ?? 0];
  const usual = spentADay(past, from);
  const more = usual && before && after ? before.left - after.left - (usual * (to - from)) / DAY : 0;
  const monthly = usual && more > usual / 2 ? more : 0;
  // The hours since the last point are left out: a night costs less than a day.
  const days = (at - (past.at(-1)?.at ?? 0) > 0.9 * DAY ? known : past)
    .filter((one) => one.at <= from || one.at >= to)
    .map((one) => (one.at <= from ? { ...one, left: one.left - monthly } : one));
  const weeks = [0, 7, 14]
    .map((back) => spentADay(days, (days.at(-1)?.at ?? 0) - back * DAY))
    .filter((one) => one !== undefined);
  const [least, most] = [Math.min(...weeks), Math.max(...weeks)];
  const [week = Number.NaN] = weeks;
  // Weeks that differ by a fifth say little about the next.
  const [low, high] = most > 1.2 * least ? [least / 1.1, 1.1 * most] : [week, week];
  const rest = (aDay: number) => {
    const next = (month(1) - at) / DAY;
    return left <= 0 ? 0 : left / aDay > next ? Math.max(next, (left - monthly) / aDay) : left / aDay;
  };
  return { aDay: week, days: [rest(high), rest(week), rest(low)] as const, monthly };
}

export interface Spending extends Billing, ReturnType<typeof lasting> {
  /** `overage`: requests beyond the plan of its shield, for the five zones that cost most. */
  zones: readonly { id: number; amount: number; overage?: number | undefined }[];
  pending: readonly PendingPayment[];
  isHistoryUnread: boolean;
}

/** Throws PlatformFailure if the key may not read the balance; what else it may not read is empty. */
export async function readSpending(
  { billing, shieldZones }: Pick<Platform, 'billing' | 'shieldZones'>,
  { now, ...options }: CallOptions & { now: Date },
): Promise<Spending> {
  const orUnread = <T>(reading: Promise<T>): Promise<T | undefined> =>
    reading.catch(insteadOf((error) => error instanceof PlatformFailure, undefined));
  const range = { from: new Date(now.getTime() - 40 * DAY), to: now };
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
  return {
    ...account,
    zones: zones.map((zone, index) => ({ ...zone, overage: overages[index] })),
    pending,
    isHistoryUnread: known === undefined,
    ...lasting(known ?? [], { at: now.getTime(), left: account.left ?? Number.NaN }),
  };
}
