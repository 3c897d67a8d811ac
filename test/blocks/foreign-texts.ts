import fc from 'fast-check';
import { hostileTexts } from '../support/hostile-texts.ts';

/** Signs that mean something in mrkdwn, alone and in runs. */
const SIGNS = ['*', '_', '~', '`', '```', '**', '__', '~~', '*_', '_*', '~*', '>', '>>>', '&gt;', '<', '&lt;', '&amp;', '&', ':', '::', '|', '\\', '\\*', '#', '@', '!', '•', '-', '1.', '"', '“', '”', '’', '(', ')', '[', ']', '{', '}', ',', '.', ';', '?', '=', '…']; // biome-ignore format: a list of signs

/** Words of several scripts, and what names, addresses and log lines are made of. */
const WORDS = ['a', 'shop', 'x86_64', 'snake_case_name', '2*3', 'größe', 'имя', '名前', 'שם', 'اسم', 'नाम', '👩‍🚒', '🇩🇪', 'e\u0301', 'smile', '+1', 'white_check_mark', 'main-site', '*.example.com', 'https://evil.example/?a=1&b=*2*', 'www.evil.example', 'ada@shop.example', '10:30:45', '2026-11-22', '2001:db8::1', '10.0.0.1:443', '/api/v1/{id}', 'GET', 'U0EVIL0000', '@U0EVIL0000', '!channel', '#C0EVIL0000', 'mailto:', 'tel:', '\u200b', '\u2060', '\u202e', '\u200f', '\ud800', '\udc00', '\0']; // biome-ignore format: a list of words

const GAPS = ['', '', '', ' ', ' ', '  ', '\n', '\t', '\u00a0', '\n\n', '\r\n'];

/** Signs at the borders of words, in every order. */
const bordered = fc
  .array(fc.tuple(fc.constantFrom(...SIGNS, ...WORDS, ...WORDS), fc.constantFrom(...GAPS)), {
    minLength: 1,
    maxLength: 9,
  })
  .map((pieces) => pieces.flat().join(''));

/** A pair of signs around words, where formatting begins and ends. */
const enclosed = fc
  .tuple(
    fc.constantFrom('', 'a', ' ', '(', '“', '\n', ':', '.', '-', 'é'),
    fc.constantFrom('*', '_', '~', '`', '```', ':', '*_', '<', '>'),
    fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(' ', '_', '*', '\n', ':', ''),
  )
  .map(([beside, sign, words, gap]) => {
    const closing = sign === '<' ? '>' : [...sign].reverse().join('');
    return `${beside}${sign}${words.join(gap)}${closing}${beside}`;
  });

/** `count` texts from outside, always the same ones: two fifths of them are written to do harm, the others are signs among words. */
export function foreignTexts(count: number, seed = 20_261_122): string[] {
  const harmful = hostileTexts(Math.floor(count * 0.4)).filter((text) => text !== '');
  const signs = fc.sample(fc.oneof(bordered, enclosed), { seed, numRuns: count - harmful.length });
  return [...harmful, ...signs];
}
