import { webApi } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../src/log.ts';
import { backoff } from '../../src/retry.ts';
import { createSecretFilter } from '../../src/slack/out/secrets.ts';
import { askedPause, finalOf, reasonOf, untilSlackAnswers } from '../../src/slack/patience.ts';

const PAUSES = { first: 500, most: 10_000, slowly: 60_000 };
const refusedBy = (error: string) => new webApi.WebAPIPlatformError({ ok: false, error });
const http = (status: number, headers = {}) => new webApi.WebAPIHTTPError(status, '', headers);

/** Calls until the answers run out; the waits are only noted. */
async function ask(answers: (Error | string)[], signal = new AbortController().signal) {
  const waits: number[] = [];
  const lines: Record<string, unknown>[] = [];
  const outcome = await untilSlackAnswers(
    async () => {
      const answer = answers.shift() ?? 'the bot';
      if (answer instanceof Error) throw answer;
      return answer;
    },
    {
      ...{ method: 'auth.test', token: 'SLACK_BOT_TOKEN', pauses: PAUSES, signal },
      log: createLog('info', createSecretFilter([]), (line) => lines.push(JSON.parse(line))),
      wait: async (pause) => void waits.push(pause),
    },
  ).catch((error: unknown) => error);
  return { outcome, waits, lines };
}

describe('while Slack is away', () => {
  test('it is asked again with growing pauses, and each failure is one line', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    const dropped = new webApi.WebAPIRequestError(new TypeError('fetch failed', { cause }));
    const { outcome, waits, lines } = await ask([
      dropped,
      http(503),
      refusedBy('internal_error'),
      refusedBy('fatal_error'),
    ]);
    expect(outcome).toBe('the bot');
    expect(lines.map(({ tried, reason }) => [tried, reason])).toEqual([
      ['auth.test', 'connect ECONNREFUSED 127.0.0.1:1'],
      ['auth.test', 'HTTP 503'],
      ['auth.test', 'internal_error'],
      ['auth.test', 'fatal_error'],
    ]);
    expect(lines.map(({ againInSeconds }) => Number(againInSeconds) * 1000 - (waits.shift() ?? 0))).toEqual(
      Array(4).fill(expect.closeTo(0, -3)),
    );
  });

  test('a pause is between half of it and all of it, and never longer than the longest', () => {
    for (let failures = 1; failures < 5_000; failures += 1) {
      const whole = Math.min(10_000, 500 * 2 ** (failures - 1));
      const pause = backoff(failures, PAUSES);
      expect(pause).toBeGreaterThanOrEqual(whole / 2);
      expect(pause).toBeLessThanOrEqual(whole);
    }
  });

  test('it is left alone for as long as it asks, within ten minutes', async () => {
    const { waits } = await ask([new webApi.WebAPIRateLimitedError(42), http(503, { 'retry-after': '43' })]);
    expect(waits).toEqual([42_000, 43_000]);
    expect(askedPause(http(503, { 'retry-after': '99999' }))).toBe(600_000);
    expect(askedPause(http(503, { 'retry-after': 'Fri, 01 Jan 2027 00:00:00 GMT' }))).toBe(0);
    expect(askedPause(http(503, { 'retry-after': '-5' }))).toBeLessThanOrEqual(0);
    expect(askedPause(new Error('else'))).toBe(0);
  });

  test('nobody waits who was told to stop', async () => {
    const { outcome } = await ask([http(503)], AbortSignal.abort(new Error('stopped')));
    expect(outcome).toEqual(new Error('stopped'));
  });
});

describe('when Slack’s answer is final', () => {
  test.each([
    ['invalid_auth', 'Copy the token anew'],
    ['not_authed', 'Copy the token anew'],
    ['token_revoked', 'Copy the token anew'],
    ['token_expired', 'Copy the token anew'],
    ['account_inactive', 'Install the app again'],
    ['not_allowed_token_type', 'Use a token of the right kind'],
    ['no_permission', 'Ask an administrator of the workspace to allow the app'],
    ['missing_scope', 'Give the token the scopes of manifest.yml and install the app again'],
    ['access_denied', 'Ask an administrator of the workspace to allow the app'],
    ['team_access_not_granted', 'Ask an administrator of the workspace to allow the app'],
  ])('%s ends the waiting with a sentence', async (code, remedy) => {
    const { outcome, waits } = await ask([refusedBy(code)]);
    expect(outcome).toHaveProperty(
      'message',
      `Slack refuses SLACK_BOT_TOKEN (${code}). ${remedy}. It is in the app’s settings under OAuth & Permissions.`,
    );
    expect(waits).toEqual([]);
  });

  test.each([
    'internal_error',
    'fatal_error',
    'service_unavailable',
    'request_timeout',
    'ratelimited',
    'accesslimited',
    'team_added_to_org',
    'org_login_required',
    'of_the_future',
  ])('%s is not final', (code) => {
    expect(finalOf(refusedBy(code), 'SLACK_BOT_TOKEN')).toBeUndefined();
  });

  test('a reason is a few words, whatever was thrown', () => {
    expect(reasonOf('a text')).toBe('a text');
    expect(reasonOf(undefined)).toBe('undefined');
    expect(reasonOf(new Error('outer', { cause: new Error('inner') }))).toBe('inner');
    const several = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(reasonOf(new webApi.WebAPIRequestError(new TypeError('fetch failed', { cause: several })))).toBe(
      'ECONNREFUSED',
    );
    const circle = new Error('round');
    circle.cause = circle;
    expect(reasonOf(circle)).toBe('round');
    expect(reasonOf(new webApi.WebAPIRateLimitedError(3))).toBe('429, wait 3 s');
  });
});
