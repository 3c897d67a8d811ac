import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Health } from './health.ts';
import { type Labels, MEASURES, type Measure, type Measured, type Observe } from './observe.ts';
import type { Secret } from './secret.ts';
import { isBearer, type Route } from './slack/in/http-server.ts';
import type { Slack } from './slack/in/listeners.ts';
import type { Presence } from './slack/in/presence.ts';
import type { LogWorkers } from './workers/log-worker-pool.ts';

interface Metrics extends Observe {
  registry: Registry;
  /** Called whenever metrics are read. */
  gauge<Key extends Measured>(key: Key, read: () => readonly (readonly [Labels<Key>, number])[]): void;
  /** `GET /metrics` */
  route: Route;
}

interface Watched {
  health: Pick<Health, 'isReady' | 'seen'>;
  presence: Presence;
  slack: Pick<Slack, 'underway'>;
  logWorkers: Pick<LogWorkers, 'counts'>;
}

/** The metrics of `observe.ts`, and Node’s own. */
export function createMetrics(token?: Secret): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Gauges named as totals, which Prometheus refuses. Other metrics show most of the same.
  for (const active of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${active}_total`);
  const made = Object.fromEntries(
    Object.entries<Measure>(MEASURES).map(([key, measure]) => [key, make(measure, registry)]),
  ) as Record<Measured, Counter | Gauge | Histogram>;
  return {
    registry,
    saw(key, labels, value = 1) {
      const metric = made[key];
      if (metric instanceof Histogram) metric.observe(labels, value);
      else if (metric instanceof Counter) metric.inc(labels, value);
    },
    gauge(key, read) {
      const metric = made[key] as Gauge & { collect: () => void };
      metric.collect = () => {
        for (const [labels, value] of read()) metric.set(labels, value);
      };
    },
    route: async (request, response) => {
      if (token !== undefined && !isBearer(token, request)) {
        response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
        return;
      }
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
    },
  };
}

function make({ name, help, labels: labelNames, buckets }: Measure, registry: Registry): Counter | Gauge | Histogram {
  const common = { name, help, labelNames, registers: [registry] };
  if (buckets !== undefined) return new Histogram({ ...common, buckets: [...buckets] });
  return name.endsWith('_total') ? new Counter(common) : new Gauge(common);
}

/** Feeds metrics, health and the log. */
export function createObserver(metrics: Metrics, log: Logger, health: Pick<Health, 'saw'>): Observe {
  return {
    saw(measure, labels, value) {
      metrics.saw(measure, labels, value);
      const { endpoint, outcome = '' } = labels as { endpoint?: string; outcome?: string };
      // A failed statement does not show that the store is down. Probes do.
      if (measure === 'store' && outcome === 'ok') health.saw('store', true);
      if (measure !== 'platform') return;
      log.debug({ endpoint, outcome, milliseconds: Math.round((value ?? 0) * 1_000) }, 'a request of the platform');
      // A request that the bot gave up says nothing about the platform. A refusal is an answer.
      if (outcome !== 'given up' && outcome !== 'not sent') health.saw('platform', /^[1-4]/.test(outcome));
    },
  };
}

/** Gauges are read only when somebody reads metrics. */
export function watchGauges({ gauge }: Metrics, { health, presence, slack, logWorkers }: Watched): void {
  const [bit, none] = [(is: boolean) => (is ? 1 : 0), {}];
  gauge('connections', () => [[none, presence.connections]]);
  gauge('ready', () => [[none, bit(health.isReady())]]);
  gauge('parts', () => [
    [{ part: 'slack' }, bit(presence.connections > 0)],
    ...health.seen().map(([part, ok]) => [{ part }, bit(ok)] as const),
  ]);
  gauge('cycle', () => {
    const [, , at] = health.seen().find(([part]) => part === 'scheduler') ?? [];
    return [[none, (at?.getTime() ?? 0) / 1_000]];
  });
  gauge('queues', () => [
    [{ queue: 'work' }, slack.underway()],
    [{ queue: 'logs' }, logWorkers.counts().waiting],
  ]);
  gauge('threads', () => [[none, logWorkers.counts().busy]]);
}
