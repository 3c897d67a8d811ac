import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { Secret } from './secret.ts';
import type { Route } from './slack/in/http-server.ts';

/** Counters for whoever watches the bot. */
export interface Metrics {
  /** Counts a payload that came from Slack. */
  received(kind: string): void;
  /** `GET /metrics`, as Prometheus reads it. */
  route: Route;
}

/** Counters of one bot, beside those of the process. With a token, only those who send it read them. */
export function createMetrics(token?: Secret): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const received = new Counter({
    name: 'edgewise_slack_payloads_total',
    help: 'Payloads that came from Slack, by kind',
    labelNames: ['kind'],
    registers: [registry],
  });
  return {
    received: (kind) => received.inc({ kind }),
    route: async (request, response) => {
      if (token !== undefined && !isSent(token, request)) {
        response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
        return;
      }
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
    },
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Compared in constant time, whatever its length. */
const isSent = (token: Secret, { headers }: IncomingMessage): boolean =>
  timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token.reveal()}`));
