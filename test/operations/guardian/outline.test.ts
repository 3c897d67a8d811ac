import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../../src/operations/guardian/outline.ts';
import { FileError } from '../../../src/policy/lines.ts';

const NOTHING = { endpoints: [], warnings: [] };
const HEAD = 'openapi: 3.0.3\n';
const ALL = `paths:\n  /a: {get: {}}\n`;
const some = (amount: number, line: (index: number) => string) =>
  Array.from({ length: amount }, (_, index) => line(index)).join('');

describe('The outline of a definition', () => {
  it.each([
    ['{"openapi":"3.0.3","info":{"title":"Shop","version":"1.2"}}', '3.0.3', 'Shop', '1.2'],
    ['openapi: 3.0.3\ninfo:\n  title: Shop\n  version: "1.2"\npaths: {}\n', '3.0.3', 'Shop', '1.2'],
    [
      "# ours\ninfo:\r\n    version: '2' # old\r\n    title: Shop API\r\nopenapi: '3.0.0'\r\n",
      '3.0.0',
      'Shop API',
      '2',
    ],
    ['swagger: "2.0"\ninfo:\n  contact:\n    title: no\n    version: no\n', '2.0', undefined, undefined],
    ['openapi: 3.0.1\npaths:\n  /x:\n    title: no\n', '3.0.1', undefined, undefined],
    ['openapi: 3.0\ninfo: {title: 2024, version: 1.10}', '3.0', '2024', '1.10'],
    ['{"openapi": 3.0, "info": {"title": null, "version": 1.0}}', '3.0', undefined, '1.0'],
    ['t: &t Carts\nopenapi: !!str 3.0.3\ninfo:\n  title: *t\n  version: >-\n    1\n    2\n', '3.0.3', 'Carts', '1 2'],
  ])('says what it is: %#', (content, openapi, title, version) => {
    expect(outlineOf(content)).toEqual({ ...NOTHING, openapi, title, version });
  });

  it.each([
    ['{"openapi": 3', /^line 1: Flow map must end with a }/],
    ['[1]', /it is a list/],
    ['{"info":{}}', /no openapi version/],
    ['hello', /no openapi version/],
    ['', /no openapi version/],
    ['paths:\n  openapi: 3.0.3\n', /no openapi version/],
    [`${HEAD}x: ${'['.repeat(50_000)}`, /nested too deeply/],
    [`${HEAD}\tx: 1`, /^line 2: Tabs are not allowed as indentation/],
    [`${HEAD}x: &x {get: {}}\npaths:\n  /a:\n    <<: *x\n`, /^line 5: merge keys cannot be used/],
    [`${HEAD}paths:\n  /a: !include a.yaml\n`, /^line 3: .*tag/i],
    [`%YAML 1.1\n---\n${HEAD}`, /^line 1: a version of YAML cannot be chosen/],
    [`${HEAD}paths:\n  /a: {get: {}}\n  /a: {post: {}}\n`, /^line 4: Map keys must be unique/],
    ['{"openapi":"3.0.3",\n"paths":{},\n"paths":{"/a":{"get":{}}}}', /^line 3: Map keys must be unique/],
    [`${HEAD}x: {200: a, '200': b}`, /^line 2: Map keys must be unique/],
    [`${HEAD}paths:\n  {{ path }}: {get: {}}`, /^line 3: a key has to be a text/],
    [`${HEAD}---\n${HEAD}`, /^line 2: there are several documents/],
    ['{"openapi":"3.0.3"} // end', /^line 1: /],
    ['// Carts\n{"openapi":"3.0.3"}', /^line 1: a comment begins with #/],
    ['{"openapi":"3.0.3", // gone\n"paths":{"/a":{"get":{}}}}', /^line 1: a comment begins with #/],
    ['{"openapi":"3.0.3",\n"tags":[/* gone */\n"a"]}', /^line 2: a comment begins with #/],
    ['{"openapi":"3.0.3",\n"x":{"maxLength":3 //gone\n}}', /^line 2: a comment begins with #/],
    // Paths
    [`${HEAD}paths:\n  orders: {get: {}}\n`, /^line 3: the path orders has no slash at the front\.$/],
    [`${HEAD}paths:\n  /a:\n    Post: {}\n`, /^line 3: the path \/a has the method Post, which is written post\.$/],
    [`${HEAD}paths:\n  /a:\n    get:\n`, /^line 3: the path \/a has nothing behind get\.$/],
    [`${HEAD}paths:\n  /a:\n    get: [1]\n`, /has nothing behind get/],
    [`${HEAD}x: {get: {}}\npaths:\n  /a:\n    $ref: '#/x'\n    delete: {}\n`, /has delete beside a \$ref/],
    // Aliases
    [`${HEAD}paths: *all\n`, /^line 2: nothing before is called &all/],
    [
      `${HEAD}x0: &a0 ${'x'.repeat(99)}\n${some(12, (index) => `x${index + 1}: &a${index + 1} [${`*a${index}, `.repeat(9)}]\n`)}`,
      /Excessive alias count/,
    ],
  ])('is refused: %#', (content, reason) => {
    expect(() => outlineOf(content)).toThrow(FileError);
    expect(() => outlineOf(content)).toThrow(reason);
  });

  const endpoints = (content: string) => outlineOf(content).endpoints.map(({ method, path }) => `${method} ${path}`);

  it.each([
    [
      `${HEAD}paths:\n  /a: {get: {}, parameters: [], post: {}}\n  /b: {$ref: '#/x/shared'}\nx: {shared: {delete: {}}}`,
      ['GET /a', 'POST /a', 'DELETE /b'],
    ],
    [
      `${HEAD}x: &r {}\npaths:\n${some(300, (index) => `  /${index}: {get: {responses: *r}}\n`)}`,
      Array.from({ length: 300 }, (_, index) => `GET /${index}`),
    ],
    [`${HEAD}x: &r {get: {}}\npaths: {/a: *r, /b: *r}`, ['GET /a', 'GET /b']],
    [
      `${HEAD}x0: &a0 {}\n${some(12, (index) => `x${index + 1}: &a${index + 1} {a: *a${index}}\n`)}paths: {/a: {get: *a12}}`,
      ['GET /a'],
    ],
    [
      '{"openapi":"3.0.3","paths":{"/a/{id}":{"get":{}},"/b":{"$ref":"#/paths/~1a~1%7Bid%7D"}}}',
      ['GET /a/{id}', 'GET /b'],
    ],
    [`${HEAD}paths:\n  /a: {$ref: '#/x/1'}\nx: [0, {$ref: '#/y~0z'}]\ny~z: {get: {}}`, ['GET /a']],
    [`{openapi: 3.0.3, paths: {/a: {get: {responses: {"200": {description: ok}}}}}}`, ['GET /a']],
    ['{"openapi":"3.0.3","paths":{"/a":{"get":{}},},}', ['GET /a']],
    ['{\n\t"openapi": "3.0.3",\n\t"paths": {\n\t\t"/a": {"get": {}}\n\t}\n}', ['GET /a']],
    [`${HEAD}paths: {x-foo: {get: {}}, /a: {get: {}, x-b: {}, summary: s}}`, ['GET /a']],
    [`---\n${HEAD}${ALL}...\n`, ['GET /a']],
    [
      `${HEAD}paths: {/a: {get: {description: see // below, x: http://x.example/*}}}`.replace(
        'see // below',
        '"see // below"',
      ),
      ['GET /a'],
    ],
  ])('has every method of every path: %#', (content, expected) => {
    expect(endpoints(content)).toEqual(expected);
    expect(outlineOf(content).warnings).toEqual([]);
  });

  it.each([
    [
      `paths:\n  /a: {$ref: ./a.yaml}\n  /b: {$ref: 'https://example.com/b.yaml#/b'}\n  /c: {get: {}}\n  /d: {$ref: '#/x-none'}\n  /e: {$ref: '#/paths/~1e'}\n  /f: {$ref: ''}\n`,
      ['GET /c'],
      ['The endpoints of these paths are not in the file, and not counted: /a, /b, /d and 2 more.'],
    ],
    [`paths: {/a: {get: {}}}\ncomponents: {schemas: {A: {properties: {$ref: {type: string}}}}}`, ['GET /a'], []],
  ])('says what the platform will not find: %#', (rest, expected, warnings) => {
    expect(endpoints(`${HEAD}${rest}`)).toEqual(expected);
    expect(outlineOf(`${HEAD}${rest}`).warnings).toEqual(warnings);
  });

  it('takes keys such as __proto__ and constructor for what they are', () => {
    const content =
      '{"openapi":"3.0.3","paths":{"/__proto__":{"__proto__":{"get":{}}},"/a":{"get":{}},"/b":{"$ref":"#/constructor/name"}}}';
    expect(outlineOf(content)).toMatchObject({
      endpoints: [{ method: 'GET', path: '/a' }],
      warnings: ['The endpoints of these paths are not in the file, and not counted: /b.'],
    });
  });

  it('is read or refused, whatever the text', () => {
    const yaml = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `openapi: 3.0.3\npaths: ${json}`),
      fc.string().map((text) => `openapi: 3.0.3\n${text}`),
    );
    fc.assert(
      fc.property(yaml, (content) => {
        try {
          expect(outlineOf(content).openapi).not.toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(FileError);
        }
      }),
      { numRuns: 300 },
    );
  });
});
