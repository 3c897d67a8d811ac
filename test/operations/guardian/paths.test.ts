import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPathMatcher } from '../../../src/operations/guardian/paths.ts';

describe('Paths of a definition', () => {
  const matches = createPathMatcher([
    '/',
    '/items',
    '/items/{id}',
    '/items/new',
    '/items/{id}/parts/{part}',
    '/files/{name}.json',
    '/r/{from}-{to}',
    '/a b',
    '/v1/items/{id}',
    '/%7Btenant%7D/x/items',
  ]);

  it.each([
    '/',
    '/items',
    '/items?page=2',
    '/items/7#top',
    '/items/new',
    '/items/a%2Fb',
    '/items/7/parts/x',
    '/files/report.json',
    '/r/1-2',
    '/r/1-2-3',
    '/a%20b',
    '/v1/items/7',
    '/base/x/items',
  ])('know %s', (path) => {
    expect(matches(path)).toBe(true);
  });

  it.each([
    '',
    '/item',
    '/items/',
    '/items/7/',
    '/items/7/parts',
    '/files/.json',
    '/files/x.jso',
    '/r/-2',
    '/r/1-',
    '/v1',
    '/v2/items',
    '/base',
    '/100%',
  ])('do not know %s', (path) => {
    expect(matches(path)).toBe(false);
  });

  it('know what is made from a template, and nothing else', () => {
    const segment = fc.constantFrom('a', 'b', '{x}', '{y}.z', 'p-{q}');
    const value = fc.stringMatching(/^[a-z0-9]{1,5}$/);
    const oracle = (template: string) =>
      new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{[^}]*\}/g, '[^/]+')}$`);
    fc.assert(
      fc.property(
        fc.array(fc.array(segment, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        fc.array(
          fc.oneof(
            segment.map((one) => one.replace(/\{[^}]*\}/g, 'v')),
            value,
          ),
          { minLength: 1, maxLength: 4 },
        ),
        (templates, segments) => {
          const written = templates.map((one) => `/${one.join('/')}`);
          const path = `/${segments.join('/')}`;
          expect(createPathMatcher(written)(path)).toBe(written.some((template) => oracle(template).test(path)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are looked up once for all templates, however these are made', () => {
    const segments = Array.from({ length: 200 }, () => 'a');
    const nasty = Array.from(
      { length: 200 },
      (_, index) => `/${segments.map((one, at) => (at === index ? '{x}' : at % 2 ? one : '{y}{z}')).join('/')}`,
    );
    const matcher = createPathMatcher(nasty);
    expect(matcher(`/${segments.join('/')}`)).toBe(false);
  });
});
