/** Minutes since 1970 in UTC are the model's time. */
export const MINUTE_MS = 60_000;
export const HOUR = 60;
export const DAY = 1440;
export const WEEK = 7 * DAY;

export const toMinute = (at: Date | number): number => Math.floor(Number(at) / MINUTE_MS);
export const toMs = (minute: number): number => minute * MINUTE_MS;
export const dayOf = (minute: number): number => Math.floor(minute / DAY);
export const isoDay = (day: number): string => new Date(day * DAY * MINUTE_MS).toISOString().slice(0, 10);

export interface TimeZone {
  name: string;
  /** Minutes that its winter is ahead of UTC. */
  offset: number;
  /** Whose rule moves its clocks. */
  summer?: 'eu' | 'us';
}

export const TIME_ZONES: readonly TimeZone[] = [
  { name: 'Europe/Berlin', offset: 60, summer: 'eu' },
  { name: 'Europe/London', offset: 0, summer: 'eu' },
  { name: 'Europe/Helsinki', offset: 120, summer: 'eu' },
  { name: 'America/New_York', offset: -300, summer: 'us' },
  { name: 'America/Los_Angeles', offset: -480, summer: 'us' },
  { name: 'America/Sao_Paulo', offset: -180 },
  { name: 'Asia/Kolkata', offset: 330 },
  { name: 'Asia/Singapore', offset: 480 },
  { name: 'Asia/Tokyo', offset: 540 },
  { name: 'Australia/Brisbane', offset: 600 },
];

/** The day of the month that is the given Sunday of a month; 0 for the last one. */
function sunday(year: number, month: number, which: number): number {
  if (which === 0) {
    const last = new Date(Date.UTC(year, month + 1, 0));
    return last.getUTCDate() - last.getUTCDay();
  }
  const first = new Date(Date.UTC(year, month, 1)).getUTCDay();
  return 1 + ((7 - first) % 7) + 7 * (which - 1);
}

const YEARS = [2024, 2025, 2026, 2027, 2028];
const SUMMERS = {
  eu: YEARS.map((year) => [
    toMinute(Date.UTC(year, 2, sunday(year, 2, 0), 1)),
    toMinute(Date.UTC(year, 9, sunday(year, 9, 0), 1)),
  ]),
  // In local standard time: the offset is taken off when it is looked up.
  us: YEARS.map((year) => [
    toMinute(Date.UTC(year, 2, sunday(year, 2, 2), 2)),
    toMinute(Date.UTC(year, 10, sunday(year, 10, 1), 1)),
  ]),
};

/** The minute that local clocks show, as if they were UTC. */
export function localMinute(zone: TimeZone, minute: number): number {
  const standard = minute + zone.offset;
  if (zone.summer === undefined) return standard;
  const compared = zone.summer === 'us' ? standard : minute;
  const isSummer = SUMMERS[zone.summer].some(([start, end]) => compared >= start! && compared < end!);
  return isSummer ? standard + HOUR : standard;
}

/** The place in a week that starts on Monday. 1970 began on a Thursday. */
export const minuteOfWeek = (local: number): number => (((local + 3 * DAY) % WEEK) + WEEK) % WEEK;
