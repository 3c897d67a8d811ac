/** What mrkdwn puts between characters that would format (blocks/mrkdwn.ts). */
const JOINERS = /\u2060/g;

/** What keys and tokens are made of; nothing of it is written otherwise in JSON and mrkdwn, but for joiners. */
const PLAIN = /^[\w.~+/=%-]+$/;
const RUN = /[\w.~+/=%\u2060-]{8,}/g;

/** Values are found by how they begin. */
const BEGINNING = 8;

/** So much of a value is known, in characters: no key is longer. */
const LONGEST = 4_096;

/** More are not known at a time: the oldest are forgotten. A key list has a thousand at the most, each in eight forms. */
const MOST = 40_000;

/**
 * Thousands of secret values that come and go: listed keys, tokens that were made. Looking for them costs the same however many
 * there are. One that was cut off is known by its first half.
 */
export interface KnownValues {
  /** False: it is made of characters that may be written in several ways. With `forGood` it is never forgotten. */
  learn(value: string, forGood?: boolean): boolean;
  hide(text: string, shown: string): string;
}

/** A value, and what addresses and base 64 make of it; the latter wherever it may begin within three bytes. */
function formsOf(value: string): string[] {
  const packed = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(`${' '.repeat(before)}${value}`);
    // What depends on the neighbours is left out.
    const from = before === 0 ? 0 : before + 1;
    const end = Math.floor((bytes.length * 8) / 6);
    return [bytes.toString('base64').slice(from, end), bytes.toString('base64url').slice(from, end)];
  });
  return [value, encodeURIComponent(value), ...packed];
}

interface Values {
  /** Those that may be forgotten, the oldest first. */
  passing: Set<string>;
  byBeginning: Map<string, Set<string>>;
}

/** Knows no value yet. */
export function createKnownValues(): KnownValues {
  const values: Values = { passing: new Set(), byBeginning: new Map() };
  return {
    learn(value, forGood = false) {
      if (!PLAIN.test(value) || value.length < BEGINNING) return false;
      for (const form of formsOf(value.slice(0, LONGEST))) add(values, form, forGood);
      return true;
    },
    hide: (text, shown) =>
      values.byBeginning.size === 0 ? text : text.replace(RUN, (run) => hideIn(values, run, shown)),
  };
}

function add(values: Values, value: string, forGood: boolean): void {
  const { passing, byBeginning } = values;
  const beginning = value.slice(0, BEGINNING);
  const alike = byBeginning.get(beginning) ?? new Set();
  if (alike.has(value)) return;
  byBeginning.set(beginning, alike.add(value));
  if (!forGood) passing.add(value);
  for (const oldest of passing) {
    if (passing.size <= MOST) break;
    forget(values, oldest);
  }
}

function forget({ passing, byBeginning }: Values, value: string): void {
  passing.delete(value);
  const beginning = value.slice(0, BEGINNING);
  const alike = byBeginning.get(beginning);
  alike?.delete(value);
  if (alike?.size === 0) byBeginning.delete(beginning);
}

function hideIn(values: Values, written: string, shown: string): string {
  const run = written.replace(JOINERS, '');
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at + BEGINNING <= run.length; at += 1) {
    const length = lengthAt(values, run, at);
    if (length === 0) continue;
    kept.push(run.slice(from, at), shown);
    from = at + length;
    at = from - 1;
  }
  return from === 0 ? written : [...kept, run.slice(from)].join('');
}

/** How much of the run, from here on, is a value: all of one, or the first half of one at the run's end. */
function lengthAt({ byBeginning }: Values, run: string, at: number): number {
  let longest = 0;
  for (const value of byBeginning.get(run.slice(at, at + BEGINNING)) ?? []) {
    const left = run.length - at;
    const isWhole = run.startsWith(value, at);
    const isCut = left >= Math.max(12, value.length / 2) && value.startsWith(run.slice(at));
    if (isWhole || isCut) longest = Math.max(longest, Math.min(value.length, left));
  }
  return longest;
}
