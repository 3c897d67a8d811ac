import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn, read, root, sentencesIn } from './support/source.ts';

describe('the code', () => {
  const files = filesIn('src');

  it('cites no file that the repository does not have, no row of a list, and only headings of docs/platform.md', () => {
    const headings = new Set([...read('docs/platform.md').matchAll(/^#+ (.+)$/gm)].map((found) => found[1]!));
    const cited = files.flatMap((file) => sentencesIn(read(file)).map((found) => ({ file, ...found })));
    const wrong = cited.filter(({ sentence }) => {
      if (/\b[Rr]ows? \d|\b[Ss]pec(ification)? (part )?\d/.test(sentence)) return true;
      if ([...sentence.matchAll(/\b[\w./-]+\.md\b/g)].some(([path]) => !existsSync(join(root, path)))) return true;
      return [...sentence.matchAll(/docs\/platform\.md, ([A-Z][^.,;:()]*)/g)].some(
        ([, words = '']) => !headings.has(words.trim()),
      );
    });
    expect(wrong.map(({ file, line, sentence }) => `${file}:${line} ${sentence}`)).toEqual([]);
  });

  it('says how long a minute, an hour and a day are in one place', () => {
    const again = files
      .filter((file) => file !== 'src/time.ts')
      .filter((file) => /\b(60_000|3_600_000|86_400_000|604_800_000)\b/.test(read(file)));
    expect(again).toEqual([]);
  });

  it('names its slash command in one place, as each bot may have another', () => {
    const named = files.filter((file) => /(?:'|`)\/edge[ '`]/.test(read(file).replace(/\/\*\*.*?\*\//gs, '')));
    expect(named).toEqual(['src/commands/setup.ts', 'src/config.ts', 'src/manifest.ts', 'src/own-name.ts']);
  });

  it('has no file that only hands on what others export', () => {
    const handing = files.filter((file) => /^export (type )?(\{[^}]*\}|\*)( as \w+)? from /m.test(read(file)));
    expect(handing).toEqual([]);
  });
});
