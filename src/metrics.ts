import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { Route } from './slack/in/http-server.ts';

/** Counters for whoever watches the bot. */
export interface Metrics {
  /** Counts a payload that came from Slack. */
  received(kind: string): void;
  /** `GET /metrics`, as Prometheus reads it. */
  route: Route;
}

/** Counters of one bot, beside those of the process. */
export function createMetrics(): Metrics {
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
    route: async (_, response) => {
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
    },
  };
}
