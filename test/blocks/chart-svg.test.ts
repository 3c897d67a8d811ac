import { Resvg } from '@resvg/resvg-js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ChartBlock, chart } from '../../src/blocks/chart.ts';
import { chartAsSvg } from '../../src/blocks/chart-svg.ts';

const svgOf = (options: Parameters<typeof chart>[0]) => chartAsSvg(chart(options).blocks[0] as ChartBlock);

test('a chart is drawn with its title, its labels, a round scale and a mark for each value', () => {
  const categories = ['Mon', 'Tue', 'Wed'];
  const series = [
    { name: '4xx', values: [10, 370, 20] },
    { name: '5xx', values: [1, 0, 3] },
  ];
  const svg = svgOf({ title: 'Errors a day', type: 'bar', categories, series, unit: 'requests' });
  for (const words of ['Errors a day', ...categories, '4xx', '5xx', 'requests', '>400<', '>0<'])
    expect(svg).toContain(words);
  expect(svg.match(/<rect /g)).toHaveLength(1 + 6 + 2);
  expect(svgOf({ title: 'x', type: 'line', categories, series }).match(/<polyline /g)).toHaveLength(2);
  expect(svgOf({ title: 'x', type: 'area', categories, series }).match(/<polygon /g)).toHaveLength(2);
});

test('whatever is in a chart, the picture can be drawn and names nothing outside', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('</text><image href="http://a.example/x.png"/>', '&lt;', ']]>'));
  const values = fc.array(fc.double({ noNaN: true, min: -1e12, max: 1e12 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 3, maxLength: 3 }), values, (title, categories, some) => {
      for (const type of ['bar', 'line', 'area'] as const) {
        const svg = svgOf({ title, type, categories, series: [{ name: title, values: some }] });
        expect(svg).not.toMatch(/<image|NaN|Infinity/);
        expect(new Resvg(svg, { font: { loadSystemFonts: false } }).width).toBe(720);
      }
    }),
    { numRuns: 30 },
  );
});
