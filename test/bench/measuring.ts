import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** What some work took of this process. */
export interface Taken {
  seconds: number;
  /** Seconds of processor time. */
  cpu: number;
  /** Bytes of memory at most, and above what the process took while it was idle. */
  peak: number;
  aboveIdle: number;
  /** The longest that the main thread was held, milliseconds. */
  held: number;
}

const RESOLUTION = 2;

/** Does the work, and says with its result what it took: for a process of its own. */
export async function measuring<T extends object>(work: () => Promise<T>): Promise<T & Taken> {
  // What a process takes that has nothing to do, once it is through with its start.
  await setTimeout(300);
  const idle = process.memoryUsage.rss();
  let peak = idle;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 10);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  const before = process.cpuUsage();
  const start = performance.now();
  const result = await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  await setTimeout(20);
  delay.disable();
  clearInterval(watch);
  return {
    ...result,
    seconds,
    cpu: (user + system) / 1e6,
    peak,
    aboveIdle: peak - idle,
    // The histogram holds the time between two ticks: the resolution is part of it.
    held: Math.max(0, delay.max / 1e6 - RESOLUTION),
  };
}
