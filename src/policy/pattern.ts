/** A text in which `*` stands for any run of characters and everything else for itself, in any case. */
export interface Pattern {
  text: string;
  matches(word: string): boolean;
}

/** `shop-*` → what `shop-assets` and `Shop-Media` match. A whole word is matched, never a part of it. */
export function parsePattern(text: string): Pattern {
  const parts = text.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const whole = new RegExp(`^${parts.join('.*')}$`, 'isu');
  return { text, matches: (word) => whole.test(word) };
}
