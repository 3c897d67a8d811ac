import { UsageError } from '../errors.ts';

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
