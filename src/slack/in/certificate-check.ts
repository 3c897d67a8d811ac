import type { IncomingMessage } from 'node:http';

/** Slack's bodies are forms, but for events. */
export const FORM = 'application/x-www-form-urlencoded';
/** Largest body that is taken without a signature, in bytes: Slack looks at the certificate with a parameter or two. */
const UNSIGNED_LIMIT = 1_024;

/** Slack looks whether the certificate is good, and signs nothing: in the address, or as a short form of a declared length. */
export function isCertificateCheck(request: IncomingMessage, raw: Buffer): boolean {
  if (request.method === 'GET') return raw.length === 0 && asksForCheck(request.url?.split('?')[1]);
  return mayCheckCertificate(request) && asksForCheck(raw.toString('utf8'));
}

const asksForCheck = (form: string | undefined) => new URLSearchParams(form).getAll('ssl_check').join() === '1';

/** The head of such a request. */
export function mayCheckCertificate({ method, headers }: IncomingMessage): boolean {
  const { 'content-type': type = '', 'content-length': length = '', 'transfer-encoding': encoding } = headers;
  if (method === 'GET') return encoding === undefined && Number(length) === 0;
  return type.startsWith(FORM) && length !== '' && Number(length) <= UNSIGNED_LIMIT;
}
