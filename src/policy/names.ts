/**
 * What a command is about, as far as it is known: subject (`zone`, `hostname`, `state`) → the things that are meant → the
 * names and ids of each. A subject that is absent is not known yet; an empty list says that nothing is meant.
 */
export type Names = Readonly<Record<string, readonly (readonly string[])[]>>;

/** A word for a name that could not be read: it gives nobody a right, and frees nobody from an approval. */
export const UNKNOWN = '?';

/** What a command does to the platform: nothing; what can be repeated or taken back; what cannot be taken back. */
export type Effect = 'read' | 'write' | 'destructive';

/** What a policy has to know of a command: its name, what it does, and of what a predicate may speak. */
export interface Command {
  name: string;
  effect: Effect;
  subjects: readonly string[];
  /** `every member`: members need no rule for it, and no place forbids it. Else the rules say who may. */
  permission?: 'every member' | undefined;
}
