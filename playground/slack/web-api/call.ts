/** One Web API call: its arguments, read from whichever of the three body forms they came in. */

import { addProblem } from '../changes.ts';
import { type ConnectionFault, type Slack, SlackError } from '../slack.ts';

/** A call as it came: the fields of form bodies are text, and objects in them JSON. */
export interface Call {
  slack: Slack;
  method: string;
  given: Record<string, unknown>;
  token?: string | undefined;
  /** The fault that this call meets, where it is answered all the same. */
  fault?: ConnectionFault | undefined;
}

/** A method of the Web API: the scopes of which it needs one, and its answer (without `ok`). */
export interface Method {
  scope?: string | string[];
  run(call: Call): Record<string, unknown>;
}

/** Methods by their names. */
export type Methods = Record<string, Method>;

/** `invalid_arguments` with the words that Slack's answer carries in its metadata. */
export function invalidArguments(message: string): SlackError {
  return new SlackError('invalid_arguments', { response_metadata: { messages: [`[ERROR] ${message}`] } });
}

/** Refuses the call when the token lacks the scope. */
export function needScope({ slack, method }: Call, ...wanted: string[]): void {
  const { scopes } = slack.options;
  if (scopes === undefined || wanted.length === 0 || wanted.some((each) => scopes.includes(each))) return;
  addProblem(slack, `${method} needs the scope ${wanted.join(' or ')}`);
  throw new SlackError('missing_scope', { needed: wanted.join(','), provided: scopes.join(',') });
}

/** A text argument; absent and empty are the same. */
export function textOf({ given }: Call, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A text argument without which the call is refused. */
export function need(call: Call, name: string, error?: string): string {
  const value = textOf(call, name);
  if (value === undefined) throw error ? new SlackError(error) : invalidArguments(`missing required field: ${name}`);
  return value;
}

/** A boolean argument; false when absent. */
export function flagOf({ given }: Call, name: string): boolean {
  return /^(true|1)$/.test(String(given[name] ?? ''));
}

/** An object or array, which forms carry as JSON. */
export function jsonOf({ given }: Call, name: string): unknown {
  const value = given[name];
  if (typeof value !== 'string' || value === '') return value === '' ? undefined : value;
  try {
    return JSON.parse(value);
  } catch {
    throw new SlackError(name === 'blocks' ? 'invalid_blocks_format' : 'invalid_arguments', {
      response_metadata: { messages: [`[ERROR] ${name} is not JSON`] },
    });
  }
}

/** One page of a list, and Slack's `response_metadata.next_cursor` for the next. */
export function pageOf<T>(call: Call, items: T[]): { page: T[]; next: string } {
  const wanted = Number(call.given.limit ?? 100);
  const limit = Math.min(Number.isInteger(wanted) && wanted > 0 ? wanted : 100, 1000);
  const cursor = textOf(call, 'cursor');
  const start = cursor === undefined ? 0 : Number(Buffer.from(cursor, 'base64').toString().replace('offset:', ''));
  if (!Number.isInteger(start) || start < 0) throw new SlackError('invalid_cursor');
  const end = start + limit;
  const next = end < items.length ? Buffer.from(`offset:${end}`).toString('base64') : '';
  return { page: items.slice(start, end), next };
}
