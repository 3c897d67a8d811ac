/** A word of the audit about a subscription: the version that it came to, with which it may have ended. */
export interface SubscriptionWord {
  id: number;
  version: number;
  isEnded?: true;
}

/** An operation that somebody ran or tried: where, on what, by which rule, and its outcome. Secrets are hidden before. */
export interface AuditEntry {
  actor: string;
  team: string;
  channel: string;
  operation: string;
  target: string;
  given: Record<string, string>;
  /** `done`, `failed`, `refused`, `cancelled`, `unknown`, … */
  outcome: string;
  detail: string;
  /** The policy's rule that allowed or refused it, in words. */
  rule?: string | undefined;
  /** The preview that was confirmed. */
  preview?: { before?: Record<string, unknown> | undefined; after: Record<string, unknown> } | undefined;
  confirmation?: string | undefined;
  /** A reversal was kept: it can be put back, or is by itself. */
  undoable?: true | undefined;
  /** Set where it says how far a subscription has come. */
  subscription?: SubscriptionWord | undefined;
  /** The reference that an unexpected error was logged under, or the platform's request id. */
  reference?: string | undefined;
  /** The id of the interaction that it was part of, as in the log. */
  interaction?: string | undefined;
}

export interface StoredAuditEntry extends AuditEntry {
  /** Counts from 1 without a gap. */
  number: number;
  at: Date;
  /** SHA-256 over the entry before and this one, hexadecimal. */
  hash: string;
}

/** The entries that are wanted; what is left out chooses nothing. */
export interface AuditQuery {
  /** Their id, or all that they have. */
  actor?: string | readonly string[] | undefined;
  operation?: string | undefined;
  target?: string | undefined;
  outcome?: string | undefined;
  /** Only what one of these commands has done, or may have. */
  changes?: readonly string[] | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  /** Only entries with a smaller number. */
  before?: number | undefined;
  limit: number;
}
