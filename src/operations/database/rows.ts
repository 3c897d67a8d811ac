import { bytes, count } from '../../blocks/format.ts';
import { shorten } from '../../blocks/limits.ts';
import { note, type Part } from '../../blocks/message.ts';
import { code, join, mrkdwn } from '../../blocks/mrkdwn.ts';
import { type Cell, table } from '../../blocks/table.ts';
import type { SqlResult, SqlValue } from '../../platform/resources/sql.ts';
import { MASK } from '../../secret.ts';
import type { Reader } from '../context.ts';

/** The room of a table in Slack. Rows never go into a file by themselves: a whole channel may see it. */
const LONGEST_CELL = 200;

export type Rows = SqlResult & { masked: readonly boolean[] };

export const columnNames = ({ cols }: Pick<Rows, 'cols'>): string[] =>
  cols.map(({ name }, index) => name ?? `column ${index + 1}`);

/** Numbers without separators: they may be ids. */
function cellOf(value: SqlValue, reader: Reader): Cell {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return shorten(value, LONGEST_CELL);
  if (typeof value === 'number' || typeof value === 'bigint') return { value: Number(value), text: String(value) };
  return `blob, ${bytes(value.byteLength, reader)}`;
}

const lengthOf = (cells: readonly Cell[]) =>
  cells.reduce<number>((sum, cell) => sum + (typeof cell === 'object' ? cell.text : String(cell)).length, 0);

/** As many as fit into one table. */
export function shownRows(
  page: Rows,
  captionOf: (shown: number) => string,
  reader: Reader,
): { parts: Part[]; shown: number } {
  const { rows, masked } = page;
  const names = columnNames(page);
  const kept = names.slice(0, 20);
  const fitting: Cell[][] = [];
  let room = 9_000 - kept.join('').length;
  for (const row of rows) {
    const cells = kept.map((_, index): Cell => {
      const value = row[index] ?? null;
      return masked[index] && value !== null ? MASK : cellOf(value, reader);
    });
    room -= lengthOf(cells);
    if (room < 0 && fitting.length > 0) break;
    fitting.push(cells);
  }
  const hidden = [...new Set(kept.filter((_, index) => masked[index]))];
  const cut = rows
    .slice(0, fitting.length)
    .some((row) => row.some((value) => typeof value === 'string' && value.length > LONGEST_CELL));
  const parts = [
    table({
      caption: captionOf(fitting.length),
      columns: kept.map((label) => ({ label })),
      rows: fitting,
      pageSize: 20,
    }),
    hidden.length > 0 &&
      note(
        mrkdwn`Masked: ${join(hidden.map(code), ', ')}. From a table with secrets I show only counts, and columns that are selected as they are and don’t look secret.`,
      ),
    cut && note(mrkdwn`Long texts are cut after ${LONGEST_CELL} characters; ${code('substr()')} shows the rest.`),
    kept.length < names.length &&
      note(`These are the first ${kept.length} of ${count(names.length, reader)} columns: name the ones you want.`),
  ];
  return { parts: parts.filter((part) => part !== false), shown: fitting.length };
}
