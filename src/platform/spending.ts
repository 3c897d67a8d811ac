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

/**
 * Until nothing is left, in days, and what is spent a day in the last week and in the one before. `monthly`: what the beginning of this
 * month cost by itself, if more than half a day’s spending. It is no daily spending, and is expected again.
 */
export function lasting(all: readonly BalanceAt[], { at, left }: BalanceAt) {
  const month = (of: number, later = 0) => Date.UTC(new Date(of).getUTCFullYear(), new Date(of).getUTCMonth() + later);
  const history = all.filter((one) => one.at <= at);
  const first = history.findLastIndex((one, index) => index > 0 && month(one.at) > history[index - 1]!.at);
  const [before, after] = [history[first - 1], history[first]];
  const usual = before && spentADay(history, before.at);
  const more = usual && after ? before.left - after.left - (usual * (after.at - before.at)) / DAY : 0;
  const monthly = usual && more > usual / 2 ? more : 0;
  const others = history.map((one, index) => (index < first ? { ...one, left: one.left - monthly } : one));
  const aDay = spentADay(others, at);
  const rest = aDay === undefined ? undefined : left <= 0 ? 0 : left / aDay;
  const until = (month(at, 1) - at) / DAY;
  const days = rest && aDay && rest > until ? Math.max(until, rest - monthly / aDay) : rest;
  return { aDay, aDayBefore: spentADay(others, at - 7 * DAY), monthly, days };
}

/** The fewest days since somebody last paid in, so that a quiet weekend takes nothing back. */
export function fewestDays(history: readonly BalanceAt[]): number | undefined {
  const paid = history.findLastIndex(({ left }, index) => index > 0 && left > history[index - 1]!.left);
  const days = history.slice(Math.max(0, paid)).map((point) => lasting(history, point).days);
  const known = days.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

export interface Spending extends Billing, ReturnType<typeof lasting> {
  /** `overage`: requests beyond the plan of its shield, for the five zones that cost most. */
  zones: readonly { id: number; amount: number; overage?: number | undefined }[];
  pending: readonly PendingPayment[];
  /** Ends with what is left now. */
  history: readonly BalanceAt[];
  isHistoryUnread: boolean;
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
    // Without what is left nobody sees them.
    ...lasting(history, { at, left: left ?? 0 }),
  };
}
