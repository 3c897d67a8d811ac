import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/platform/errors.ts';
import { isComplaint, parseRetryAfter, readComplaint } from '../../src/platform/refusal.ts';
import { failureOf, useFakeServer } from './fixture.ts';

const server = useFakeServer();

const problem = {
  type: 'https://example.com/not-found',
  title: 'Not Found',
  status: 404,
  detail: 'The app does not exist.',
  instance: '/mc/apps/abc',
};
const envelope = (statusCode: number, message: string, errorKey: string) => ({
  data: null,
  error: { statusCode, success: false, message, errorKey },
});

describe('every error body of the platform is read', () => {
  it.each<[string, number, unknown, object]>([
    [
      'a pull zone error',
      400,
      { ErrorKey: 'pullZone.not_found', Field: 'PullZone', Message: 'The requested Pull Zone was not found' },
      { key: 'pullZone.not_found', field: 'PullZone', message: 'The requested Pull Zone was not found' },
    ],
    [
      'a core error with a message alone',
      401,
      { Message: 'Authorization has been denied for this request.' },
      { message: 'Authorization has been denied for this request.', key: undefined },
    ],
    [
      'problem details',
      404,
      problem,
      {
        message: 'The app does not exist.',
        title: 'Not Found',
        detail: 'The app does not exist.',
        instance: '/mc/apps/abc',
      },
    ],
    [
      'problem details without detail',
      403,
      { title: 'Forbidden', status: 403 },
      { message: 'Forbidden', title: 'Forbidden', detail: undefined },
    ],
    [
      'a validation problem',
      400,
      {
        title: 'Validation failed',
        status: 400,
        detail: 'See errors.',
        instance: '/mc/apps',
        errors: [{ message: 'limit is too large', field: 'limit' }, { message: 'also wrong' }],
        id: 'e-1',
      },
      {
        message: 'See errors.',
        id: 'e-1',
        errors: [{ message: 'limit is too large', field: 'limit' }, { message: 'also wrong' }],
      },
    ],
    [
      'errors by field',
      400,
      { title: 'One or more validation errors occurred.', status: 400, errors: { Name: ['is required', 'is short'] } },
      {
        message: 'One or more validation errors occurred.',
        errors: [
          { message: 'is required', field: 'Name' },
          { message: 'is short', field: 'Name' },
        ],
      },
    ],
    [
      'a bare list',
      400,
      [{ message: 'first' }, { message: 'second' }],
      { message: 'first', errors: [{ message: 'first' }, { message: 'second' }] },
    ],
    ['a bare string', 400, '"The app is suspended"', { message: 'The app is suspended' }],
    ['plain text', 500, 'upstream failed', { message: 'upstream failed' }],
    [
      'an envelope',
      403,
      envelope(403, 'Not your zone', 'not_found_or_unauthorised_access.shieldzone'),
      { message: 'Not your zone', key: 'not_found_or_unauthorised_access.shieldzone' },
    ],
    [
      'an envelope under errorResponse',
      400,
      { data: null, errorResponse: { statusCode: 400, success: false, message: 'Bad', errorKey: 'bad.key' } },
      { message: 'Bad', key: 'bad.key' },
    ],
    [
      'an envelope without a wrapper',
      400,
      { statusCode: 400, success: false, message: 'Bad', errorKey: 'bad.key' },
      { message: 'Bad', key: 'bad.key' },
    ],
    [
      'a database error',
      500,
      { error: 'Internal error', details: { region: 'DE' } },
      { message: 'Internal error', details: ['{"region":"DE"}'] },
    ],
    ['nothing', 503, undefined, { message: 'It answered 503 (Service Unavailable).' }],
    [
      'a web page',
      500,
      '<html><h1>Oops</h1></html>',
      { message: 'It answered 500 (Internal Server Error) with a web page.' },
    ],
    ['cut JSON', 400, '{"Message":"The requ', { status: 400 }],
    ['null', 500, 'null', { message: 'It answered 500 (Internal Server Error).' }],
  ])('%s', async (_, status, body, expected) => {
    server().reply({ status, body, headers: { 'cdn-requestid': 'req-1' } });
    const failure = await failureOf(server().platform().apps.delete('abc'));
    expect(failure).toBeInstanceOf(PlatformError);
    expect(failure).toMatchObject({ status, method: 'DELETE', path: '/mc/apps/abc', requestId: 'req-1', ...expected });
  });

  it.each([
    ['invalid_request', 400],
    ['unauthorized', 401],
    ['forbidden', 403],
    ['logging_disabled', 404],
    ['rate_limited', 429],
    ['internal_error', 500],
  ])('the access log service’s %s, nested or at the top, with or without a message', async (code, status) => {
    const platform = server().platform();
    server().reply({ status, body: { error: { code, message: 'Said so.', details: ['a', 'b'] } } });
    expect(await failureOf(platform.accessLogs.query(1))).toMatchObject({
      status,
      key: code,
      message: 'Said so.',
      details: ['a', 'b'],
    });
    server().reply({ status, body: { code } });
    const bare = await failureOf(platform.accessLogs.query(2));
    expect(bare).toMatchObject({ status, key: code });
    expect(bare.message).toMatch(/^[A-Z].*\.$/);
  });
});

describe('shield', () => {
  const calls = [
    () => server().platform().shieldZones.uploadSpec(7, { content: '{}', enforceAuthorizationValidation: false }),
    () => server().platform().shieldZones.setBotCategoryAction(7, 1, 1),
  ];

  it.each([200, 202, 400, 401, 403, 404, 500])('fails by an envelope on status %i', async (status) => {
    for (const call of calls) {
      server().reply({ status, body: envelope(403, 'Please upgrade to Advanced', 'invalid_plan_type.bot_detection') });
      expect(await failureOf(call())).toMatchObject({
        name: 'PlatformError',
        status: status < 300 ? 403 : status,
        httpStatus: status,
        key: 'invalid_plan_type.bot_detection',
        message: 'Please upgrade to Advanced',
      });
    }
  });

  it.each([200, 202, 400, 401, 403, 404, 500])('fails by problem details on status %i', async (status) => {
    for (const call of calls) {
      server().reply({ status, body: { ...problem, status: 404 } });
      expect(await failureOf(call())).toMatchObject({
        name: 'PlatformError',
        status: status < 300 ? 404 : status,
        httpStatus: status,
        title: 'Not Found',
      });
    }
  });

  it('fails by a 202 whose envelope says 202 too', async () => {
    server().reply({ status: 202, body: envelope(202, 'Unable to make changes', 'invalid_plan_type.bot_detection') });
    expect(await failureOf(calls[1]!())).toMatchObject({ status: 202, key: 'invalid_plan_type.bot_detection' });
  });

  it.each([
    ['an empty error object', { data: { category: 1, action: 1 }, error: {} }],
    ['an error that is null', { data: { category: 1, action: 1 }, error: null }],
    [
      'an error that says success',
      { data: { category: 1, action: 1 }, error: { statusCode: 200, success: true, message: 'OK' } },
    ],
    ['an unsuccessful error without a reason', { data: {}, error: { success: false, message: '', errorKey: null } }],
    ['data with a title', { data: { configuration: { title: 'Pets', version: '1' } }, title: 'x', status: 200 }],
  ])('does not fail by %s', (_, body) => {
    expect(isComplaint(body)).toBe(false);
  });
});

describe('small parts', () => {
  it('reads Retry-After as seconds and as a date', () => {
    const now = Date.parse('2026-11-21T12:00:00Z');
    expect(parseRetryAfter('7', now)).toBe(7);
    expect(parseRetryAfter('Sat, 21 Nov 2026 12:01:30 GMT', now)).toBe(90);
    expect(parseRetryAfter('Sat, 21 Nov 2026 11:00:00 GMT', now)).toBe(0);
    expect(parseRetryAfter('soon', now)).toBeUndefined();
    expect(parseRetryAfter(undefined, now)).toBeUndefined();
  });

  it.each([undefined, null, 1, true, {}, [], { error: 1 }, { errors: 'x' }, { errors: [null] }, { details: null }])(
    'survives %j as a body',
    (body) => {
      expect(() => readComplaint(body)).not.toThrow();
    },
  );
});
