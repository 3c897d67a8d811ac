import { UsageError } from '../errors.ts';
import { parsePattern } from '../pattern.ts';

/** `zone`, `status`, `code`, `path` … */
export type RecordFields = Readonly<Record<string, string | number | undefined>>;

export type RecordFilter = (fields: RecordFields) => boolean;

export interface FilterTerm {
  field: string;
  fits(value: string): boolean;
}

const FILTER_FIELDS = ['zone', 'status', 'code', 'message', 'path', 'region', 'source'] as const;

/** `status:5xx`, `path:/api/*`, `shop-*` (a zone). Throws UsageError. */
export function parseFilterTerm(text: string): FilterTerm {
  const found = /^([a-z]+):([\s\S]*)$/i.exec(text.trim());
  const field = found?.[1]?.toLowerCase() ?? 'zone';
  const pattern = found?.[2] ?? text.trim();
  if (pattern === '') throw new UsageError('A filter is empty.');
  if (!FILTER_FIELDS.some((known) => known === field))
    throw new UsageError(`There is no “${field}” to filter by. Use one of ${FILTER_FIELDS.join(', ')}.`);
  const status = field === 'status' ? /^[1-5]xx$/i.exec(pattern) : null;
  return { field, fits: status === null ? parsePattern(pattern).matches : (value) => value.startsWith(pattern[0]!) };
}

/** A record needs a matching `include` term for each field that has some, and no matching `exclude` term. Missing fields do not count. */
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
