import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../../playground/slack/signature.ts';
import { Secret } from '../../../src/secret.ts';
import { RefusedRequest } from '../../../src/slack/in/http-server.ts';
import { checkHead, checkSignature } from '../../../src/slack/in/receiver.ts';

const KEY = '8f742231b10e8888abcd99yyyzzz85a5';
const secret = Secret.of(KEY);
const now = new Date('2026-11-21T12:00:00.900Z');
const seconds = Math.floor(now.getTime() / 1000);

const signed = (body: string, timestamp: number | string = seconds, key = KEY) => ({
  timestamp: String(timestamp),
  signature: `v0=${createHmac('sha256', key).update(`v0:${timestamp}:${body}`).digest('hex')}`,
  body: Buffer.from(body),
});

/** Why a request is refused. Undefined: it is Slack's. */
function problemOf(
  { timestamp, signature, body }: { timestamp: string | undefined; signature: string | undefined; body: Buffer },
  at: Date,
): string | undefined {
  const headers = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature };
  const request = { method: 'POST', headers } as unknown as IncomingMessage;
  try {
    checkHead(request, at);
    checkSignature(request, body, secret);
  } catch (error) {
    if (error instanceof RefusedRequest) return error.reason;
    throw error;
  }
}

describe('the signature', () => {
  it('of Slack’s own documentation is accepted', () => {
    // https://api.slack.com/authentication/verifying-requests-from-slack
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    const request = {
      timestamp: '1531420618',
      signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      body: Buffer.from(body),
    };
    expect(problemOf(request, new Date(1_531_420_618_000))).toBeUndefined();
    expect(signatureOf(KEY, '1531420618', body)).toBe(request.signature);
  });

  it.each([
    ['five minutes old', -300, undefined],
    ['older', -301, 'stale'],
    ['five minutes ahead', 300, undefined],
    ['further ahead', 301, 'future'],
  ])('of a request that is %s is judged by its time', (_, offset, problem) => {
    expect(problemOf(signed('a=1', seconds + offset), now)).toBe(problem);
  });

  it.each([
    ['no time', { timestamp: undefined }, 'missing'],
    ['no signature', { signature: undefined }, 'missing'],
    ['a time that is none', { timestamp: '12a' }, 'missing'],
    ['a negative time', { timestamp: '-5' }, 'missing'],
    ['an empty signature', { signature: '' }, 'wrong'],
    ['a signature of another length', { signature: 'v0=abc' }, 'wrong'],
    ['another version', { signature: signed('a=1').signature.replace('v0', 'v1') }, 'wrong'],
    ['another body', { body: Buffer.from('a=2') }, 'wrong'],
    ['another key', { signature: signed('a=1', seconds, 'another').signature }, 'wrong'],
    ['another time', { timestamp: String(seconds - 1) }, 'wrong'],
  ])('with %s is refused', (_, change, problem) => {
    expect(problemOf({ ...signed('a=1'), ...change }, now)).toBe(problem);
  });

  it('holds for the very bytes, and for no others', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (body, place) => {
        const request = signed(body);
        expect(problemOf(request, now)).toBeUndefined();
        const other = Buffer.from(request.body.length === 0 ? 'x' : request.body);
        if (request.body.length > 0) other[place % other.length]! ^= 1;
        expect(problemOf({ ...request, body: other }, now)).toBe('wrong');
      }),
    );
  });
});
