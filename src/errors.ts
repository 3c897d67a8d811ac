/** Something that a person typed or chose cannot be done as it stands. `hint` names the command or the form that helps. */
export class UsageError extends Error {
  override name = 'UsageError';
  readonly hint: string | undefined;
  /** The argument at fault, by its name in the operation's definition, so that a form can show the message at that field. */
  readonly argument: string | undefined;
  /** The texts that were probably meant, each a button: for that argument; without one, the whole line. */
  readonly instead: readonly string[];

  constructor(message: string, options: { hint?: string; argument?: string; instead?: readonly string[] } = {}) {
    // Many end with what others wrote, which may bring its own full stop.
    super(message.replace(/([.!?…])\.$/, '$1'));
    this.hint = options.hint;
    this.argument = options.argument;
    this.instead = options.instead ?? [];
  }
}

/** True: what was typed is not refused. */
export function passes(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** The person who asked has stopped it. Only what changes nothing can be stopped. */
export class StoppedError extends UsageError {
  override name = 'StoppedError';
}

/** The process ends: the same can be begun again at once. */
export class RestartingError extends StoppedError {
  override name = 'RestartingError';
}

/** The person may not do this, here, to this target. `rule` is the rule that says so; `hint` whom to ask; `whom` the first of them. */
export class ForbiddenError extends Error {
  override name = 'ForbiddenError';
  readonly rule: string;
  readonly hint: string | undefined;
  readonly whom: string | undefined;

  constructor(message: string, rule: string, hint?: string, whom?: string) {
    // Many end with what others wrote, which may bring its own full stop.
    super(message.replace(/([.!?…])\.$/, '$1'));
    this.rule = rule;
    this.hint = hint;
    this.whom = whom;
  }
}

/** A refusal that another operation can go on from: shown with a button that asks for that operation's confirmation. */
export class OfferError extends Error {
  override name = 'OfferError';
  readonly reason: Error;
  readonly offer: { label: string; operation: string; given: Record<string, string> };

  constructor(reason: Error, offer: { label: string; operation: string; given: Record<string, string> }) {
    super(reason.message, { cause: reason });
    this.reason = reason;
    this.offer = offer;
  }
}
