import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../platform/secret.ts';

/** How far a request's time may lie from ours, either way, in seconds (Slack's five minutes; Bolt looks only backwards). */
const WINDOW = 300;

export type SignatureProblem = 'missing' | 'stale' | 'future' | 'wrong';

/** Checks Slack's signature over the raw body. Undefined: it is Slack's, and recent. */
export function signatureProblem(
  request: { timestamp: string | undefined; signature: string | undefined; body: Buffer },
  secret: Secret,
  now: Date,
): SignatureProblem | undefined {
  const { timestamp, signature, body } = request;
  if (timestamp === undefined || signature === undefined || !/^\d{1,12}$/.test(timestamp)) return 'missing';
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp);
  if (age > WINDOW) return 'stale';
  if (age < -WINDOW) return 'future';
  const wanted = Buffer.from(
    `v0=${createHmac('sha256', secret.reveal()).update(`v0:${timestamp}:`).update(body).digest('hex')}`,
  );
  const got = Buffer.from(signature);
  return got.length === wanted.length && timingSafeEqual(got, wanted) ? undefined : 'wrong';
}
