import { UsageError } from '../errors.ts';
import { parsePattern } from '../pattern.ts';

/** What a record is known by: `zone`, `status`, `code`, `path` … */
export type RecordFields = Readonly<Record<string, string | number | undefined>>;

/** Whether a record is meant. */
export type RecordFilter = (fields: RecordFields) => boolean;

/** One condition: a field that fits a pattern. */
export interface FilterTerm {
  field: string;
  fits(value: string): boolean;
}

/** The fields that a term may name. */
const FILTER_FIELDS = ['zone', 'status', 'code', 'message', 'path', 'region', 'source'] as const;

/** `status:5xx`, `path:/api/*`, `shop-*` (a zone) → the condition. Throws UsageError. */
export function parseFilterTerm(text: string): FilterTerm {
  const found = /^([a-z]+):([\s\S]*)$/i.exec(text.trim());
  const field = found?.[1]?.toLowerCase() ?? 'zone';
  const pattern = found?.[2] ?? text.trim();
  if (pattern === '') throw new UsageError('A filter is empty.');
  if (!FILTER_FIELDS.some((known) => known === field))
    throw new UsageError(`There is no “${field}” to filter by, but ${FILTER_FIELDS.join(', ')}.`);
  // 5xx is how everybody writes it.
  const status = field === 'status' ? /^[1-5]xx$/i.exec(pattern) : null;
  return { field, fits: status === null ? parsePattern(pattern).matches : (value) => value.startsWith(pattern[0]!) };
}

/**
 * Records that fit one of the `include` terms of each field that is named there, and none of the `exclude` terms. A term for a
 * field that a record does not have says nothing about it.
 */
export function createRecordFilter(include: readonly string[], exclude: readonly string[]): RecordFilter {
  const wanted = include.map(parseFilterTerm);
  const limited = new Set(wanted.map(({ field }) => field));
  const unwanted = exclude.map(parseFilterTerm);
  return (fields) => {
    const textOf = (field: string) => (fields[field] === undefined ? undefined : String(fields[field]));
    for (const field of limited) {
      if (!(field in fields)) continue;
      const value = textOf(field);
      if (value === undefined || !wanted.some((term) => term.field === field && term.fits(value))) return false;
    }
    return !unwanted.some(({ field, fits }) => {
      const value = textOf(field);
      return value !== undefined && fits(value);
    });
  };
}
