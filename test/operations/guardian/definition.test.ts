import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { parseDefinition } from '../../../src/operations/guardian/definition.ts';

const parse = (content: string | Buffer) => parseDefinition({ name: 'api.yaml', content: Buffer.from(content) });

describe('An OpenAPI definition', () => {
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
    expect(parse(content)).toEqual({ content, openapi, title, version });
  });

  it('is sent without the mark that some editors put before it', () => {
    expect(parse('\ufeffopenapi: 3.0.3').content).toBe('openapi: 3.0.3');
  });

  it.each([
    ['{"openapi": 3', /not valid JSON/],
    ['[1]', /it is a list/],
    ['{"info":{}}', /no openapi version/],
    ['hello', /no openapi version/],
    ['paths:\n  openapi: 3.0.3\n', /no openapi version/],
    [Buffer.from([0x6f, 0xff, 0xfe]), /not text in UTF-8/],
  ])('is refused: %#', (content, reason) => {
    expect(() => parse(content)).toThrow(reason);
  });

  it('is read or refused, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(parse(Buffer.from(bytes)).openapi).not.toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });

  it('of 2 MB is read whatever its lines look like', () => {
    expect(() => parse(' \n'.repeat(1024 * 1024))).toThrow(UsageError);
    expect(() => parse(`info:\n${' a: b\n'.repeat(340_000)}`)).toThrow(UsageError);
  });
});
