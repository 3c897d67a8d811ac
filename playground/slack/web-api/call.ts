/** One Web API call: its arguments, read from whichever of the three body forms they came in. */

import { SlackError } from '../core.ts';
import type { Slack } from '../slack.ts';

/** The arguments of a call. Fields of form bodies are text; objects in them are JSON. */
export interface Call {
  slack: Slack;
  method: string;
  arguments: Record<string, unknown>;
  /** A text argument; absent and empty are the same. */
  text(name: string): string | undefined;
  /** A text argument without which the call is refused. */
  need(name: string, error?: string): string;
  flag(name: string): boolean;
  count(name: string, otherwise: number): number;
  /** An object or array, which forms carry as JSON. */
  json(name: string): unknown;
}

/** A method of the Web API: the scopes of which it needs one, and what it answers (without `ok`). */
export interface Method {
  scope?: string | string[];
  run(call: Call): Record<string, unknown>;
}

export type Methods = Record<string, Method>;

/** `invalid_arguments` with the words that Slack's answer carries in its metadata. */
export function invalidArguments(message: string): SlackError {
  return new SlackError('invalid_arguments', { response_metadata: { messages: [`[ERROR] ${message}`] } });
}

export function createCall(slack: Slack, method: string, given: Record<string, unknown>): Call {
  const text = (name: string): string | undefined => {
    const value = given[name];
    if (value === undefined || value === null || value === '') return undefined;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  return {
    slack,
    method,
    arguments: given,
    text,
    need(name, error) {
      const value = text(name);
      if (value === undefined)
        throw error ? new SlackError(error) : invalidArguments(`missing required field: ${name}`);
      return value;
    },
    flag: (name) => /^(true|1)$/.test(String(given[name] ?? '')),
    count(name, otherwise) {
      const value = Number(given[name] ?? otherwise);
      return Number.isInteger(value) && value > 0 ? value : otherwise;
    },
    json(name) {
      const value = given[name];
      if (typeof value !== 'string' || value === '') return value === '' ? undefined : value;
      try {
        return JSON.parse(value);
      } catch {
        throw new SlackError(name === 'blocks' ? 'invalid_blocks_format' : 'invalid_arguments', {
          response_metadata: { messages: [`[ERROR] ${name} is not JSON`] },
        });
      }
    },
  };
}

/** One page of a list, and Slack's `response_metadata.next_cursor` for the next. */
export function pageOf<T>(call: Call, items: T[], otherwise = 100): { page: T[]; next: string } {
  const limit = Math.min(call.count('limit', otherwise), 1000);
  const cursor = call.text('cursor');
  const start = cursor === undefined ? 0 : Number(Buffer.from(cursor, 'base64').toString().replace('offset:', ''));
  if (!Number.isInteger(start) || start < 0) throw new SlackError('invalid_cursor');
  const end = start + limit;
  const next = end < items.length ? Buffer.from(`offset:${end}`).toString('base64') : '';
  return { page: items.slice(start, end), next };
}
