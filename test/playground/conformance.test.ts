import { describe, expect, it } from 'vitest';
import { circlesIn, filesIn, importsOf, read } from '../support/source.ts';

describe('the playground', () => {
  const files = filesIn('playground');

  it('has no two files that import each other, by whatever way, types too', () => {
    expect(circlesIn(files.flatMap(importsOf)).map((circle) => circle.join(' → '))).toEqual([]);
  });

  it('has a name for every type that something is built with', () => {
    expect(files.filter((file) => /ReturnType<typeof create/.test(read(file)))).toEqual([]);
  });
});
