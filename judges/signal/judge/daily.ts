import type { Post } from '../judge.ts';
import type { DayLabel, Happening, Label } from '../model.ts';
import { share } from './intervals.ts';
import { zonesNamed } from './words.ts';

const DAY_MS = 86_400_000;

/** A morning report's week. */
export interface DailyRun {
  seed: number;
  from: number;
  to: number;
  /** `day` is what the report is about, `yyyy-mm-dd`; without it the day before the post. */
  posts: readonly (Post & { day?: string })[];
  changes: readonly DayLabel[];
  labels: readonly Label[];
  zones: readonly string[];
  happenings: (zone: string, at: number, before?: number) => Happening[];
}

const WORDS: Readonly<Record<string, RegExp>> = {
  requests: /request|traffic/i,
  'hit rate': /hit rate|hit ratio|cache/i,
  'client errors': /4xx|\b4\d\d\b|client error/i,
  'response time': /response|slow|latency/i,
  failures: /5xx|fail|server error|\b50\d\b/i,
};

export interface ChangeResult {
  change: DayLabel;
  seed: number;
  line?: string;
  /** Hours that the line claims; for a change of all day any are wrong. */
  hours: 'none' | 'right' | 'wrong';
}

export interface DailyResult {
  changes: ChangeResult[];
  /** Lines about zones in which nothing was that day. */
  calmLines: { day: string; line: string; seed: number }[];
  /** Lines that name a zone, on each day on which all zones moved together: one for the day would do. */
  holidayLines: { day: string; lines: number }[];
  days: number;
}

const dayOf = (post: DailyRun['posts'][number]): string =>
  post.day ?? new Date(post.at - DAY_MS).toISOString().slice(0, 10);

/** Hours from and to that a line claims, as fractions of a day. */
export function hoursClaimed(line: string): [number, number] | undefined {
  const found = /\b(\d{1,2})(?:[:.](\d{2}))?\s*(?:h\s*)?(?:–|—|-|to|and|until|till)\s*(\d{1,2})[:.](\d{2})/.exec(line);
  if (found === null) return undefined;
  const [, from, fromMinute, to, toMinute] = found;
  return [(Number(from) + Number(fromMinute ?? 0) / 60) / 24, (Number(to) + Number(toMinute) / 60) / 24];
}

function hoursIn(line: string, change: DayLabel): ChangeResult['hours'] {
  const claimed = hoursClaimed(line);
  if (claimed === undefined) return 'none';
  const [from, to] = claimed;
  const length = to >= from ? to - from : 1 + to - from;
  if (change.isAllDay) return length >= 0.8 ? 'right' : 'wrong';
  const midnight = Date.parse(`${change.day}T00:00:00Z`);
  const start = (change.start - midnight) / DAY_MS;
  const end = (change.end - midnight) / DAY_MS;
  const overlap = Math.min(end, from + length) - Math.max(start, from);
  return overlap >= 0.5 * (end - start) && overlap >= 0.5 * length ? 'right' : 'wrong';
}

/** Whether something was in a zone on a day or the day before that a report may well speak of. */
function isBusy(run: DailyRun, zone: string, day: string): boolean {
  const end = Date.parse(`${day}T00:00:00Z`) + DAY_MS;
  const isIncident = run.labels.some(
    (label) => label.zones.includes(zone) && label.start < end && label.end > end - 2 * DAY_MS,
  );
  return (
    isIncident ||
    run
      .happenings(zone, end - 1, 2 * DAY_MS)
      .some(
        ({ kind, start }) =>
          ['campaign', 'holiday', 'new zone', 'change'].includes(kind) ||
          (kind === 'level shift' && start > end - 3 * DAY_MS),
      )
  );
}

function isHoliday(run: DailyRun, day: string): boolean {
  const noon = Date.parse(`${day}T12:00:00Z`);
  return run.zones.every((zone) => run.happenings(zone, noon).some(({ kind }) => kind === 'holiday'));
}

/** What a bot's morning reports were worth. */
export function judgeDaily(run: DailyRun): DailyResult {
  const lines = run.posts.flatMap((post) =>
    post.text.split('\n').map((line) => ({ day: dayOf(post), line, zones: zonesNamed(line, run.zones) })),
  );
  const changes = run.changes.map((change): ChangeResult => {
    const found = lines.find(
      ({ day, line, zones }) => day === change.day && zones.includes(change.zone) && WORDS[change.kind]!.test(line),
    );
    if (found === undefined) return { change, seed: run.seed, hours: 'none' };
    return { change, seed: run.seed, line: found.line, hours: hoursIn(found.line, change) };
  });
  const calmLines = lines
    .filter(({ day, zones }) => zones.length > 0 && !zones.some((zone) => isBusy(run, zone, day)))
    .map(({ day, line }) => ({ day, line, seed: run.seed }));
  const days = Array.from({ length: Math.round((run.to - run.from) / DAY_MS) }, (_, i) =>
    new Date(run.from + i * DAY_MS).toISOString().slice(0, 10),
  );
  const holidayLines = days
    .filter((day) => isHoliday(run, day))
    .map((day) => ({ day, lines: lines.filter((line) => line.day === day && line.zones.length > 0).length }));
  return { changes, calmLines, holidayLines, days: days.length };
}

/** The results of weeks as text. */
export function printedDaily(title: string, results: readonly DailyResult[]): string {
  const changes = results.flatMap((one) => one.changes);
  const told = changes.filter(({ line }) => line !== undefined);
  const allDay = told.filter(({ change }) => change.isAllDay);
  const days = results.reduce((sum, one) => sum + one.days, 0);
  const calm = results.flatMap(({ calmLines }) => calmLines);
  const kinds = [...new Set(changes.map(({ change }) => change.kind))];
  const rows = kinds.map((kind) => {
    const all = changes.filter(({ change }) => change.kind === kind);
    const toldOf = all.filter(({ line }) => line !== undefined).length;
    return `  ${kind}: told ${share(toldOf, all.length)}`;
  });
  const wrong = allDay.filter(({ hours }) => hours === 'wrong').length;
  const missed = changes.filter(({ line }) => line === undefined);
  return [
    `# ${title}`,
    ...rows,
    `  all: told ${share(told.length, changes.length)}`,
    `  hours claimed for a change of all day: ${share(wrong, allDay.length)}`,
    `  lines about zones in which nothing was: ${(calm.length / Math.max(1, days)).toFixed(2)} a day`,
    ...results
      .flatMap(({ holidayLines }) => holidayLines)
      .map(({ day, lines }) => `  holiday ${day}: ${lines} lines name a zone`),
    ...missed.map(({ change, seed }) => `  missed: ${seed} ${change.day} ${change.zone}, ${change.words}`),
    ...calm.map(({ day, line, seed }) => `  calm: ${seed} ${day} “${line.slice(0, 120)}”`),
  ].join('\n');
}
