import { REGIONS } from '../model/places.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Zones that a text names, in the order in which they stand there. A name inside a longer word is none. */
export function zonesNamed(text: string, zones: readonly string[]): string[] {
  return zones
    .map((name) => [name, text.search(new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'i'))] as const)
    .filter(([, place]) => place >= 0)
    .sort((a, b) => a[1] - b[1])
    .map(([name]) => name);
}

/** The part of a text that is about a zone: from the line that names it to the next that names another. */
export function partAbout(text: string, zone: string, zones: readonly string[]): string {
  const named = zonesNamed(text, zones);
  if (named.length <= 1) return text;
  const part: string[] = [];
  let isAbout = false;
  for (const line of text.split('\n')) {
    const inLine = zonesNamed(line, zones);
    if (inLine.length > 0) isAbout = inLine.includes(zone);
    if (isAbout) part.push(line);
  }
  return part.join('\n');
}

const offsets = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds that clocks of a time zone are ahead of UTC at a moment. */
function offsetOf(timeZone: string, at: number): number {
  if (timeZone === 'UTC') return 0;
  let format = offsets.get(timeZone);
  if (format === undefined) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, ...parts, second: '2-digit' });
    offsets.set(timeZone, format);
  }
  return Date.parse(`${format.format(at).replace(' ', 'T')}Z`) - Math.floor(at / 1000) * 1000;
}

const SINCE = /\b(?:since|from|began|begun|started|starting|start|beginning|first (?:seen|at)|onset)\b/gi;
const CLOCK =
  /^([^\d\n]{0,40}?)(?:(\d{4}-\d{2}-\d{2})(?:[ T,]+))?([^\d\n]{0,12}?)\b(\d{1,2})[:.](\d{2})(?::\d{2})?\s*(am|pm)?\s*(UTC|GMT|Z)?/i;
const TOKEN = /^[^\d\n<]{0,40}<!date\^(\d+)\^/i;
const AGO = /\b(?:for|over|during)?\s*(?:about |the last |some )?(\d+)\s*(min(?:utes?)?|h(?:ours?)?)\b(?:\s*ago)?/gi;

/** The moment that a clock time speaks of: the latest that is not after the message. */
function momentOf(found: RegExpExecArray, at: number, timeZone: string): number {
  const [, before = '', date, , hourText, minuteText, half, utc] = found;
  let hour = Number(hourText) % 24;
  if (half?.toLowerCase() === 'pm' && hour < 12) hour += 12;
  if (half?.toLowerCase() === 'am' && hour === 12) hour = 0;
  const clock = (hour * 60 + Number(minuteText)) * MINUTE_MS;
  const ahead = utc === undefined ? offsetOf(timeZone, at) : 0;
  if (date !== undefined) return Date.parse(`${date}T00:00:00Z`) + clock - ahead;
  const midnight = Math.floor((at + ahead) / DAY_MS) * DAY_MS - ahead;
  let moment = midnight + clock;
  while (moment > at + 5 * MINUTE_MS) moment -= DAY_MS;
  const weekday = DAYS.findIndex((day) => new RegExp(`\\b${day}`, 'i').test(before));
  if (/yesterday/i.test(before) && moment > at - DAY_MS && moment >= midnight) moment -= DAY_MS;
  for (let i = 0; weekday >= 0 && i < 7 && new Date(moment + ahead).getUTCDay() !== weekday; i++) moment -= DAY_MS;
  return moment;
}

/** When a text says that something began; none when it does not say. */
export function startsSaid(text: string, at: number, timeZone = 'UTC'): number[] {
  const said: number[] = [];
  for (const word of text.matchAll(SINCE)) {
    const rest = text.slice(word.index + word[0].length);
    const token = TOKEN.exec(rest);
    const clock = CLOCK.exec(rest);
    if (token !== null) said.push(Number(token[1]) * 1000);
    else if (clock !== null) said.push(momentOf(clock, at, timeZone));
  }
  if (said.length > 0) return said;
  for (const [whole, count, unit] of text.matchAll(AGO)) {
    if (!/\bfor\b|ago/i.test(whole)) continue;
    said.push(at - Number(count) * (unit!.startsWith('h') ? 60 : 1) * MINUTE_MS);
  }
  return said;
}

export const isOver = (text: string): boolean =>
  /\b(is over|from [^,;]+ until|resolved|recovered|back to (normal|usual)|ended|cleared|calm again)\b/i.test(text);

/** Words of a message about what could not be read. */
export const isAboutReading = (text: string): boolean =>
  /\b(not|n't|un|never)\s?(be )?(read|available|complete|answer|seen|shown|counted)|\b(late|lag|delay|behind|stale|sampl|incomplete|missing (data|logs|statistics)|refus\w* (by|the platform)|no (data|logs|statistics)|twice|duplicat|out of order|partial)/i.test(
    text,
  );

/** What messages speak of; two that speak of the same have one family. */
const FAMILIES: readonly (readonly [string, RegExp])[] = [
  ['refused', /refus|ECONNREFUSED/i],
  ['timeout', /tim(e|ed)[\s-]?out|in time/i],
  ['dns', /\bdns\b|resolv/i],
  ['tls', /certificate|\btls\b|\bssl\b|handshake/i],
  ['reset', /\breset/i],
  ['ended', /premature|truncat|incomplete/i],
  ['route', /unreachable|no route/i],
  ['loop', /\bloop/i],
  ['compression', /compress|gzip/i],
  ['5xx', /\b5xx|\b50[0-9]\b|server error/i],
  ['4xx', /\b4xx|\b40[0-9]\b|\b429\b|client error/i],
  ['aborts', /\b499|abort|gave up|give up/i],
  ['slow', /slow|response time|latency/i],
  ['cache', /cache|hit rate/i],
  ['silence', /silen|no (requests|traffic)|traffic (is )?gone/i],
  ['flood', /ddos|flood|attack|surge|spike/i],
];

/** What a text tells, as facts that can be compared with what was told before. */
export interface Facts {
  named: Set<string>;
  /** Logarithms of the shares in it. */
  shares: number[];
}

export function factsOf(text: string, zones: readonly string[], at: number, timeZone?: string): Facts {
  const named = new Set<string>(zonesNamed(text, zones).map((name) => `zone ${name}`));
  for (const [family, pattern] of FAMILIES) if (pattern.test(text)) named.add(`cause ${family}`);
  for (const { code } of REGIONS) if (new RegExp(`\\b${code}\\b`).test(text)) named.add(`region ${code}`);
  for (const [, path] of text.matchAll(/(?<![\w<:/])(\/[\w.-]{2,}(?:\/[\w.-]+)?)/g)) named.add(`path ${path}`);
  const [since] = startsSaid(text, at, timeZone);
  if (since !== undefined) named.add(`since ${Math.round(since / (20 * MINUTE_MS))}`);
  if (isOver(text)) named.add('over');
  if (isAboutReading(text)) named.add('not read');
  const shares = [...text.matchAll(/(\d+(?:[.,]\d+)?)\s*%/g)]
    .map(([, number]) => Number(number!.replace(',', '.')))
    .filter((value) => value > 0)
    .map(Math.log);
  return { named, shares };
}

/** A share is news when it is more than double, or less than half, of everything told before. */
const NEWS = Math.log(2);

/** Facts of a message that no earlier one had. Counts that grow are none: they grow by themselves. */
export function newFacts(facts: Facts, before: readonly Facts[]): string[] {
  const fresh = [...facts.named].filter((fact) => {
    if (!fact.startsWith('since ')) return !before.some((one) => one.named.has(fact));
    // A start that moved by less than half an hour is the same start.
    const at = Number(fact.slice(6));
    return ![at - 1, at, at + 1].some((near) => before.some((one) => one.named.has(`since ${near}`)));
  });
  const told = before.flatMap(({ shares }) => shares);
  const isFresh = facts.shares.some((share) => told.every((one) => Math.abs(one - share) > NEWS));
  return isFresh ? [...fresh, 'share'] : fresh;
}
