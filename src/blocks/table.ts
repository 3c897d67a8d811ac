import type { AnyBlock, DataTableBlock, RawNumberElement, RawTextElement } from '@slack/types';
import { count } from './format.ts';
import { shorten } from './limits.ts';
import { type AttachedFile, type Part, section } from './message.ts';
import { mrkdwn, plain, visible, visibleInFile } from './mrkdwn.ts';

/** A plain number is formatted by `count`. */
export type Cell = string | number | { value: number; text: string };

export interface Column {
  label: string;
  align?: 'right';
}

export interface Table {
  caption: string;
  columns: readonly Column[];
  rows: readonly (readonly Cell[])[];
}

export interface TableOptions {
  caption: string;
  /** Labels. `right(…)` marks columns of numbers. */
  columns: readonly (string | Column)[];
  /** Undefined is shown as a dash. */
  rows: readonly (readonly (Cell | undefined)[])[];
  /** Rows on a page of Slack’s table: 1 to 100. */
  pageSize?: number;
}

export const right = (label: string): Column => ({ label, align: 'right' });

export const numberCell = <R>(
  value: number | undefined,
  show: (value: number, reading: R) => string = String,
  reading?: R,
): Cell | undefined => (value === undefined ? undefined : { value, text: show(value, reading as R) });

const MAX_CELL = 250;

/** Has an aligned text version. Beyond Slack’s limits the message also gets the whole table as a CSV file, and says so. */
export function table(options: TableOptions): Part {
  const { pageSize = 10 } = options;
  const isKnown = options.columns.map((_, at) => options.rows.some((row) => row[at] !== undefined));
  const columns = options.columns
    .filter((_, at) => isKnown[at])
    .map((column) => (typeof column === 'string' ? { label: column } : column));
  const rows = options.rows.map((row) => row.filter((_, at) => isKnown[at]).map((cell) => cell ?? '–'));
  const caption = visible(options.caption);
  if (rows.length === 0 || columns.length === 0) {
    return section(mrkdwn`${caption}: nothing to show.`);
  }
  const shownColumns = columns.slice(0, 20);
  const header = shownColumns.map((column) => rawText(column.label));
  let room = 10_000 - caption.length - lengthOf(header);
  const shown: (RawTextElement | RawNumberElement)[][] = [];
  for (const row of rows) {
    const cells = shownColumns.map((_, index) => elementOf(row[index] ?? ''));
    room -= lengthOf(cells);
    // Slack has documented both 101 rows with the header and 200. The smaller is safe.
    if (room < 0 || shown.length === 100) break;
    shown.push(cells);
  }
  const complete = { caption, columns, rows };
  // One row alone may exceed the limit of a table.
  if (shown.length === 0) return inFile(complete, `${caption}: too wide to show here.`);
  const block: DataTableBlock = {
    type: 'data_table',
    caption,
    rows: [header, ...shown],
    page_size: Math.min(100, Math.max(1, Math.min(pageSize, shown.length))),
  };
  const missing = [
    shown.length < rows.length && `the first ${count(shown.length)} of ${count(rows.length)} rows`,
    shownColumns.length < columns.length && `the first ${shownColumns.length} of ${columns.length} columns`,
    rows.slice(0, shown.length).some((row) => row.some((cell) => textOf(cell).length > MAX_CELL)) && 'shortened cells',
  ].filter((reason) => reason !== false);
  const text = plain(
    `${caption}\n${tableAsText({ caption, columns: shownColumns, rows: rows.slice(0, shown.length) })}`,
  );
  if (missing.length === 0) return { blocks: [block], text };
  const rest = inFile(complete, `This table shows ${missing.join(', ')}; everything is in the attached file.`);
  return { blocks: [block, ...rest.blocks], text: `${text}\n${rest.text}`, files: rest.files ?? [] };
}

/** Aligned, without its caption. */
export function tableAsText({ columns, rows }: Table): string {
  const lines = [
    columns.map((column) => column.label),
    ...rows.map((row) => columns.map((_, i) => textOf(row[i] ?? ''))),
  ];
  const cells = lines.map((line) => line.map((cell) => visible(cell.replace(/\s+/g, ' '))));
  const onRight = columns.map(
    (column, index) =>
      column.align === 'right' || rows.every((row) => typeof row[index] !== 'string' && row.length > 0),
  );
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]!.length)));
  const pad = (cell: string, index: number) =>
    onRight[index] ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!);
  const [head, ...body] = cells.map((line) => line.map(pad).join('  ').trimEnd());
  return [head!, widths.map((width) => '─'.repeat(width)).join('  '), ...body].join('\n');
}

/** One line for each cell, for narrow places. Unknown cells are left out. */
export function tableAsRecords({ columns, rows }: Table): string {
  const shown = (cell: string) => visible(cell.replace(/\s+/g, ' '));
  const labels = columns.map(({ label }) => shown(label));
  const widest = Math.max(0, ...labels.map(({ length }) => length));
  return rows
    .map((row) =>
      labels
        .flatMap((label, index) => {
          const cell = shown(textOf(row[index] ?? ''));
          return cell === '–' ? [] : [`${label.padEnd(widest)}  ${cell}`.trimEnd()];
        })
        .join('\n'),
    )
    .join('\n\n');
}

/** Nothing in it can run in a spreadsheet. */
export function tableAsCsv({ columns, rows }: Table): string {
  const field = (cell: Cell) => {
    if (typeof cell === 'string') return csvField(cell);
    return String(typeof cell === 'number' ? cell : cell.value);
  };
  return csvLines([
    columns.map((column) => csvField(column.label)),
    ...rows.map((row) => columns.map((_, i) => field(row[i] ?? ''))),
  ]);
}

export const isTable = (block: AnyBlock): block is DataTableBlock => block.type === 'data_table';

export function tableOf(block: DataTableBlock): Table {
  const [header = [], ...rows] = block.rows.map((row) =>
    row.map((cell): Cell => {
      if (cell.type === 'raw_number') return { value: cell.value, text: cell.text };
      return cell.type === 'raw_text' ? cell.text : '…';
    }),
  );
  return { caption: block.caption, columns: header.map((cell) => ({ label: textOf(cell) })), rows };
}

function inFile(whole: Table, words: string): Part {
  const file: AttachedFile = {
    name: `${fileName(whole.caption)}.csv`,
    content: tableAsCsv(whole),
    title: visible(whole.caption),
  };
  return { ...section(words), files: [file] };
}

export function fileName(caption: string): string {
  const name = caption
    // Normalising thousands of marks on one letter is slow.
    .slice(0, 200)
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9.]+/g, '-')
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '')
    .slice(0, 60);
  return name === '' ? 'table' : name.toLowerCase();
}

function elementOf(cell: Cell): RawTextElement | RawNumberElement {
  if (typeof cell === 'string') return rawText(cell);
  const value = typeof cell === 'number' ? cell : cell.value;
  return Number.isFinite(value) ? { type: 'raw_number', value, text: shownIn(textOf(cell)) } : rawText(textOf(cell));
}

function rawText(text: string): RawTextElement {
  return { type: 'raw_text', text: shownIn(text) };
}

/** Slack refuses empty cells. */
function shownIn(cell: string): string {
  const text = visible(cell.replace(/\s+/g, ' ').trim());
  return text === '' ? '–' : shorten(text, MAX_CELL);
}

function textOf(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'number') return Number.isFinite(cell) ? count(cell) : '–';
  return cell.text;
}

function lengthOf(cells: readonly { text: string }[]): number {
  return cells.reduce((sum, cell) => sum + cell.text.length, 0);
}

/** A field (RFC 4180) that no spreadsheet runs. Quoted, so that no country’s separator splits it. */
export function csvField(text: string): string {
  const shown = visibleInFile(text);
  // Text that begins a formula, also in wide forms and after invisible characters.
  const harmless = /^[\s\p{C}\p{Z}]*[=+\-@|%＝＋－＠]/u.test(shown) || /^[\t\r\n]/.test(shown) ? `'${shown}` : shown;
  return `"${harmless.replaceAll('"', '""')}"`;
}

export function csvLines(lines: readonly (readonly string[])[]): string {
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}
