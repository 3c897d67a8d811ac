import { MINUTE } from '../time.ts';

/** Slack gives both for each person. */
export interface Reading {
  locale: string;
  timezone: string;
}

const DEFAULT: Reading = { locale: 'en-US', timezone: 'UTC' };

const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

/** Cached, because making a format is slow. */
function format<F extends Intl.NumberFormat | Intl.DateTimeFormat>(key: unknown[], make: () => F): F {
  const name = JSON.stringify(key);
  const made = (formats.get(name) as F | undefined) ?? make();
  formats.set(name, made);
  return made;
}

const numberFormat = (locale: string, options: Intl.NumberFormatOptions) =>
  format(['number', locale, options], () => new Intl.NumberFormat(supported(locale), options));

const dateFormat = ({ locale, timezone }: Reading, options: Intl.DateTimeFormatOptions) =>
  format(
    ['date', locale, timezone, options],
    () => new Intl.DateTimeFormat(supported(locale), { ...options, timeZone: zone(timezone) }),
  );

/** English or UTC if this ICU does not know the locale or the time zone from Slack. */
function supported(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale.replace('_', '-'))[0] ?? DEFAULT.locale;
  } catch {
    return DEFAULT.locale;
  }
}

function zone(timezone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return timezone;
  } catch {
    return DEFAULT.timezone;
  }
}

/** `1234567` → `1,234,567`; at most two decimals. */
export function count(value: number, reading: Pick<Reading, 'locale'> = DEFAULT): string {
  return numberFormat(reading.locale, { maximumFractionDigits: 2 }).format(value);
}

/** US dollars, as the platform bills: `$1,234.50`. */
export const dollars = (value: number, reading: Pick<Reading, 'locale'> = DEFAULT): string =>
  numberFormat(reading.locale, { style: 'currency', currency: 'USD' }).format(value);

/** `1 request`, `1,234 requests`. */
export const countOf = (value: number, one: string, reading: Pick<Reading, 'locale'> = DEFAULT): string =>
  `${count(value, reading)} ${one}${value === 1 ? '' : 's'}`;

/** In decimal units (1 kB = 1,000 B), as the platform bills: `1.2 GB`. */
export function bytes(value: number, reading: Pick<Reading, 'locale'> = DEFAULT): string {
  const units = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'];
  let scaled = value;
  let unit = -1;
  // The next unit starts where rounding would show 1,000.
  while (Math.abs(scaled) >= (unit < 0 ? 1000 : 999.95) && unit < units.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  if (unit < 0) return `${count(scaled, reading)} B`;
  const options = { style: 'unit', unit: units[unit]!, maximumFractionDigits: 1 } as const;
  return numberFormat(reading.locale, options).format(scaled);
}

/** `97.3` → `97.3%`. A dash for NaN (a division by zero). */
export function percent(value: number, reading: Pick<Reading, 'locale'> = DEFAULT): string {
  if (!Number.isFinite(value)) return '–';
  return numberFormat(reading.locale, { style: 'percent', maximumFractionDigits: 1 }).format(value / 100);
}

/** `share(1, 8)` → `12.5%`. A dash if `whole` is 0, `<0.1%` for a trace. */
export function share(part: number, whole: number, reading: Pick<Reading, 'locale'> = DEFAULT): string {
  if (part > 0 && part / whole < 0.0005) return `<${percent(0.1, reading)}`;
  return percent(whole === 0 ? Number.NaN : (100 * part) / whole, reading);
}

/** The two largest units: `350 ms`, `2.4 s`, `1 h 5 min`. */
export function duration(milliseconds: number, reading: Pick<Reading, 'locale'> = DEFAULT): string {
  if (milliseconds < 1000) return `${count(Math.round(milliseconds), reading)} ms`;
  if (milliseconds < MINUTE) return `${count(Math.round(milliseconds / 100) / 10, reading)} s`;
  const minutes = Math.round(milliseconds / MINUTE);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  return [days && countOf(days, 'day', reading), hours && `${hours} h`, minutes % 60 && `${minutes % 60} min`]
    .filter((part) => part !== 0)
    .slice(0, 2)
    .join(' ');
}

/** As in logs: `2026-11-20 08:07:13`. */
export function logTime(date: Date, timezone = 'UTC'): string {
  const options = { dateStyle: 'short', timeStyle: 'medium' } as const;
  return dateFormat({ locale: 'sv-SE', timezone }, options).format(date);
}

/** `Wed, May 20, 2015`. */
export function day(date: Date, reading: Reading): string {
  return dateFormat(reading, { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' }).format(date);
}

/** `Nov 18`. */
export function shortDay(date: Date, reading: Reading): string {
  return dateFormat(reading, { month: 'short', day: 'numeric' }).format(date);
}

/** `2:05 PM GMT+2`. */
export function time(date: Date, reading: Reading): string {
  return dateFormat(reading, { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }).format(date);
}

/** `2:05 PM`, if the text names the time zone elsewhere. */
export function clock(date: Date, reading: Reading): string {
  return dateFormat(reading, { hour: 'numeric', minute: '2-digit' }).format(date);
}

/** `May 20, 2015, 2:05 PM GMT+2`. */
export function dayAndTime(date: Date, reading: Reading): string {
  return dateFormat(reading, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(date);
}

/** Returns text that is not a date unchanged. */
export function dayAndTimeOf(text: string, reading: Reading): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : dayAndTime(date, reading);
}

export const onOff = (value: boolean | undefined): string | undefined =>
  value === undefined ? undefined : value ? 'on' : 'off';

export const yesNo = (value: boolean | undefined): string | undefined =>
  value === undefined ? undefined : value ? 'yes' : 'no';
