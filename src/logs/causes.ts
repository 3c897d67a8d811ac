import { CAUSE_TABLE } from './cause-table.ts';

/** What people on call call one problem, however programs word it. */
export interface Cause {
  /** Never changed: groups are remembered by it. */
  id: string;
  /** What is wrong, as a sentence without its full stop. */
  means: string;
  /** What to look at. */
  look: string;
}

/** Phrases that a message has in any order, and one that it must not have. */
interface Wording {
  cause: Cause;
  phrases: readonly string[];
  without: string | undefined;
  weight: number;
}

/** What comes behind so many characters says no more about the cause. */
const LONGEST_MESSAGE = 2048;

/** How HAProxy says that a session ended, such as `sH--`: a small letter first is a timeout. */
const HAPROXY = / (?:([CSP])|[cs])([RQCHDLT])[-\w]{2}(?= \d+\/\d+\/)/g;

/** An address or a path: who names a page like an error makes none. */
const ADDRESS = /https?:\/\/[^\s"'<>)]*|(?<![\w/])\/[^\s"'<>)]*/g;

const SEPARATORS = /[^a-z\d]+/g;

/** `HTTP/1.1" 404`, `status: 404`, `returned a 404`, `(404)`; neither `404 bytes` nor `task 404`. */
const STATUS =
  /(?:^|["(]|\b(?:status|code|http(?:\/[\d.]{1,3})?|error|response|return(?:s|ed|ing)?|respond(?:s|ed)?|answer(?:s|ed)?|got|received|with|an?)\W{1,3})(\d{3})\b(?!\s?(?:bytes|[kmg]?i?b|m?s)\b)/gi;

const plain = (text: string): string => ` ${text.toLowerCase().replace(SEPARATORS, ' ').trim()}`;

const CAUSES_AND_WORDINGS = CAUSE_TABLE.trim()
  .split('\n')
  .map((row) => {
    const [id = '', means = '', look = '', , wordings = ''] = row.split(' | ');
    const cause: Cause = { id, means, look };
    return {
      cause,
      wordings: wordings.split('; ').map((wording): Wording => {
        const [present = '', absent] = wording.replace('~', '').split(' - ');
        const phrases = present.split(' + ').map(plain);
        const length = phrases.reduce((sum, phrase) => sum + phrase.length, 0);
        return {
          cause,
          phrases,
          without: absent === undefined ? undefined : plain(absent),
          weight: wording.startsWith('~') ? length - LONGEST_MESSAGE : length,
        };
      }),
    };
  });

/** All causes that are known. */
export const CAUSES: readonly Cause[] = CAUSES_AND_WORDINGS.map(({ cause }) => cause);

/** A phrase is looked for where a word of the message begins like it: the blank and three characters. */
const START = 4;

/** The longest first: who says more is more exact. One that begins with `~` counts where no other fits. */
const BY_START = new Map<string, Wording[]>();
for (const wording of CAUSES_AND_WORDINGS.flatMap(({ wordings }) => wordings).sort((a, b) => b.weight - a.weight)) {
  const start = wording.phrases[0]!.slice(0, START);
  BY_START.set(start, [...(BY_START.get(start) ?? []), wording]);
}

const BY_STATUS = new Map(
  CAUSES.flatMap((cause) => (cause.id.startsWith('answers-') ? [[cause.id.slice(8), cause]] : [])),
);

const fits = ({ phrases, without }: Wording, words: string): boolean =>
  phrases.every((phrase) => words.includes(phrase)) && (without === undefined || !words.includes(without));

/** What a message says is wrong; nothing where no known wording is in it. Words may end otherwise than in a wording. */
export function causeIn(message: string): Cause | undefined {
  let text = message.slice(0, LONGEST_MESSAGE);
  // Here nginx goes on with whose request it was.
  const whose = text.indexOf(', client: ');
  if (whose > 0) text = text.slice(0, whose) + (text.includes('fastcgi:', whose) ? ' fastcgi' : '');
  const words = plain(
    text
      .replace(HAPROXY, (state, abort) => ` haproxy ${abort === undefined ? 'timeout' : 'abort'} ${state.slice(1, 3)} `)
      .replace(ADDRESS, ' '),
  );
  let best: Wording | undefined;
  for (let at = 0; at >= 0; at = words.indexOf(' ', at + 1)) {
    for (const one of BY_START.get(words.slice(at, at + START)) ?? []) {
      if (best !== undefined && one.weight <= best.weight) break;
      if (fits(one, words)) best = one;
    }
  }
  if (best !== undefined) return best.cause;
  for (const [, status = ''] of text.matchAll(STATUS)) if (BY_STATUS.has(status)) return BY_STATUS.get(status);
  return undefined;
}
