import { count, countOf, dollars, type Reading, share, shortDay } from '../blocks/format.ts';
import { note, type Part } from '../blocks/message.ts';
import { bold, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import { right, table } from '../blocks/table.ts';
import type { Spending } from '../platform/spending.ts';

/** Its zones by name. */
export type BalanceFacts = Omit<Spending, 'zones' | 'isHistoryUnread'> & {
  zones: readonly { name: string; amount: number; overage?: number | undefined }[];
};

const MOST_ROWS = 5;

/** `$42.10 is left: 9 days at this week’s $4.60 a day`, or `8 to 13 days, 9 days at this week’s …`. */
export function balanceLine({ left, aDay, days, monthly }: BalanceFacts, reading: Reading): Words {
  if (left === undefined) return 'The platform does not say what is left.';
  const amount = dollars(left, reading);
  if (left <= 0)
    return mrkdwn`${bold(`${amount} is left.`)} The platform switches pull zones off at a negative balance.`;
  if (Number.isNaN(aDay)) return mrkdwn`${bold(`${amount} is left.`)} How fast it is spent is not known yet.`;
  const [fewest, now, most] = [Math.floor(days[0]), Math.floor(days[1]), Math.floor(days[2])];
  if (fewest > 365) return mrkdwn`${bold(`${amount} is left`)}, for more than a year at this week’s rate.`;
  const long = (whole: number) =>
    whole === 0 ? 'less than a day' : whole > 365 ? 'more than 365 days' : countOf(whole, 'day', reading);
  const besides = monthly === 0 ? '' : `, and ${dollars(monthly, reading)} on the 1st of the month`;
  const rate = `at this week’s ${dollars(aDay, reading)} a day${besides}.`;
  if (fewest === most) return mrkdwn`${bold(`${amount} is left: ${long(now)}`)} ${rate}`;
  const range = fewest === 0 ? `less than ${countOf(most + 1, 'day', reading)}` : `${fewest} to ${long(most)}`;
  return mrkdwn`${bold(`${amount} is left: ${range}`)}, ${long(now)} ${rate}`;
}

const isBeyond = ({ overage = 0 }: BalanceFacts['zones'][number]) => overage > 0;

export const balanceNotes = (
  { month, budget, recharge, pending, zones }: BalanceFacts,
  reading: Reading,
): (Part | false)[] => [
  month !== undefined &&
    note(
      `Spent this month: ${dollars(month, reading)}${budget === undefined ? '' : `, ${share(month, budget, reading)} of the budget of ${dollars(budget, reading)}`}.`,
    ),
  recharge !== undefined && note(rechargeWords(recharge, reading)),
  zones.some(isBeyond) &&
    note(
      `Requests beyond the shield’s plan this month: ${zones
        .filter(isBeyond)
        .slice(0, MOST_ROWS)
        .map(({ name, overage = 0 }) => `${name} ${count(overage, reading)}`)
        .join(', ')}.`,
    ),
  ...pending
    .slice(0, MOST_ROWS)
    .map(({ amount, due }) =>
      note(
        `To be paid: ${dollars(amount, reading)}${Number.isNaN(due) ? '' : ` by ${shortDay(new Date(due), reading)}`}.`,
      ),
    ),
];

export function balanceTables({ month, products, zones }: BalanceFacts, reading: Reading): (Part | false)[] {
  const tableBy = (what: string, rows: BalanceFacts['zones']) =>
    rows.length > 0 &&
    table({
      caption: `This month by ${what}${rows.length > MOST_ROWS ? `: top ${MOST_ROWS} of ${count(rows.length)}` : ''}`,
      columns: [what === 'product' ? 'Product' : 'Pull zone', right('Charges'), right('Share')],
      rows: rows
        .slice(0, MOST_ROWS)
        .map(({ name, amount }) => [
          name,
          { value: amount, text: dollars(amount, reading) },
          month === undefined || month === 0
            ? '–'
            : { value: (100 * amount) / month, text: share(amount, month, reading) },
        ]),
    });
  return [tableBy('product', products), tableBy('zone', zones)];
}

function rechargeWords({ below, amount, failures }: NonNullable<BalanceFacts['recharge']>, reading: Reading): Words {
  const paid = amount === undefined ? 'money' : dollars(amount, reading);
  const when = below === undefined ? '' : ` when less than ${dollars(below, reading)} is left`;
  const failed = bold(`The last ${failures === 1 ? 'payment' : `${count(failures)} payments`} failed.`);
  return mrkdwn`${paid} is paid in by itself${when}.${failures === 0 ? '' : mrkdwn` ${failed}`}`;
}
