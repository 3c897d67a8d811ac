import { describe, expect, it } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { changedMessage, changesOf, previewMessage, sameState, stateWords } from '../../src/changes/preview.ts';
import type { Preview } from '../../src/operations/operation.ts';
import { shown } from './fixture.ts';

const many = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`field${at}`, at]));

describe('Two states side by side', () => {
  it.each<[string, Record<string, never> | undefined, Record<string, unknown>, string]>([
    ['what changes', { a: 1, b: 2 } as never, { a: 1, b: 3 }, 'B: `2` → `3`'],
    ['what stays, where nothing changes', { a: 1 } as never, { a: 1 }, 'A: stays `1`'],
    ['what is new', {} as never, { a: 'x' }, 'A: `x`'],
    ['what goes', { a: 'x' } as never, {}, 'A: `x` → –'],
    ['what nobody knows from before', undefined, { a: true, b: false }, '*After:*\nA: *on*\nB: *off*'],
    [
      'switches and nothing as words',
      { a: false, b: null, c: '' } as never,
      { a: true, b: 0, c: 'x' },
      'A: *off* → *on*\nB: – → `0`\nC: – → `x`',
    ],
  ])('show %s', (_, before, after, words) => {
    expect(changesOf(before, after as never).value).toBe(words);
  });

  it('show twenty fields at most', () => {
    expect(changesOf({}, many).value.split('\n')).toHaveLength(20);
    expect(stateWords(many).value.split('\n')).toEqual(Array.from({ length: 20 }, (_, at) => `Field${at}: \`${at}\``));
  });
});

describe('A preview', () => {
  const read = (preview: Preview) => shown(previewMessage('Switch web on', preview));

  it('shows what it is, what changes, warnings and details', () => {
    expect(read({ before: { a: 1 }, after: { a: 2 }, warnings: ['Hot!', 'Wet!'], details: message('More.') })).toEqual([
      'Switch web on?',
      'A: `1` → `2`',
      '⚠️ Hot!',
      '⚠️ Wet!',
      'More.',
    ]);
  });

  it('shows nothing of a change that has no fields', () => {
    expect(read({ before: {}, after: {} })).toEqual(['Switch web on?']);
  });

  it('says when the present state is not known, and why where that is said', () => {
    const note = (why: string) => `· Current state unknown: ${why}.`;
    expect(read({ after: {}, unread: 'no answer' }).at(-1)).toBe(note('no answer'));
    expect(read({ after: { a: 1 } })).toEqual(['Switch web on?', '*After:*\nA: `1`']);
  });

  it('leaves files of its details to where they belong', () => {
    const details = { ...message('More.'), files: [{ name: 'a.txt', content: '' }] };
    expect(previewMessage('Switch web on', { before: {}, after: {}, details })).not.toHaveProperty('files');
  });
});

describe('A state that has changed', () => {
  it('is shown as it was and as it is, known or not', () => {
    expect(shown(changedMessage('web', { a: 1 }, { before: { a: 2 } }))).toEqual([
      'Not done: web. It has changed since.',
      '*Then*\nA: `1`',
      '*Now*\nA: `2`',
      '· If you still want it, type the command that does it.',
    ]);
    expect(shown(changedMessage('web', { a: 1 }, { unread: 'no answer' }))).toEqual([
      'Not done: web. I can’t read the current state, so it may have changed.',
      '*Then*\nA: `1`',
      '· Not read: no answer.',
      '· If you still want it, type the command that does it.',
    ]);
  });

  it('is shown likewise where it was not put back', () => {
    expect(shown(changedMessage('web', { a: 1 }, { before: { a: 2 } }, 'undone')).slice(1, 3)).toEqual([
      '*Then*\nA: `1`',
      '*Now*\nA: `2`',
    ]);
    expect(shown(changedMessage('web', undefined, {}, 'undone'))).toEqual([
      'Not undone: web. I can’t read the current state, so it may have changed.',
      '· If you still want it, type the command that does it.',
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

/** The lines of a preview below its head, as a notification has them. */
const linesOf = (preview: Preview) => previewMessage('Switch it', preview).text.split('\n').slice(1);

describe('The fields of a preview', () => {
  it('names fields as a person would write them', () => {
    const after = {
      ForceSSL: true,
      HasCertificate: false,
      DefaultValue: 'x',
      expires_at: 'never',
      enforceAuthorizationValidation: true,
      sha256: 'ab',
      openapi: '3.0.3',
      action: 'Block',
    };
    expect(linesOf({ before: {}, after })).toEqual([
      'Force HTTPS: on',
      'Has certificate: off',
      'Default value: x',
      'Expires at: never',
      'Enforce authorization validation: on',
      'SHA-256: ab',
      'OpenAPI: 3.0.3',
      'Action: Block',
    ]);
  });

  it('shows moments in the reader’s own time, and what only looks like one as it is', () => {
    const after = {
      at: '2026-12-21T20:36:42.628Z',
      from: '2026-12-21T20:36:42+02:00',
      day: '2026-12-21',
      no: '2026-99-99T00:00Z',
    };
    expect(linesOf({ before: {}, after })).toEqual([
      'At: 2026-12-21 20:36 UTC',
      'From: 2026-12-21 18:36 UTC',
      'Day: 2026-12-21',
      'No: 2026-99-99T00:00Z',
    ]);
    expect(JSON.stringify(previewMessage('Switch it', { before: {}, after }).blocks)).toContain('<!date^1797885402^');
  });

  it('says what would be different', () => {
    expect(linesOf({ before: { a: 1 }, after: { a: 2 } })).toEqual(['A: 1 → 2']);
    expect(linesOf({ after: { a: 1 } })).toEqual(['After:', 'A: 1']);
  });
});

describe('A moment that has changed', () => {
  it('is shown to the second', () => {
    const [before, now] = ['2026-12-21T20:36:42Z', '2026-12-21T20:36:43Z'];
    const { text } = changedMessage('thing', { updatedAt: before }, { before: { updatedAt: now } });
    expect(text).toContain(`Updated at: ${before}`);
    expect(text).toContain(`Updated at: ${now}`);
  });
});
