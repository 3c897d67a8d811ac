import { commandButton } from '../../blocks/buttons.ts';
import { bytes, dollars, percent, type Reading } from '../../blocks/format.ts';
import { actions, message, note } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { readSpending, type Spending } from '../../platform/spending.ts';
import { type BalanceFacts, balanceLine, balanceNotes, balanceTables } from '../../tables/balance.ts';
import { DAY, HOUR } from '../../time.ts';
import { readOr } from '../platform-errors.ts';
import { defineReport, type ReportContext } from '../report.ts';
import { several } from '../several.ts';

interface Reached {
  /** It was told that at most this many days are left. */
  days?: number | undefined;
  /** The least that was left since somebody paid in. */
  left?: number | undefined;
  /** It was told that this many percent of the budget are spent. */
  share?: number | undefined;
  budget?: number | undefined;
  /** `2026-11`: budgets are by the month, in UTC. */
  month: string;
  /** What each product had cost this month, at the slots of the last two weeks. */
  products?: readonly (Pick<Reached, 'month'> & { at: number; cost: Readonly<Record<string, number>> })[];
}

interface Grown {
  name: string;
  before: number;
  now: number;
}

const mostGrown = (all: readonly Grown[]): Grown | undefined =>
  all
    .filter(({ before, now }) => now > 1.2 * before)
    .sort((one, other) => other.now - other.before - (one.now - one.before))[0];

/** The product whose charges grew most. Undefined: none grew, or two weeks of charges are not known. */
function dearerProduct(slots: NonNullable<Reached['products']>, end: number): Grown | undefined {
  if (slots[0] === undefined || slots[0].at > end - 13 * DAY) return undefined;
  const spent = new Map<string, Grown>();
  for (const [index, { at, month, cost }] of slots.entries()) {
    const last = slots[index - 1];
    if (last === undefined) continue;
    for (const [name, charged] of Object.entries(cost)) {
      const grown = spent.get(name) ?? { name, before: 0, now: 0 };
      // Charges begin at zero with each month.
      grown[at > end - 7 * DAY ? 'now' : 'before'] += charged - (last.month === month ? (last.cost[name] ?? 0) : 0);
      spent.set(name, grown);
    }
  }
  return mostGrown([...spent.values()]);
}

interface Collected {
  facts: BalanceFacts & Pick<Spending, 'isHistoryUnread'>;
  reached: Reached;
  /** Which thresholds were reached since the slot before. */
  news: { days: boolean; share: boolean };
  /** The zone whose traffic grew most in a week, in bytes, and the product whose charges did, in US dollars. */
  grown: Grown | undefined;
  dearer: Grown | undefined;
}

/** The one of these zones whose traffic grew most. */
async function grownMost(
  zones: readonly { id: number; name: string }[],
  { hours, to, signal }: ReportContext,
): Promise<Collected['grown']> {
  const [end, week] = [to.getTime(), 7 * DAY];
  const grown = await several(zones, 2, async ({ id, name }) => {
    const read = await readOr(undefined, hours(id, { from: end - 2 * week, to: end, age: HOUR, signal }));
    const sum = (from: number) =>
      Object.entries(read?.hours ?? {})
        .filter(([at]) => Number(at) >= from && Number(at) < from + week)
        .reduce((total, [, { bandwidth }]) => total + bandwidth, 0);
    return read && { name, before: sum(end - 2 * week), now: sum(end - week) };
  });
  return mostGrown(grown.filter((one) => one !== undefined));
}

function grewWords(verb: string, { name, before, now }: Grown, shown: (amount: number) => string, reading: Reading) {
  const by = before === 0 ? '' : ` (+${percent((100 * (now - before)) / before, reading)})`;
  return mrkdwn`${verb} most in a week: ${name}, ${shown(before)} → ${shown(now)}${by}.`;
}

/** Posts when a threshold is passed, each once. */
export const balance = defineReport({
  name: 'balance',
  summary: 'Days until the balance is used up, and the month’s budget: at 14, 7, 3 and 1 days, and at 50, 75 and 100%',
  schedule: 'daily at 9:00',
  args: {},
  needs: ['balance show'],

  async collect(_, context): Promise<Collected> {
    const { platform, to, signal, last } = context;
    const [spending, { items }] = await Promise.all([
      readSpending(platform, { now: to, signal, priority: 'background' }),
      context.zones(),
    ]);
    const before: Partial<Reached> = JSON.parse(last ?? '{}');
    const least = before.left ?? Number.POSITIVE_INFINITY;
    const { left = least, aDay, days, month = Number.NaN, budget = Number.NaN } = spending;
    const end = to.getTime();
    const thisMonth = to.toISOString().slice(0, 7);
    const [daysOf, sharesOf] = [[1, 3, 7, 14] as const, [100, 75, 50] as const];
    const whole = Math.floor(days[0]);
    // Each is told once, until more than a day’s spending was paid in and more days are left, or until a new month.
    const isPaid = left > least + aDay;
    const told: Partial<Reached> = {
      days: isPaid ? daysOf.find((one) => one >= Math.max(whole, before.days ?? Number.NaN)) : before.days,
      share: before.month === thisMonth && before.budget === budget ? before.share : undefined,
    };
    const reached: Reached = {
      days: daysOf.find((one) => one === told.days || one >= whole),
      left: isPaid ? left : Math.min(left, least),
      share: sharesOf.find((one) => one === told.share || 100 * month >= one * budget),
      budget,
      month: thisMonth,
      products: [
        ...(before.products ?? []).filter(({ at }) => at > end - 15 * DAY && at < end),
        { at: end, month: thisMonth, cost: Object.fromEntries(spending.products.map((one) => [one.name, one.amount])) },
      ],
    };
    const news = { days: reached.days !== told.days, share: reached.share !== told.share };
    const zones = spending.zones.flatMap((one) => {
      const zone = items.find(({ Id }) => Id === one.id);
      return zone === undefined ? [] : [{ ...one, name: zone.Name ?? String(one.id) }];
    });
    return {
      facts: { ...spending, zones },
      reached,
      news,
      grown: news.days || news.share ? await grownMost(zones.slice(0, 3), context) : undefined,
      dearer: dearerProduct(reached.products ?? [], end),
    };
  },

  state: ({ reached }) => JSON.stringify(reached),

  unread: ({ facts }) =>
    facts.isHistoryUnread
      ? ['How fast the balance is spent is not known: its history cannot be read with this key.']
      : [],

  render({ facts, reached, news, grown, dearer }, _, reading) {
    if (!news.days && !news.share) return undefined;
    const isUrgent = (news.days && (reached.days ?? 14) <= 3) || (news.share && reached.share === 100);
    const line = balanceLine(facts, reading);
    return message(
      news.share
        ? mrkdwn`${isUrgent ? '🔴' : '🟡'} ${bold(`${reached.share}% of the month’s budget is spent`)}. ${line}`
        : mrkdwn`${isUrgent ? '🔴' : '🟡'} ${line}`,
      dearer && note(grewWords('Rose', dearer, (amount) => dollars(amount, reading), reading)),
      grown && note(grewWords('Grew', grown, (amount) => bytes(amount, reading), reading)),
      ...balanceNotes(facts, reading),
      actions(commandButton('Balance', 'balance show')),
    );
  },

  details: ({ facts }, _, reading) => message(...balanceTables(facts, reading)),
});
