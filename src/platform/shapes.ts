import * as z from 'zod';
import { UsageError } from '../errors.ts';
import { leftOut } from '../interaction.ts';

/** A value of another type counts as absent, so a change in what is only displayed breaks no answer. */
export function maybe<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

/** List schema → item schema, for tests that generate answers. */
export const itemSchemas = new WeakMap<object, z.ZodType>();

/** For items that are known by their place: one wrong item fails the whole answer. */
export const arrayOf = <T extends z.ZodType>(schema: T) => items(schema, z.array(z.unknown()), 0);

/** Wrong items are left out, and people are told so. If all items are wrong, the answer fails. */
export const recordsOf = <T extends z.ZodType>(schema: T) => items(schema, z.array(z.unknown()).nullable(), 1_000);

/** A value that is absent or of another type becomes an empty list. */
export const listOf = <T extends z.ZodType>(schema: T) =>
  recordsOf(schema)
    .optional()
    .catch([])
    .transform((value) => value ?? []);

function items<T extends z.ZodType>(schema: T, array: z.ZodType<unknown[] | null>, mostWrong: number) {
  const list = array.transform((given, context): z.output<T>[] => {
    const all = given ?? [];
    const read: z.output<T>[] = [];
    let wrong: PropertyKey[] | undefined;
    for (const [index, item] of all.entries()) {
      // More would block the main thread. The longest real list is of hostnames.
      if (read.length === 25_000 || index - read.length > mostWrong) break;
      const parsed = schema.safeParse(item);
      if (parsed.success) read.push(parsed.data);
      else if (item !== null || mostWrong === 0) wrong ??= [index, ...(parsed.error.issues[0]?.path ?? [])];
    }
    const missing = all.length - read.length;
    if (missing > 0 && (mostWrong === 0 || (read.length === 0 && wrong !== undefined))) {
      context.issues.push({ code: 'custom', path: wrong, input: all });
      return z.NEVER;
    }
    if (missing > 0) leftOut(missing);
    return read;
  });
  itemSchemas.set(list, schema);
  return list;
}

/** In UTF-16 units. Long enough to find a whole secret. */
export const LONGEST_TEXT = 20_000;

/** A longer text is cut before anything works on it. */
export const shortText = z.string().transform((given) => (given.length > LONGEST_TEXT ? cut(given) : given));
export const maybeString = maybe(shortText);
/** Not cut, for documents. */
export const maybeDocument = maybe(z.string());
/** The number may be in quotes. */
export const maybeNumber = maybe(
  z.union([
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,15}(\.\d{1,15})?$/)
      .transform(Number),
  ]),
);
export const maybeBoolean = maybe(z.boolean());

/** A number (its size tells seconds from nanoseconds) or ISO 8601 (UTC by default) → Unix milliseconds, or NaN. */
export function momentOf(timestamp: unknown): number {
  if (typeof timestamp === 'string' && /^[12]\d{3}-\d\d-\d\d/.test(timestamp))
    return Date.parse(/:/.test(timestamp) && !/(?:z|[+-]\d\d:?\d\d)$/i.test(timestamp) ? `${timestamp}Z` : timestamp);
  if (typeof timestamp !== 'number' && (typeof timestamp !== 'string' || timestamp.trim() === '')) return Number.NaN;
  // Zero or less means that there is no time.
  let at = Math.max(0, Number(timestamp)) || Number.NaN;
  // Smaller numbers are seconds, until the year 5138.
  if (at < 1e11) at *= 1_000;
  while (at >= 1e14 && at < Number.POSITIVE_INFINITY) at /= 1_000;
  return new Date(at).getTime();
}

export const instant = z
  .union([z.string(), z.number()])
  .transform((given) => new Date(momentOf(given)))
  .refine((at) => !Number.isNaN(at.getTime()));

/** For undocumented answers that nobody reads. */
export const unknownAnswer = z.object({});

/** `hasMore`: there are more than were fetched. */
export interface Listed<T> {
  items: T[];
  hasMore: boolean;
  /** As many as the platform counts. */
  totalItems?: number;
}

/** Without `answer`, the body was empty. `extra`: unknown fields, without secrets. */
export interface Done<T> {
  answer?: T;
  extra: Record<string, string>;
}

/** A copy, because a slice would keep the whole text in memory. */
const cut = (given: string): string => `${Buffer.from(given.slice(0, LONGEST_TEXT), 'utf16le').toString('utf16le')}…`;

/** A path segment. Throws `UsageError`. */
export function numericId(id: number, what: string): string {
  if (!Number.isSafeInteger(id) || id < 0) throw new UsageError(`A ${what} id must be a whole number, not ${id}.`);
  return String(id);
}

/** A path segment. Throws `UsageError` for what would lead elsewhere. */
export function textId(id: string, what: string): string {
  if (id.length > 200 || !/^[\p{L}\p{N}_-][\p{L}\p{N}._~-]*$/u.test(id)) {
    throw new UsageError(`“${id.slice(0, 80)}” is not a valid ${what} id.`, {
      hint: `Copy the id from the ${what} list.`,
    });
  }
  return encodeURIComponent(id);
}
