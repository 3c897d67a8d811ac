import { describe, expect, it } from 'vitest';
import { textOfDefinition } from '../../../src/operations/guardian/definition.ts';

const textOf = (content: Buffer) => textOfDefinition({ name: 'api.yaml', content });

describe('An OpenAPI definition', () => {
  it('is sent without the mark that some editors put before it', () => {
    expect(textOf(Buffer.from('\ufeffopenapi: 3.0.3'))).toBe('openapi: 3.0.3');
  });

  it('is refused when it is no text in UTF-8', () => {
    expect(() => textOf(Buffer.from([0x6f, 0xff, 0xfe]))).toThrow(/not text in UTF-8/);
  });
});
