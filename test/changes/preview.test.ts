import { describe, expect, it } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { sameState } from '../../src/changes/preview.ts';
import {
  changedMessage,
  changesOf,
  notPutBackMessage,
  previewMessage,
  stateWords,
} from '../../src/changes/preview-message.ts';
import type { AnyOperation, Preview } from '../../src/operations/operation.ts';
import { shown } from './house.ts';

const plain = (words: { value: string }) => words.value.replaceAll('\u2060', '');
const many = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`field${at}`, at]));
const operation = { summary: 'Switch a lamp' } as AnyOperation;

describe('Two states side by side', () => {
  it.each<[string, Record<string, never> | undefined, Record<string, unknown>, string]>([
    ['what changes', { a: 1, b: 2 } as never, { a: 1, b: 3 }, 'B: `2` → `3`'],
    ['what stays, where nothing changes', { a: 1 } as never, { a: 1 }, 'A: stays `1`'],
    ['what is new', {} as never, { a: 'x' }, 'A: `x`'],
    ['what goes', { a: 'x' } as never, {}, 'A: `x` → –'],
    ['what nobody knows from before', undefined, { a: true, b: false }, 'A: *on*\nB: *off*'],
    [
      'switches and nothing as words',
      { a: false, b: null, c: '' } as never,
      { a: true, b: 0, c: 'x' },
      'A: *off* → *on*\nB: – → `0`\nC: – → `x`',
    ],
  ])('show %s', (_, before, after, words) => {
    expect(plain(changesOf(before, after as never))).toBe(words);
  });

  it('show twenty fields at most', () => {
    expect(plain(changesOf(undefined, many)).split('\n')).toHaveLength(20);
    expect(plain(stateWords(many)).split('\n')).toEqual(Array.from({ length: 20 }, (_, at) => `Field${at}: \`${at}\``));
  });
});

describe('A preview', () => {
  const read = (preview: Preview) => shown(previewMessage(operation, 'hall', preview));

  it('shows what it is, what changes, warnings and details', () => {
    expect(read({ before: { a: 1 }, after: { a: 2 }, warnings: ['Hot!', 'Wet!'], details: message('More.') })).toEqual([
      '*Switch a lamp*\n`hall`',
      'A: `1` → `2`',
      ':warning: Hot!',
      ':warning: Wet!',
      'More.',
    ]);
  });

  it('shows nothing of a change that has no fields', () => {
    expect(read({ before: {}, after: {} })).toEqual(['*Switch a lamp*\n`hall`', '· It is like this already.']);
  });

  it('says when the present state is not known, and why where that is said', () => {
    const note = (why: string) => `· The present state is not known: ${why}.`;
    expect(read({ after: {}, unread: 'no answer' }).at(-1)).toBe(note('no answer'));
    expect(read({ after: { a: 1 } })).toEqual([
      '*Switch a lamp*\n`hall`',
      'A: `1`',
      note('the platform does not show it'),
    ]);
  });

  it('leaves files of its details to where they belong', () => {
    const details = { ...message('More.'), files: [{ name: 'a.txt', content: '' }] };
    expect(previewMessage(operation, 'hall', { before: {}, after: {}, details })).not.toHaveProperty('files');
  });
});

describe('A state that has changed', () => {
  it('is shown as it was and as it is, known or not', () => {
    expect(shown(changedMessage('hall', { a: 1 }, { a: 2 }))).toEqual([
      'Nothing was done: `hall` has changed since you asked.',
      '*When you asked*\nA: `1`',
      '*Now*\nA: `2`',
      '· Look at it again, then repeat the command if you still want it.',
    ]);
    expect(shown(changedMessage('hall', undefined, undefined)).slice(1, 3)).toEqual([
      '*When you asked*\nnot known',
      '*Now*\nnot known: the platform does not show it',
    ]);
    expect(shown(changedMessage('hall', undefined, undefined, 'no answer'))[2]).toBe('*Now*\nnot known: no answer');
  });

  it('is shown likewise where it was not put back', () => {
    expect(shown(notPutBackMessage('hall', { a: 1 }, { a: 2 })).slice(1, 3)).toEqual([
      '*What was set*\nA: `1`',
      '*Now*\nA: `2`',
    ]);
    expect(shown(notPutBackMessage('hall', undefined, undefined)).slice(1, 3)).toEqual([
      '*What was set*\nnot known',
      '*Now*\nnot known',
    ]);
  });

  it.each<[Record<string, unknown> | undefined, Record<string, unknown> | undefined, boolean]>([
    [undefined, undefined, true],
    [undefined, {}, false],
    [{}, undefined, false],
    [{}, {}, true],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ c: 1, a: 1, b: 2 }, { b: 2, c: 1, a: 1 }, true],
    [{ a: 1 }, { a: '1' }, false],
    [{ a: undefined }, {}, true],
    [{ a: null }, {}, false],
    [{ a: 1 }, { b: 1 }, false],
  ])('is compared as data: %o, %o', (one, other, same) => {
    expect(sameState(one, other)).toBe(same);
  });
});
