import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEASURES, type Measure } from '../../src/observe.ts';
import { CONFIRM } from '../support/changes.ts';
import { METRICS_TOKEN, metricsAt } from '../support/metrics.ts';
import { hasPromtool, promtool } from '../support/promtool.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
let text: string;

const read = () => metricsAt(workspace.app.port);

/** The value of a series, by its name and labels as they are written. */
const reading = (series: string): number => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? Number.NaN : Number(line.slice(series.length + 1));
};

beforeAll(async () => {
  workspace = await startTestWorkspace({ environment: { METRICS_TOKEN } });
  const { slack, platform, app } = workspace;
  const ops = slack.person('ada').in('#ops');
  await ops.type('/edge ssl force docs.example.com on');
  const preview = await ops.expectMessage(/Force HTTPS/);
  await preview.click(CONFIRM);
  await ops.expectMessage(/switched force HTTPS .*on for/);
  await ops.type('/edge ssl force docs.example.com off');
  await ops.expectMessage(/Force HTTPS/);
  for (const word of ['hidden-value-1', 'hidden-value-2']) await ops.type(`/edge ${word}`);
  platform.fault('status=500@GET /');
  await ops.type('/edge zone show 308001');
  await ops.expectMessage(/500|platform/);
  const stranger = await fetch(`http://127.0.0.1:${app.port}/slack/events`, { method: 'POST', body: 'hidden-value-3' });
  expect(stranger.status).toBe(401);
  await fetch(`http://127.0.0.1:${app.port}/health/ready`);
  text = await read();
});
afterAll(() => workspace.close());

describe('At /metrics', () => {
  it.each([
    ['edgewise_slack_payloads_total{kind="command"}', 5],
    ['edgewise_slack_acknowledgement_duration_seconds_count{kind="command"}', 5],
    ['edgewise_slack_acknowledgement_duration_seconds_count{kind="action"}', 1],
    ['edgewise_interaction_duration_seconds_count{command="ssl force",outcome="done"}', 1],
    ['edgewise_interaction_duration_seconds_count{command="ssl force",outcome="asked"}', 2],
    // However many words there are that are no command, they are one label.
    ['edgewise_interaction_duration_seconds_count{command="none",outcome="usage"}', 2],
    ['edgewise_interaction_duration_seconds_count{command="zone show",outcome="refused"}', 1],
    ['edgewise_refused_requests_total{reason="missing"}', 1],
    ['edgewise_platform_request_duration_seconds_count{endpoint="POST /pullzone/{id}/setForceSSL",outcome="204"}', 1],
    ['edgewise_slack_call_duration_seconds_count{method="chat.postMessage",error="none"}', 1],
    ['edgewise_slack_connections', 1],
    ['edgewise_queue_length{queue="work"}', 0],
    ['edgewise_worker_threads', 0],
    ['edgewise_part_up{part="slack"}', 1],
    ['edgewise_part_up{part="store"}', 1],
    ['edgewise_part_up{part="scheduler"}', 1],
    ['edgewise_part_up{part="platform"}', 0],
    ['edgewise_ready', 1],
  ])('%s is %d', (series, value) => {
    expect(reading(series)).toBe(value);
  });

  it('there are times of the store, of Slack’s lateness and of the scheduler’s last cycle', () => {
    expect(reading('edgewise_store_statement_duration_seconds_count{kind="write",outcome="ok"}')).toBeGreaterThan(5);
    expect(reading('edgewise_slack_delivery_delay_seconds_count')).toBeGreaterThan(5);
    expect(reading('edgewise_scheduler_last_cycle_timestamp_seconds')).toBeGreaterThan(Date.now() / 1_000 - 60);
  });

  it('nothing is that somebody typed, and no id of anybody or anything', () => {
    const labels = [...text.matchAll(/\{.*\}/g)].join();
    expect(labels).not.toMatch(/hidden-value|docs\.example\.com|308001|U0ADA|xox/);
  });

  it('only measures of the table are, each with the labels that it has there', () => {
    const known = new Map(Object.values<Measure>(MEASURES).map(({ name, labels }) => [name, labels]));
    for (const [, series = '', labels = ''] of text.matchAll(
      /^(edgewise_\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? \S+$/gm,
    )) {
      const keys = [...labels.matchAll(/(\w+)="/g)].map(([, key]) => key!).filter((key) => key !== 'le');
      expect(known.get(series), series).toBeDefined();
      expect(keys.sort(), series).toEqual([...known.get(series)!].sort());
    }
  });

  it.skipIf(!hasPromtool)('Prometheus’s own check complains of nothing', () => {
    expect(promtool(['check', 'metrics'], text)).toBe('');
  });
});
