import { bytes, count } from '../../blocks/format.ts';
import { codeBlock, note, type Part, section } from '../../blocks/message.ts';
import { code, join, mrkdwn } from '../../blocks/mrkdwn.ts';
import { type Cell, table } from '../../blocks/table.ts';
import type { SqlResult, SqlValue } from '../../platform/types.ts';
import type { Reader } from '../operation.ts';

/** Columns whose values are not for a channel; results can be shared. */
const SECRET_COLUMN =
  /password|passwd|passphrase|secret|api_?key|private_?key|access_?key|(auth|access|refresh)_?token|^token$|ssn$/i;
const MASK = '••••';
/** A table in Slack has 20 columns; a paragraph 3,000 characters. */
const SHOWN_CHARACTERS = 2_800;

type Rows = Extract<SqlResult, { kind: 'rows' }>;

/** Numbers as they are, without separators: they may be ids. Blobs by their size. */
function cellOf(value: SqlValue, reader: Reader): Cell {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return { value: Number(value), text: String(value) };
  return `blob, ${bytes(value.byteLength, reader)}`;
}

/** Rows as a table, secrets masked by their column's name. */
export function rowsPart({ cols, rows }: Rows, caption: string, reader: Reader): Part[] {
  const names = cols.map((column, index) => column.name ?? `column ${index + 1}`);
  const masked = names.map((name) => SECRET_COLUMN.test(name));
  const hidden = [...new Set(names.filter((_, index) => masked[index]))];
  return [
    table({
      caption,
      columns: names.map((label) => ({ label })),
      rows: rows.map((row) =>
        row.map((value, index) => (masked[index] && value !== null ? MASK : cellOf(value, reader))),
      ),
      pageSize: 20,
    }),
    ...(hidden.length === 0 ? [] : [note(mrkdwn`Masked by their names: ${join(hidden.map(code), ', ')}.`)]),
  ];
}

/** An answer in a shape that nobody described, as it came. */
export function otherPart(body: unknown): Part[] {
  const text = typeof body === 'string' ? body : (JSON.stringify(body, null, 2) ?? String(body));
  const shown = text.slice(0, SHOWN_CHARACTERS);
  return [
    section('The database answered in a shape that is not known. As it came:'),
    codeBlock(shown),
    ...(shown.length < text.length
      ? [
          {
            ...note(
              `The first ${count(shown.length)} of ${count(text.length)} characters; all are in the attached file.`,
            ),
            files: [{ name: 'answer.json', content: text }],
          },
        ]
      : []),
  ];
}
