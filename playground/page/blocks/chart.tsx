/** The `data_visualization` block as SVG: bar, line, area and pie, with the figures as a table for those who ask. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChartBlock, PieChart, SeriesChart } from './kit.ts';

const height = 240;
const top = 14;

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const exact = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** The chart, or its figures as a table. */
export function Chart({ block }: { block: ChartBlock }) {
  const [asTable, setTable] = useState(false);
  return (
    <figure class="block chart" aria-label={block.title}>
      <figcaption>
        <b>{block.title}</b>
        <button type="button" class="quiet" aria-pressed={asTable} onClick={() => setTable(!asTable)}>
          {asTable ? 'Show chart' : 'Show figures'}
        </button>
      </figcaption>
      {asTable ? (
        <Figures chart={block.chart} />
      ) : block.chart.type === 'pie' ? (
        <Pie chart={block.chart} />
      ) : (
        <Axes chart={block.chart} title={block.title} />
      )}
    </figure>
  );
}

function Figures({ chart }: { chart: ChartBlock['chart'] }) {
  const series = chart.type === 'pie' ? [{ name: 'Value', data: chart.segments }] : chart.series;
  const labels = chart.type === 'pie' ? chart.segments.map(({ label }) => label) : chart.axis_config.categories;
  return (
    // what scrolls sideways must be reachable with the keyboard
    <section class="table-scroll" tabindex={0} aria-label="Figures">
      <table class="table">
        <thead>
          <tr>
            <th scope="col" class="align-left">
              {chart.type === 'pie' ? '' : (chart.axis_config.x_label ?? '')}
            </th>
            {series.map(({ name }) => (
              <th scope="col" class="align-right">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, at) => (
            <tr>
              <th scope="row">{label}</th>
              {series.map(({ data }) => (
                <td class="align-right">{exact.format(data[at]?.value ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const Legend = ({ names, values }: { names: string[]; values?: string[] }) => (
  <ul class="legend">
    {names.map((name, at) => (
      <li>
        <span class={`swatch series-${at % 12}`} />
        {name}
        {values ? <span class="legend-value">{values[at]}</span> : null}
      </li>
    ))}
  </ul>
);

/** Round steps that cover the values: about four lines. */
function ticksFor(low: number, high: number): number[] {
  const span = high - low || Math.abs(high) || 1;
  const raw = span / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((each) => each * power >= raw) ?? 10) * power;
  const first = Math.floor(low / step) * step;
  const count = Math.max(1, Math.ceil((high - first) / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, at) => Number((first + at * step).toPrecision(12)));
}

/** Positions of everything in a chart with axes, in pixels. */
interface Geometry {
  width: number;
  left: number;
  bottom: number;
  ticks: number[];
  /** The width of one category. */
  band: number;
  /** The categories' names don't fit side by side. */
  isSlanted: boolean;
  /** Every how many categories one is named. */
  every: number;
  y(value: number): number;
  middle(at: number): number;
}

function geometryOf(chart: SeriesChart, width: number): Geometry {
  const { categories, x_label, y_label } = chart.axis_config;
  const values = chart.series.flatMap(({ data }) => data.map(({ value }) => value));
  const ticks = ticksFor(Math.min(0, ...values), Math.max(0, ...values));
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const left = Math.max(...ticks.map((tick) => compact.format(tick).length)) * 7 + 12 + (y_label ? 16 : 0);
  const band = (width - left - 8) / Math.max(1, categories.length);
  const widest = Math.max(...categories.map((each) => each.length)) * 6.4 + 6;
  const isSlanted = widest > band && widest > 34;
  const bottom = height - (isSlanted ? Math.min(74, widest * 0.62 + 14) : 24) - (x_label ? 16 : 0);
  return {
    width,
    left,
    bottom,
    ticks,
    band,
    isSlanted,
    every: isSlanted ? Math.ceil(16 / band) : Math.max(1, Math.ceil(widest / band)),
    y: (value) => bottom - ((value - low) / (high - low || 1)) * (bottom - top),
    middle: (at) => left + band * (at + 0.5),
  };
}

function Axes({ chart, title }: { chart: SeriesChart; title: string }) {
  const [box, width] = useWidth();
  const [over, setOver] = useState<number>();
  const geometry = geometryOf(chart, width);
  const { left, bottom, band } = geometry;
  return (
    <>
      <div ref={box} class="chart-box">
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={summaryOf(chart, title)}
        >
          <Grid chart={chart} geometry={geometry} />
          {over === undefined ? null : (
            <rect class="band" x={left + band * over} width={band} y={top} height={bottom - top} />
          )}
          {chart.type === 'bar' ? (
            <Bars chart={chart} geometry={geometry} />
          ) : (
            <Lines chart={chart} geometry={geometry} />
          )}
          {chart.axis_config.categories.map((_, at) => (
            <rect
              class="hover"
              x={left + band * at}
              width={band}
              y={top}
              height={bottom - top}
              onPointerEnter={() => setOver(at)}
              onPointerLeave={() => setOver(undefined)}
            />
          ))}
        </svg>
        {over === undefined ? null : <Tip chart={chart} geometry={geometry} over={over} />}
      </div>
      <Legend names={chart.series.map(({ name }) => name)} />
    </>
  );
}

/** The width of a box, kept up to date. */
function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(560);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.max(220, Math.round(element.clientWidth))));
    observer.observe(element);
    setWidth(Math.max(220, Math.round(element.clientWidth)));
    return () => observer.disconnect();
  }, []);
  return [box, width];
}

interface PartProps {
  chart: SeriesChart;
  geometry: Geometry;
}

/** The lines behind the figures, and the words at both axes. */
function Grid({ chart, geometry }: PartProps) {
  const { categories, x_label, y_label } = chart.axis_config;
  const { width, left, bottom, ticks, isSlanted, every, y, middle } = geometry;
  return (
    <>
      {ticks.map((tick) => (
        <g>
          <line class={tick === 0 ? 'axis' : 'grid'} x1={left} x2={width - 8} y1={y(tick)} y2={y(tick)} />
          <text class="tick" x={left - 8} y={y(tick) + 4} text-anchor="end">
            {compact.format(tick)}
          </text>
        </g>
      ))}
      {categories.map((category, at) =>
        at % every !== 0 ? null : isSlanted ? (
          <text class="tick" transform={`translate(${middle(at) + 4} ${bottom + 14}) rotate(-38)`} text-anchor="end">
            {category}
          </text>
        ) : (
          <text class="tick" x={middle(at)} y={bottom + 16} text-anchor="middle">
            {category}
          </text>
        ),
      )}
      {x_label ? (
        <text class="axis-label" x={(left + width) / 2} y={height - 4} text-anchor="middle">
          {x_label}
        </text>
      ) : null}
      {y_label ? (
        <text class="axis-label" transform={`translate(11 ${(top + bottom) / 2}) rotate(-90)`} text-anchor="middle">
          {y_label}
        </text>
      ) : null}
    </>
  );
}

/** The figures of the category under the pointer. */
function Tip({ chart, geometry: { middle, width }, over }: PartProps & { over: number }) {
  return (
    <div
      class={`chart-tip ${middle(over) > width / 2 ? 'tip-left' : ''}`}
      style={{ left: `${middle(over)}px`, top: `${top}px` }}
    >
      <b>{chart.axis_config.categories[over]}</b>
      {chart.series.map(({ name, data }, at) => (
        <div>
          <span class={`swatch series-${at % 12}`} />
          {name} <span class="legend-value">{exact.format(data[over]?.value ?? 0)}</span>
        </div>
      ))}
    </div>
  );
}

function Bars({ chart, geometry: { band, left, y } }: PartProps) {
  const inner = Math.min(band * 0.74, chart.series.length * 44);
  const width = inner / chart.series.length;
  return (
    <>
      {chart.series.map(({ data }, series) =>
        data.map(({ value }, at) => {
          const [from, to] = [y(Math.max(0, value)), y(Math.min(0, value))];
          const x = left + band * at + (band - inner) / 2 + series * width;
          return (
            <rect
              class={`bar series-${series % 12}`}
              x={x}
              y={from}
              width={Math.max(1, width - (width > 6 ? 2 : 0))}
              height={Math.max(value === 0 ? 0 : 1, to - from)}
              rx={Math.min(3, width / 4)}
            />
          );
        }),
      )}
    </>
  );
}

function Lines({ chart, geometry: { middle, y } }: PartProps) {
  return (
    <>
      {chart.series.map(({ data }, series) => {
        const points = data.map(({ value }, at) => `${middle(at).toFixed(1)} ${y(value).toFixed(1)}`);
        const line = `M${points.join('L')}`;
        const floor = y(0).toFixed(1);
        return (
          <g class={`series-${series % 12}`}>
            {chart.type === 'area' ? (
              <path
                class="area"
                d={`${line}L${middle(data.length - 1).toFixed(1)} ${floor}L${middle(0).toFixed(1)} ${floor}Z`}
              />
            ) : null}
            <path class="line" d={line} />
            {data.map(({ value }, at) => (
              <circle class="point" cx={middle(at)} cy={y(value)} r={data.length > 16 ? 2 : 3} />
            ))}
          </g>
        );
      })}
    </>
  );
}

function Pie({ chart }: { chart: PieChart }) {
  const total = chart.segments.reduce((sum, { value }) => sum + Math.max(0, value), 0) || 1;
  const share = (value: number) => `${((Math.max(0, value) / total) * 100).toFixed(value / total < 0.1 ? 1 : 0)} %`;
  let turned = 0;
  const slices = chart.segments.map(({ label, value }) => {
    const from = turned;
    turned += Math.max(0, value) / total;
    return { label, value, from, to: turned };
  });
  const point = (turn: number, radius: number) =>
    `${(100 + radius * Math.sin(turn * 2 * Math.PI)).toFixed(2)} ${(100 - radius * Math.cos(turn * 2 * Math.PI)).toFixed(2)}`;
  return (
    <div class="pie">
      <svg
        width="200"
        height="200"
        viewBox="0 0 200 200"
        role="img"
        aria-label={chart.segments.map(({ label, value }) => `${label} ${share(value)}`).join(', ')}
      >
        {slices.map(({ label, value, from, to }, at) => (
          <path
            class={`slice series-${at % 12}`}
            // A whole circle has no arc from a point to itself: two halves do.
            d={
              to - from > 0.9999
                ? 'M100 4A96 96 0 1 1 100 196A96 96 0 1 1 100 4Z'
                : `M100 100L${point(from, 96)}A96 96 0 ${to - from > 0.5 ? 1 : 0} 1 ${point(to, 96)}Z`
            }
          >
            <title>{`${label}: ${exact.format(value)} (${share(value)})`}</title>
          </path>
        ))}
      </svg>
      <Legend
        names={chart.segments.map(({ label }) => label)}
        values={chart.segments.map(({ value }) => `${compact.format(value)} · ${share(value)}`)}
      />
    </div>
  );
}

/** The chart in a sentence, for those who do not see it. */
function summaryOf(chart: SeriesChart, title: string): string {
  const ranges = chart.series.map(({ name, data }) => {
    const values = data.map(({ value }) => value);
    return `${name} from ${compact.format(Math.min(...values))} to ${compact.format(Math.max(...values))}`;
  });
  return `${title}, a ${chart.type} chart over ${chart.axis_config.categories.length} categories: ${ranges.join('; ')}.`;
}
