import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../secret.ts';

/** How far a request's time may lie from ours, either way, in seconds (Slack's five minutes; Bolt looks only backwards). */
const WINDOW = 300;

/** Checks Slack's signature over the raw body. Undefined: it is Slack's, and recent. */
export function signatureProblem(
  request: { timestamp: string | undefined; signature: string | undefined; body: Buffer },
  secret: Secret,
  now: Date,
): Problem | undefined {
  const { timestamp, signature, body } = request;
  const problem = timeProblem(signature, timestamp, now);
  if (problem !== undefined || signature === undefined) return problem ?? 'missing';
  const wanted = Buffer.from(
    `v0=${createHmac('sha256', secret.reveal()).update(`v0:${timestamp}:`).update(body).digest('hex')}`,
  );
  const got = Buffer.from(signature);
  return got.length === wanted.length && timingSafeEqual(got, wanted) ? undefined : 'wrong';
}

/** Why a request is not believed to be Slack's. */
export type Problem = 'missing' | 'stale' | 'future' | 'wrong';

/** The part of the check that needs no body. */
export function timeProblem(
  signature: string | undefined,
  timestamp: string | undefined,
  now: Date,
): Problem | undefined {
  if (timestamp === undefined || signature === undefined || !/^\d{1,12}$/.test(timestamp)) return 'missing';
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp);
  if (age > WINDOW) return 'stale';
  return age < -WINDOW ? 'future' : undefined;
}
