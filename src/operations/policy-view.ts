import type { Effect, Names } from '../policy/names.ts';

/** An argument as help explains it. */
export interface ArgumentListing {
  /** As it is typed: `hostname`, or `--zone`. */
  name: string;
  label: string;
  /** The only words that it takes. */
  values: readonly string[];
  presence: 'required' | 'optional';
  hint?: string | undefined;
}

/** An operation as people are told of it. */
export interface OperationListing {
  name: string;
  summary: string;
  effect: Effect;
  /** How it is typed, without `/edge`. */
  usage: string;
  args: readonly ArgumentListing[];
  examples: readonly string[];
  /** The operation whose refusal offers it; it cannot be typed then. */
  offeredBy?: string | undefined;
}

/** The policy's answer about a command line, with the rule that says so. */
interface PolicyCheck {
  operation: string;
  allowed: boolean;
  rule: string;
  /** It depends on arguments that the line does not have. */
  tentative: boolean;
  /** Has Slack's mentions in it. */
  approval?: string | undefined;
  /** Has Slack's mentions in it. */
  hint?: string | undefined;
}

/** The policy, as help, can-i and the audit's filters use it. */
export interface PolicyView {
  /** May this person run an operation here on a thing with these names? */
  may(operation: string, names: Names): boolean;
  /** May this person run a command line here? Arguments may be missing. Throws UsageError. */
  check(line: string): Promise<PolicyCheck>;
  /** The names of the operations that a text speaks of, best first, by their words and synonyms; whoever asks may run them or not. */
  search(text: string): string[];
  /** Every operation, in the registry's order, and whether this person may run it here. */
  operations(): readonly (OperationListing & { allowed: boolean })[];
}
