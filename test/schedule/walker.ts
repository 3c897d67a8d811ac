/**
 * A second opinion on slots, naive on purpose and sharing nothing with src/: the main loop of vixie cron, minute by minute.
 * It keeps a virtual clock; when the local clock jumps ahead, fixed times in between are caught up at once, and while it is
 * behind (the hour is repeated) only wildcards run. Clocks are followed by asking Intl every hour.
 */

const MINUTE = 60_000;
const HOUR = 60;
/** Minutes; a larger change is a correction of the clock. */
const LONGEST_JUMP = 180;

/** Which of up to 60 expressions have a value: two halves, since a bit mask has 32 bits. */
interface Mask {
  low: number;
  high: number;
}

interface Table {
  minutes: Mask[];
  hours: Mask[];
  days: Mask[];
  months: Mask[];
  weekdays: Mask[];
  /** Expressions of which either day field begins with a star. */
  starred: Mask;
  /** Expressions of which the minute or the hour field begins with a star. */
  wild: Mask;
}

const NAMES: Record<string, number> = Object.fromEntries([
  ...'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ').map((name, index) => [name, index + 1]),
  ...'sun mon tue wed thu fri sat'.split(' ').map((name, index) => [name, index]),
]);

function set(mask: Mask, bit: number): void {
  if (bit < 30) mask.low |= 1 << bit;
  else mask.high |= 1 << (bit - 30);
}

const empty = (): Mask => ({ low: 0, high: 0 });

/** Whether a value is one of a field's: read anew for each value. */
function fits(field: string, value: number, lowest: number, highest: number): boolean {
  return field.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [from, to] = range === '*' ? [lowest, highest] : range.split('-').map((end) => NAMES[end] ?? Number(end));
    return value >= from! && value <= (to ?? from!) && (value - from!) % Number(step) === 0;
  });
}

function tableOf(expressions: readonly string[]): Table {
  const masks = (size: number) => Array.from({ length: size }, empty);
  const table: Table = {
    minutes: masks(60),
    hours: masks(24),
    days: masks(32),
    months: masks(13),
    weekdays: masks(7),
    starred: empty(),
    wild: empty(),
  };
  for (const [bit, expression] of expressions.entries()) {
    const [minute = '', hour = '', day = '', month = '', weekday = ''] = expression.split(' ');
    for (let value = 0; value < 60; value += 1) if (fits(minute, value, 0, 59)) set(table.minutes[value]!, bit);
    for (let value = 0; value < 24; value += 1) if (fits(hour, value, 0, 23)) set(table.hours[value]!, bit);
    for (let value = 1; value < 32; value += 1) if (fits(day, value, 1, 31)) set(table.days[value]!, bit);
    for (let value = 1; value < 13; value += 1) if (fits(month, value, 1, 12)) set(table.months[value]!, bit);
    for (let value = 0; value < 8; value += 1) if (fits(weekday, value, 0, 7)) set(table.weekdays[value % 7]!, bit);
    if (day.startsWith('*') || weekday.startsWith('*')) set(table.starred, bit);
    if (minute.startsWith('*') || hour.startsWith('*')) set(table.wild, bit);
  }
  return table;
}

/** Minutes that a zone's clocks are ahead of UTC, for each minute: known for the hour when both its ends agree. */
function createClock(timezone: string): (minute: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' });
  const ask = (minute: number) => {
    const local = `${format.format(minute * MINUTE).replace(' ', 'T')}Z`;
    return Math.round(Date.parse(local) / MINUTE) - minute;
  };
  let hour = Number.NaN;
  let start = 0;
  let end = 0;
  return (minute) => {
    const current = Math.floor(minute / HOUR);
    if (current !== hour) {
      start = current === hour + 1 ? end : ask(current * HOUR);
      end = ask((current + 1) * HOUR);
      hour = current;
    }
    return start === end ? start : ask(minute);
  };
}

/** Calls `slot` for each slot of each expression (by its index) between two instants, both included, in order of time. */
export function walk(
  expressions: readonly string[],
  timezone: string,
  from: Date,
  to: Date,
  slot: (expression: number, at: number) => void,
): void {
  const table = tableOf(expressions);
  const offsetOf = createClock(timezone);
  const first = Math.ceil(from.getTime() / MINUTE);
  const last = Math.floor(to.getTime() / MINUTE);
  let date = Number.NaN;
  let lowOn = 0;
  let highOn = 0;

  /** The expressions that name a local minute. */
  const found = empty();
  const match = (local: number): Mask => {
    const day = Math.floor(local / 1440);
    if (day !== date) {
      date = day;
      const at = new Date(day * 86_400_000);
      const month = table.months[at.getUTCMonth() + 1]!;
      const byDay = table.days[at.getUTCDate()]!;
      const byWeekday = table.weekdays[at.getUTCDay()]!;
      const { starred } = table;
      lowOn = month.low & ((starred.low & byDay.low & byWeekday.low) | (~starred.low & (byDay.low | byWeekday.low)));
      highOn =
        month.high & ((starred.high & byDay.high & byWeekday.high) | (~starred.high & (byDay.high | byWeekday.high)));
    }
    const minute = table.minutes[local - day * 1440 - Math.floor((local - day * 1440) / 60) * 60]!;
    const hour = table.hours[Math.floor((local - day * 1440) / 60)]!;
    found.low = lowOn & minute.low & hour.low;
    found.high = highOn & minute.high & hour.high;
    return found;
  };

  // Two days of running up, for a change of the clocks just before.
  const begin = first - 2 * 1440;
  let virtual = begin + offsetOf(begin) - 1;
  for (let minute = begin; minute <= last; minute += 1) {
    const local = minute + offsetOf(minute);
    const ahead = local - virtual;
    let { low, high } = match(local);
    if (ahead !== 1) {
      low &= table.wild.low;
      high &= table.wild.high;
      if (ahead > 1 && ahead <= LONGEST_JUMP + 1) {
        for (let missed = virtual + 1; missed <= local; missed += 1) {
          const fixed = match(missed);
          low |= fixed.low & ~table.wild.low;
          high |= fixed.high & ~table.wild.high;
        }
        virtual = local;
      } else if (ahead > 1 || ahead < -LONGEST_JUMP) {
        ({ low, high } = match(local));
        virtual = local;
      }
    } else virtual = local;
    if ((low | high) === 0 || minute < first) continue;
    for (; low !== 0; low &= low - 1) slot(31 - Math.clz32(low & -low), minute * MINUTE);
    for (; high !== 0; high &= high - 1) slot(61 - Math.clz32(high & -high), minute * MINUTE);
  }
}
