/** The time of a request was up before its answer came. */
export class TimeIsUp extends Error {
  override name = 'TimeIsUp';
}

/** A body that comes more slowly than this (bytes a second) is as good as none. */
const LEAST_PACE = 1024;

export type Deadline = ReturnType<typeof createDeadline>;

/** Aborts when the time is up or the caller's signal says so. `end()` must be called, or the caller's signal is held. */
export function createDeadline(ms: number, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const giveUp = () => controller.abort(new TimeIsUp('The time is up.'));
  const timer = setTimeout(giveUp, ms);
  let pace: NodeJS.Timeout | undefined;
  let came = 0;
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    /** From now on only the pace counts, and the caller's signal. `isHeldUp`: it is us who do not read on. */
    stopClock(isHeldUp: () => boolean = () => false) {
      clearTimeout(timer);
      pace = setInterval(() => {
        if (came < (LEAST_PACE * ms) / 1000 && !isHeldUp()) giveUp();
        came = 0;
      }, ms);
    },
    /** So many bytes came. */
    came(bytes: number) {
      came += bytes;
    },
    end: () => {
      clearTimeout(timer);
      clearInterval(pace);
      signal?.removeEventListener('abort', onAbort);
    },
    reasonFor: (error: unknown): unknown => (controller.signal.aborted ? controller.signal.reason : error),
  };
}
