import { type Answer, Refusal } from './answers.ts';
import type { Incoming } from './server.ts';

/** The JSON object in a request's body; anything else is refused with `answer`. */
export function objectIn(request: Incoming, answer: Answer): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(request.body.toString('utf8'));
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      return { ...body };
    }
  } catch {
    throw new Refusal(answer);
  }
  throw new Refusal(answer);
}

/** An integer parameter within its bounds, or its default when absent; `refuse` gives the answer otherwise. */
export function integerIn(
  query: URLSearchParams,
  name: string,
  bounds: { low: number; high: number; default: number },
  refuse: (name: string, message: string) => Answer,
): number {
  const text = query.get(name);
  if (text === null || text === '') {
    return bounds.default;
  }
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || value < bounds.low || value > bounds.high) {
    throw new Refusal(refuse(name, `The field ${name} must be between ${bounds.low} and ${bounds.high}.`));
  }
  return value;
}

/** A boolean parameter: `true` in any case is true, everything else and absence is false. */
export function booleanIn(query: URLSearchParams, name: string): boolean {
  return query.get(name)?.toLowerCase() === 'true';
}

/** One page of items in the core's list shape (page counted from 1). */
export function pageOf<T>(items: readonly T[], page: number, perPage: number): object {
  return {
    Items: items.slice((page - 1) * perPage, page * perPage),
    CurrentPage: page,
    TotalItems: items.length,
    HasMoreItems: page * perPage < items.length,
  };
}
