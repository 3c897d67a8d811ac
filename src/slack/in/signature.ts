import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Secret } from '../../secret.ts';
import { RefusedRequest } from './http-server.ts';

export const FORM = 'application/x-www-form-urlencoded';

/** Throws RefusedRequest for a request whose head says that it is not Slack's: no body is read then. */
export function checkHead(request: IncomingMessage, now: Date): void {
  const { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp } = request.headers;
  if (signature === undefined && mayCheckCertificate(request)) return;
  if (signature === undefined || timestamp === undefined || !/^\d{1,12}$/.test(String(timestamp)))
    throw new RefusedRequest(401, 'missing');
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp);
  // Slack's five minutes, either way; Bolt looks only backwards.
  if (Math.abs(age) > 300) throw new RefusedRequest(401, age > 0 ? 'stale' : 'future');
}

/** Throws RefusedRequest unless these very bytes were signed with the secret. */
export function checkSignature({ headers }: IncomingMessage, body: Buffer, secret: Secret): void {
  const timed = `v0:${headers['x-slack-request-timestamp']}:`;
  const wanted = Buffer.from(`v0=${createHmac('sha256', secret.reveal()).update(timed).update(body).digest('hex')}`);
  const got = Buffer.from(String(headers['x-slack-signature']));
  if (got.length !== wanted.length || !timingSafeEqual(got, wanted)) throw new RefusedRequest(401, 'wrong');
}

/** Slack looks whether the certificate is good, and signs nothing: in the address, or in a short form. */
export function isCertificateCheck(request: IncomingMessage, body: Buffer): boolean {
  if (request.headers['x-slack-signature'] !== undefined || !mayCheckCertificate(request)) return false;
  const form = request.method === 'GET' ? request.url?.split('?')[1] : body.toString('utf8');
  return new URLSearchParams(form).getAll('ssl_check').join() === '1';
}

function mayCheckCertificate({ method, headers }: IncomingMessage): boolean {
  const { 'content-type': type = '', 'content-length': length = '', 'transfer-encoding': encoding } = headers;
  if (method === 'GET') return encoding === undefined && Number(length) === 0;
  return type.startsWith(FORM) && length !== '' && Number(length) <= 1_024;
}
