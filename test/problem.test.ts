import { describe, expect, it } from 'vitest';
import { ForbiddenError, UsageError } from '../src/errors.ts';
import {
  PlatformConnectionError,
  PlatformError,
  type PlatformErrorFields,
  PlatformShapeError,
  SqlError,
} from '../src/platform/errors.ts';
import { hintWords, problemOf } from '../src/problem.ts';
import { shown } from './changes/fixture.ts';

const REQUEST = { service: 'api', method: 'POST', path: '/lamp' };
const read = (error: unknown) => {
  const { message, ...rest } = problemOf(error);
  return { ...rest, words: shown(message) };
};
const refused = (fields: Partial<PlatformErrorFields>, words = 'No bulb') =>
  read(new PlatformError(words, { ...REQUEST, status: 400, ...fields }));

describe('What a person did wrong', () => {
  it('is said as it is, with the hint and the argument where there are any', () => {
    expect(read(new UsageError('No *such* lamp.'))).toStrictEqual({
      words: ['No `*such*` lamp.'],
      summary: 'No *such* lamp.',
      outcome: 'usage',
      maybeApplied: false,
    });
    const hint = 'Type `/edge lamp list` <now>';
    expect(read(new UsageError('No lamp.', { hint, argument: 'lamp' }))).toEqual({
      words: ['No lamp.', '· Type `/edge lamp list` `&lt;now&gt;`'],
      summary: 'No lamp.',
      argument: 'lamp',
      outcome: 'usage',
      maybeApplied: false,
    });
  });

  it('is said with whom to ask where it is not theirs to do', () => {
    expect(read(new ForbiddenError('You may not.', 'a rule', 'Ask <@UADA>.'))).toEqual({
      words: ['You may not.', '· Ask <@UADA>.'],
      summary: 'You may not.',
      outcome: 'forbidden',
      maybeApplied: false,
    });
    expect(read(new ForbiddenError('You may not.', 'a rule')).words).toEqual(['You may not.']);
  });
});

describe('Code in a hint', () => {
  it.each([
    ['a `b` c', 'a `b` c'],
    ['`<a>` <a>', '`&lt;a&gt;` `&lt;a&gt;`'],
    ['`` is none', '`ˋˋ` is none'],
    ['``', '`ˋˋ`'],
    ['`', '`ˋ`'],
    ['one ` alone', 'one `ˋ` alone'],
    ['`a``b`', '`ab`'],
    ['ends with a`', 'ends with `aˋ`'],
    ['`b`a', '`b`a'],
  ])('is what stands between two backticks: %s', (hint, words) => {
    expect(hintWords(hint).value).toBe(words);
  });
});

describe('What the platform refused', () => {
  it('is said with all that it said, and certainly did not happen', () => {
    expect(
      refused({
        status: 422,
        httpStatus: 202,
        key: 'lamp.broken',
        field: 'Bulb',
        id: 'e1',
        instance: '/lamp/1',
        requestId: 'r1',
        detail: 'It is gone',
        details: ['since Monday'],
        errors: [{ message: 'is empty', field: 'Watts' }, { message: 'is odd' }],
      }),
    ).toEqual({
      words: [
        'The platform refused it: No bulb.',
        '• It is gone\n• since Monday\n• Watts: is empty\n• is odd',
        '· `lamp.broken` · field `Bulb` · status 422 · HTTP 202 · id `e1` · instance `/lamp/1` · request `r1`',
      ],
      summary: '422 lamp.broken: No bulb',
      outcome: 'refused',
      maybeApplied: false,
    });
    expect(refused({ detail: 'No bulb' })).toEqual({
      words: ['The platform refused it: No bulb.', '· status 400'],
      summary: '400: No bulb',
      outcome: 'refused',
      maybeApplied: false,
    });
  });

  it('is a list of twenty at most', () => {
    const details = Array.from({ length: 25 }, (_, at) => `reason ${at}`);
    expect(refused({ details }).words[1]?.split('\n')).toEqual(details.slice(0, 20).map((line) => `• ${line}`));
  });

  it.each([
    ['No bulb', 'No bulb.'],
    ['No bulb.', 'No bulb.'],
    ['No bulb! ', 'No bulb!'],
    ['Why?', 'Why?'],
    ['And so on…', 'And so on…'],
    [' 1.5 watts ', '1.5 watts.'],
  ])('ends with one full stop: %s', (words, sentence) => {
    expect(refused({}, words).words[0]).toBe(`The platform refused it: ${sentence}`);
  });

  it('is a statement where a database refused it', () => {
    const error = new SqlError('no such table: lamps', { ...REQUEST, status: 400 });
    expect(read(error).words[0]).toBe('The database refused the statement: no such table: lamps.');
  });

  const KEY =
    'The bot’s key or token is missing, wrong or revoked. Ask whoever runs Edgewise to check with `npm run doctor`.';
  const FAULT = 'That is a fault on the platform’s side.';
  it.each<[string, Partial<PlatformErrorFields>, string | undefined]>([
    ['401', { status: 401 }, KEY],
    ['429', { status: 429 }, 'Wait a little, then try again.'],
    ['429 with a time', { status: 429, retryAfter: 7 }, 'Try again in 7 seconds. I don’t retry it for you.'],
    ['500', { status: 500 }, FAULT],
    ['503', { status: 503 }, FAULT],
    ['499', { status: 499 }, undefined],
    [
      '403',
      { status: 403 },
      'The bot’s key or token isn’t allowed to do this, or the account is suspended. Ask whoever runs Edgewise to check PLATFORM_ACCESS_KEY.',
    ],
    [
      '403 of a plan',
      { status: 403, key: 'invalid_plan_type.bot_detection' },
      'Its plan does not include this. Change the plan in the platform’s dashboard.',
    ],
    [
      '302',
      { status: 302 },
      'Something other than the platform answered (a proxy, perhaps), or the platform’s address has changed. Ask whoever runs Edgewise to check PLATFORM_API_URL.',
    ],
    ['logging_disabled elsewhere', { key: 'logging_disabled' }, undefined],
    [
      '403 of the log service',
      { service: 'logging', status: 403 },
      'Either the credentials of the log service are wrong, or the pull zone is suspended or disabled.',
    ],
    [
      'logging_disabled',
      { service: 'logging', key: 'logging_disabled' },
      'Logging is off for this pull zone. Switch it on in the platform’s dashboard.',
    ],
    [
      '401 of the log service',
      { service: 'logging', status: 401 },
      'Edgewise sent no credentials. Ask whoever runs it to check PLATFORM_ACCESS_KEY and PLATFORM_LOGGING_JWT.',
    ],
    ['400 of the log service', { service: 'logging' }, 'See what can be asked: `/edge help log search`'],
    ['429 of the log service', { service: 'logging', status: 429 }, 'Wait a little, then try again.'],
    [
      '504 of a database',
      { service: 'sql', status: 504 },
      'The query took too long, so I stopped waiting. Add a WHERE, lower the LIMIT, or index the columns you compare.',
    ],
    ['503 of a database', { service: 'sql', status: 503 }, FAULT],
    ['504 elsewhere', { status: 504 }, FAULT],
    ['404 of the log service', { service: 'logging', status: 404 }, undefined],
  ])('comes with advice: %s', (_, fields, advice) => {
    const { words } = refused(fields);
    expect(words.slice(1, -1)).toEqual(advice === undefined ? [] : [`· ${advice}`]);
  });
});

describe('What the platform did not answer', () => {
  const lost = (applied: 'no' | 'maybe', method: string) =>
    read(new PlatformConnectionError('the connection broke off', { ...REQUEST, method, applied }));
  const FIRST = 'The platform did not answer: the connection broke off.';

  it.each([
    ['no', 'GET', 'Nothing was changed. Try again in a moment.', false],
    ['maybe', 'GET', 'Nothing was changed. Try again in a moment.', false],
    ['maybe', 'POST', 'It may have taken effect. Check before you repeat it.', true],
    ['no', 'POST', 'The request did not reach it, so nothing was changed.', false],
  ] as const)('may have been done or not: %s, %s', (applied, method, hint, maybeApplied) => {
    expect(lost(applied, method)).toEqual({
      words: [FIRST, `· ${hint}`],
      summary: 'no answer: the connection broke off',
      outcome: 'unreachable',
      maybeApplied,
    });
  });

  it.each([
    ['POST', true],
    ['GET', false],
  ])('in a way that can be read, says what was asked (%s)', (method, maybeApplied) => {
    expect(read(new PlatformShapeError('Id is missing', { ...REQUEST, method }))).toEqual({
      words: ['The platform’s answer cannot be read: Id is missing.', `· Asked: \`${method} /lamp\``],
      summary: 'unreadable answer: Id is missing',
      outcome: 'unreachable',
      maybeApplied,
    });
  });
});

describe('What took too long', () => {
  it('may have been done, and is no error of the bot', () => {
    expect(read(new DOMException('signal timed out', 'TimeoutError'))).toEqual({
      words: ['It took too long, and Edgewise gave up waiting.', '· Ask for less, or try again in a while.'],
      summary: 'it took too long',
      outcome: 'unreachable',
      maybeApplied: true,
    });
    for (const other of [
      new DOMException('stopped', 'AbortError'),
      Object.assign(new Error(), { name: 'TimeoutError' }),
    ])
      expect(read(other).outcome).toBe('error');
  });
});

describe('What nobody expected', () => {
  it('says nothing but a reference, another one each time', () => {
    const one = read(new Error('secret things'));
    expect(one).toEqual({
      words: [
        'Something went wrong inside Edgewise.',
        `· Tell whoever runs Edgewise this reference, it is in the log: \`${one.reference}\``,
      ],
      summary: `unexpected error ${one.reference}`,
      outcome: 'error',
      reference: expect.stringMatching(/^[0-9a-f]{8}$/),
      maybeApplied: true,
    });
    expect(read('no error at all').reference).not.toBe(one.reference);
  });
});
