import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecordFilter, parseFilterTerm } from '../../src/logs/record-filter.ts';
import { parsePattern } from '../../src/pattern.ts';

describe('a filter of records', () => {
  const passes = (include: string[], exclude: string[], fields: Record<string, string | number | undefined>) =>
    createRecordFilter(include, exclude)(fields);

  it('wants one of the terms of each field that is named', () => {
    const include = ['zone:shop-*', 'zone:docs', 'status:5xx'];
    expect(passes(include, [], { zone: 'shop-eu', status: 502 })).toBe(true);
    expect(passes(include, [], { zone: 'docs', status: 502 })).toBe(true);
    expect(passes(include, [], { zone: 'docs', status: 404 })).toBe(false);
    expect(passes(include, [], { zone: 'video', status: 502 })).toBe(false);
    expect(passes(include, [], { zone: 'docs', status: undefined })).toBe(false);
    // A zone has no status: nothing is said about it.
    expect(passes(include, [], { zone: 'docs' })).toBe(true);
  });

  it('leaves out what fits an exclusion, whatever else it fits', () => {
    expect(passes(['shop-*'], ['path:/wp-*'], { zone: 'shop-eu', path: '/wp-login.php' })).toBe(false);
    expect(passes([], ['path:/wp-*'], { zone: 'shop-eu', path: '/a/wp-login.php' })).toBe(true);
    expect(passes([], ['status:404'], { status: 404 })).toBe(false);
  });

  it('takes patterns as texts but for the star, in any case', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (start, middle, end) => {
        const [a, b] = [start.replaceAll('*', ''), end.replaceAll('*', '')];
        expect(parsePattern(`${a}*${b}`).matches(`${a}${middle}${b}`)).toBe(true);
        expect(parsePattern(a).matches(a)).toBe(true);
        expect(parsePattern(a).matches(`${a}x`)).toBe(false);
      }),
    );
  });

  it.each(['', 'colour:red', 'status:'])('refuses “%s”', (term) => {
    expect(() => parseFilterTerm(term)).toThrow(/filter/);
  });
});
