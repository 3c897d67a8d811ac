import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../src/errors.ts';
import {
  type Entry,
  findEntry,
  parseNumericId,
  suggestEntries,
  unknownEntry,
} from '../../../../src/operations/arguments/resources/look-up.ts';

const NOUNS = { one: 'pull zone', subject: 'zone', command: 'zone list' };

const entry = (id: string, name?: string): Entry<string> => ({ id, name, thing: id });
const entries = [entry('12', 'shop'), entry('13', 'shop-images'), entry('14', 'Docs'), entry('15'), entry('16', '12')];

const found = (text: string) => findEntry(text, entries, NOUNS)?.id;

describe('A numeric id', () => {
  it('is any whole number from 1 to 2^53 - 1', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat().filter((id) => id > 0),
        (id) => {
          expect(parseNumericId(String(id), 'zone')).toBe(id);
        },
      ),
    );
    expect(parseNumericId(' 9007199254740991 ', 'zone')).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each(['0', '-1', '−1', '+5', '007', '1.5', '12,5', '9007199254740992', '1'.repeat(40)])('is not %s', (text) => {
    expect(() => parseNumericId(text, 'zone')).toThrow(UsageError);
  });

  it.each(['shop', '12a', 'a12', '1e3', '0x1f', '', '１２'])('is not meant by %s, which can be a name', (text) => {
    expect(parseNumericId(text, 'zone')).toBeUndefined();
  });
});

describe('A look-up', () => {
  it('takes the exact id first, then the whole name in any case, and never a part of one', () => {
    expect(found('12')).toBe('12');
    expect(found('SHOP')).toBe('12');
    expect(found('shop-i')).toBeUndefined();
    expect(found('shop-images-old')).toBeUndefined();
    expect(found('nothing')).toBeUndefined();
  });

  it('takes what phones make of quotes and dashes', () => {
    const typed = [entry('1', "ben's-shop"), entry('2', 'a--b'), entry('3', 'the "new" one')];
    const met = (text: string) => findEntry(text, typed, NOUNS)?.id;
    expect([met('Ben’s-shop'), met('ben’s–shop'), met('a—b'), met('the “new” one')]).toEqual(['1', '1', '2', '3']);
  });

  it('offers no name that shares little but its ending with what was typed', () => {
    const hosts = [entry('1', '*.tenants.example.com')];
    const missing = (text: string) => unknownEntry(text, hosts, NOUNS, { may: () => true }).instead;
    expect(missing('nothing-there.example.com')).toEqual([]);
    expect(missing('tenants.exmple.com')).toEqual(['*.tenants.example.com']);
  });

  it('names the candidates when several have the name', () => {
    const twins = [entry('1', 'shop'), entry('2', 'Shop')];
    expect(findEntry('shop', twins, NOUNS)?.id).toBe('1');
    expect(() => findEntry('SHOP', twins, NOUNS)).toThrow('“SHOP” matches several pull zones: shop (1), Shop (2).');
  });

  it('offers the names that have it as a part, else the nearest', () => {
    expect(unknownEntry('sho', entries, NOUNS, { may: () => true })).toMatchObject({
      instead: ['shop', 'shop-images'],
      hint: 'Did you mean shop or shop-images? `/edge zone list` lists them.',
    });
    expect(unknownEntry('dosc', entries, NOUNS, { may: () => true }).instead).toEqual(['Docs']);
  });
});

describe('Suggestions', () => {
  const suggest = (query: string, from = entries) =>
    suggestEntries(query, from, { may: () => true }, (text) => void parseNumericId(text, 'zone'));

  it('put the best match first and the typed text last', () => {
    expect(suggest('shop').map((option) => option.value)).toEqual(['12', '13', 'shop']);
    expect(suggest('images').map((option) => option.value)).toEqual(['13', 'images']);
  });

  it('take what phones make of dashes', () => {
    expect(suggest('Shop–im').map((option) => option.value)).toEqual(['13', 'Shop–im']);
  });

  it('do not offer typed text that cannot stand, nor what is in the list already', () => {
    expect(suggest('0').map((option) => option.value)).not.toContain('0');
    expect(suggest('15').map((option) => option.value)).toEqual(['15']);
  });

  it('stay within Slack’s limits whatever exists and whatever is typed', () => {
    const thing = fc.record({ id: fc.string({ minLength: 1, maxLength: 120 }), name: fc.string({ maxLength: 200 }) });
    fc.assert(
      fc.property(fc.array(thing, { maxLength: 150 }), fc.string({ maxLength: 100 }), (things, query) => {
        const options = suggest(
          query,
          things.map(({ id, name }) => entry(id, name)),
        );
        expect(options.length).toBeLessThanOrEqual(100);
        for (const option of options) {
          expect(option.label.length).toBeLessThanOrEqual(75);
          expect(option.value.length).toBeLessThanOrEqual(75);
        }
      }),
      { numRuns: 50 },
    );
  });
});
