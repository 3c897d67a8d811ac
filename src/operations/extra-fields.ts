import { fields, type Part } from '../blocks/message.ts';
import { code, type Mrkdwn } from '../blocks/mrkdwn.ts';

/** What an answer says beyond what is known of it, as key and value to copy (see `Done.extra`); nothing for nothing. */
export function extraFields(extra: Readonly<Record<string, string>>): Part {
  return fields(Object.entries(extra).map(([key, value]): [string, Mrkdwn] => [key, code(value)]));
}
