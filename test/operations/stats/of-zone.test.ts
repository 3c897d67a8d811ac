import { describe, expect, it } from 'vitest';
import { isChart } from '../../../src/blocks/chart.ts';
import { HOURLY_TOO_OLD, STATISTICS_TOO_OLD } from '../../../src/platform/dates.ts';
import { useSimulated } from '../database/simulated.ts';
import { prepare } from '../performing.ts';

const simulated = useSimulated({ specOnly: true });
const zone = () => simulated.simulator.account.zones[0]!.Id;

const ROWS = [
  ['optimizer', 'optimizer/statistics', 'Requests optimized'],
  ['queue', 'originshield/queuestatistics', 'Most concurrent'],
  ['safehop', 'safehop/statistics', 'Requests retried'],
] as const;

describe.each(ROWS)('stats %s, by a plain id on a platform that knows the specification alone', (verb, path, shown) => {
  const queries = () => simulated.queriesOf(`/pullzone/${zone()}/${path}`);
  const perform = async (flags: string) => (await simulated.perform(`stats ${verb} ${zone()} ${flags}`)).run();

  it('sends exactly the three parameters', async () => {
    await perform('--from 2026-11-19 --to 2026-11-20 --hourly');
    expect(queries().at(-1)).toEqual({
      dateFrom: '2026-11-19T00:00:00Z',
      dateTo: '2026-11-20T00:00:00Z',
      hourly: 'true',
    });
  });

  it('sends no date that was not typed', async () => {
    const { message } = await perform('');
    expect(queries().at(-1)).toEqual({ hourly: 'false' });
    expect(message.text).toContain(shown);
  });

  it('knows the range limits, but not row 7’s 40 days', async () => {
    const before = queries().length;
    await expect(perform('--from 400d')).rejects.toThrow(STATISTICS_TOO_OLD);
    await expect(perform('--from 35d --hourly')).rejects.toThrow(HOURLY_TOO_OLD);
    expect(queries()).toHaveLength(before);
    await perform('--from 60d');
    expect(queries()).toHaveLength(before + 1);
  });
});

describe('charts of several points', () => {
  it('are averages where there are more than Slack draws', async () => {
    const points = (value: number) =>
      Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [
          `2026-10-${String(index + 1).padStart(2, '0')}T00:00:00Z`,
          value + index,
        ]),
      );
    const { run } = await prepare('stats queue 7 --from 2026-10-01 --to 2026-10-30', {
      platform: {
        statistics: { queue: async () => ({ ConcurrentRequestsChart: points(0), QueuedRequestsChart: undefined }) },
      },
    });
    const message = await run();
    expect(message.text).toContain('Most concurrent: 29');
    expect(message.text).not.toContain('Queued');
    const [chart] = message.blocks.filter(isChart);
    expect(chart?.chart).toMatchObject({
      series: [{ name: 'Concurrent', data: expect.arrayContaining([{ label: '2026-10-11', value: 10.5 }]) }],
      axis_config: { x_label: 'averages of 2 days' },
    });
  });

  it('show bytes in a unit that reads well', async () => {
    const { run } = await prepare('stats optimizer 7 --from 2026-10-01 --to 2026-10-03', {
      platform: {
        statistics: {
          optimizer: async () => ({
            TrafficSavedChart: {
              '2026-10-01T00:00:00Z': 1_500_000_000,
              '2026-10-02T00:00:00Z': 900_000_000,
              '2026-10-03T00:00:00Z': 0,
            },
          }),
        },
      },
    });
    const chart = (await run()).blocks.filter(isChart).at(-1);
    expect(chart?.chart).toMatchObject({
      series: [{ data: [{ value: 1.5 }, { value: 0.9 }, { value: 0 }] }],
      axis_config: { y_label: 'GB' },
    });
  });
});
