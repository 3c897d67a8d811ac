/** Dates and times as Slack words them, in the viewer's time zone. Times are unix seconds, as message `ts` begins with. */

function part(seconds: number, zone: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-US', { timeZone: zone, ...options }).format(new Date(seconds * 1000));
}

/** `9:41 AM` */
export const clock = (seconds: number, zone: string) => part(seconds, zone, { hour: 'numeric', minute: '2-digit' });

/** `2026-11-21`: the same for all that happened on one day. */
export function dayKey(seconds: number, zone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(new Date(seconds * 1000));
}

/** `Today`, `Yesterday`, or `Monday, November 16th`. */
export function dayName(seconds: number, zone: string, now = Date.now() / 1000): string {
  if (dayKey(seconds, zone) === dayKey(now, zone)) return 'Today';
  if (dayKey(seconds, zone) === dayKey(now - 86_400, zone)) return 'Yesterday';
  const year =
    dayKey(seconds, zone).slice(0, 4) === dayKey(now, zone).slice(0, 4)
      ? ''
      : `, ${part(seconds, zone, { year: 'numeric' })}`;
  return `${part(seconds, zone, { weekday: 'long', month: 'long' }).replace(/^(\w+) (\w+)$/, '$2, $1')} ${ordinal(Number(part(seconds, zone, { day: 'numeric' })))}${year}`;
}

/** `Today at 9:41:07 AM`, for the tooltip of a time. */
export const fullTime = (seconds: number, zone: string) =>
  `${dayName(seconds, zone)} at ${part(seconds, zone, { hour: 'numeric', minute: '2-digit', second: '2-digit' })}`;

function ordinal(day: number): string {
  const suffix = day % 100 >= 11 && day % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${day}${suffix}`;
}

function ago(seconds: number, now: number): string {
  const distance = Math.abs(now - seconds);
  const [count, unit] =
    distance < 60
      ? [Math.round(distance), 'second']
      : distance < 3600
        ? [Math.round(distance / 60), 'minute']
        : distance < 86_400
          ? [Math.round(distance / 3600), 'hour']
          : [Math.round(distance / 86_400), 'day'];
  const words = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return now >= seconds ? `${words} ago` : `in ${words}`;
}

/** Fills the `{tokens}` of `<!date^…>` and of a rich text date. Unknown tokens stay as they are. */
export function formatDate(seconds: number, format: string, zone: string, now = Date.now() / 1000): string {
  const long = () => dayName(seconds, zone, 0).replace(/^(\w+), /, '$1, ');
  const longWithoutYear = () =>
    `${part(seconds, zone, { month: 'long' })} ${ordinal(Number(part(seconds, zone, { day: 'numeric' })))}`;
  const year = () => part(seconds, zone, { year: 'numeric' });
  const pretty = (words: string) => {
    const name = dayName(seconds, zone, now);
    return name === 'Today' || name === 'Yesterday' ? name.toLowerCase() : words;
  };
  const tokens: Record<string, () => string> = {
    date_num: () => dayKey(seconds, zone),
    date: () => `${longWithoutYear()}, ${year()}`,
    date_short: () => part(seconds, zone, { month: 'short', day: 'numeric', year: 'numeric' }),
    date_long: long,
    date_pretty: () => pretty(`${longWithoutYear()}, ${year()}`),
    date_short_pretty: () => pretty(part(seconds, zone, { month: 'short', day: 'numeric', year: 'numeric' })),
    date_long_pretty: () => pretty(long()),
    day_divider_pretty: () => dayName(seconds, zone, now),
    time: () => clock(seconds, zone),
    time_secs: () => part(seconds, zone, { hour: 'numeric', minute: '2-digit', second: '2-digit' }),
    ago: () => ago(seconds, now),
  };
  return format.replace(/\{(\w+)\}/g, (whole, name: string) => tokens[name]?.() ?? whole);
}
