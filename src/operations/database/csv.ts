import type { SqlResult, SqlValue } from '../../platform/types.ts';
import { maskedColumns } from './rows.ts';

/** What a spreadsheet takes for the beginning of a formula, whatever invisible stands before it; also in its wide forms. */
const FORMULA = /^[\s\p{C}\p{Z}]*[=+\-@|%＝＋－＠]/u;

const MASK = '••••';

/** Text that no spreadsheet runs: behind an apostrophe, and in quotes, so that no separator of any country splits it. */
function textField(text: string): string {
  const harmless = FORMULA.test(text) || /^[\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** NULL as nothing, numbers digit by digit, blobs as Base64. */
function fieldOf(value: SqlValue): string {
  if (value === null) return '';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return textField(typeof value === 'string' ? value : Buffer.from(value).toString('base64'));
}

/** Rows of a database as CSV (RFC 4180), whole; values are masked by the names of their columns. */
export function rowsAsCsv({ cols, rows }: Pick<Extract<SqlResult, { kind: 'rows' }>, 'cols' | 'rows'>): string {
  const names = cols.map((column, index) => column.name ?? `column ${index + 1}`);
  const masked = maskedColumns(names);
  const lines = rows.map((row) =>
    names.map((_, index) => {
      const value = row[index] ?? null;
      return masked[index] && value !== null ? textField(MASK) : fieldOf(value);
    }),
  );
  return [names.map(textField), ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}
