import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Labels, MEASURES, type Measure, type Measured, type Observe } from './observe.ts';
import type { Secret } from './secret.ts';
import { isBearer, type Route } from './slack/in/http-server.ts';

export interface Metrics extends Pick<Observe, 'saw' | 'gauge'> {
  registry: Registry;
  /** `GET /metrics` */
  route: Route;
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
    gauge<Key extends Measured>(key: Key, read: () => readonly (readonly [Labels<Key>, number])[]) {
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
