/** The time of a request was up before its answer came. */
export class TimeIsUp extends Error {
  override name = 'TimeIsUp';
}

/** A body that comes more slowly than this (bytes a second) is as good as none. */
const LEAST_PACE = 1024;

/** The time that one request has. `end()` must be called, or the caller's signal is held. */
export interface Deadline {
  /** Aborts when the time is up, or when the caller's signal says so. */
  signal: AbortSignal;
  /** From now on only the pace counts, and the caller's signal. `isHeldUp`: it is us who do not read on. */
  stopClock(isHeldUp?: () => boolean): void;
  /** So many bytes came. */
  came(bytes: number): void;
  end(): void;
  /** The deadline's own reason, where it ended the request; else the error. */
  reasonFor(error: unknown): unknown;
}

/** Starts the clock. */
export function createDeadline(ms: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const giveUp = () => controller.abort(new TimeIsUp('The time is up.'));
  const timer = setTimeout(giveUp, ms);
  let pace: NodeJS.Timeout | undefined;
  let arrived = 0;
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    stopClock(isHeldUp = () => false) {
      clearTimeout(timer);
      pace = setInterval(() => {
        if (arrived < (LEAST_PACE * ms) / 1000 && !isHeldUp()) giveUp();
        arrived = 0;
      }, ms);
    },
    came(bytes) {
      arrived += bytes;
    },
    end() {
      clearTimeout(timer);
      clearInterval(pace);
      signal?.removeEventListener('abort', onAbort);
    },
    reasonFor: (error) => (controller.signal.aborted ? controller.signal.reason : error),
  };
}
