import { describe, expect, test } from 'vitest';
import { usePlatform } from '../platform.ts';

const platform = usePlatform();

describe('origin errors', () => {
  const day = (path: string) => platform.ask('originLogs', 'GET', path);

  test('are the 5xx of the access log of their UTC day', async () => {
    const { body } = await day('/308002/06-14-2026');
    const whole = 'from=2026-06-14T00:00:00Z&to=2026-06-15T00:00:00Z&status=5xx&limit=10000';
    const entries: { timestamp: string; cacheStatus: string }[] = (
      await platform.logs(`/v2/pullzones/308002/logs?${whole}`)
    ).body.data;
    const failed = entries.filter(({ cacheStatus }) => cacheStatus !== 'HIT');
    expect(body.logs).toHaveLength(failed.length);
    expect(body.logs[0].timestamp).toBe(Date.parse(failed[0]?.timestamp ?? ''));
    expect(body.logs[0]).toEqual({
      logId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: expect.any(Number),
      log: expect.any(String),
      labels: {
        ErrorCode: expect.any(String),
        StatusCode: expect.stringMatching(/^5/),
        ServerZone: expect.any(String),
      },
    });
    const log = JSON.parse(body.logs[0].log);
    expect(Object.keys(log)).toEqual(['RequestUrl', 'PullZoneId', 'Message', 'ErrorCode', 'StatusCode']);
    expect(log.PullZoneId).toBe(308002);
  });

  test('take MM-dd-yyyy and nothing else', async () => {
    expect((await day('/308002/2026-06-14')).status).toBe(400);
    expect((await day('/308002/06-16-2026')).body.logs).toEqual([]);
    expect((await day('/1/06-14-2026')).body.logs).toEqual([]);
  });
});
