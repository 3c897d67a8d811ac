import { CAUSE_TABLE } from './cause-table.ts';

/** One problem, in whatever words. */
export interface Cause {
  /** Must never change: stored groups use it. */
  id: string;
  /** A sentence without a full stop. */
  means: string;
  look: string;
}

/** Phrases that must occur in any order, and one that must not. */
interface Wording {
  cause: Cause;
  phrases: readonly string[];
  without: string | undefined;
  weight: number;
}

/** The rest says nothing more about the cause or the kind. */
export const LONGEST_MESSAGE = 2048;

/** HAProxy's state of a session, such as `sH--`: small letters are timeouts. */
const HAPROXY = / (?:([CSP])|[cs])([RQCHDLT])[-\w]{2}(?= \d+\/\d+\/)/g;

/** `HTTP/1.1" 404`, `status: 404`, `returned a 404`, `(404)`; neither `404 bytes` nor `task 404`. */
const STATUS =
  /(?:^|["(]|\b(?:status|code|http(?:\/[\d.]{1,3})?|error|response|return(?:s|ed|ing)?|respond(?:s|ed)?|answer(?:s|ed)?|got|received|with|an?)\W{1,3})(\d{3})\b(?!\s?(?:bytes|[kmg]?i?b|m?s)\b)/gi;

const plain = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replace(/[^a-z\d]+/g, ' ')
    .trim()}`;

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

export const CAUSES: readonly Cause[] = CAUSES_AND_WORDINGS.map(({ cause }) => cause);

/** Phrases are found by a blank and three characters. */
const START = 4;

/** The longest first. `~`: only if no other fits. */
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

/** A phrase may match the beginning of longer words. */
export function causeIn(message: string): Cause | undefined {
  let text = message.slice(0, LONGEST_MESSAGE);
  // After that nginx describes the request.
  const whose = text.indexOf(', client: ');
  if (whose > 0) text = text.slice(0, whose) + (text.includes('fastcgi:', whose) ? ' fastcgi' : '');
  const words = plain(
    text
      .replace(HAPROXY, (state, abort) => ` haproxy ${abort === undefined ? 'timeout' : 'abort'} ${state.slice(1, 3)} `)
      // The name of a page may look like an error.
      .replace(/https?:\/\/[^\s"'<>)]*|(?<![\w/])\/[^\s"'<>)]*/g, ' '),
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
