import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { choice, flag, flagged, number, optional, rest, text } from '../../src/operations/arguments/plain.ts';
import { lineOf, meantBy, readCommand } from '../../src/operations/grammar.ts';
import { operations } from '../../src/operations/index.ts';
import { type AnyOperation, defineOperation } from '../../src/operations/operation.ts';
import { parseCommand } from '../support/grammar.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

function operationOf(name: string, args: AnyOperation['args']): AnyOperation {
  return defineOperation({
    name,
    summary: 'Do something',
    effect: 'read',
    args,
    target: () => '',
    run: async () => undefined,
    render: () => ({ text: '', blocks: [] }),
  });
}

const help: AnyOperation = {
  ...operationOf('help', { topic: optional(rest('Command')) }),
  alsoTyped: 'as nothing or a noun',
};
const say = operationOf('word say', {
  first: text('First'),
  second: optional(text('Second')),
  someCount: flagged(number('Count', { minimum: 0, maximum: 99 })),
  loud: flag('Loud'),
});
const run = operationOf('word run', { place: text('Place'), limit: flagged(text('Limit')), sql: rest('SQL') });
const mode = operationOf('mode', { mode: choice('Mode', ['on', 'off']) });
const showMode = operationOf('mode show', {});
const known = [say, run, mode, showMode, help];

const read = (line: string) => {
  const { operation, given } = readCommand(line, known);
  return { name: operation.name, given };
};

/** What reading a line complains about. */
function complaintOf(line: string): UsageError {
  try {
    parseCommand(line, known, NOW);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`“${line}” was understood`);
}

describe('reading a line', () => {
  it.each([
    ['word say a', { first: 'a' }],
    ['WORD Say a b', { first: 'a', second: 'b' }],
    ['word say "a b" c', { first: 'a b', second: 'c' }],
    ['word say \'a "b"\'', { first: 'a "b"' }],
    ['word say “a b”', { first: 'a b' }],
    ['word say „a b“', { first: 'a b' }],
    ['word say “a b“', { first: 'a b' }],
    ['word say ‘it’', { first: 'it' }],
    ['word say «a b»', { first: 'a b' }],
    ["word say it's", { first: "it's" }],
    ['word say x="1"', { first: 'x="1"' }],
    ['word say ""', { first: '' }],
    ['word say "a""b"', { first: 'a"b"' }],
    ['word say a--loud', { first: 'a--loud' }],
    ['word say --loud! b', { first: '--loud!', second: 'b' }],
    ['word say a --some-count 3', { first: 'a', someCount: '3' }],
    ['word say --some-count=3 a', { first: 'a', someCount: '3' }],
    ['word say —some-count 3 a', { first: 'a', someCount: '3' }],
    ['word say –loud a', { first: 'a', loud: 'true' }],
    ['word say a --loud', { first: 'a', loud: 'true' }],
    ['word say a --loud=no', { first: 'a', loud: 'no' }],
    ['word say --first="a b" --second c', { first: 'a b', second: 'c' }],
    ['word say -- --loud', { first: '--loud' }],
    ['word say "--loud"', { first: '--loud' }],
    ['word say a\u00a0b', { first: 'a', second: 'b' }],
  ])('understands %s', (line, given) => {
    expect(read(line)).toEqual({ name: 'word say', given });
  });

  it.each([
    ['word run --limit 2 hours here SELECT 1', { limit: '2 hours', place: 'here', sql: 'SELECT 1' }],
    ['word run --limit 30 min ago here SELECT 1', { limit: '30 min ago', place: 'here', sql: 'SELECT 1' }],
    ['word run --limit tomorrow 2am here SELECT 1', { limit: 'tomorrow 2am', place: 'here', sql: 'SELECT 1' }],
    ['word run --limit 2 here SELECT 1', { limit: '2', place: 'here', sql: 'SELECT 1' }],
    ['word run --limit 2 "hours" SELECT 1', { limit: '2', place: 'hours', sql: 'SELECT 1' }],
    ['word say --some-count 2 hours', { someCount: '2', first: 'hours' }],
  ])('takes a time in words without quotes: %s', (line, given) => {
    expect(read(line).given).toEqual(given);
  });

  it.each([
    ['word run here SELECT 1', 'SELECT 1'],
    ['word run here   SELECT  "a"  --limit 3 ', 'SELECT  "a"  --limit 3'],
    ["word run here SELECT 'it''s'", "SELECT 'it''s'"],
    ["word run here SELECT 1 -- 'tis not closed", "SELECT 1 -- 'tis not closed"],
    ['word run here "quoted" as it stands', '"quoted" as it stands'],
    ['word run here -- -- a comment', '-- a comment'],
  ])('takes the rest of %s as it stands', (line, sql) => {
    expect(read(line)).toEqual({ name: 'word run', given: { place: 'here', sql } });
  });

  it('takes an empty line for help, and a noun alone for help about it', () => {
    expect(read('  ')).toEqual({ name: 'help', given: {} });
    expect(read('word')).toEqual({ name: 'help', given: { topic: 'word' } });
  });

  it('takes a noun that is a command by itself for that command', () => {
    expect(read('mode')).toEqual({ name: 'mode', given: {} });
    expect(read('mode show')).toEqual({ name: 'mode show', given: {} });
  });

  it('takes a noun alone for its only command if that reads and asks for nothing', () => {
    const one = operationOf('purse show', { of: optional(text('Of')) });
    expect(readCommand('purse', [help, one])).toEqual({ operation: one, given: {} });
    const others = [{ ...one, effect: 'write' as const }, operationOf('purse show', { of: text('Of') })];
    for (const other of others) expect(readCommand('purse', [help, other]).operation).toBe(help);
    expect(readCommand('purse', [help, one, operationOf('purse list', {})]).operation).toBe(help);
  });

  it('complains about an empty line and a noun alone where there is no help', () => {
    expect(() => readCommand('', [say, run])).toThrow('There is no command “”.');
    expect(() => readCommand('word', [say, run])).toThrow('There is no command “word”.');
    expect(() => readCommand('word', [say, run])).toThrow(UsageError);
  });

  it('reads a line of the greatest length', () => {
    const first = 'a'.repeat(20_000 - 'word say '.length);
    expect(read(`word say ${first}`).given).toEqual({ first });
  });

  it('leaves what is missing to the form', () => {
    expect(parseCommand('word run --limit 3', known, NOW).missing).toEqual(['place', 'sql']);
    expect(parseCommand('word say', known, NOW).missing).toEqual(['first']);
    expect(parseCommand('word say a', known, NOW).missing).toEqual([]);
  });

  it.each([
    ['wrod say', /no command “wrod”/, /`\/edge word say`/],
    ['wrod say a lot of it', /no command “wrod”/, /^Did you mean `\/edge word say`\?/],
    ['wrod zzzzzzzzz', /no command “wrod”/, /^Did you mean `\/edge word`\?/],
    ['word sai', /no command “word sai”/, /^Did you mean `\/edge word say`\?/],
    ['word zzzzzz', /no command “word zzzzzz”/, /^Commands with word: `\/edge word say`, `\/edge word run`\.$/],
    ['zzzzzzz', /no command “zzzzzzz”/, /`\/edge help` shows what there is/],
    ['word repeat a', /no command “word repeat”/, undefined],
    ['word say a --lound', /has no --lound.*--loud/, /^`\/edge help word say` shows how it is written/],
    ['word say a --zzzzzzzz', /has no --zzzzzzzz\.$/, /`\/edge help word say`/],
    ['word say a --some-count', /--some-count needs a value/, /`\/edge help word say`/],
    ['word say a --some-count 1 --some-count 2', /--some-count is given twice/, /`\/edge help word say`/],
    ['word say a --some-count x', /Count must be a whole number, not “x”/, /`\/edge help word say`/],
    ['word say a b c', /“c” is one word too many/, /`\/edge help word say`/],
    ['word say "a b', /The quote " at “"a b” is not closed/, undefined],
    ['word say a --some-count="3', /is not closed/, undefined],
    ['mode sideways', /Mode must be one of on, off, not “sideways”/, /`\/edge help mode`/],
    [`word say ${'a'.repeat(20_001)}`, /too long: at most 20000/, undefined],
  ])('complains about %s', (line, message, hint) => {
    const error = complaintOf(line);
    expect(error.message).toMatch(message);
    if (hint !== undefined) expect(error.hint).toMatch(hint);
  });

  it('names the argument that is wrong, so that a form can show it there', () => {
    expect(complaintOf('word say a --some-count x').argument).toBe('someCount');
    expect(complaintOf('word say a --first b').argument).toBe('first');
  });

  it('leaves a fault of its own what it is', () => {
    const fault = new TypeError('of the program');
    const check = () => {
      throw fault;
    };
    const broken = operationOf('broken', { first: { ...text('First'), check } });
    expect(() => parseCommand('broken a', [broken], NOW)).toThrow(fault);
  });

  it('never fails with anything but a complaint', () => {
    const words = fc.constantFrom(
      'word',
      'say',
      'run',
      'help',
      '--',
      '--loud',
      '--some-count=',
      '"',
      '«',
      ' ',
      "'",
      '—',
      '=',
    );
    const line = fc.array(fc.oneof(words, fc.string({ unit: 'binary' })), { maxLength: 12 });
    fc.assert(
      fc.property(line, (parts) => {
        try {
          parseCommand(parts.join(''), known, NOW);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });
});

describe('writing a line', () => {
  it.each([
    [say, { first: 'a', second: 'b c' }, 'word say a "b c"'],
    [say, { second: 'b' }, 'word say --second b'],
    [say, { first: 'say "hi"' }, `word say 'say "hi"'`],
    [say, { first: 'a', loud: 'true', someCount: '3' }, 'word say --some-count 3 --loud a'],
    [run, { place: 'x', sql: "SELECT 'a'" }, "word run x SELECT 'a'"],
    [say, { first: 'a--b' }, 'word say a--b'],
    [run, { place: 'x', sql: 'SELECT 1 -- one' }, 'word run x SELECT 1 -- one'],
    [run, { sql: 'SELECT 1' }, 'word run --sql "SELECT 1"'],
    [run, { place: 'x', sql: '-- comment' }, 'word run x -- -- comment'],
  ])('is what a person would type', (operation, given, line) => {
    expect(lineOf(operation, given)).toBe(line);
  });

  /** Any text, and above all the ones that mean something on a line. */
  const value = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.array(fc.constantFrom(...'"\'“”„‘’«»-—–= \n\ta1'), { maxLength: 12 }).map((characters) => characters.join('')),
    fc.constantFrom('--', '--loud', '-- comment', '—', 'true', 'false', '\u00a0', "it's", '--zone=x', 'SELECT 1; -- x'),
  );
  const commands = (all: readonly AnyOperation[]) =>
    fc
      .constantFrom(...all)
      .chain((operation) =>
        fc
          .record(Object.fromEntries(Object.keys(operation.args).map((key) => [key, value])), { requiredKeys: [] })
          .map((given) => ({ operation, given: given as Record<string, string> })),
      );

  it('is read as what was written, for every operation and whatever its arguments hold', () => {
    fc.assert(
      fc.property(commands(operations), ({ operation, given }) => {
        const again = readCommand(lineOf(operation, given), operations);
        expect({ name: again.operation.name, given: again.given }).toEqual({ name: operation.name, given });
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the nearest word', () => {
  it('is offered when it is near enough to be what was meant', () => {
    expect(meantBy('lsit', ['list', 'show'])).toBe('list');
    expect(meantBy('nwo', ['now', 'help'])).toBe('now');
    expect(meantBy('sh', ['list', 'show'])).toBe('show');
    expect(meantBy('completely', ['list', 'show'])).toBeUndefined();
    expect(meantBy('', ['list'])).toBeUndefined();
    expect(meantBy('list', [])).toBeUndefined();
  });

  it('is the only one that begins so, however much of it is missing', () => {
    expect(meantBy('c', ['Certificate', 'list'])).toBe('Certificate');
    expect(meantBy('s', ['statistics', 'show-all'])).toBeUndefined();
    expect(meantBy('zzz', ['certificate'])).toBeUndefined();
  });

  it('may differ by one letter when it is short, and by two when it is longer', () => {
    expect(meantBy('lag', ['log'])).toBe('log');
    expect(meantBy('lax', ['log'])).toBeUndefined();
    expect(meantBy('shxx', ['show'])).toBe('show');
  });
});

it('an operation that does not say what it is about is not defined', () => {
  expect(() =>
    defineOperation({
      name: 'thing drop',
      summary: 'Drop a thing',
      effect: 'destructive',
      args: { thing: text('Thing', { maxLength: 10 }) },
      run: async () => undefined,
    }),
  ).toThrow('thing drop has neither a target nor');
});
