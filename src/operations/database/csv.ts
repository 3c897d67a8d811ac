import { csvField, csvLines } from '../../blocks/csv.ts';
import type { SqlValue } from '../../platform/resources/sql.ts';
import { MASK } from '../../secret.ts';
import { columnNames, type Rows } from './rows.ts';

/** NULL as nothing, numbers digit by digit, blobs as Base64. */
function fieldOf(value: SqlValue): string {
  if (value === null) return '';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return csvField(typeof value === 'string' ? value : Buffer.from(value).toString('base64'));
}

/** Rows of a database as CSV (RFC 4180), whole. */
export function rowsAsCsv({ cols, rows, masked }: Pick<Rows, 'cols' | 'rows' | 'masked'>): string {
  const names = columnNames({ cols });
  const lines = rows.map((row) =>
    names.map((_, index) => {
      const value = row[index] ?? null;
      return masked[index] && value !== null ? csvField(MASK) : fieldOf(value);
    }),
  );
  return csvLines([names.map(csvField), ...lines]);
}
