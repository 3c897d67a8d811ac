import { fields, type Part } from '../blocks/message.ts';

/** What an answer says beyond what is known of it, as key and value (see `Done.extra`); nothing for nothing. */
export function furtherFields(extra: Readonly<Record<string, string>>): Part {
  return fields(Object.entries(extra).map(([key, value]): [string, string] => [key, value]));
}
