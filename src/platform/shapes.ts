import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { leftOut } from '../interaction.ts';

/**
 * A field that is good to have. Absent, null and of another type all read as absent: a change in what is only displayed never
 * makes an answer unreadable.
 */
export function maybe<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

/** The schema of a list's items, by that of the list: for tests that make such answers up. */
export const itemSchemas = new WeakMap<object, z.ZodType>();

/** A list whose items count by their place: one that is wrong makes it unreadable. */
export const arrayOf = <T extends z.ZodType>(schema: T) => items(schema, z.array(z.unknown()), 0);

/** A list of things, null for none. What is no such thing is left out, which people are told; if nothing is, it is another list. */
export const recordsOf = <T extends z.ZodType>(schema: T) => items(schema, z.array(z.unknown()).nullable(), 1_000);

/** The same as a field that is good to have: absent or of another type it reads as empty. */
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
      // More items are not read, nor more wrong ones looked at: each holds the main thread. The longest real list is of hostnames.
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

/** So long (UTF-16 units) is no text that the platform means, and a secret in it is whole when it is looked for. */
const LONGEST_TEXT = 20_000;

/** A text of the platform's, cut before anybody looks at it: names of 15 MB cost no more than long ones. */
export const shortText = z.string().transform((given) => (given.length > LONGEST_TEXT ? cut(given) : given));
/** A text that may be absent. */
export const maybeString = maybe(shortText);
/** A text that may be absent, whole: for what is no name, but a document. */
export const maybeDocument = maybe(z.string());
/** A number that may be absent, or stand in quotes. */
export const maybeNumber = maybe(
  z.union([
    z.number(),
    z
      .string()
      .regex(/^-?\d{1,15}(\.\d{1,15})?$/)
      .transform(Number),
  ]),
);
/** A switch that may be absent. */
export const maybeBoolean = maybe(z.boolean());

/**
 * Milliseconds (the OpenAPI file's sample), or seconds, microseconds, nanoseconds by their size, or ISO 8601, in UTC where it says no
 * zone → Unix milliseconds; NaN for what is no moment of a calendar.
 */
export function momentOf(timestamp: unknown): number {
  if (typeof timestamp === 'string' && /^\d{4}-\d\d-\d\d/.test(timestamp))
    return Date.parse(/:/.test(timestamp) && !/(?:z|[+-]\d\d:?\d\d)$/i.test(timestamp) ? `${timestamp}Z` : timestamp);
  if (typeof timestamp !== 'number' && (typeof timestamp !== 'string' || timestamp.trim() === '')) return Number.NaN;
  let at = Number(timestamp);
  // Seconds are below 1e11 until the year 5138.
  if (at < 1e11) at *= 1_000;
  while (at >= 1e14 && at < Number.POSITIVE_INFINITY) at /= 1_000;
  return new Date(at).getTime();
}

/** A moment in any of these forms. */
export const instant = z
  .union([z.string(), z.number()])
  .transform((given) => new Date(momentOf(given)))
  .refine((at) => !Number.isNaN(at.getTime()));

/** An answer that nobody describes: whatever an object says is for `extra`. */
export const unknownAnswer = z.object({});

/** A list, gathered over its pages. `hasMore`: the platform has more than was fetched. */
export interface Listed<T> {
  items: T[];
  hasMore: boolean;
  /** As the platform counts them, where it says. */
  totalItems?: number;
}

/**
 * A write that the platform accepted; without `answer`, by an empty body. `extra` holds all beyond the known fields, as key and
 * value. Secrets are left out.
 */
export interface Done<T> {
  answer?: T;
  extra: Record<string, string>;
}

/** The beginning, as a text of its own: a slice would keep the whole one in memory. */
const cut = (given: string): string => `${Buffer.from(given.slice(0, LONGEST_TEXT), 'utf16le').toString('utf16le')}…`;

/** A numeric id as a path segment. Throws `UsageError` for what cannot be an id, so that no request is sent. */
export function numericId(id: number, what: string): string {
  if (!Number.isSafeInteger(id) || id < 0) throw new UsageError(`A ${what} id is a whole number, not ${id}.`);
  return String(id);
}

/** A textual id (apps, databases) as a path segment. Throws `UsageError` for what would lead to another path. */
export function textId(id: string, what: string): string {
  if (id.length > 200 || !/^[\p{L}\p{N}_-][\p{L}\p{N}._~-]*$/u.test(id)) {
    throw new UsageError(`“${id.slice(0, 80)}” is not a valid ${what} id.`, {
      hint: `Copy the id from the ${what} list.`,
    });
  }
  return encodeURIComponent(id);
}
