import { webApi } from '@slack/bolt';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { doKept, type Inbox } from '../../../src/slack/in/inbox.ts';
import { DAY, MINUTE } from '../../../src/time.ts';

const NOW = Date.parse('2026-11-24T18:00:00Z');
const inbox = { log: pino({ level: 'silent' }), now: () => new Date(NOW) } as unknown as Inbox;

/** When it is done again. Undefined: never. */
const again = (error: unknown, age = 0) =>
  doKept(inbox, async () => Promise.reject(error), {
    ...{ key: 'held:1', kind: 'held', epoch: 1, deaths: 0 },
    body: { interaction: 'a1b2c3', at: NOW - age, body: {} },
  });
const unavailable = new webApi.WebAPIHTTPError(503, 'Service Unavailable', {}, '');

it.each([
  ['when Slack wants it', new webApi.WebAPIRateLimitedError(40), 40_000],
  ['in a minute, without an answer of Slack', new webApi.WebAPIRequestError(new Error('socket hang up')), MINUTE],
  ['in a minute, while Slack is not available', unavailable, MINUTE],
  ['never, if Slack refuses it', new webApi.WebAPIPlatformError({ ok: false, error: 'is_archived' }), undefined],
])('what was kept is done again %s', async (_, error, delay) => {
  expect(await again(error)).toBe(delay);
});

it('what was kept is given up after a day', async () => {
  expect([await again(unavailable, DAY), await again(unavailable, DAY + 1)]).toEqual([MINUTE, undefined]);
});
