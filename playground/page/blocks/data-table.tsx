/** The `data_table` block: sorted, filtered and paged in the browser. */
import type { DataTableBlock } from '@slack/types';
import { useMemo, useState } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { Cell, type CellContent, sortKeyOf } from './table.tsx';

interface Order {
  column: number;
  down: boolean;
}

const defaultPageSize = 5;

/** The table with its filter and its pages. */
export function DataTable({ block }: { block: DataTableBlock }) {
  const [head = [], ...rows] = block.rows as CellContent[][];
  const [order, setOrder] = useState<Order>();
  const [query, setQuery] = useState('');
  const [page, setPage] = useState(0);
  const size = block.page_size ?? defaultPageSize;
  const numeric = head.map((_, column) => rows.length > 0 && rows.every((row) => row[column]?.type === 'raw_number'));
  const found = useMemo(() => arranged(rows, query, order, numeric), [block.rows, order, query]);
  const at = Math.min(page, Math.max(1, Math.ceil(found.length / size)) - 1);
  const shown = found.slice(at * size, at * size + size);

  function sortBy(column: number): void {
    setPage(0);
    // A third press gives back the order of the bot.
    if (order?.column !== column) setOrder({ column, down: false });
    else setOrder(order.down ? undefined : { column, down: true });
  }

  function filterBy(words: string): void {
    setQuery(words);
    setPage(0);
  }

  return (
    <section class="block data-table" aria-label={block.caption}>
      <div class="data-table-top">
        <b>{block.caption}</b>
        {rows.length > size ? <Filter caption={block.caption} query={query} filterBy={filterBy} /> : null}
      </div>
      {/* what scrolls sideways must be reachable with the keyboard */}
      <section class="table-scroll" tabindex={0} aria-label={`${block.caption}, rows`}>
        <table class="table">
          <thead>
            <tr>
              {head.map((cell, column) => (
                <HeadCell
                  cell={cell}
                  class={alignOf(numeric[column])}
                  sorted={order?.column === column ? (order.down ? 'descending' : 'ascending') : 'none'}
                  sort={() => sortBy(column)}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <BodyRow row={row} numeric={numeric} headColumn={block.row_header_column_index} />
            ))}
            {shown.length === 0 ? (
              <tr>
                <td colSpan={head.length} class="table-empty">
                  {query ? 'No row matches.' : 'No rows.'}
                </td>
              </tr>
            ) : null}
          </tbody>
        </table>
      </section>
      {found.length > size ? <Pager at={at} size={size} count={found.length} goTo={setPage} /> : null}
    </section>
  );
}

/** The rows that the filter leaves, in the order that was asked for. */
function arranged(rows: CellContent[][], query: string, order: Order | undefined, numeric: boolean[]): CellContent[][] {
  const words = query.toLowerCase().trim();
  const kept = words
    ? rows.filter((row) => row.some((cell) => String(sortKeyOf(cell)).toLowerCase().includes(words)))
    : rows;
  if (!order) return kept;
  const { column, down } = order;
  return [...kept].sort((a, b) => compare(a[column], b[column], numeric[column] ?? false) * (down ? -1 : 1));
}

const alignOf = (isNumeric: boolean | undefined) => (isNumeric ? 'align-right' : 'align-left');

function Filter({ caption, query, filterBy }: { caption: string; query: string; filterBy(words: string): void }) {
  return (
    <label class="data-table-filter">
      <Icon name="search" size={14} />
      <input
        type="text"
        placeholder="Filter"
        aria-label={`Filter ${caption}`}
        value={query}
        onInput={(event) => filterBy(event.currentTarget.value)}
      />
    </label>
  );
}

interface HeadCellProps {
  cell: CellContent;
  class: string;
  sorted: 'ascending' | 'descending' | 'none';
  sort(): void;
}

function HeadCell({ cell, class: name, sorted, sort }: HeadCellProps) {
  return (
    <th scope="col" class={name} aria-sort={sorted}>
      <button type="button" class={`sort sort-${sorted}`} onClick={sort}>
        <Cell cell={cell} />
        <svg class="sort-sign" width="8" height="12" viewBox="0 0 8 12" aria-hidden="true">
          <path class="sort-up" d="M4 0 7.500 4.500h-7z" />
          <path class="sort-down" d="M4 12 .5 7.500h7z" />
        </svg>
      </button>
    </th>
  );
}

interface BodyRowProps {
  row: CellContent[];
  numeric: boolean[];
  headColumn: number | undefined;
}

function BodyRow({ row, numeric, headColumn }: BodyRowProps) {
  return (
    <tr>
      {row.map((cell, column) =>
        column === headColumn ? (
          <th scope="row" class={alignOf(numeric[column])}>
            <Cell cell={cell} />
          </th>
        ) : (
          <td class={alignOf(numeric[column])}>
            <Cell cell={cell} />
          </td>
        ),
      )}
    </tr>
  );
}

interface PagerProps {
  /** The page that is shown, counted from 0. */
  at: number;
  size: number;
  /** How many rows there are. */
  count: number;
  goTo(page: number): void;
}

function Pager({ at, size, count, goTo }: PagerProps) {
  return (
    <div class="pager">
      <span aria-live="polite">
        {at * size + 1}–{Math.min(count, at * size + size)} of {count}
      </span>
      <button
        type="button"
        class="icon-button bordered"
        aria-label="Previous page"
        disabled={at === 0}
        onClick={() => goTo(at - 1)}
      >
        <Icon name="left" size={14} />
      </button>
      <button
        type="button"
        class="icon-button bordered"
        aria-label="Next page"
        disabled={at * size + size >= count}
        onClick={() => goTo(at + 1)}
      >
        <Icon name="right" size={14} />
      </button>
    </div>
  );
}

function compare(a: CellContent | undefined, b: CellContent | undefined, numeric: boolean): number {
  const [left, right] = [sortKeyOf(a), sortKeyOf(b)];
  return numeric
    ? Number(left) - Number(right)
    : String(left).localeCompare(String(right), 'en', { sensitivity: 'base' });
}
