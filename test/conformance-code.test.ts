import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn, longFunctionsIn, read, root, sentencesIn, undocumentedIn } from './support/source.ts';

/** The folder of src that a file is in; a file of src itself is its own. */
const roomOf = (file: string) => relative('src', file).split('/')[0] ?? '';

describe('the code', () => {
  const files = filesIn('src');

  /** Tests of one file of src each, or one table: in two files a reader would look in the wrong one. */
  const LONGER: Record<string, string> = {
    'test/changes/approve.test.ts': 'every step of an approval, by every person',
    'test/changes/ask.test.ts': 'everything between the typed line and the question',
    'test/changes/execute.test.ts': 'the one path by which anything is changed',
    'test/changes/fixture.ts': 'the one platform that the tests of changes are about',
    'test/changes/undo.test.ts': 'by the button and by the clock',
    'test/check/signal/messages/later.ts': 'a set of messages, labelled',
    'test/flows/emulate/workspace.ts': 'one workspace for an emulator that others wrote',
    'test/policy/document.test.ts': 'every mistake that a policy can have, with its line',
    'test/policy/policy.test.ts': 'every rule of a policy',
    'test/slack/out/fit.test.ts': 'every limit of Slack',
    'test/slack/out/outgoing.test.ts': 'every way out and its fallbacks',
    'test/torture/kill/scenarios.ts': 'one scenario for each change',
  };

  it('has no file over 400 lines without a reason', () => {
    const long = [...files, ...filesIn('test')].filter((file) => read(file).split('\n').length > 401);
    expect(long.filter((file) => LONGER[file] === undefined)).toEqual([]);
    expect(Object.keys(LONGER).filter((file) => !long.includes(file))).toEqual([]);
  });

  it('has no function over 80 lines', () => {
    const long = files.flatMap((file) => longFunctionsIn(read(file), 80).map((name) => `${file} ${name}`));
    expect(long).toEqual([]);
  });

  it('has a sentence about everything that is exported; the summary of an operation is one', () => {
    // Another change will write logs/ anew.
    const left = ['logs'];
    const silent = files
      .filter((file) => !left.includes(roomOf(file)))
      .flatMap((file) => undocumentedIn(read(file)).map((name) => `${file} ${name}`));
    expect(silent).toEqual([]);
  });

  it('is commented by sentences with a subject of their own', () => {
    // Another change will write logs/ anew.
    const left = ['logs'];
    const headless = files
      .filter((file) => !left.includes(roomOf(file)))
      .flatMap((file) => sentencesIn(read(file)).map(({ line, sentence }) => `${file}:${line} ${sentence}`))
      .filter((found) => /^\S+ (What|Who|Whom|Whose|Whether|Whoever|Whatever)\b.*[^?]$/.test(found));
    expect(headless).toEqual([]);
  });

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

  it('has no file that only hands on what others export', () => {
    const handing = files.filter((file) => /^export (type )?(\{[^}]*\}|\*)( as \w+)? from /m.test(read(file)));
    expect(handing).toEqual([]);
  });

  it('has a name for every type that something is built with', () => {
    const unnamed = files.filter((file) => /type \w+ = (Awaited<)?ReturnType<typeof create/.test(read(file)));
    expect(unnamed).toEqual([]);
  });
});
