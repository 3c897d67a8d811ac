import { offsetAt } from '../../schedule/offsets.ts';
import { DAY, HOUR, isoDay } from '../../time.ts';

/** A calendar day in a time zone. Not every day has 24 hours. */
export interface ReportDay {
  date: string;
  from: Date;
  /** Exclusive. */
  to: Date;
  hours: number;
}

/** Midnight, or what follows it if the clocks skip it. */
function startOf(date: string, timezone: string): number {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // One of the offsets half a day before and after midnight holds at midnight.
  const offsets = [-DAY / 2, DAY / 2].map((away) => offsetAt(timezone, midnight + away));
  const [first, ...rest] = offsets.map((offset) => midnight - offset).sort((a, b) => a - b);
  const isThere = (instant: number) => dateAt(instant, timezone) === date;
  return [first!, ...rest].find(isThere) ?? first!;
}

function dateAt(instant: number, timezone: string): string {
  return isoDay(new Date(instant + offsetAt(timezone, instant)));
}

export function wholeDaysBefore(instant: Date, days: number, timezone: string): ReportDay[] {
  const today = Date.parse(`${dateAt(instant.getTime(), timezone)}T00:00:00Z`);
  const starts = Array.from({ length: days + 1 }, (_, index) => {
    const date = isoDay(new Date(today - (days - index) * DAY));
    return { date, start: startOf(date, timezone) };
  });
  return starts.slice(0, -1).map(({ date, start }, index) => {
    const end = starts[index + 1]!.start;
    return { date, from: new Date(start), to: new Date(end), hours: (end - start) / HOUR };
  });
}
