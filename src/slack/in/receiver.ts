import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Receiver } from '@slack/bolt';
import type { Secret } from '../../secret.ts';
import { MINUTE } from '../../time.ts';
import { type Body, fieldsOf, type Taking, take } from './arrival.ts';
import { createBodyReader } from './body.ts';
import { RefusedRequest, type Route } from './http-server.ts';
import { checkHead, checkSignature, FORM, isCertificateCheck } from './signature.ts';

/** The server belongs to its caller: health and metrics share it. */
export interface HttpReceiver extends Receiver {
  init(app: Taking['app']): void;
  route: Route;
  /** Takes requests for so many milliseconds more, and until a second has passed without any. */
  refuse(grace: number): Promise<void>;
}

/** Signature, size and acknowledgement come before Bolt looks at the body. */
export function createReceiver(options: Omit<Taking, 'app'> & { signingSecret: Secret }): HttpReceiver {
  const { signingSecret, log, now, observe } = options;
  let app: Taking['app'] | undefined;
  const read = createBodyReader();
  let isStopping = false;
  let lastCame = 0;
  let saidAt = -MINUTE;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const since = performance.now();
    checkHead(request, now());
    const raw = await read(request);
    if (isCertificateCheck(request, raw)) return void send(response);
    checkSignature(request, raw, signingSecret);
    const body = bodyOf(raw, request.headers['content-type']);
    if (body.ssl_check === '1') return void send(response);
    if (body.type === 'url_verification') return void send(response, { challenge: body.challenge });
    if (isStopping) throw new RefusedRequest(503, 'stopping');
    lastCame = performance.now();
    const stamp = String(request.headers['x-slack-request-timestamp']);
    await take({ ...options, app: app! }, body, { since, stamp, acknowledge: (answer) => send(response, answer) });
  }

  return {
    init(given) {
      app = given;
    },
    start: async () => undefined,
    route: (request, response) =>
      receive(request, response).catch((error: unknown) => {
        if (error instanceof RefusedRequest) {
          const { status, reason } = error;
          observe?.saw('refused', { reason });
          // They come in thousands: the metric counts them.
          if (status === 401 && performance.now() - saidAt >= MINUTE) {
            saidAt = performance.now();
            log.warn({ problem: reason }, 'a request that is not from Slack was refused');
          }
        }
        throw error;
      }),
    async refuse(grace) {
      const begun = performance.now();
      // A balancer that still sends something has not noticed.
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

function bodyOf(raw: Buffer, contentType = ''): Body {
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
