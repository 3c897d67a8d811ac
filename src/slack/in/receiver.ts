import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Secret } from '../../secret.ts';
import { MINUTE } from '../../time.ts';
import { type Body, fieldsOf, type Taking, take } from './arrival.ts';
import { bodyOf, RefusedRequest } from './http-server.ts';

export type HttpReceiver = ReturnType<typeof createReceiver>;

/** Bolt sees only signed payloads that are already acknowledged. The server belongs to the caller, because health and metrics share it. */
export function createReceiver(options: Omit<Taking, 'app'> & { signingSecret: Secret }) {
  const { signingSecret, log, now, observe } = options;
  let app: Taking['app'] | undefined;
  let isStopping = false;
  let lastCame = 0;
  let saidAt = -MINUTE;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const since = performance.now();
    checkHead(request, now());
    // Slack’s bodies are far smaller: a view has at most 250 kB.
    const raw = await bodyOf(request, 1_000_000);
    if (isCertificateCheck(request, raw)) return void send(response);
    checkSignature(request, raw, signingSecret);
    const body = payloadOf(raw, request.headers['content-type']);
    if (body.ssl_check === '1') return void send(response);
    if (body.type === 'url_verification') return void send(response, { challenge: body.challenge });
    if (isStopping) throw new RefusedRequest(503, 'stopping');
    lastCame = performance.now();
    const stamp = String(request.headers['x-slack-request-timestamp']);
    await take({ ...options, app: app! }, body, { since, stamp, acknowledge: (answer) => send(response, answer) });
  }

  return {
    init(given: Taking['app']) {
      app = given;
    },
    start: async () => undefined,
    route: (request: IncomingMessage, response: ServerResponse) =>
      receive(request, response).catch((error: unknown) => {
        if (error instanceof RefusedRequest) {
          const { status, reason } = error;
          observe?.saw('refused', { reason });
          // Refused requests come in thousands. The metric counts all of them.
          if (status === 401 && performance.now() - saidAt >= MINUTE) {
            saidAt = performance.now();
            log.warn({ problem: reason }, 'a request that is not from Slack was refused');
          }
        }
        throw error;
      }),
    /** Takes requests for that many more milliseconds, and then until a second passes without any. */
    async refuse(grace: number) {
      const begun = performance.now();
      // While requests still come, the balancer has not noticed the stop.
      const isOver = (at: number) => at - begun >= grace && (grace === 0 || at - lastCame >= 1_000);
      while (!isOver(performance.now())) await new Promise((settle) => setTimeout(settle, 25));
      isStopping = true;
    },
    async stop() {
      isStopping = true;
    },
  };
}

function send(response: ServerResponse, answer: unknown = ''): true {
  if (answer === '') response.writeHead(200, { 'content-length': 0 }).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  return true;
}

function payloadOf(raw: Buffer, contentType = ''): Body {
  const text = raw.toString('utf8');
  try {
    const fields = contentType.startsWith(FORM) ? new URLSearchParams(text) : undefined;
    const payload = fields === undefined ? text : fields.get('payload');
    if (payload === null) return Object.fromEntries(fields!);
    const body = JSON.parse(payload);
    if (fieldsOf(body) === body) return body;
  } catch {}
  throw new RefusedRequest(400, 'unreadable');
}

const FORM = 'application/x-www-form-urlencoded';

/** Throws RefusedRequest before the body is read if the headers show that the request is not Slack’s. */
export function checkHead(request: IncomingMessage, now: Date): void {
  const { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp } = request.headers;
  if (signature === undefined && mayCheckCertificate(request)) return;
  if (signature === undefined || timestamp === undefined || !/^\d{1,12}$/.test(String(timestamp)))
    throw new RefusedRequest(401, 'missing');
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp);
  // Slack recommends five minutes. Bolt rejects only old requests, not those from the future.
  if (Math.abs(age) > 300) throw new RefusedRequest(401, age > 0 ? 'stale' : 'future');
}

/** Throws RefusedRequest unless these very bytes were signed with the secret. */
export function checkSignature({ headers }: IncomingMessage, body: Buffer, secret: Secret): void {
  const timed = `v0:${headers['x-slack-request-timestamp']}:`;
  const wanted = Buffer.from(`v0=${createHmac('sha256', secret.reveal()).update(timed).update(body).digest('hex')}`);
  const got = Buffer.from(String(headers['x-slack-signature']));
  if (got.length !== wanted.length || !timingSafeEqual(got, wanted)) throw new RefusedRequest(401, 'wrong');
}

/** Slack checks the certificate without a signature: by `ssl_check=1` in the address, or in a short form. */
function isCertificateCheck(request: IncomingMessage, body: Buffer): boolean {
  if (request.headers['x-slack-signature'] !== undefined || !mayCheckCertificate(request)) return false;
  const form = request.method === 'GET' ? request.url?.split('?')[1] : body.toString('utf8');
  return new URLSearchParams(form).getAll('ssl_check').join() === '1';
}

function mayCheckCertificate({ method, headers }: IncomingMessage): boolean {
  const { 'content-type': type = '', 'content-length': length = '', 'transfer-encoding': encoding } = headers;
  if (method === 'GET') return encoding === undefined && Number(length) === 0;
  return type.startsWith(FORM) && length !== '' && Number(length) <= 1_024;
}
