import { createHmac } from 'node:crypto';

/** The `v0=` signature of a request body. `timestamp` is unix seconds, as in the header. */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}
