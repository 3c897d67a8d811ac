import { z } from 'zod';

/**
 * A field that is good to have: absent, null or of another type all read as absent, so that a change in what is only
 * displayed never makes an answer unreadable.
 */
export function maybe<T extends z.ZodType>(schema: T) {
  return schema
    .nullish()
    .transform((value) => value ?? undefined)
    .catch(undefined)
    .optional();
}

/** A list that may be absent or null, read as empty. */
export function listOf<T extends z.ZodType>(schema: T) {
  return z
    .array(schema)
    .nullish()
    .transform((value) => value ?? [])
    .optional()
    .transform((value) => value ?? []);
}

export const maybeString = maybe(z.string());
export const maybeNumber = maybe(z.number());
export const maybeBoolean = maybe(z.boolean());

/** What a list call gathered over its pages. `hasMore`: the platform has more than was fetched. */
export interface Listed<T> {
  items: T[];
  hasMore: boolean;
  /** As the platform counts them, where it says. */
  totalItems?: number;
}

/**
 * A write that the platform accepted. `answer` is absent when the body was empty or not understood: it is done all the same.
 * `extra` holds what the body says beyond the known fields, as key and value; secrets are left out.
 */
export interface Done<T> {
  answer?: T;
  extra: Record<string, string>;
}
