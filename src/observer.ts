import type { Logger } from 'pino';
import type { Health } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { Observe } from './observe.ts';
import type { Slack } from './slack/in/listeners.ts';
import type { Presence } from './slack/in/presence.ts';
import type { LogWorkers } from './workers/log-worker-pool.ts';

/** Feeds metrics, health and the log. */
export function createObserver({
  metrics,
  log,
  health,
}: {
  metrics: Metrics;
  log: Logger;
  health: Pick<Health, 'saw'>;
}): Observe {
  return {
    gauge: metrics.gauge,
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
export function watchGauges(
  { gauge }: Observe,
  parts: {
    health: Pick<Health, 'isReady' | 'seen'>;
    presence: Presence;
    slack: Pick<Slack, 'underway'>;
    logWorkers: Pick<LogWorkers, 'counts'>;
  },
): void {
  const { health, presence, slack, logWorkers } = parts;
  const [bit, none] = [(is: boolean) => (is ? 1 : 0), {}];
  gauge('connections', () => [[none, presence.connections]]);
  gauge('ready', () => [[none, bit(health.isReady())]]);
  gauge('parts', () => [
    [{ part: 'slack' }, bit(presence.connections > 0)],
    ...health.seen().map(([part, ok]) => [{ part }, bit(ok)] as const),
  ]);
  gauge('cycle', () => [
    [
      none,
      (health
        .seen()
        .find(([part]) => part === 'scheduler')?.[2]
        .getTime() ?? 0) / 1_000,
    ],
  ]);
  gauge('queues', () => {
    const logs = logWorkers.counts().waiting;
    return [
      [{ queue: 'work' }, slack.underway()],
      [{ queue: 'logs' }, logs],
    ];
  });
  gauge('threads', () => [[{}, logWorkers.counts().busy]]);
}
