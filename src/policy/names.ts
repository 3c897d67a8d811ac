/**
 * The things that a command is about: by subject (`zone`, `hostname`, `state`) the things that are meant, each with its names
 * and ids. A subject that is absent is not known yet; an empty list says that nothing is meant.
 */
export type Names = Readonly<Record<string, readonly (readonly string[])[]>>;

/** A word for a name that could not be read: it gives nobody a right, and frees nobody from an approval. */
export const UNKNOWN = '?';

/** The effect of a command on the platform: none; one that can be repeated or taken back; one that cannot. */
export type Effect = 'read' | 'write' | 'destructive';

/** A command as a policy has to know it: its name, its effect, and the subjects of predicates. */
export interface Command {
  name: string;
  effect: Effect;
  subjects: readonly string[];
  /** Those of them that no line can leave out. */
  always: readonly string[];
  /** `every member`: members need no rule for it, and no place forbids it. Else the rules say who may. */
  permission?: 'every member' | undefined;
}
