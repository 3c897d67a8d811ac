/** Drain (He et al. 2017), a parser of logs by a tree of fixed depth: what the templates are compared with. */

/** Words after which a message is looked up in the tree. */
const WORDS = 2;
/** Branches of a node; further words share one. */
const MOST_BRANCHES = 100;
/** The share of words that a message has to have in common with its group. */
const ALIKE = 0.4;

const VARIES = '<*>';

/** As Drain3's example has it: addresses, hexadecimal and other numbers. */
const MASKS = [/(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?/g, /\b0x[0-9a-f]+\b/gi, /(?<![\w.])[+-]?\d+(?![\w.])/g];

interface Group {
  id: number;
  words: string[];
}

/** A new tree: groups messages in the order in which they come, and says the number of each one's group. */
export function createDrain(): (message: string) => number {
  const tree = new Map<string, Group[]>();
  const branches = new Map<string, Set<string>>();
  let groups = 0;

  function branch(node: string, word: string): string {
    const known = branches.get(node) ?? new Set();
    branches.set(node, known);
    if (/\d/.test(word)) return VARIES;
    if (!known.has(word) && known.size >= MOST_BRANCHES) return VARIES;
    known.add(word);
    return word;
  }

  return (message) => {
    const words = MASKS.reduce((text, mask) => text.replace(mask, VARIES), message)
      .trim()
      .split(/\s+/);
    let leaf = String(words.length);
    for (const word of words.slice(0, WORDS)) leaf += `\n${branch(leaf, word)}`;
    const candidates = tree.get(leaf) ?? [];
    tree.set(leaf, candidates);
    let best: Group | undefined;
    let most = -1;
    for (const group of candidates) {
      let same = 0;
      for (const [at, word] of words.entries()) if (group.words[at] === word) same += 1;
      if (same > most) [best, most] = [group, same];
    }
    if (best === undefined || most < ALIKE * words.length) {
      best = { id: groups, words };
      groups += 1;
      candidates.push(best);
    } else {
      for (const [at, word] of words.entries()) if (best.words[at] !== word) best.words[at] = VARIES;
    }
    return best.id;
  };
}
