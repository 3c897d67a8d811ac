import { describe, expect, it } from 'vitest';
import {
  circlesIn,
  filesIn,
  importsOf,
  type Language,
  longFunctionsIn,
  read,
  sentencesIn,
  undocumentedIn,
} from '../support/source.ts';

describe('the playground', () => {
  const files = filesIn('playground');
  const languageOf = (file: string): Language => (file.endsWith('x') ? 'tsx' : 'ts');

  it('has no file over 400 lines, and no function over 80', () => {
    expect(files.filter((file) => read(file).split('\n').length > 401)).toEqual([]);
    const long = files.flatMap((file) =>
      longFunctionsIn(read(file), 80, languageOf(file)).map((name) => `${file} ${name}`),
    );
    expect(long).toEqual([]);
  });

  it('has no two files that import each other, by whatever way, types too', () => {
    expect(circlesIn(files.flatMap(importsOf)).map((circle) => circle.join(' → '))).toEqual([]);
  });

  it('has a sentence about everything that is exported', () => {
    const silent = files.flatMap((file) =>
      undocumentedIn(read(file), languageOf(file)).map((name) => `${file} ${name}`),
    );
    expect(silent).toEqual([]);
  });

  it('is commented by sentences with a subject of their own, and cites no row and no part of a document', () => {
    const sentences = files.flatMap((file) =>
      sentencesIn(read(file)).map(({ line, sentence }) => `${file}:${line} ${sentence}`),
    );
    const headless = /^\S+ (What|Who|Whom|Whose|Whether|Whoever|Whatever)\b.*[^?]$/;
    expect(sentences.filter((found) => headless.test(found))).toEqual([]);
    const citing = /\b[Rr]ows? \d|\b[Ss]pec(ification)? (part )?\d|platform facts|\b(spec|platform)\.md/;
    expect(sentences.filter((found) => citing.test(found))).toEqual([]);
  });

  it('has a name for every type that something is built with', () => {
    expect(files.filter((file) => /ReturnType<typeof create/.test(read(file)))).toEqual([]);
  });
});
