import { fields, type Part } from '../blocks/message.ts';
import { code, type Mrkdwn } from '../blocks/mrkdwn.ts';

/** The fields of an answer that nobody describes, as key and value to copy (see `Done.extra`); nothing for none. */
export function extraFields(extra: Readonly<Record<string, string>>): Part {
  return fields(Object.entries(extra).map(([key, value]): [string, Mrkdwn] => [key, code(value)]));
}
