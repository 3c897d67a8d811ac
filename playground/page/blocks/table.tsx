/** The `table` block, and the cells it shares with the data table. */
import type { RawNumberElement, RawTextElement, RichTextBlock, TableBlock } from '@slack/types';
import { plainTextOf, RichText } from '../text/rich-text.tsx';

/** The content of a cell. */
export type CellContent = RawTextElement | RawNumberElement | RichTextBlock;

/** The wire's number cells differ between sources: a `value`, or the number as `text`. */
function numberOf(cell: RawNumberElement): number {
  const { value, text } = cell as { value?: number; text?: string };
  return value ?? Number(text);
}

/** The key that a cell is sorted by: a number, or its text. */
export const sortKeyOf = (cell: CellContent | undefined): number | string =>
  !cell ? '' : cell.type === 'raw_number' ? numberOf(cell) : cell.type === 'raw_text' ? cell.text : plainTextOf(cell);

/** A cell, drawn by its type. */
export function Cell({ cell }: { cell: CellContent | undefined }) {
  if (!cell) return null;
  if (cell.type === 'raw_text') return <span class="lines">{cell.text}</span>;
  if (cell.type === 'raw_number') {
    const { text } = cell as { text?: string };
    return <>{text ?? numberOf(cell).toLocaleString('en-US', { maximumFractionDigits: 6 })}</>;
  }
  return <RichText block={cell} />;
}

/** The `table` block. */
export function Table({ block }: { block: TableBlock }) {
  const [head = [], ...rows] = block.rows as CellContent[][];
  const classes = (column: number, cell: CellContent | undefined) => {
    const settings = block.column_settings?.[column];
    const align = settings?.align ?? (cell?.type === 'raw_number' ? 'right' : 'left');
    return `align-${align} ${settings?.is_wrapped ? 'wrapped' : ''}`;
  };
  return (
    // what scrolls sideways must be reachable with the keyboard
    <section class="block table-scroll" tabindex={0} aria-label="Table">
      <table class="table">
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th scope="col" class={classes(column, rows[0]?.[column])}>
                <Cell cell={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell, column) => (
                <td class={classes(column, cell)}>
                  <Cell cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
