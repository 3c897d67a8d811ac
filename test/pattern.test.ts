import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMeant, parsePattern, spellingsOf } from '../src/pattern.ts';

/** As the rule reads: a star takes any number of characters, one after the other. */
function naive(pattern: string, word: string): boolean {
  if (pattern === '') return word === '';
  if (pattern[0] !== '*') return word[0] === pattern[0] && word !== '' && naive(pattern.slice(1), word.slice(1));
  return naive(pattern.slice(1), word) || (word !== '' && naive(pattern, word.slice(1)));
}

describe('a pattern', () => {
  it('matches what a naive reading of it matches', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    const word = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 });
    fc.assert(
      fc.property(pattern, word, (text, one) => parsePattern(text).matches(one) === naive(text, one)),
      { numRuns: 5000 },
    );
  });

  it('is in any case, and everything but the star stands for itself', () => {
    expect(parsePattern('Shop-*').matches('sHOP-assets')).toBe(true);
    expect(parsePattern('a.c').matches('abc')).toBe(false);
    expect(parsePattern('(x|y)+$').matches('(X|Y)+$')).toBe(true);
    expect(parsePattern('a\nb*').matches('a\nb\nc')).toBe(true);
  });

  it('costs with a thousand stars no more than with few: looked for once each', () => {
    let looked = 0;
    const word = new Proxy(new String(`${'a'.repeat(5_000)}`), {
      get(text, key) {
        if (key === 'indexOf') looked += 1;
        const value = Reflect.get(text, key);
        return typeof value === 'function' ? value.bind(text) : value;
      },
    }) as unknown as string;
    const lower = { toLowerCase: () => word } as unknown as string;
    expect(parsePattern(`${'*a'.repeat(990)}*b`).matches(lower)).toBe(false);
    expect(parsePattern(`${'*a'.repeat(990)}*`).matches(lower)).toBe(true);
    expect(looked).toBeLessThanOrEqual(2 * 991);
  });

  it.each([
    ['shop', 'ſhop', false],
    ['k8s', '\u212a8s', false],
    ['ŜHOP', 'ŝhop', true],
    ['straße', 'STRASSE', false],
    ['i*', 'İ', false],
  ])('%s matches %s: %s, since only letters that are the same in lower case are the same', (text, word, matches) => {
    expect(parsePattern(text).matches(word)).toBe(matches);
    expect(parsePattern(word).matches(text)).toBe(matches);
  });

  it('has the marks of a letter as one letter, however many they are', () => {
    // A Mac writes ệ as e and two marks, in either order.
    expect(parsePattern('Vi\u1ec7t').matches('vie\u0323\u0302t')).toBe(true);
  });

  it('without a word stands for nothing else', () => {
    expect(parsePattern('').matches('')).toBe(true);
    expect(parsePattern('').matches('a')).toBe(false);
    expect(parsePattern('a').matches('Stryker was here!a')).toBe(false);
  });

  it.each([
    ['shop', ['shop']],
    ['.', ['.']],
    ['shop.', ['shop.']],
    ['a.b.', ['a.b.', 'a.b']],
    ['a\u0000é', ['a\u0000é']],
    ['é\u0000.example', ['é\u0000.example']],
    ['axn--bcher-kva.example', ['axn--bcher-kva.example']],
    ['xn--zz.example', ['xn--zz.example']],
  ])('%j is spelled %j', (text, spellings) => {
    expect(spellingsOf(text)).toEqual(spellings);
  });

  it('of a hostname has its other spellings', () => {
    expect(spellingsOf('bücher.example')).toEqual(['bücher.example', 'xn--bcher-kva.example']);
    expect(spellingsOf('*.XN--bcher-kva.example')).toEqual(['*.XN--bcher-kva.example', '*.bücher.example']);
    expect(spellingsOf('mu\u0308nchen.example')).toContain('xn--mnchen-3ya.example');
    expect(spellingsOf('cdn.example.')).toEqual(['cdn.example.', 'cdn.example']);
    expect(spellingsOf('BÜCHER.example')).toContain('xn--bcher-kva.example');
  });

  it('has other spellings as long as it can be a hostname', () => {
    const longest = `xn--bcher-kva.${'a.'.repeat(119)}ab`;
    expect(longest).toHaveLength(254);
    expect(spellingsOf(longest)).toEqual([longest, longest.replace('xn--bcher-kva', 'bücher')]);
    expect(spellingsOf(`${longest}c`)).toEqual([`${longest}c`]);
  });

  it.each(['shop-*', 'ſhop.example', '\u212a8s.example', 'end.', '.', '', 'xn--.example', 'bü*'])(
    'of %j has no other',
    (text) => {
      expect(spellingsOf(text)).toEqual([text]);
    },
  );
});

it.each([
  ['shop', [], true],
  ['shop', ['blog', 'shop'], true],
  ['shop', ['12'], true],
  ['shop', ['1', 'sho'], false],
  ['shop', ['SH*'], true],
  [undefined, ['*'], false],
  [undefined, ['12'], true],
])('the thing 12 called %s is meant by %j: %s', (name, texts, meant) => {
  expect(isMeant(texts, '12', name)).toBe(meant);
});
