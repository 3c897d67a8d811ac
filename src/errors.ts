import type { Logger } from 'pino';

/** Somebody typed or chose something impossible. `hint` says what helps. */
export class UsageError extends Error {
  override name = 'UsageError';
  readonly hint: string | undefined;
  /** The key of the wrong argument, for its field. */
  readonly argument: string | undefined;
  /** What was probably meant, as buttons: for the argument, or for the whole line. */
  readonly instead: readonly string[];

  constructor(message: string, options: { hint?: string; argument?: string; instead?: readonly string[] } = {}) {
    // A quoted text may end with a full stop.
    super(message.replace(/([.!?…])\.$/, '$1'));
    this.hint = options.hint;
    this.argument = options.argument;
    this.instead = options.instead ?? [];
  }
}

/** True if `check` throws no UsageError. */
export function passes(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** For `.catch()`: `value` in place of the errors meant. Others are thrown. */
export const insteadOf =
  <T>(isMeant: (error: unknown) => boolean, value: T) =>
  (error: unknown): T => {
    if (isMeant(error)) return value;
    throw error;
  };

/** For `.catch()` of work whose result nobody waits for. */
export const logged =
  (log: Logger, level: 'info' | 'warn' | 'error', says: string, more = {}) =>
  (error: unknown): void =>
    log[level]({ err: error, ...more }, says);

/** The asker has stopped a read. */
export class StoppedError extends UsageError {
  override name = 'StoppedError';
}

/** The process stops. The read can be started again at once. */
export class RestartingError extends StoppedError {
  override name = 'RestartingError';
}

/** `hint`: whom to ask. `whom`: the first of them. */
export class ForbiddenError extends Error {
  override name = 'ForbiddenError';
  readonly rule: string;
  readonly hint: string | undefined;
  readonly whom: string | undefined;

  constructor(message: string, rule: string, hint?: string, whom?: string) {
    // A quoted text may end with a full stop.
    super(message.replace(/([.!?…])\.$/, '$1'));
    this.rule = rule;
    this.hint = hint;
    this.whom = whom;
  }
}
