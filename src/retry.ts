/**
 * Calls again while `pauseAfter` returns a pause (milliseconds); it may throw. All retries of the bot use this:
 *
 * - Only calls that may happen twice: reads, answers to people, and calls that Slack refused as too early. A change of the platform
 *   is never retried: it is sent once, and a lost answer is looked up.
 * - Only after faults that pass: no connection, no answer, 429, 502 to 504, Slack’s own faults. A refusal is final.
 * - A read of the platform: twice, after 250 and 500 ms, or as the platform asks, up to 10 s.
 * - A call that Slack refused as too early: 3 times, up to 15 s each; a post 5 times, as long as Slack asks.
 * - An answer that did not reach Slack: after 2, 8 and 30 s; an open view for 30 minutes.
 * - A start, and connections to Slack: for ever, after pauses that grow to 10 s.
 */
export async function retry<T>(
  call: () => Promise<T>,
  wait: (milliseconds: number) => Promise<unknown>,
  pauseAfter: (error: unknown, attempt: number) => number | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const pause = pauseAfter(error, attempt);
      if (pause === undefined) throw error;
      await wait(pause);
    }
  }
}

/** In milliseconds, doubled each time and jittered, so that replicas spread. */
export const backoff = (attempt: number, { first, most }: { first: number; most: number }): number =>
  jittered(Math.min(most, first * 2 ** Math.min(attempt - 1, 30)));

/** Between half of the pause and all of it. */
export const jittered = (pause: number): number => pause * (0.5 + Math.random() / 2);
