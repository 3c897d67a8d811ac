import { NETWORK } from './causes/network.ts';
import { SERVICES } from './causes/services.ts';

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
  /** Further phrases that have to be there too. */
  others: readonly Node[];
  weight: number;
}

/** Words one behind the other; `wordings` are those that begin with the phrase which ends here. */
interface Node {
  next: Map<string, Node>;
  wordings: Wording[];
  isEnd: boolean;
}

/** A path or an address, whose words are not the message's; its beginning alone is taken too, so that nothing is tried twice. */
const PATH = /(^|[^\w/])\/[^\s"'<>)]*/g;
const SEPARATORS = /[^a-z0-9]+/;

/** How HAProxy says that a session ended, such as `sH--`: a small letter first is a timeout. */
const HAPROXY = / (?:([CS])|[cs])([RQCHDLT])[-\w]{2}(?= \d+\/\d+\/)/g;

const wordsOf = (text: string) => text.toLowerCase().split(SEPARATORS);

function nodeOf(root: Node, phrase: string): Node {
  let node = root;
  for (const word of wordsOf(phrase.replace(/^~/, '')).filter(Boolean)) {
    const next: Node = node.next.get(word) ?? { next: new Map(), wordings: [], isEnd: false };
    node.next.set(word, next);
    node = next;
  }
  node.isEnd = true;
  return node;
}

/**
 * A row of the table: `id | what it means | what to look at | wordings between ;`. A wording is a phrase, or several between `+`
 * which have to be there in any order. What separates words and how large they are written makes no difference. Where several
 * causes fit, the longest wording wins; one that begins with `~` only where no other fits.
 */
function read(row: string, root: Node): Cause {
  const [id = '', means = '', look = '', wordings = ''] = row.split(' | ');
  const cause = { id, means, look };
  for (const wording of wordings.split('; ')) {
    const [first, ...others] = wording.split(' + ').map((phrase) => nodeOf(root, phrase));
    const weight = wording.startsWith('~') ? wording.length / 1000 : wordsOf(wording).join(' ').trim().length;
    first?.wordings.push({ cause, others, weight });
  }
  return cause;
}

const ROOT: Node = { next: new Map(), wordings: [], isEnd: false };

/** All causes that are known. */
export const CAUSES: readonly Cause[] = [NETWORK, SERVICES].flatMap((table) =>
  table
    .trim()
    .split('\n')
    .map((row) => read(row, ROOT)),
);

/** What comes behind so many characters says no more about the cause. */
const LONGEST_MESSAGE = 2048;

const plain = (message: string) =>
  message
    .slice(0, LONGEST_MESSAGE)
    .replace(PATH, '$1')
    .replace(HAPROXY, (state, abort) => ` HAProxy ${abort === undefined ? 'timeout' : 'abort'} ${state.slice(1, 3)} `);

/** What a message says is wrong; nothing where no known wording is in it. It takes time in proportion to the message. */
export function causeIn(message: string): Cause | undefined {
  const words = wordsOf(plain(message));
  const found = new Set<Node>();
  for (let start = 0; start < words.length; start += 1) {
    let node = ROOT.next.get(words[start]!);
    for (let at = start + 1; node !== undefined; at += 1) {
      if (node.isEnd) found.add(node);
      node = at < words.length ? node.next.get(words[at]!) : undefined;
    }
  }
  let best: Wording | undefined;
  for (const { wordings } of found) {
    for (const one of wordings) {
      if (one.weight > (best?.weight ?? 0) && one.others.every((other) => found.has(other))) best = one;
    }
  }
  return best?.cause;
}
