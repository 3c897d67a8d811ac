import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** What runs on behalf of one process of the bot; its timers die with it. */
export interface Process {
  isAlive: boolean;
  /** It stands still until then, as on a machine that is suspended: its timers too. */
  frozenUntil: number;
}

interface Timer {
  id: number;
  at: number;
  every: number | undefined;
  owner: Process | undefined;
  run(): void;
}

/** Time that passes only when it is told to, for everything that asks the global clock, timers and randomness. */
export interface VirtualTime {
  /** Milliseconds since the epoch. */
  now(): number;
  date(): Date;
  /** Lets so much time pass without firing anything. */
  pass(milliseconds: number): void;
  /** When the next timer of a living process fires. */
  next(): number | undefined;
  /** Fires what is due, in order. */
  fire(): void;
  /** Runs as a part of a process: timers that it sets belong to it. */
  within<T>(owner: Process, work: () => T): T;
  /** Calls `run` once it is that time. */
  at(time: number, run: () => void): void;
  /** Gives the globals back. */
  restore(): void;
}

const START = Date.UTC(2026, 0, 5, 8);

/**
 * Puts virtual time and seeded randomness in place of `performance.now`, `setTimeout`, `setInterval`, `AbortSignal.timeout`, `Math.random` and
 * `randomBytes`. One at a time: they are globals of the process.
 */
export function installVirtualTime(random: () => number): VirtualTime {
  const real = {
    setTimeout: globalThis.setTimeout,
    setInterval: globalThis.setInterval,
    clearTimeout: globalThis.clearTimeout,
    clearInterval: globalThis.clearInterval,
    abortTimeout: AbortSignal.timeout,
    random: Math.random,
    randomBytes: crypto.randomBytes,
    now: performance.now,
  };
  const owners = new AsyncLocalStorage<Process>();
  let timers: Timer[] = [];
  let present = START;
  let ids = 0;

  function add(run: () => void, after: number, every?: number): NodeJS.Timeout {
    ids += 1;
    const id = ids;
    timers.push({ id, at: present + Math.max(1, after), every, owner: owners.getStore(), run });
    const handle = { [Symbol.toPrimitive]: () => id, ref: () => handle, unref: () => handle, hasRef: () => true };
    return handle as never;
  }
  const remove = (handle: unknown): void => {
    if (handle !== undefined && handle !== null) timers = timers.filter(({ id }) => id !== Number(handle));
  };

  globalThis.setTimeout = ((run: (...args: unknown[]) => void, after = 0, ...args: unknown[]) =>
    add(() => run(...args), after)) as typeof setTimeout;
  globalThis.setInterval = ((run: (...args: unknown[]) => void, every = 1, ...args: unknown[]) =>
    add(() => run(...args), every, every)) as typeof setInterval;
  globalThis.clearTimeout = remove as typeof clearTimeout;
  globalThis.clearInterval = remove as typeof clearInterval;
  AbortSignal.timeout = (after) => {
    const controller = new AbortController();
    add(() => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), after);
    return controller.signal;
  };
  performance.now = () => present - START;
  Math.random = random;
  crypto.randomBytes = ((size: number) =>
    Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)))) as typeof crypto.randomBytes;
  syncBuiltinESMExports();

  return {
    now: () => present,
    date: () => new Date(present),
    pass(milliseconds) {
      present += milliseconds;
    },
    next() {
      timers = timers.filter(({ owner }) => owner?.isAlive !== false);
      return timers.reduce<number | undefined>(
        (first, { at }) => (first === undefined || at < first ? at : first),
        undefined,
      );
    },
    fire() {
      const due = timers.filter(({ at }) => at <= present).sort((a, b) => a.at - b.at || a.id - b.id);
      for (const timer of due) {
        // One that fired before may have taken this one away.
        if (!timers.includes(timer) || timer.owner?.isAlive === false) continue;
        if (timer.owner !== undefined && timer.owner.frozenUntil > present) {
          timer.at = timer.owner.frozenUntil;
          continue;
        }
        if (timer.every === undefined) timers = timers.filter((one) => one !== timer);
        else timer.at += timer.every;
        if (timer.owner === undefined) timer.run();
        else owners.run(timer.owner, timer.run);
      }
    },
    within: (owner, work) => owners.run(owner, work),
    at(time, run) {
      ids += 1;
      timers.push({ id: ids, at: time, every: undefined, owner: undefined, run });
    },
    restore() {
      Object.assign(globalThis, {
        setTimeout: real.setTimeout,
        setInterval: real.setInterval,
        clearTimeout: real.clearTimeout,
        clearInterval: real.clearInterval,
      });
      AbortSignal.timeout = real.abortTimeout;
      performance.now = real.now;
      Math.random = real.random;
      crypto.randomBytes = real.randomBytes;
      syncBuiltinESMExports();
    },
  };
}

/** Lets everything run that can run without time passing: real, but the same each time. */
export async function drained(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
