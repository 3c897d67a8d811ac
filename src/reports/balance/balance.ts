import { type BalanceFacts, balanceLine, balanceNotes, balanceTables } from '../../blocks/balance.ts';
import { commandButton } from '../../blocks/buttons.ts';
import { bytes, percent } from '../../blocks/format.ts';
import { actions, message, note } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { fewestDays, readSpending, type Spending } from '../../platform/spending.ts';
import { DAY } from '../../time.ts';
import { isPlatforms } from '../platform-errors.ts';
import { defineReport, type ReportContext } from '../report.ts';
import { several } from '../several.ts';

interface Reached {
  /** At most so many days are left. */
  days?: number | undefined;
  /** So many percent of the budget are spent. */
  share?: number | undefined;
  /** `2026-11`: budgets are by the month, in UTC. */
  month: string;
}

interface Collected {
  facts: BalanceFacts & Pick<Spending, 'isHistoryUnread'>;
  reached: Reached;
  /** What was reached since the slot before. */
  news: { days: boolean; share: boolean };
  /** The zone whose traffic grew most in a week, in bytes. */
  grown: { name: string; before: number; now: number } | undefined;
}

/** Of the zones that cost most. */
async function grownMost(
  zones: readonly { id: number; name: string }[],
  { hours, to, signal }: ReportContext,
): Promise<Collected['grown']> {
  const [end, week] = [to.getTime(), 7 * DAY];
  const grown = await several(zones, 2, async ({ id, name }) => {
    try {
      const read = await hours(id, { from: end - 2 * week, to: end, age: DAY, signal });
      const sum = (from: number) =>
        Object.entries(read.hours)
          .filter(([at]) => Number(at) >= from && Number(at) < from + week)
          .reduce((total, [, { bandwidth }]) => total + bandwidth, 0);
      return { name, before: sum(end - 2 * week), now: sum(end - week) };
    } catch (error) {
      if (!isPlatforms(error)) throw error;
      return undefined;
    }
  });
  const most = grown
    .filter((one) => one !== undefined)
    .sort((one, other) => other.now - other.before - (one.now - one.before))[0];
  return most !== undefined && most.now > 1.2 * most.before ? most : undefined;
}

/** Posts when a threshold is passed, each once. */
export const balance = defineReport({
  name: 'balance',
  summary: 'Days until the balance is used up, and the month’s budget: at 14, 7, 3 and 1 days, and at 50, 75 and 100%',
  schedule: '0 9 * * *',
  args: {},

  async collect(_, context): Promise<Collected> {
    const { platform, to, signal, last } = context;
    const [spending, { items }] = await Promise.all([
      readSpending(platform, { now: to, signal, priority: 'background' }),
      context.zones(),
    ]);
    const { history, month, budget } = spending;
    const fewest = fewestDays(history);
    const before: Partial<Reached> = last === undefined ? {} : JSON.parse(last);
    const thisMonth = to.toISOString().slice(0, 7);
    const sharesTold = before.month === thisMonth ? before.share : undefined;
    const reached: Reached = {
      // What could not be read this time was reached all the same.
      // Each is told once until somebody pays in, or a new month begins.
      days: fewest === undefined ? before.days : ([1, 3, 7, 14] as const).find((days) => fewest <= days),
      share:
        budget === undefined || month === undefined
          ? sharesTold
          : ([100, 75, 50] as const).find((one) => 100 * month >= one * budget),
      month: thisMonth,
    };
    const news = {
      days: (reached.days ?? Number.POSITIVE_INFINITY) < (before.days ?? Number.POSITIVE_INFINITY),
      share: (reached.share ?? 0) > (sharesTold ?? 0),
    };
    const zones = spending.zones.flatMap(({ id, amount }) => {
      const zone = items.find(({ Id }) => Id === id);
      return zone === undefined ? [] : [{ id, amount, name: zone.Name ?? String(id) }];
    });
    return {
      facts: { ...spending, zones },
      reached,
      news,
      grown: news.days || news.share ? await grownMost(zones.slice(0, 3), context) : undefined,
    };
  },

  state: ({ reached }) => JSON.stringify(reached),

  unread: ({ facts }) =>
    facts.isHistoryUnread
      ? ['How fast the balance is spent is not known: its history cannot be read with this key.']
      : [],

  render({ facts, reached, news, grown }, _, reading) {
    if (!news.days && !news.share) return undefined;
    const isUrgent = (news.days && (reached.days ?? 14) <= 3) || (news.share && reached.share === 100);
    const line = balanceLine(facts, reading);
    return message(
      news.share
        ? mrkdwn`${isUrgent ? '🔴' : '🟡'} ${bold(`${reached.share}% of the month’s budget is spent`)}. ${line}`
        : mrkdwn`${isUrgent ? '🔴' : '🟡'} ${line}`,
      grown &&
        note(
          mrkdwn`Grew most in a week: ${grown.name}, ${bytes(grown.before, reading)} → ${bytes(grown.now, reading)}${grown.before === 0 ? '' : ` (+${percent((100 * (grown.now - grown.before)) / grown.before, reading)})`}.`,
        ),
      ...balanceNotes(facts, reading),
      actions(commandButton('Balance', 'balance show')),
    );
  },

  details: ({ facts }, _, reading) => message(...balanceTables(facts, reading)),
});
