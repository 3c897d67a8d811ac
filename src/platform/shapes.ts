import { z } from 'zod';
import { UsageError } from '../errors.ts';

/**
 * A field that is good to have. Absent, null and of another type all read as absent: a change in what is only displayed never
 * makes an answer unreadable.
 */
export function maybe<T extends z.ZodType>(schema: T) {
  return schema
    .nullish()
    .transform((value) => value ?? undefined)
    .catch(undefined)
    .optional();
}

/** Longer lists are no answer to anything that the bot asks. */
const MOST_ITEMS = 20_000;

/** The schema of a list's items, by that of the list: for tests that make such answers up. */
export const itemSchemas = new WeakMap<object, z.ZodType>();

/** A list, read up to its first wrong item: a million wrong ones would be a million complaints. */
export function arrayOf<T extends z.ZodType>(schema: T) {
  const list = z.array(z.unknown()).transform((items, context): z.output<T>[] => {
    const read: z.output<T>[] = [];
    if (items.length > MOST_ITEMS) {
      context.issues.push({ code: 'too_big', origin: 'array', maximum: MOST_ITEMS, input: items });
      return z.NEVER;
    }
    for (const [index, item] of items.entries()) {
      const parsed = schema.safeParse(item);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        context.issues.push({ ...issue, code: 'custom', path: [index, ...(issue?.path ?? [])], input: item });
        return z.NEVER;
      }
      read.push(parsed.data);
    }
    return read;
  });
  itemSchemas.set(list, schema);
  return list;
}

/** A list that may be absent or null, read as empty. */
export function listOf<T extends z.ZodType>(schema: T) {
  return arrayOf(schema)
    .nullish()
    .transform((value) => value ?? [])
    .optional()
    .transform((value) => value ?? []);
}

/** So long (UTF-16 units) is no text that the platform means, and a secret in it is whole when it is looked for. */
const LONGEST_TEXT = 20_000;

/** A text of the platform's, cut before anybody looks at it: names of 15 MB cost no more than long ones. */
export const shortText = z.string().transform((given) => (given.length > LONGEST_TEXT ? cut(given) : given));
/** A text that may be absent. */
export const maybeString = maybe(shortText);
/** A text that may be absent, whole: for what is no name, but a document. */
export const maybeDocument = maybe(z.string());
/** A number that may be absent. */
export const maybeNumber = maybe(z.number());
/** A switch that may be absent. */
export const maybeBoolean = maybe(z.boolean());

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
 * A write that the platform accepted. Without `answer`, the body was empty or not understood: it is done all the same.
 * `extra` holds all beyond the known fields, as key and value. Secrets are left out.
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
