import { MINUTE } from '../time.ts';
import type { AuditEntry } from './audit-entry.ts';

/** Refusals of one person that the audit keeps whole within a minute; of the rest it keeps how many there were. */
const WHOLE = 10;
/** The longest text of a refusal, in characters: somebody without a right chooses most of them. */
const LONGEST = 200;

/** Nothing came of it, and nobody was asked: of these alone the moment counts. */
export const isRefusal = ({ outcome, confirmation }: AuditEntry): boolean =>
  outcome === 'forbidden' || (confirmation === undefined && ['refused', 'unreachable', 'error'].includes(outcome));

/** The refusals of one person in a minute of their own. */
interface Counted {
  since: number;
  count: number;
  last: AuditEntry;
}

/** Everybody's, by the id of the person. */
export interface Refusals {
  /** The entries to be written for this one, at a moment in Unix milliseconds. */
  take(entry: AuditEntry, now: number): AuditEntry[];
  /** The number of those that were left out, of all whose minute is over. */
  summaries(now: number): AuditEntry[];
}

/** Keeps the audit from growing as fast as somebody types what they may not. */
export function createRefusals(): Refusals {
  const people = new Map<string, Counted>();
  const summaries = (now: number) =>
    [...people].flatMap(([person, counted]) => {
      if (now - counted.since < MINUTE && now >= counted.since) return [];
      people.delete(person);
      return summaryOf(counted);
    });
  return {
    take(entry, now) {
      if (!isRefusal(entry)) return [entry];
      const over = summaries(now);
      const person = `${entry.team} ${entry.actor}`;
      const counted = people.get(person) ?? { since: now, count: 0, last: entry };
      counted.count += 1;
      counted.last = clipped(entry);
      people.set(person, counted);
      return counted.count <= WHOLE ? [...over, counted.last] : over;
    },
    summaries,
  };
}

function summaryOf({ count, last }: Counted): AuditEntry[] {
  const further = count - WHOLE;
  if (further <= 0) return [];
  const { actor, team, channel, operation, outcome } = last;
  const detail = `and ${further} more ${further === 1 ? 'refusal' : 'refusals'} of this person within a minute`;
  return [{ actor, team, channel, operation, target: '', given: {}, outcome, detail }];
}

function clipped(entry: AuditEntry): AuditEntry {
  const given = Object.entries(entry.given).slice(0, 20);
  return {
    ...entry,
    target: clip(entry.target),
    detail: clip(entry.detail),
    given: Object.fromEntries(given.map(([key, text]) => [key, clip(text)])),
    ...(entry.rule === undefined ? {} : { rule: clip(entry.rule) }),
  };
}

const clip = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1).trimEnd()}…`);
