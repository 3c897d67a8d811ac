/** `npm run check -- plain-words [tuning|unseen] [--show]`: how many requests in plain words are read as they were meant. */
import { readFileSync } from 'node:fs';
import { nearest } from '../../src/nearest.ts';
import { parseMoment } from '../../src/operations/arguments/dates.ts';
import { checked, lineOf, readCommand } from '../../src/operations/grammar.ts';
import { operations } from '../../src/operations/index.ts';
import type { AnyOperation } from '../../src/operations/operation.ts';
import { readPlainWords } from '../../src/operations/words/read.ts';
import { parseSchedule } from '../../src/schedule/words.ts';

interface Expected {
  phrase: string;
  expect: string | null;
  kind: 'read' | 'write' | 'search' | 'none';
  half: 'tuning' | 'unseen';
}

interface Filled {
  operation: AnyOperation;
  given: Readonly<Record<string, string>>;
}

/** A Wednesday evening, so that all that the phrases speak of has been. */
const NOW = new Date('2026-11-25T20:30:00Z');

/** The names that the phrases speak of (README.md, 5). */
const THINGS = {
  zone: ['main-site', 'shop', 'blog', 'api', 'assets', 'docs'],
  script: ['geo-router', 'redirects', 'ab-test'],
  app: ['image-resizer', 'worker-eu', 'checkout-api', 'old-worker', 'test-app'],
  database: ['orders-db', 'customers', 'analytics'],
  report: ['daily-statistics', 'error-summary'],
};

/** Names that the page did not give to whoever wrote the phrases (README.md, 9), as they really are. */
const REAL: Readonly<Record<string, string>> = {
  statistics: 'daily-statistics',
  errors: 'error-summary',
  ai: 'aiscraper',
  scraper: 'aiscraper',
  'search-engine': 'seo',
  monitoring: 'tool',
};

/** What somebody gets: a command, or else what is offered first. */
function answerTo(phrase: string): { filled?: Filled; offered?: string | undefined } {
  try {
    const { operation, given } = readCommand(phrase, operations);
    checked(operation, given, NOW);
    return { filled: { operation, given } };
  } catch {
    const reading = readPlainWords(phrase, operations, THINGS, NOW);
    const { understood } = reading;
    if (understood === undefined) return { offered: reading.choices[0]?.operation.name };
    // A form that asks for the rest runs nothing.
    const { missing } = checked(understood.operation, understood.given, NOW);
    return missing.some((key) => key !== 'file') ? { offered: understood.operation.name } : { filled: understood };
  }
}

/** A text as what it means, so that two ways of writing it are one. */
function meaningOf(text: string): string {
  const word =
    REAL[text.toLowerCase()] ??
    text
      .replace(/^"(.*)"$/, '$1')
      .replace(/^tag:/, '')
      .replace(/^https?:\/\//, '');
  const weekday = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'].indexOf(word);
  const today = NOW.toISOString().slice(0, 10);
  if (weekday >= 0)
    return new Date(Date.parse(today) - ((NOW.getUTCDay() - weekday + 7) % 7) * 86_400_000).toISOString();
  const time = /^(\d{2}):(\d{2})$/.exec(word) === null ? word : `${today}T${word}`;
  for (const read of [
    () => parseMoment(time, NOW).instant.toISOString(),
    () => JSON.stringify(parseSchedule(word).cron),
  ]) {
    try {
      return read();
    } catch {
      // It is no such thing.
    }
  }
  return word.toLowerCase().split(',').sort().join(',');
}

/** A command in one way of writing, of those that mean the same (README.md, 4 and 11). */
function canonical({ operation, given }: Filled): string {
  // A file is chosen in the form, a range goes on until now, and which table comes first is younger than the phrases.
  const { regenerate, file: _, top: __, to, ...others } = given;
  const rest = to === undefined || meaningOf(to) === meaningOf('today') ? others : { ...others, to };
  const name = operation.name === 'token invalidate' && regenerate === 'true' ? 'token regenerate' : operation.name;
  const all: Record<string, string> =
    name === 'errors show' && rest.date === undefined ? { ...rest, date: 'today' } : rest;
  const words = Object.keys(all)
    .sort()
    .map((key) => `${key}=${key === 'sql' ? all[key]! : meaningOf(all[key]!)}`);
  return [name, ...words].join(' ');
}

const targetsOf = ({ operation, given }: Filled): string =>
  Object.keys(operation.args)
    .filter((key) => operation.args[key]?.names !== undefined)
    .flatMap((key) => (given[key] === undefined ? [] : [meaningOf(given[key])]))
    .join(' ');

/** A thing that does not exist is refused by its name (`resolve` of its kind), a certificate's hostname only if it is near another. */
function exists({ operation: { name, args }, given }: Filled): boolean {
  const known = Object.values(THINGS)
    .flat()
    .flatMap((one) => [one, `${one}.example.com`]);
  return Object.entries(args).every(([key, { names }]) => {
    const text = given[key];
    const isAny = names === undefined || text === undefined || /^\d+$/.test(text) || known.includes(text);
    return isAny || (name.startsWith('certificate') && nearest(text, known, () => 2) === undefined);
  });
}

/** Right; or how it is wrong, from mild to what must never be. */
function judge({ phrase, expect, kind }: Expected): { verdict: string; got: string } {
  const { filled, offered } = answerTo(phrase);
  const got = filled === undefined ? `offers ${offered ?? 'nothing'}` : lineOf(filled.operation, filled.given);
  if (kind === 'search')
    return {
      verdict: filled === undefined && offered === expect ? 'right' : changes(filled) ? 'FALSE WRITE' : 'wrong',
      got,
    };
  if (expect === null)
    return {
      verdict: filled === undefined || !exists(filled) ? 'right' : changes(filled) ? 'FALSE WRITE' : 'wrong',
      got,
    };
  const wanted = readCommand(expect, operations);
  if (filled === undefined)
    return { verdict: offered === wanted.operation.name ? 'offered first' : 'not understood', got };
  if (canonical(filled) === canonical(wanted)) return { verdict: 'right', got };
  if (kind === 'read' && changes(filled)) return { verdict: 'FALSE WRITE', got };
  return {
    verdict: kind === 'write' && changes(filled) && targetsOf(filled) !== targetsOf(wanted) ? 'WRONG TARGET' : 'wrong',
    got,
  };
}

const changes = (filled: Filled | undefined): boolean => filled !== undefined && filled.operation.effect !== 'read';

const phrases = readFileSync(new URL('phrases.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const [half, kind, expect, phrase] = line.split('\t');
    return { half, kind, expect: expect === '' ? null : expect, phrase } as Expected;
  });
const [wanted] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
let isGood = true;
for (const half of ['tuning', 'unseen'] as const) {
  if (wanted !== undefined && wanted !== half) continue;
  const judged = phrases.filter((one) => one.half === half).map((one) => ({ ...one, ...judge(one) }));
  const counts = new Map<string, number>();
  for (const { verdict } of judged) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const right = ((counts.get('right') ?? 0) + (counts.get('offered first') ?? 0)) / judged.length;
  isGood &&= right >= 0.9 && !counts.has('FALSE WRITE') && !counts.has('WRONG TARGET');
  console.log(
    `${half}: ${[...counts].map(([verdict, count]) => `${verdict} ${count}`).join(', ')} of ${judged.length} (${(right * 100).toFixed(1)} % right or offered first)`,
  );
  // Nobody looks at the unseen ones: they would be seen.
  if (half === 'tuning' && process.argv.includes('--show'))
    for (const { verdict, phrase, expect, got } of judged.filter((one) => one.verdict !== 'right'))
      console.log(`  ${verdict}: ${phrase}\n    wanted ${expect ?? 'nothing'}\n    got    ${got}`);
}
process.exit(isGood ? 0 : 1);
