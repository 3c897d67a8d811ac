import { MINUTE } from '../time.ts';

/** The longest time of one operation, in milliseconds: long logs take it. */
export const TIME_LIMIT = 10 * MINUTE;

/**
 * Does work with a signal that ends it after `TIME_LIMIT`, for the given reason. The timer ends with the work: until it fires it
 * holds all that is known of its interaction.
 */
export async function inTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  why = (): Error => new DOMException('It took too long', 'TimeoutError'),
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(why()), TIME_LIMIT);
  timer.unref();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
