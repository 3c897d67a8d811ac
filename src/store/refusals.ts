import { MINUTE } from '../time.ts';
import type { AuditEntry } from './audit-entry.ts';

/** How many refusals of one person within a minute get an entry. The rest are only counted. */
const WHOLE = 10;
/** In characters. Texts of a refusal are cut, because a person without the right chose them. */
const LONGEST = 200;

/** Nothing was done and nobody was asked, so these may be only counted. */
export const isRefusal = ({ outcome, confirmation }: AuditEntry): boolean =>
  outcome === 'forbidden' || (confirmation === undefined && ['refused', 'unreachable', 'error'].includes(outcome));

/** One person’s refusals within a minute. */
interface Counted {
  since: number;
  count: number;
  last: AuditEntry;
}

/** Refusals of everybody, by person. */
export interface Refusals {
  /** The entries to write for this refusal. `now` is in Unix milliseconds. */
  take(entry: AuditEntry, now: number): AuditEntry[];
  /** Entries that count what was left out, for each minute that is over. */
  summaries(now: number): AuditEntry[];
}

/** The audit must not grow as fast as somebody types forbidden commands. */
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
