/** How well messages are grouped, and two groupings that anybody would try first. */

export interface GroupingScore {
  messages: number;
  kinds: number;
  groups: number;
  /** F1 of groups that are exactly one kind: FGA of the LogPub benchmark. */
  fga: number;
  /** Messages that are in such a group: grouping accuracy. */
  accuracy: number;
  /** Groups with messages of several kinds, with those kinds. */
  mixed: { group: string; kinds: string[] }[];
  /** Kinds that are in several groups. */
  split: { kind: string; groups: number }[];
}

function gather(keys: readonly string[]): Map<string, number[]> {
  const all = new Map<string, number[]>();
  keys.forEach((key, i) => {
    const members = all.get(key);
    if (members === undefined) all.set(key, [i]);
    else members.push(i);
  });
  return all;
}

/** `kinds` and `groups` by message, in the same order. */
export function scoreGrouping(kinds: readonly string[], groups: readonly string[]): GroupingScore {
  const byKind = gather(kinds);
  const byGroup = gather(groups);
  let exact = 0;
  let inExact = 0;
  const mixed: GroupingScore['mixed'] = [];
  for (const [group, members] of byGroup) {
    const inside = new Set(members.map((i) => kinds[i]!));
    if (inside.size > 1) mixed.push({ group, kinds: [...inside] });
    else if (byKind.get(kinds[members[0]!]!)!.length === members.length) {
      exact++;
      inExact += members.length;
    }
  }
  const split = [...byKind]
    .map(([kind, members]) => ({ kind, groups: new Set(members.map((i) => groups[i])).size }))
    .filter((one) => one.groups > 1);
  return {
    messages: kinds.length,
    kinds: byKind.size,
    groups: byGroup.size,
    fga: (2 * exact) / Math.max(1, byKind.size + byGroup.size),
    accuracy: inExact / Math.max(1, kinds.length),
    mixed,
    split,
  };
}

/** Numbers and what looks like an id become a star. */
const mask = (text: string): string =>
  text
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '*')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi, '*')
    .replace(/\d+/g, '*');

export const groupByMask = (texts: readonly string[]): string[] => texts.map(mask);

interface Template {
  id: string;
  words: string[];
}

const SIMILAR = 0.5;
const DEPTH = 2;

/** Drain as its authors describe it: by length, then by the first words, then by how many words are the same. */
export function groupByDrain(texts: readonly string[]): string[] {
  const leaves = new Map<string, Template[]>();
  let next = 0;
  return texts.map((text) => {
    const words = mask(text).split(/\s+/).filter(Boolean);
    const first = words.slice(0, DEPTH).map((word) => (/[*\d]/.test(word) ? '*' : word));
    const key = `${words.length} ${first.join(' ')}`;
    const leaf = leaves.get(key) ?? [];
    leaves.set(key, leaf);
    const same = (template: Template) => template.words.filter((word, i) => word === words[i]).length / words.length;
    const best = leaf.reduce<Template | undefined>(
      (found, one) => (found === undefined || same(one) > same(found) ? one : found),
      undefined,
    );
    if (best === undefined || same(best) < SIMILAR) {
      const template = { id: `drain ${next++}`, words };
      leaf.push(template);
      return template.id;
    }
    best.words = best.words.map((word, i) => (word === words[i] ? word : '*'));
    return best.id;
  });
}
