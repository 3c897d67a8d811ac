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

export function DataTable({ block }: { block: DataTableBlock }) {
  const [head = [], ...rows] = block.rows as CellContent[][];
  const [order, setOrder] = useState<Order>();
  const [query, setQuery] = useState('');
  const [page, setPage] = useState(0);
  const size = block.page_size ?? defaultPageSize;
  const numeric = head.map((_, column) => rows.length > 0 && rows.every((row) => row[column]?.type === 'raw_number'));

  const found = useMemo(() => {
    const words = query.toLowerCase().trim();
    const kept = words
      ? rows.filter((row) => row.some((cell) => String(sortKeyOf(cell)).toLowerCase().includes(words)))
      : rows;
    return order
      ? [...kept].sort(
          (a, b) => compare(a[order.column], b[order.column], numeric[order.column] ?? false) * (order.down ? -1 : 1),
        )
      : kept;
  }, [block.rows, order, query]);

  const pages = Math.max(1, Math.ceil(found.length / size));
  const at = Math.min(page, pages - 1);
  const shown = found.slice(at * size, at * size + size);

  function sortBy(column: number): void {
    setPage(0);
    // A third press gives back the order of the bot.
    if (order?.column !== column) setOrder({ column, down: false });
    else setOrder(order.down ? undefined : { column, down: true });
  }

  const align = (column: number) => (numeric[column] ? 'align-right' : 'align-left');
  return (
    <section class="block data-table" aria-label={block.caption}>
      <div class="data-table-top">
        <b>{block.caption}</b>
        {rows.length > size ? (
          <label class="data-table-filter">
            <Icon name="search" size={14} />
            <input
              type="text"
              placeholder="Filter"
              aria-label={`Filter ${block.caption}`}
              value={query}
              onInput={(event) => {
                setQuery(event.currentTarget.value);
                setPage(0);
              }}
            />
          </label>
        ) : null}
      </div>
      {/* what scrolls sideways must be reachable with the keyboard */}
      <section class="table-scroll" tabindex={0} aria-label={`${block.caption}, rows`}>
        <table class="table">
          <thead>
            <tr>
              {head.map((cell, column) => {
                const sorted = order?.column === column ? (order.down ? 'descending' : 'ascending') : 'none';
                return (
                  <th scope="col" class={align(column)} aria-sort={sorted}>
                    <button type="button" class={`sort sort-${sorted}`} onClick={() => sortBy(column)}>
                      <Cell cell={cell} />
                      <svg class="sort-sign" width="8" height="12" viewBox="0 0 8 12" aria-hidden="true">
                        <path class="sort-up" d="M4 0 7.500 4.500h-7z" />
                        <path class="sort-down" d="M4 12 .5 7.500h7z" />
                      </svg>
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr>
                {row.map((cell, column) =>
                  column === block.row_header_column_index ? (
                    <th scope="row" class={align(column)}>
                      <Cell cell={cell} />
                    </th>
                  ) : (
                    <td class={align(column)}>
                      <Cell cell={cell} />
                    </td>
                  ),
                )}
              </tr>
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
      {found.length > size ? (
        <div class="pager">
          <span aria-live="polite">
            {at * size + 1}–{at * size + shown.length} of {found.length}
          </span>
          <button
            type="button"
            class="icon-button bordered"
            aria-label="Previous page"
            disabled={at === 0}
            onClick={() => setPage(at - 1)}
          >
            <Icon name="left" size={14} />
          </button>
          <button
            type="button"
            class="icon-button bordered"
            aria-label="Next page"
            disabled={at === pages - 1}
            onClick={() => setPage(at + 1)}
          >
            <Icon name="right" size={14} />
          </button>
        </div>
      ) : null}
    </section>
  );
}

function compare(a: CellContent | undefined, b: CellContent | undefined, numeric: boolean): number {
  const [left, right] = [sortKeyOf(a), sortKeyOf(b)];
  return numeric
    ? Number(left) - Number(right)
    : String(left).localeCompare(String(right), 'en', { sensitivity: 'base' });
}
