import { HOUR, MINUTE } from '../time.ts';

/** A stretch of time in which a zone's clocks differ from UTC by the same amount; all in milliseconds. */
export interface Stretch {
  /** Its first instant; the end is the start of the next one. */
  start: number;
  /** Local time less UTC. */
  offset: number;
}

/** Offsets are compared this far apart: no zone has changed its clocks twice within it and come back. */
const SPAN = 8 * HOUR;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  let format = formats.get(timezone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(timezone, format);
  }
  return format;
}

/** Intl knows a zone by this name. */
export function isTimezone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** Local time less UTC at an instant, in milliseconds. */
export function offsetAt(timezone: string, instant: number): number {
  const fields: Record<string, number> = {};
  for (const { type, value } of formatOf(timezone).formatToParts(instant)) fields[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

/** Offsets at the edges of spans: asking Intl costs microseconds, and the same days are asked for again and again. */
const known = new Map<string, Map<number, number>>();

function offsetOfSpan(timezone: string, span: number): number {
  let spans = known.get(timezone);
  if (spans === undefined) {
    spans = new Map();
    known.set(timezone, spans);
  }
  let offset = spans.get(span);
  if (offset === undefined) {
    if (spans.size > 20_000) spans.clear();
    offset = offsetAt(timezone, span * SPAN);
    spans.set(span, offset);
  }
  return offset;
}

/** The stretches from an instant on, the first beginning there; one that begins after `to` is left out. */
export function* stretchesBetween(timezone: string, from: number, to: number): Generator<Stretch> {
  let offset = offsetAt(timezone, from);
  yield { start: from, offset };
  for (let span = Math.floor(from / SPAN); span * SPAN <= to; span += 1) {
    const next = offsetOfSpan(timezone, span + 1);
    if (next === offset) continue;
    // The change is in this span: its first minute is found by halving.
    let before = Math.max(from, span * SPAN);
    let after = (span + 1) * SPAN;
    while (after - before > MINUTE) {
      const middle = Math.floor((before + after) / 2 / MINUTE) * MINUTE;
      if (middle <= before) break;
      if (offsetAt(timezone, middle) === offset) before = middle;
      else after = middle;
    }
    offset = next;
    if (after <= to) yield { start: after, offset };
  }
}
