import { domainToASCII, domainToUnicode } from 'node:url';

/** `*` stands for any characters. Case does not count. */
export interface Pattern {
  text: string;
  matches(word: string): boolean;
}

/** Matches whole texts. Each part is searched once, so many stars cost no more than few. */
export function parsePattern(text: string): Pattern {
  const [first = '', ...rest] = lowerCase(text).split('*');
  const last = rest.pop();
  return { text, matches: (word) => fits(lowerCase(word), first, rest, last) };
}

/** Spellings of the same hostname: punycode or Unicode, trailing dot or not. `ſhop` is not `shop`. */
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

/** By id, name or pattern. Without `texts` everything is meant. */
export function isMeant(texts: readonly string[], id: string, name: string | undefined): boolean {
  if (texts.length === 0) return true;
  return texts.some((text) => text === id || (name !== undefined && parsePattern(text).matches(name)));
}

/** Keeps `ſ` and the Kelvin sign apart from `s` and `k`. */
function lowerCase(text: string): string {
  if (isPlain(text)) return text.toLowerCase();
  // Composes letters with marks, as a Mac writes them. More than thirty marks would be slow to order (UAX #15).
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
