/** When a word of a policy is the name of a thing: stars, ASCII case, punycode both ways, and nothing else. */
import { domainToASCII, domainToUnicode } from 'node:url';

/** Small letters, each by itself; `ſ`, the Kelvin sign and a dotted capital I are no letters of ASCII and become none. */
function small(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[^ -~]/gu, smallBeyond);
}

function smallBeyond(letter: string): string {
  const lower = letter.toLowerCase();
  return [...lower].length > 1 || /^[ -~]$/.test(lower) ? letter : lower;
}

/** Each label that is punycode, as what it stands for. A label that is none stays. */
function unicodeOf(text: string): string {
  return text
    .split('.')
    .map((label) => (label.startsWith('xn--') && domainToUnicode(label) !== '' ? domainToUnicode(label) : label))
    .join('.');
}

/** Each label with other letters as punycode, if that stands for the very same letters and not for folded ones. */
function asciiOf(text: string): string {
  return text
    .split('.')
    .map((label) => {
      const ascii = domainToASCII(label);
      return ascii !== '' && domainToUnicode(ascii) === label ? ascii : label;
    })
    .join('.');
}

/** Composed letters, but for the three (Kelvin sign, Greek question mark and accent) that would become plain ASCII by it. */
function composed(text: string): string {
  const parts = text.split(/([\u212A\u037E\u1FEF])/);
  return parts.map((part, at) => (at % 2 === 0 ? part.normalize('NFC') : part)).join('');
}

/** Every way to write a name that means the same; the last dot of a whole hostname says nothing. */
function spellings(text: string): string[] {
  const plain = small(composed(text)).replace(/^(.+\..*)\.$/, '$1');
  if (/^[ -~]*$/.test(plain) && !plain.includes('xn--')) return [plain];
  return [plain, unicodeOf(plain), asciiOf(plain)];
}

/** `*` is anything, every other letter itself. */
function globs(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern.startsWith('*')) {
    for (let from = 0; from <= text.length; from += 1) {
      if (globs(pattern.slice(1), text.slice(from))) return true;
    }
    return false;
  }
  return pattern[0] === text[0] && globs(pattern.slice(1), text.slice(1));
}

/** The word of a policy is the name, however the two are spelled. */
export function isSpelled(word: string, name: string): boolean {
  for (const pattern of spellings(word)) {
    for (const text of spellings(name)) if (globs(pattern, text)) return true;
  }
  return false;
}

/** Two names are the same, a star being a star. */
export function isSame(one: string, other: string): boolean {
  return spellings(one).some((text) => spellings(other).includes(text));
}

/** A command has the name, or one that the pattern stands for. */
export function isCommand(pattern: string, command: string): boolean {
  return globs(small(pattern), command);
}
