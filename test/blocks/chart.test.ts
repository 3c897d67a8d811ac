import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChartBlock, chart, dayChart, isChart } from '../../src/blocks/chart.ts';

function blockOf(part: ReturnType<typeof chart>): ChartBlock {
  const block = part.blocks[0]!;
  if (!isChart(block)) throw new Error('no chart');
  return block;
}

describe('a chart', () => {
  test('has its series on its categories and a sparkline in its text', () => {
    const part = chart({
      title: 'Requests',
      type: 'line',
      categories: ['Mon', 'Tue', 'Wed'],
      series: [{ name: 'shop', values: [0, 50, 100] }],
      unit: 'requests',
    });
    expect(blockOf(part)).toEqual({
      type: 'data_visualization',
      title: 'Requests',
      chart: {
        type: 'line',
        series: [
          {
            name: 'shop',
            data: [
              { label: 'Mon', value: 0 },
              { label: 'Tue', value: 50 },
              { label: 'Wed', value: 100 },
            ],
          },
        ],
        axis_config: { categories: ['Mon', 'Tue', 'Wed'], y_label: 'requests' },
      },
    });
    expect(part.text).toBe('Requests (Mon to Wed, requests)\n  shop  ▁▅█  0 to 100');
  });

  test('draws averages where there are more points than Slack draws, and says so', () => {
    const categories = Array.from({ length: 30 }, (_, day) => `11-${String(day + 1).padStart(2, '0')}`);
    const part = chart({
      title: 'Days',
      type: 'line',
      categories,
      series: [
        { name: 'a', values: categories.map((_, day) => day) },
        { name: 'thirds', values: categories.map((_, day) => day / 3) },
      ],
      counted: 'days',
    });
    const { chart: drawn } = blockOf(part);
    expect(drawn.series[1]!.data[1]!.value).toBe(0.83);
    expect(drawn.axis_config.x_label).toBe('averages of 2 days');
    expect(drawn.series[0]!.data.slice(0, 2)).toEqual([
      { label: '11-01', value: 0.5 },
      { label: '11-03', value: 2.5 },
    ]);
    expect(drawn.axis_config.categories).toHaveLength(15);
    expect(part.text).toContain('averages of 2 days');
  });

  test('of a day has all its hours, in pairs where they are many, none to come, and names the one that goes on', () => {
    const counts = Array.from({ length: 24 }, (_, hour) => (hour === 1 ? 9 : 0));
    const at = (now: string) => ({ now: new Date(now), timezone: 'UTC' });
    const axisAt = (now: string) =>
      blockOf(dayChart('Errors', 'Errors', '2026-11-20', counts, at(now))).chart.axis_config;
    const whole = blockOf(dayChart('Errors', 'Errors', '2026-11-20', counts, at('2026-11-21T08:00:00Z'))).chart;
    expect(whole.series[0]!.data.map(({ value }) => value)).toEqual([9, ...Array.from({ length: 11 }, () => 0)]);
    expect(whole.axis_config.categories).toEqual(expect.arrayContaining(['00:00', '02:00', '22:00']));
    expect(axisAt('2026-11-20T02:10:00Z')).toEqual({
      categories: ['00:00', '01:00', '02:00'],
      x_label: '02:00 so far',
    });
    const there = { ...at('2026-11-20T02:10:00Z'), timezone: 'Asia/Kolkata' };
    expect(dayChart('Errors', 'Errors', '2026-11-20', counts, there).text).toMatch(
      /by the hour \(Asia\/Kolkata\).*07:30 so far/,
    );
  });

  test('of nothing is a sentence', () => {
    expect(chart({ title: 'Line', type: 'line', categories: [], series: [] }).text).toBe('Line: nothing to draw.');
  });

  test("keeps Slack's limits whatever is put into it", () => {
    const numbers = fc.oneof({ weight: 9, arbitrary: fc.double({ noNaN: true }) }, fc.constant(undefined));
    fc.assert(
      fc.property(
        fc.string({ maxLength: 90, unit: 'grapheme' }),
        fc.array(fc.string({ maxLength: 40 }), { minLength: 1, maxLength: 70 }),
        fc.array(fc.record({ name: fc.string({ maxLength: 40 }), values: fc.array(numbers, { maxLength: 70 }) }), {
          minLength: 1,
          maxLength: 6,
        }),
        (title, categories, series) => {
          const part = chart({ title, type: 'area', categories, series });
          if (part.text.endsWith('nothing to draw.')) return;
          const block = blockOf(part);
          expect(block.title.length).toBeLessThanOrEqual(50);
          const { categories: shown } = block.chart.axis_config;
          expect(shown.length).toBeLessThanOrEqual(20);
          expect(new Set(shown).size).toBe(shown.length);
          const names = block.chart.series.map((one) => one.name);
          expect(new Set(names).size).toBe(names.length);
          for (const label of [...shown, ...names]) {
            expect(label.length).toBeGreaterThan(0);
            expect(label.length).toBeLessThanOrEqual(20);
          }
          for (const { data } of block.chart.series) {
            expect(data.map((point) => point.label)).toEqual(shown);
            expect(data.every((point) => Number.isFinite(point.value))).toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

test('what has no figure is left out of a chart and said, and no line goes on over it', () => {
  const { blocks, text } = chart({
    title: 'Requests',
    type: 'line',
    counted: 'days',
    categories: ['a', 'b', 'c', 'd'],
    series: [
      { name: 'Now', values: [1, undefined, 3, 4] },
      { name: 'Before', values: [1, 2, Number.NaN, 4] },
      { name: 'Never', values: [undefined, undefined, undefined, undefined] },
    ],
  });
  const drawn = (blocks[0] as ChartBlock).chart;
  expect(drawn.type).toBe('bar');
  expect(drawn.axis_config).toEqual({ categories: ['a', 'd'], x_label: '2 of 4 days without figures' });
  expect(drawn.series.map(({ name, data }) => [name, ...data.map(({ value }) => value)])).toEqual([
    ['Now', 1, 4],
    ['Before', 1, 4],
  ]);
  expect(text).toContain('2 of 4 days without figures');
});
