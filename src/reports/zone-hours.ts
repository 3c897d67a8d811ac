import type { Platform } from '../platform/client.ts';
import { type Anchors, HOURS } from '../store/anchors.ts';
import { DAY, HOUR } from '../time.ts';
import { isPlatforms } from './platform-errors.ts';
import { COUNTS, type Counts, type Hours, hoursOf, type ReadHours } from './statistics-watch/counts.ts';

/** Stands for the whole account. No zone has this id. */
export const ACCOUNT = 0;

/** Read once a day. A little less than the platform keeps (docs/platform.md, Statistics ranges). */
export const WEEKS = 30 * DAY - 2 * HOUR;
/** A report that catches up may use figures that are younger than its slot by at most this. */
const FAR = 6 * HOUR;
/** In bytes. Enough for the weeks of some fifty zones and the recent hours of 1,500. */
const MOST_BYTES = { weeks: 2_000_000, recent: 4_000_000 };

/** One row for each hour; `hour` counts from 1970. */
const COLUMNS = ['hour', ...COUNTS];

/** Hours from `from` on, as the platform had them at `at`, in Unix milliseconds. */
interface Reading {
  at: number;
  from: number;
  rows: Float64Array;
}

export interface WantedHours {
  from: number;
  to: number;
  /** In milliseconds. Figures up to this old are used. */
  age: number;
  /** The same while the platform refuses. Without it the refusal is thrown. */
  mostAge?: number;
  signal: AbortSignal;
}

/** Throws the platform’s refusal. */
export type HoursReader = (zone: number, wanted: WantedHours) => Promise<ReadHours>;

export interface HoursServices {
  platform: Pick<Platform, 'statistics'>;
  /** Without it hours are kept only in memory. */
  anchors?: Pick<Anchors, 'read' | 'set'> | undefined;
}

interface Kept {
  get(zone: number): Reading | undefined;
  set(zone: number, reading: Reading): void;
}

const hourOf = (at: number) => Math.floor(at / HOUR) * HOUR;
const isOver = ({ at }: Reading, to: number) => to >= hourOf(at) + DAY || at - to > FAR;

/** Reads the weeks of a zone once a day and stores them. Reads the last day whenever younger figures are needed. */
export function createHoursReader(services: HoursServices): HoursReader {
  const kept = { weeks: createKept(MOST_BYTES.weeks), recent: createKept(MOST_BYTES.recent) };
  const running = new Map<number, Promise<unknown>>();
  return async (zone, wanted) => {
    while (running.has(zone)) await running.get(zone);
    const reading = read(services, kept, zone, wanted);
    running.set(
      zone,
      reading.catch(() => undefined),
    );
    try {
      return await reading;
    } finally {
      running.delete(zone);
    }
  };
}

async function read(
  { platform, anchors }: HoursServices,
  { weeks, recent }: Record<'weeks' | 'recent', Kept>,
  zone: number,
  { from, to, age, mostAge = 0, signal }: WantedHours,
): Promise<ReadHours> {
  /** `GET /statistics` by the hour. */
  const ask = async (first: number) => {
    const range = { dateFrom: new Date(first), dateTo: new Date(to), hourly: true, exactRange: true };
    const query = { ...range, ...(zone !== ACCOUNT && { pullZone: zone }) };
    return hoursOf(await platform.statistics.get(query, { signal, priority: 'background' }));
  };
  // The last day alone does not need the weeks.
  const isLong = from < to - DAY - HOUR;
  let last = recent.get(zone);
  let past = isLong || last === undefined ? weeks.get(zone) : undefined;
  if ((isLong || last === undefined) && (past === undefined || isOver(past, to)))
    past = readingIn(await anchors?.read(zone, HOURS)) ?? past;
  if (past !== undefined) {
    weeks.set(zone, past);
    if (last === undefined || past.at > last.at) last = past;
  }
  // Up to `before` the weeks are complete: they were read at most a day ago, and statistics are late.
  const [oldest, before] = [hourOf(to - WEEKS), hourOf(to - 2 * DAY)];
  const readWeeks = async (): Promise<Reading> => {
    const first = Math.min(from, oldest);
    const read = { at: to, from: first, rows: rowsOf(await ask(first)) };
    weeks.set(zone, read);
    recent.set(zone, { at: to, from: before, rows: rowsOf(hoursIn(read.rows, before)) });
    await anchors?.set(zone, HOURS, { columns: COLUMNS, ...read, rows: [...read.rows] });
    return read;
  };
  const readLast = async (known: Reading = { at: to, from: to, rows: rowsOf({}) }): Promise<Reading> => {
    // Statistics may be late, so recent hours are read again.
    const again = Math.max(before, hourOf(Math.min(to, known.at) - 20 * HOUR));
    const first = isLong ? again : Math.min(from, again);
    const begin = Math.min(first, Math.max(before, known.from));
    const rows = rowsOf({ ...hoursIn(known.rows, before, first), ...(await ask(first)) });
    recent.set(zone, { at: to, from: begin, rows });
    return { at: to, from: begin, rows };
  };
  try {
    if (isLong && (past === undefined || isOver(past, to) || past.from > from)) last = past = await readWeeks();
    else if (last === undefined || to - last.at >= age || last.at - to > FAR || (last.from > from && !isLong))
      last = await readLast(last);
  } catch (error) {
    const isServing = last !== undefined && Math.abs(to - last.at) <= mostAge && (past !== undefined || !isLong);
    if (!isPlatforms(error) || !isServing) throw error;
  }
  const { at, from: begin, rows } = last!;
  return { at, hours: { ...(past && hoursIn(past.rows, from, begin)), ...hoursIn(rows, Math.max(from, begin)) } };
}

function createKept(most: number): Kept {
  const zones = new Map<number, Reading>();
  let bytes = 0;
  const drop = (zone: number) => {
    bytes -= zones.get(zone)?.rows.byteLength ?? 0;
    zones.delete(zone);
  };
  return {
    get: (zone) => zones.get(zone),
    set(zone, reading) {
      drop(zone);
      zones.set(zone, reading);
      bytes += reading.rows.byteLength;
      for (const oldest of zones.keys()) if (bytes > most) drop(oldest);
    },
  };
}

const rowsOf = (hours: Hours): Float64Array =>
  Float64Array.from(
    Object.entries(hours).flatMap(([at, counts]) => [Number(at) / HOUR, ...COUNTS.map((name) => counts[name])]),
  );

/** `until` is excluded. */
function hoursIn(rows: Float64Array, from: number, until = Number.POSITIVE_INFINITY): Hours {
  const hours: Record<number, Counts> = {};
  for (let row = 0; row < rows.length; row += COLUMNS.length) {
    const at = rows[row]! * HOUR;
    if (at < from || at >= until) continue;
    hours[at] = {} as Counts;
    for (const [column, name] of COUNTS.entries()) hours[at][name] = rows[row + 1 + column]!;
  }
  return hours;
}

/** Undefined: nothing is stored, or in another form. */
function readingIn(
  stored: { columns?: unknown; at: number; from: number; rows: number[] } | undefined,
): Reading | undefined {
  const { columns, at, from, rows = [] } = stored ?? {};
  const isWhole = String(columns) === String(COLUMNS) && rows.length % COLUMNS.length === 0;
  const isRead = isWhole && [at, from, ...rows].every(Number.isFinite);
  return isRead ? { at: at!, from: from!, rows: Float64Array.from(rows) } : undefined;
}
