import { domainToASCII, domainToUnicode } from 'node:url';

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
  const [first = '', ...rest] = lowerCase(text).split('*');
  const last = rest.pop();
  return { text, matches: (word) => fits(lowerCase(word), first, rest, last) };
}

/** A hostname's other spellings mean the same: `bücher.example` is `xn--bcher-kva.example`, also behind a `*.`. */
export function spellingsOf(text: string): string[] {
  const labels = text.split('.');
  const spelled = (to: (label: string) => string) =>
    labels.map((label) => (/^xn--|[^\u0000-\u007f]/i.test(label) && to(label)) || label).join('.');
  return [...new Set([text, spelled(domainToASCII), spelled((label) => domainToUnicode(domainToASCII(label)))])];
}

/** One of these texts means a thing, by its id, its name or a pattern of that; no text at all means everything. */
export function isMeant(texts: readonly string[], id: string, name: string | undefined): boolean {
  if (texts.length === 0) return true;
  return texts.some((text) => text === id || (name !== undefined && parsePattern(text).matches(name)));
}

/** Letter by letter, and only there and back: `ſ` and the sign for Kelvin are other letters than `s` and `k`. */
function lowerCase(text: string): string {
  if (/^[\u0000-\u007f]*$/.test(text)) return text.toLowerCase();
  return Array.from(text, (letter) => {
    const low = letter.toLowerCase();
    return low.toUpperCase() === letter ? low : letter;
  }).join('');
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
