/** A text in which `*` stands for any run of characters and everything else for itself, in any case. */
export interface Pattern {
  text: string;
  matches(word: string): boolean;
}

/**
 * `shop-*` → what `shop-assets` and `Shop-Media` match. A whole word is matched, never a part of it. People write patterns, so
 * each part is looked for once, from where the last one ended: many stars cost no more than few.
 */
export function parsePattern(text: string): Pattern {
  const [first = '', ...rest] = text.toLowerCase().split('*');
  const last = rest.pop();
  return { text, matches: (word) => fits(word.toLowerCase(), first, rest, last) };
}

function fits(word: string, first: string, middle: readonly string[], last: string | undefined): boolean {
  if (last === undefined) return word === first;
  if (!word.startsWith(first) || !word.endsWith(last)) return false;
  const end = word.length - last.length;
  let from = first.length;
  for (const part of middle) {
    const at = word.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= end;
}
