/** The shapes of the blocks that show figures: table, data_table and data_visualization. */

import { LIMITS } from './limits.ts';
import {
  all,
  boolean,
  byType,
  type Complaint,
  choice,
  type Fields,
  integer,
  isFields,
  list,
  number,
  object,
  rule,
  type Shape,
  string,
} from './shapes.ts';

/** The three blocks; `block` are the fields every block has. */
export function statisticsBlocks(block: Record<string, Shape>, rich: Shape): Record<string, Shape> {
  const type = string(LIMITS.id);
  const rawText = object({ type, text: string(LIMITS.tableText) });
  const rawNumber = object({ type, value: number, text: string(LIMITS.tableText) });
  const cell = byType({ raw_text: rawText, raw_number: rawNumber, rich_text: rich });
  const table = object({
    ...block,
    rows: list(list(cell, LIMITS.tableColumns), LIMITS.tableRows),
    'column_settings?': list(
      object({ 'align?': choice('left', 'center', 'right'), 'is_wrapped?': boolean }),
      LIMITS.tableColumns,
    ),
  });
  const dataTable = object(
    {
      ...block,
      caption: string(LIMITS.text),
      rows: list(list(cell, LIMITS.tableColumns), LIMITS.dataTableRows, 2),
      'page_size?': integer(1, LIMITS.dataTablePage),
      'row_header_column_index?': integer(0, LIMITS.tableColumns - 1),
    },
    all(
      dataTableRows,
      rule(
        (value) => textIn(value) <= LIMITS.dataTableText,
        `must be less than ${LIMITS.dataTableText + 1} characters`,
        '/rows',
      ),
    ),
  );
  return {
    table,
    data_table: dataTable,
    data_visualization: object({ ...block, title: string(LIMITS.chartTitle), chart }),
  };
}

const dataTableRows: Shape = (value, at) => {
  const rows = (value as { rows: Fields[][]; row_header_column_index?: number }).rows;
  const columns = rows[0]?.length ?? 0;
  const complaints: Complaint[] = [];
  for (const [index, row] of rows.entries()) {
    if (row.length !== columns) {
      complaints.push({
        pointer: `${at}/rows/${index}`,
        code: 'invalid',
        message: `must have ${columns} cells as the first row`,
      });
    }
  }
  for (const [index, cell] of (rows[0] ?? []).entries()) {
    if (cell.type !== 'rich_text') continue;
    complaints.push({ pointer: `${at}/rows/0/${index}`, code: 'invalid', message: 'header cells cannot be rich_text' });
  }
  const header = (value as { row_header_column_index?: number }).row_header_column_index ?? 0;
  if (header >= columns) {
    complaints.push({ pointer: `${at}/row_header_column_index`, code: 'invalid', message: 'must name a column' });
  }
  return complaints;
};

const point = object({ label: string(LIMITS.chartLabel), value: number });
const series = object(
  {
    type: choice('bar', 'line', 'area'),
    series: list(
      object({ name: string(LIMITS.chartLabel), data: list(point, LIMITS.chartPoints) }),
      LIMITS.chartSeries,
    ),
    axis_config: object({
      categories: list(string(LIMITS.chartLabel), LIMITS.chartPoints),
      'x_label?': string(LIMITS.chartAxis),
      'y_label?': string(LIMITS.chartAxis),
    }),
  },
  (value, at) => {
    const given = value as {
      series: { name: string; data: { label: string }[] }[];
      axis_config: { categories: string[] };
    };
    const { categories } = given.axis_config;
    const complaints: Complaint[] = [];
    const complain = (pointer: string, message: string): void => {
      complaints.push({ pointer: `${at}${pointer}`, code: 'invalid', message });
    };
    if (new Set(categories).size < categories.length) complain('/axis_config/categories', 'must be unique');
    if (new Set(given.series.map((each) => each.name)).size < given.series.length)
      complain('/series', 'names must be unique');
    for (const [index, { data }] of given.series.entries()) {
      const isComplete =
        data.length === categories.length && data.every((each, index) => each.label === categories[index]);
      if (!isComplete) complain(`/series/${index}/data`, 'must have one point for each category, in order');
    }
    return complaints;
  },
);

const chart = byType({
  pie: object({
    type: choice('pie'),
    segments: list(
      object(
        { label: string(LIMITS.chartLabel), value: number },
        rule((each) => Number(each.value) > 0, 'must be greater than 0', '/value'),
      ),
      LIMITS.chartSeries,
    ),
  }),
  bar: series,
  line: series,
  area: series,
});

/** How many charts there are. */
export function readCharts(blocks: Fields[]): number {
  return blocks.filter((each) => each.type === 'data_visualization').length;
}

/** The characters of every `text` within. */
export function textIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + textIn(each), 0);
  if (!isFields(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [name, each]) => sum + (name === 'text' && typeof each === 'string' ? each.length : textIn(each)),
    0,
  );
}
