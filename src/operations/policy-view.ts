import type { Effect, Names } from '../policy/names.ts';

export interface ArgumentListing {
  /** `hostname`, or `--zone` */
  name: string;
  label: string;
  values: readonly string[];
  presence: 'required' | 'optional';
  hint?: string | undefined;
}

export interface OperationListing {
  name: string;
  summary: string;
  effect: Effect;
  usage: string;
  args: readonly ArgumentListing[];
  examples: readonly string[];
  /** It cannot be typed then. */
  offeredBy?: string | undefined;
}

interface PolicyCheck {
  operation: string;
  allowed: boolean;
  rule: string;
  /** Depends on arguments that the line lacks. */
  tentative: boolean;
  /** With mentions. */
  approval?: string | undefined;
  /** With mentions. */
  hint?: string | undefined;
}

export interface PolicyView {
  may(operation: string, names: Names): boolean;
  /** Arguments may be missing. Throws UsageError. */
  check(line: string): Promise<PolicyCheck>;
  /** Names, best first, whether they may run them or not. */
  search(text: string): string[];
  operations(): readonly (OperationListing & { allowed: boolean })[];
}
