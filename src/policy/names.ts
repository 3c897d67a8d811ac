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
  /** Why a word of a predicate could mean no value of a subject, as the end of a sentence. Undefined: it could mean one. */
  refuses?(subject: string, word: string): string | undefined;
  /** `every member`: members need no rule for it, and no place forbids it. Else the rules say who may. */
  permission?: 'every member' | undefined;
}

/** The groups and channels of Slack that a policy names. Answers at once, from what was read before. */
export interface Directory {
  /** The user ids of a user group, by its id or `@handle`. Undefined: it cannot be found, so it holds nobody. */
  group(reference: string): readonly string[] | undefined;
  /** The one id of somebody, by any of theirs. */
  person(id: string): string;
  /** The present id of a channel, by an id that it has or had, or by `#name`. Undefined: it cannot be found. */
  channel(reference: string): string | undefined;
  /** The channel with this id is known by name: then it is certainly not one that cannot be found. */
  knows(channelId: string): boolean;
}

/** A directory of fixed lists: for policies that name ids alone, and for trying one without Slack. */
export function createFixedDirectory(
  lists: { groups?: Readonly<Record<string, readonly string[]>>; channels?: Readonly<Record<string, string>> } = {},
): Directory {
  const groups = new Map(Object.entries(lists.groups ?? {}));
  const channels = new Map(Object.entries(lists.channels ?? {}));
  return {
    group: (reference) => groups.get(reference),
    person: (id) => id,
    channel: (reference) => channels.get(reference) ?? (isChannelId(reference) ? reference : undefined),
    knows: (id) => [...channels.values()].includes(id),
  };
}

/** `C0OPS000001` or, for a private channel of old, `G…`. */
export function isChannelId(text: string): boolean {
  return /^[CG][A-Z0-9]{2,}$/.test(text);
}

/** `S0OPS000001`: a user group. */
export function isGroupId(text: string): boolean {
  return /^S[A-Z0-9]{5,}$/.test(text);
}
