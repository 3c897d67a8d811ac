/** The time of a request was up before its answer came. */
export class TimeIsUp extends Error {
  override name = 'TimeIsUp';
}

export type Deadline = ReturnType<typeof createDeadline>;

/** Aborts when the time is up or the caller's signal says so. `end()` must be called, or the caller's signal is held. */
export function createDeadline(ms: number, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new TimeIsUp('The time is up.')), ms);
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    /** The time no longer counts, the caller's signal still does. */
    stopClock: () => clearTimeout(timer),
    end: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
    reasonFor: (error: unknown): unknown => (controller.signal.aborted ? controller.signal.reason : error),
  };
}
