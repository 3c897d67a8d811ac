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

/**
 * The spellings of a name or a pattern that mean the same hostname: `bücher.example` is `xn--bcher-kva.example`, with or without a
 * dot at its end. Only where nothing but the spelling differs: `ſhop` is no way to write `shop`.
 */
export function spellingsOf(text: string): string[] {
  // No hostname is longer.
  if (text.length > 254) return [text];
  const dot = text.indexOf('.');
  const whole = dot !== -1 && dot < text.length - 1 && text.endsWith('.') ? text.slice(0, -1) : text;
  const labels = whole.split('.');
  return [...new Set([text, whole, labels.map(asciiOf).join('.'), labels.map(unicodeOf).join('.')])];
}

function asciiOf(label: string): string {
  const ascii = isPlain(label) || label.includes('*') ? '' : domainToASCII(label);
  return ascii !== '' && domainToUnicode(ascii) === lowerCase(label) ? ascii : label;
}

function unicodeOf(label: string): string {
  if (!/^xn--/i.test(label)) return label;
  const wide = domainToUnicode(label);
  return domainToASCII(wide) === label.toLowerCase() ? wide : label;
}

/** One of these texts means a thing, by its id, its name or a pattern of that; no text at all means everything. */
export function isMeant(texts: readonly string[], id: string, name: string | undefined): boolean {
  if (texts.length === 0) return true;
  return texts.some((text) => text === id || (name !== undefined && parsePattern(text).matches(name)));
}

/** Letter by letter, and only there and back: `ſ` and the sign for Kelvin are other letters than `s` and `k`. */
function lowerCase(text: string): string {
  if (isPlain(text)) return text.toLowerCase();
  // A letter and its marks are one letter, as a Mac writes them; to put more than thirty marks in order would take long (UAX #15).
  const composed = text.replace(/\P{M}\p{M}{1,30}/gu, (letter) => letter.normalize('NFC'));
  return Array.from(composed, (letter) => {
    const low = letter.toLowerCase();
    return low.toUpperCase() === letter ? low : letter;
  }).join('');
}

const isPlain = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text);

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
