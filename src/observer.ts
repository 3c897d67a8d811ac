import type { Logger } from 'pino';
import type { Health } from './health.ts';
import type { Metrics } from './metrics.ts';
import { type Observe, UNOBSERVED } from './observe.ts';

/** Tells metrics, traces and health what happens, and the log of each request of the platform. */
export function createObserver({
  metrics,
  log,
  health,
  span = UNOBSERVED.span,
}: {
  metrics: Metrics;
  log: Logger;
  health: Pick<Health, 'saw'>;
  span?: Observe['span'] | undefined;
}): Observe {
  return {
    gauge: metrics.gauge,
    span,
    saw(measure, labels, value) {
      metrics.saw(measure, labels, value);
      if (measure !== 'platform') return;
      const { endpoint, outcome } = labels as { endpoint: string; outcome: string };
      log.debug({ endpoint, outcome, milliseconds: Math.round((value ?? 0) * 1_000) }, 'a request of the platform');
      // A request that was given up here tells nothing of the platform; one that was refused was answered.
      if (outcome !== 'given up' && outcome !== 'not sent') health.saw('platform', /^[1-4]/.test(outcome));
    },
  };
}
