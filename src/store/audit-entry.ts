/** What an entry says about a subscription: its version, and whether it ended. */
export interface SubscriptionWord {
  id: number;
  version: number;
  isEnded?: true;
}

/** An operation that somebody ran or tried. Secrets are already hidden. */
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
  /** An agent asked for it, in the actor’s name. */
  agent?: true | undefined;
  /** The rule of the policy that allowed or refused it, in words. */
  rule?: string | undefined;
  /** The confirmed preview. */
  preview?: { before?: Record<string, unknown> | undefined; after: Record<string, unknown> } | undefined;
  confirmation?: string | undefined;
  /** It has a reversal, so it can be undone, or is by the clock. */
  undoable?: true | undefined;
  /** Set for entries about a version of a subscription. */
  subscription?: SubscriptionWord | undefined;
  /** The reference of an unexpected error in the log, or the platform’s request id. */
  reference?: string | undefined;
  /** The id of its interaction, as in the log. */
  interaction?: string | undefined;
}

export interface StoredAuditEntry extends AuditEntry {
  /** Counts from 1 without a gap. */
  number: number;
  at: Date;
  /** SHA-256 over the hash before and this entry, hexadecimal. */
  hash: string;
}

/** Fields that are left out do not filter. */
export interface AuditQuery {
  /** A person’s id, or all their ids. */
  actor?: string | readonly string[] | undefined;
  operation?: string | undefined;
  /** Any part of it, in upper or lower case. */
  target?: string | undefined;
  /** Or the whole of it is one of these, in lower case. */
  targets?: readonly string[] | undefined;
  outcome?: string | undefined;
  /** Only changes by these commands that are done or unknown. */
  changes?: readonly string[] | undefined;
  /** Nothing of these operations. */
  without?: readonly string[] | undefined;
  /** No previews that were cancelled. */
  uncancelled?: boolean | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  /** Only entries with a smaller number. */
  before?: number | undefined;
  limit: number;
}
