import type { IncidentResult, PostResult, Verdict, WeekResult } from '../judge.ts';
import { type IncidentKind, KINDS, WITHOUT_5XX } from '../model.ts';
import { countInterval, median, quantile, share } from './intervals.ts';

const MINUTE_MS = 60_000;

export interface Row {
  name: string;
  told: string;
  'within 10 min': string;
  'within 40 min': string;
  'delay median / 90 %': string;
  'start right': string;
  'start said': string;
  'cause in the first': string;
  place: string;
  'messages each': string;
}

const count = <T>(all: readonly T[], test: (one: T) => boolean): number => all.filter(test).length;

function rowOf(name: string, results: readonly IncidentResult[]): Row {
  const told = results.filter(({ toldAt }) => toldAt !== undefined);
  const delays = told.map(({ delay }) => delay! / MINUTE_MS);
  const within = (minutes: number) => count(told, ({ delay }) => delay! <= minutes * MINUTE_MS);
  const places = told.filter(({ isPlaceNamed }) => isPlaceNamed !== undefined);
  const messages = told.reduce((sum, one) => sum + one.messages, 0);
  const minutes = (value: number | undefined) => (value === undefined ? '–' : value.toFixed(0));
  return {
    name,
    told: share(told.length, results.length),
    'within 10 min': share(within(10), results.length),
    'within 40 min': share(within(40), results.length),
    'delay median / 90 %': `${minutes(median(delays))} / ${minutes(quantile(delays, 0.9))}`,
    'start right': share(
      count(told, ({ start }) => start === 'right'),
      told.length,
    ),
    'start said': share(
      count(told, ({ start }) => start !== 'not said'),
      told.length,
    ),
    'cause in the first': share(
      count(told, ({ isCauseNamed }) => isCauseNamed),
      told.length,
    ),
    place: share(
      count(places, ({ isPlaceNamed }) => isPlaceNamed === true),
      places.length,
    ),
    'messages each': told.length === 0 ? '–' : (messages / told.length).toFixed(1),
  };
}

/** One row a kind, and the sums that the table asks for. */
function rowsOf(weeks: readonly WeekResult[]): Row[] {
  const all = weeks.flatMap(({ incidents }) => incidents);
  const of = (kinds: readonly IncidentKind[]) => all.filter(({ label }) => kinds.includes(label.kind));
  return [
    ...KINDS.map((kind) => rowOf(kind, of([kind]))),
    rowOf(
      'all with 5xx',
      all.filter(({ label }) => label.has5xx),
    ),
    rowOf('all without 5xx', of(WITHOUT_5XX)),
    rowOf('all', all),
  ];
}

export interface Sums {
  quietWeeks: number;
  falseInQuiet: number;
  falsePerQuietWeek: string;
  falsePerWeek: string;
  messages: number;
  nothingNew: string;
  headWrong: string;
  beforeMorning: string;
  toldByChance: string;
  sharesRight: string;
}

function sumsOf(weeks: readonly WeekResult[]): Sums {
  const quiet = weeks.filter(({ kind }) => kind === 'quiet');
  const isFalse = ({ verdict }: PostResult) => verdict === 'false';
  const perWeek = (chosen: readonly WeekResult[]) => {
    const falses = count(
      chosen.flatMap(({ posts }) => posts),
      isFalse,
    );
    const length = chosen.reduce((sum, week) => sum + week.weeks, 0);
    if (length === 0) return '–';
    const [least, most] = countInterval(falses, length);
    return `${(falses / length).toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`;
  };
  const posts = weeks.flatMap((week) => week.posts);
  const telling = posts.filter(({ incidents }) => incidents.length > 0);
  const shares = weeks.flatMap((week) => week.shares);
  const without = weeks.flatMap(({ incidents }) => incidents).filter(({ label }) => !label.has5xx);
  return {
    quietWeeks: quiet.reduce((sum, week) => sum + week.weeks, 0),
    falseInQuiet: count(
      quiet.flatMap((week) => week.posts),
      isFalse,
    ),
    falsePerQuietWeek: perWeek(quiet),
    falsePerWeek: perWeek(weeks),
    messages: posts.length,
    nothingNew: share(
      count(posts, ({ verdict }) => verdict === 'says nothing new'),
      posts.length,
    ),
    headWrong: share(
      count(telling, ({ isHeadWrong }) => isHeadWrong),
      telling.length,
    ),
    beforeMorning: share(
      count(without, ({ isToldBeforeMorning }) => isToldBeforeMorning),
      without.length,
    ),
    toldByChance: share(
      weeks.reduce((sum, { chance }) => sum + chance.told, 0),
      weeks.reduce((sum, { chance }) => sum + chance.of, 0),
    ),
    sharesRight: share(
      count(shares, ({ isRight }) => isRight),
      shares.length,
    ),
  };
}

const when = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

function missesOf(weeks: readonly WeekResult[]): string[] {
  return weeks
    .flatMap(({ incidents }) => incidents)
    .filter(({ toldAt }) => toldAt === undefined)
    .map(
      ({ label, seed, reason }) => `${seed} ${when(label.start)} ${label.kind}, ${label.zones.join(' + ')}: ${reason}`,
    );
}

const falsePostsOf = (weeks: readonly WeekResult[]): string[] => postsOf(weeks, 'false');

const wrongSharesOf = (weeks: readonly WeekResult[]): string[] =>
  weeks.flatMap(({ seed, shares }) =>
    shares
      .filter(({ isRight }) => !isRight)
      .map(({ at, zone, ...of }) => {
        const [said, least, most] = [of.said, of.least, of.most].map((share) => `${(100 * share).toFixed(1)} %`);
        return `${seed} ${when(at)} ${zone}: ${said}, really ${least} to ${most}`;
      }),
  );

function postsOf(weeks: readonly WeekResult[], wanted: Verdict): string[] {
  return weeks
    .flatMap(({ posts }) => posts)
    .filter(({ verdict }) => verdict === wanted)
    .map(
      ({ post, seed, reason }) => `${seed} ${when(post.at)} “${post.text.split('\n')[0]!.slice(0, 100)}”: ${reason}`,
    );
}

/** Everything that the judge has to say, as text. */
export function printed(title: string, weeks: readonly WeekResult[], most = 40): string {
  const rows = rowsOf(weeks);
  const columns = Object.keys(rows[0]!) as (keyof Row)[];
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
  const line = (cells: readonly string[]) => cells.map((cell, i) => cell.padEnd(widths[i]!)).join('  ');
  const sums = Object.entries(sumsOf(weeks)).map(([name, value]) => `  ${name}: ${value}`);
  const listed = (heading: string, entries: readonly string[]) => [
    `${heading} (${entries.length})`,
    ...entries.slice(0, most).map((entry) => `  ${entry}`),
    ...(entries.length > most ? [`  … and ${entries.length - most} more`] : []),
  ];
  return [
    `# ${title}`,
    line(columns),
    ...rows.map((row) => line(columns.map((column) => row[column]))),
    ...sums,
    ...listed('misses', missesOf(weeks)),
    ...listed('false posts', falsePostsOf(weeks)),
    ...listed('nothing new', postsOf(weeks, 'says nothing new')),
    ...listed('wrong shares', wrongSharesOf(weeks)),
  ].join('\n');
}
