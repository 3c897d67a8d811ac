/** In seconds. Few buckets, because each one is a series. */
const [QUICK, CALLS, LONG, DELAYS] = [
  [0.005, 0.025, 0.1, 0.5, 1, 3],
  [0.1, 0.5, 2, 10, 30],
  [0.1, 0.5, 1, 3, 10, 60],
  [5, 60, 300, 3600],
];

/**
 * Label values are bounded, never typed text. With `buckets`: a histogram of seconds. A name with `_total`: a counter.
 * Otherwise a gauge.
 */
export const MEASURES = {
  payloads: {
    ...{ name: 'edgewise_slack_payloads_total', labels: ['kind'] },
    help: 'Payloads that came from Slack, by kind',
  },
  lateness: {
    ...{ name: 'edgewise_slack_delivery_delay_seconds', labels: [], buckets: [1, 3, 10, 60, 300] },
    help: 'From Slack’s time stamp of a payload until it came; Slack stamps whole seconds, by a clock of its own',
  },
  acknowledged: {
    ...{ name: 'edgewise_slack_acknowledgement_duration_seconds', labels: ['kind'], buckets: QUICK },
    help: 'From the first byte of a payload until Slack had its acknowledgement; Slack gives up after 3 s',
  },
  answered: {
    ...{ name: 'edgewise_interaction_duration_seconds', labels: ['command', 'outcome'], buckets: LONG },
    help: 'From the first byte of a payload until the person was answered, by command (`none`: it came to none) and outcome',
  },
  refused: {
    ...{ name: 'edgewise_refused_requests_total', labels: ['reason'] },
    help: 'Requests to Slack’s address that were not taken, by reason',
  },
  slack: {
    ...{ name: 'edgewise_slack_call_duration_seconds', labels: ['method', 'error'], buckets: CALLS },
    help: 'Calls to Slack’s Web API, by method and Slack’s word for the error (`none`: it went well; `ratelimited`: 429)',
  },
  connections: { name: 'edgewise_slack_connections', labels: [], help: 'Open connections of Socket Mode; over HTTP 1' },
  platform: {
    ...{ name: 'edgewise_platform_request_duration_seconds', labels: ['endpoint', 'outcome'], buckets: CALLS },
    help: 'Requests to the platform until the head of the answer, by endpoint and outcome (the status, or why there was none)',
  },
  store: {
    ...{ name: 'edgewise_store_statement_duration_seconds', labels: ['kind', 'outcome'], buckets: QUICK },
    help: 'Statements to the store, by kind (`read`, `write`) and outcome (`ok`, `failed`)',
  },
  slots: {
    ...{ name: 'edgewise_report_slots_total', labels: ['report', 'event'] },
    help: 'Slots of reports: `claimed`, `taken over` from a process that died, `late`, `missed`, and how they ended (`posted`, `quiet`, `failed`, `later`, …)',
  },
  reports: {
    ...{ name: 'edgewise_report_delay_seconds', labels: ['report'], buckets: DELAYS },
    help: 'From the moment that a report was due until it was begun',
  },
  cycle: {
    ...{ name: 'edgewise_scheduler_last_cycle_timestamp_seconds', labels: [] },
    help: 'When the scheduler last looked what is due, in Unix time; 0 before that',
  },
  recovered: {
    ...{ name: 'edgewise_recoveries_total', labels: ['state'] },
    help: 'Left by a process that died, and finished by this one: changes by the state they ended in, `payload` for what was started again, `lost` for what had to be reported as lost',
  },
  queues: {
    ...{ name: 'edgewise_queue_length', labels: ['queue'] },
    help: 'What waits in this process: `work` under way, `logs` for a thread',
  },
  threads: { name: 'edgewise_worker_threads', labels: [], help: 'Threads that sum up logs' },
  parts: {
    ...{ name: 'edgewise_part_up', labels: ['part'] },
    help: '1 while a part is healthy (`slack`, `store`, `scheduler`, `platform`), 0 while it is not, as `/health/ready` says it',
  },
  ready: { name: 'edgewise_ready', labels: [], help: '1 while `/health/ready` is 200' },
} as const satisfies Record<string, Measure>;

export interface Measure {
  name: string;
  labels: readonly string[];
  /** Without a full stop. */
  help: string;
  buckets?: readonly number[];
}

export type Measured = keyof typeof MEASURES;

/** Bounded words. */
export type Labels<Key extends Measured = Measured> = Record<(typeof MEASURES)[Key]['labels'][number], string>;

export interface Observe {
  /** In seconds, or how many times. */
  saw<Key extends Measured>(measure: Key, labels: Labels<Key>, value?: number): void;
}

export const UNOBSERVED: Observe = { saw: () => undefined };

export const secondsSince = (moment: number): number => (performance.now() - moment) / 1_000;

/** `labelsOf` gets how the work ended. */
export async function timed<Key extends Measured, T>(
  observe: Observe | undefined,
  measure: Key,
  work: () => Promise<T>,
  labelsOf: (ended: { result: T } | { error: unknown }) => Labels<Key>,
): Promise<T> {
  const since = performance.now();
  const tell = (ended: { result: T } | { error: unknown }) =>
    observe?.saw(measure, labelsOf(ended), secondsSince(since));
  try {
    const result = await work();
    tell({ result });
    return result;
  } catch (error) {
    tell({ error });
    throw error;
  }
}
