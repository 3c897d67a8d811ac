import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlatformSimulator, startPlatformSimulator } from '../../../../playground/platform/simulator.ts';
import { NOON, send } from '../platform.ts';

describe('a real log that is loaded onto a zone', () => {
  let simulator: PlatformSimulator | undefined;
  let folder = '';
  const line = (at: string, status: number, path: string): string =>
    `HIT|${status}|${Date.parse(at)}|1000|1337|203.0.113.0|-|https://cdn.example.com${path}|DE|curl/8|${'a'.repeat(32)}|DE`;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edgewise-log-'));
    const file = join(folder, 'access.log');
    const lines = [
      line('2015-05-18T08:00:00.123Z', 200, '/old'),
      line('2015-05-19T10:00:00Z', 404, '/a'),
      'not a line of a log',
      line('2015-05-20T21:05:06.789Z', 503, '/b?x=1'),
      line('2015-05-20T03:04:05.006Z', 200, '/c'),
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    simulator = await startPlatformSimulator({ now: () => NOON, accessLog: { file, zone: 308004 } });
  });
  afterAll(async () => {
    await simulator?.close();
    await rm(folder, { recursive: true });
  });
  const ask = (path: string) =>
    send((simulator as PlatformSimulator).urls.logging + path, 'GET', {
      headers: { AccessKey: simulator?.environment.PLATFORM_ACCESS_KEY ?? '' },
    });

  test('is served with its last date as yesterday and its times of day kept', async () => {
    const { text } = await ask('/06-14-26/308004.log');
    const [c, b] = text.trimEnd().split('\n');
    expect(c).toBe(line('2026-06-14T03:04:05.006Z', 200, '/c').replace('|1337|', '|308004|'));
    expect(b).toBe(line('2026-06-14T21:05:06.789Z', 503, '/b?x=1').replace('|1337|', '|308004|'));
    expect((await ask('/06-13-26/308004.log')).text.trimEnd().split('\n')).toHaveLength(1);
  });

  test('is served by version 2 too, within the retention', async () => {
    const { body } = await ask('/v2/pullzones/308004/logs?from=2026-06-12T13:00:00Z&to=2026-06-15T00:00:00Z');
    expect(body.data.map((entry: { timestamp: string; path: string }) => [entry.timestamp, entry.path])).toEqual([
      ['2026-06-14T21:05:06.789Z', '/b?x=1'],
      ['2026-06-14T03:04:05.006Z', '/c'],
      ['2026-06-13T10:00:00.000Z', '/a'],
    ]);
  });

  test('is what the statistics of its zone count', async () => {
    const { body } = await send(
      `${simulator?.urls.api}/statistics?pullZone=308004&loadErrors=true&dateFrom=2026-06-14&dateTo=2026-06-14`,
      'GET',
      { headers: { AccessKey: simulator?.environment.PLATFORM_ACCESS_KEY ?? '' } },
    );
    expect(body).toMatchObject({ TotalRequestsServed: 2, TotalBandwidthUsed: 2000 });
    expect(body.Error5xxChart).toEqual({ '2026-06-14T00:00:00Z': 1 });
  });
});
