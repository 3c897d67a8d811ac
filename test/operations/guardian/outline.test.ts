import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutlineError, outlineOf } from '../../../src/operations/guardian/outline.ts';
import type { GuardianEndpoint } from '../../../src/platform/resources/shield-zones.ts';

const NOTHING = { endpoints: [], basePaths: [], fieldsPerType: 0, nestingDepth: 0, schemaNodes: 0, regexLength: 0 };

const endpoint = (given: Partial<GuardianEndpoint>): GuardianEndpoint => ({
  requestMethod: 'GET',
  requestPath: '/a',
  authSchemes: [],
  ...given,
});

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
  ])('says what it is: %#', (content, openapi, title, version) => {
    expect(outlineOf(content)).toEqual({ ...NOTHING, openapi, title, version, difference: undefined });
  });

  it.each([
    ['{"openapi": 3', /not valid JSON/],
    ['[1]', /it is a list/],
    ['{"info":{}}', /no openapi version/],
    ['hello', /no openapi version/],
    ['a: [1, 2', /not valid YAML/],
    ['paths:\n  openapi: 3.0.3\n', /no openapi version/],
    ['openapi: 3.0.3\nx: *nowhere\n', /not valid YAML/],
    [`openapi: 3.0.3\nx: ${'['.repeat(50_000)}`, /nested too deeply|not valid YAML/],
  ])('is refused: %#', (content, reason) => {
    expect(() => outlineOf(content)).toThrow(reason);
  });

  it('has every method of every path, also behind a reference, and the paths of its servers', () => {
    const content = `openapi: 3.0.3
servers:
  - url: https://api.example/v1/
  - url: /v2
  - url: https://api.example
paths:
  /a: {get: {}, POST: {}, parameters: [], post: {}}
  /b: {$ref: '#/x/shared'}
  /c: {$ref: 'elsewhere.yaml'}
x: {shared: {delete: {}}}
`;
    expect(outlineOf(content)).toMatchObject({
      endpoints: [
        { method: 'GET', path: '/a' },
        { method: 'POST', path: '/a' },
        { method: 'DELETE', path: '/b' },
      ],
      basePaths: ['/v1', '/v2'],
    });
  });

  it('measures schemas wherever they stand, each once', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items: { pattern: '^a$' } }, b: { pattern: 'bb' } },
    };
    const content = JSON.stringify({
      openapi: '3.0.3',
      paths: { '/a': { post: { requestBody: { content: { json: { schema: { $ref: '#/components/schemas/A' } } } } } } },
      components: { schemas: { A: schema } },
    });
    expect(outlineOf(content)).toMatchObject({ fieldsPerType: 2, nestingDepth: 3, schemaNodes: 5, regexLength: 5 });
  });

  it('takes keys such as __proto__ and constructor for what they are', () => {
    const content =
      '{"openapi":"3.0.3","paths":{"__proto__":{"get":{}},"constructor":{"get":{"requestBody":{"$ref":"#/constructor/name"}}}}}';
    expect(outlineOf(content, []).endpoints.map(({ path }) => path)).toEqual(['__proto__', 'constructor']);
  });

  describe('beside what is active', () => {
    const document = (schema: object) =>
      JSON.stringify({
        openapi: '3.0.3',
        paths: { '/a': { get: { requestBody: { content: { 'application/json': { schema } } } } } },
        components: {
          schemas: {
            A: { type: 'object', properties: { b: { $ref: '#/components/schemas/B' } } },
            B: { type: 'string' },
          },
        },
      });
    const changed = (schema: object, requestBodySchemaYaml: string | undefined) =>
      outlineOf(document(schema), [endpoint({ requestBodySchemaYaml })]).difference?.changed;
    const reference = { $ref: '#/components/schemas/A' };

    it.each([
      'properties: {b: {$ref: "#/components/schemas/B"}}\ntype: object',
      'type: object\nproperties: {b: {type: string}}',
      '$ref: "#/components/schemas/A"',
      'unreadable: [',
    ])('calls a schema the same with its references as they are, and followed: %#', (yaml) => {
      expect(changed(reference, yaml)).toEqual([]);
    });

    it('calls another schema, one more and one less changed', () => {
      const what = [{ method: 'GET', path: '/a', what: ['request body'] }];
      expect(changed(reference, 'type: string')).toEqual(what);
      expect(changed(reference, undefined)).toEqual(what);
      expect(changed({ type: 'string' }, 'type: string')).toEqual([]);
    });

    it('follows references that contain themselves only so far', () => {
      const content = JSON.stringify({
        openapi: '3.0.3',
        paths: {
          '/a': { get: { requestBody: { content: { json: { schema: { $ref: '#/components/schemas/A' } } } } } },
        },
        components: {
          schemas: { A: { allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/A' }] } },
        },
      });
      expect(() => outlineOf(content, [endpoint({ requestBodySchemaYaml: 'type: string' })])).toThrow(OutlineError);
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
          expect(outlineOf(content, []).openapi).not.toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(OutlineError);
        }
      }),
      { numRuns: 300 },
    );
  });
});
