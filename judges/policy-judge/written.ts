/** A policy as it stands in its file, read as YAML and not looked at any further: the judge reads it by docs/policy.md alone. */

/** One or several words. */
export type Words = string | readonly string[];

/** What an entry of `allow:` or `approval:` speaks of; a word alone is `operations`. */
export interface WrittenEntry {
  operations?: Words;
  effect?: Words;
  except?: Words;
  where?: Readonly<Record<string, Words>>;
}

/** A role of the file. */
export interface WrittenRole {
  people?: readonly string[];
  groups?: readonly string[];
  guests?: boolean;
  allow: readonly (string | WrittenEntry)[];
}

/** An entry of `approval:`. */
export interface WrittenApproval extends WrittenEntry {
  approvers: { people?: readonly string[]; groups?: readonly string[]; roles?: readonly string[] };
  count?: number;
  expires?: string;
  reason?: 'required';
  breakGlass?: { channel: string };
}

/** The file. */
export interface WrittenFile {
  roles?: Readonly<Record<string, WrittenRole>>;
  channels?: Readonly<Record<string, { allow: readonly (string | WrittenEntry)[] }>>;
  approval?: readonly WrittenApproval[];
}

/** The list of words that was meant. */
export function listOf(words: Words | undefined): readonly string[] {
  if (words === undefined) return [];
  return typeof words === 'string' ? [words] : words;
}
