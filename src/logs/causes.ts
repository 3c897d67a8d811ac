import { NETWORK } from './causes/network.ts';
import { SERVICES } from './causes/services.ts';
import { learn, numbersOf, TROUBLE, TROUBLE_OF_THINGS, words, wordsIn } from './causes/words.ts';

/** What people on call call one problem, however programs word it. */
export interface Cause {
  /** Never changed: groups are remembered by it. */
  id: string;
  /** What is wrong, as a sentence without its full stop. */
  means: string;
  /** What to look at. */
  look: string;
}

/** Words that a message has: one of the ways in which a cause is recognised. */
interface Wording {
  cause: Cause;
  /** Phrases that have to be there, and those that must not. */
  phrases: readonly Node[];
  without: readonly Node[];
  /** Of the first rank are those that count where no other fits, and so on. */
  rank: number;
  /** Names only things, such as a program: something has to be wrong with them. */
  namesOnly: boolean;
  /** Of a wording that is nothing but a status: the text has to have the number as one. */
  status: string | undefined;
  weight: number;
}

/** Words one behind the other. */
interface Node {
  words: readonly number[];
  next: Map<number, Node>;
  /** Those of which the phrase that ends here is the rarest, the heaviest first. */
  wordings: Wording[];
  isEnd: boolean;
  /** The last text in which the phrase was found, and at which of its words it is there first and last. */
  seen: number;
  first: number;
  last: number;
}

/** The phrases of one wording are so near to each other, in words: further apart they speak of different things. */
const MOST_APART = 12;

/** `HTTP/1.1" 404`, `status: 404`, `returned a 404`, `(404)`; neither `404 bytes` nor `task 404`. */
const STATUS =
  /(?:^|["(]|\b(?:status|code|http(?:\/[\d.]{1,3})?|error|response|return(?:s|ed|ing)?|respond(?:s|ed)?|answer(?:s|ed)?|got|received|with|an?)\W{1,3})(\d{3})\b(?!\s?(?:bytes|[kmg]?i?b|m?s)\b)/gi;

const isStatusIn = (text: string, status: string): boolean =>
  [...text.matchAll(STATUS)].some(([, found]) => found === status);

/** How HAProxy says that a session ended, such as `sH--`: a small letter first is a timeout. */
const HAPROXY = / (?:([CSP])|[cs])([RQCHDLT])[-\w]{2}(?= \d+\/\d+\/)/g;

/** Where nginx goes on with whose request it was. */
const WHOSE = ', client: ';

/** What Envoy says of every reset, before the reason. */
const ENVOY =
  /upstream connect error or disconnect\/reset before headers\.(?: retried and the latest)?(?: reset reason:)?/;

const node = (words: readonly number[]): Node => ({
  words,
  next: new Map(),
  wordings: [],
  isEnd: false,
  seen: 0,
  first: 0,
  last: 0,
});
const ROOT = node([]);

function nodeOf(phrase: string): Node {
  let at = ROOT;
  for (const word of words.slice(0, wordsIn(phrase))) {
    const next = at.next.get(word) ?? node([...at.words, word]);
    at.next.set(word, next);
    at = next;
  }
  at.isEnd = true;
  return at;
}

/**
 * A row of the table: `id | what it means | what to look at | wordings between ;`. A wording is a phrase, or several between `+`
 * which have to be there near each other in any order, and some behind `-` which must not be there. How words end, how large they
 * are written and what separates them makes no difference (words.ts). Where several causes fit, the wording with the most and
 * rarest words wins; one that begins with `~` only where no other fits, with `~~` only after those. One that only names things,
 * such as `keycloak`, counts where the text says that something is wrong with them; a status where it is one, not where it is a
 * number of something.
 */
function read(row: string): { cause: Cause; wordings: Wording[] } {
  const [id = '', means = '', look = '', wordings = ''] = row.split(' | ');
  const cause = { id, means, look };
  return {
    cause,
    wordings: wordings.split('; ').map((wording) => {
      const [present = '', ...absent] = wording.replace(/^~+/, '').split(' - ');
      const phrases = present.split(' + ').map(nodeOf);
      const rank = wording.lastIndexOf('~', 1) + 1;
      return {
        cause,
        phrases,
        without: absent.map(nodeOf),
        rank,
        namesOnly: !CODE.test(wording) && !phrases.some((phrase) => phrase.words.some(saysInWordings)),
        status: /^~~(\d{3})\b(?! \w)/.exec(wording)?.[1],
        weight: 0,
      };
    }),
  };
}

/** Names of errors, which are only written when they happen: `ECONNRESET`, `CLUSTERDOWN`, `session_start`, `error 1016`. */
const CODE =
  /(?:^|\s)~*(?:(?=[A-Z\d_]*[A-Z_])[A-Z\d_]{5,}|E[A-Z]{3,}\d*|[A-Z]+_\w+|[a-z]+_[a-z_]+|[A-Za-z]*\d{3,})(?:\s|$)/;

/** Words that say that something is wrong. */
const WRONG = numbersOf(TROUBLE);
/** Words that say so in a wording; in a text they are said of much else. */
const WRONG_OF_THINGS = numbersOf(TROUBLE_OF_THINGS);
const saysInWordings = (word: number) => WRONG[word] === 1 || WRONG_OF_THINGS[word] === 1;

/** A word weighs the more the fewer causes have it, and two that stand together more than two that do not. */
function weigh(rows: readonly { wordings: readonly Wording[] }[]): void {
  const causes = new Map<number, number>();
  for (const { wordings } of rows) {
    const all = wordings.flatMap(({ phrases }) => phrases.flatMap(({ words }) => words));
    for (const word of new Set(all)) causes.set(word, (causes.get(word) ?? 0) + 1);
  }
  const weightOf = ({ words }: Node) =>
    words.reduce((sum, word) => sum + 2 + Math.log(rows.length / (causes.get(word) ?? 1)), -1);
  for (const wording of rows.flatMap(({ wordings }) => wordings)) {
    const weights = wording.phrases.map(weightOf);
    wording.weight = weights.reduce((sum, weight) => sum + weight, 0) / 1000 ** wording.rank;
    wording.phrases[weights.indexOf(Math.max(...weights))]?.wordings.push(wording);
  }
  const phrases = new Set(rows.flatMap(({ wordings }) => wordings.flatMap((one) => one.phrases)));
  for (const { wordings } of phrases) wordings.sort((a, b) => b.weight - a.weight);
}

const TABLE = [NETWORK, SERVICES].flatMap((table) => table.trim().split('\n'));
for (const row of TABLE) learn(row.slice(row.lastIndexOf(' | ')));
const ROWS = TABLE.map(read);
weigh(ROWS);

/** By the first word; nothing begins with a word that no wording has. */
const FIRST: (Node | undefined)[] = [];
for (const [word, first] of ROOT.next) FIRST[word] = first;

/** All causes that are known. */
export const CAUSES: readonly Cause[] = ROWS.map(({ cause }) => cause);

/** What comes behind so many characters says no more about the cause. */
const LONGEST_MESSAGE = 2048;

function plain(message: string): string {
  let text = message.length > LONGEST_MESSAGE ? message.slice(0, LONGEST_MESSAGE) : message;
  const whose = text.indexOf(WHOSE);
  if (whose > 0) text = text.slice(0, whose) + (text.includes('fastcgi:', whose) ? ' fastcgi' : '');
  if (text.includes('disconnect/reset')) text = text.replace(ENVOY, '');
  if (text.includes('-- ') || text.includes(' - - ')) {
    text = text.replace(
      HAPROXY,
      (state, abort) => ` HAProxy ${abort === undefined ? 'timeout' : 'abort'} ${state.slice(1, 3)} `,
    );
  }
  return text;
}

let texts = 0;
/** Whether the last one says that something is wrong. */
let saysWrong = false;

/** The phrases of the table that are in a text. */
function phrasesIn(text: string): Node[] {
  const count = wordsIn(text);
  const found: Node[] = [];
  texts += 1;
  saysWrong = false;
  for (let start = 0; start < count; start += 1) {
    const word = words[start]!;
    if (WRONG[word] === 1) saysWrong = true;
    let at = FIRST[word];
    for (let behind = start + 1; at !== undefined; behind += 1) {
      if (at.isEnd) {
        at.last = start;
        if (at.seen !== texts) {
          at.seen = texts;
          at.first = start;
          found.push(at);
        }
      }
      at = behind < count ? at.next.get(words[behind]!) : undefined;
    }
  }
  return found;
}

/** How far apart phrases are. */
function spanOf(phrases: readonly Node[], at: 'first' | 'last'): number {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const phrase of phrases) {
    least = Math.min(least, phrase[at]);
    most = Math.max(most, phrase[at]);
  }
  return most - least;
}

function fits({ phrases, without, namesOnly, status }: Wording, text: string): boolean {
  if (namesOnly && !saysWrong) return false;
  for (const phrase of phrases) if (phrase.seen !== texts) return false;
  if (phrases.length > 1 && spanOf(phrases, 'first') > MOST_APART && spanOf(phrases, 'last') > MOST_APART) return false;
  for (const phrase of without) if (phrase.seen === texts) return false;
  return status === undefined || isStatusIn(text, status);
}

/** What a message says is wrong; nothing where no known wording is in it. It takes time in proportion to the message. */
export function causeIn(message: string): Cause | undefined {
  let best: Wording | undefined;
  const text = plain(message);
  for (const { wordings } of phrasesIn(text)) {
    for (const one of wordings) {
      if (best !== undefined && one.weight <= best.weight) break;
      if (fits(one, text)) best = one;
    }
  }
  return best?.cause;
}
