/** By subject (`zone`, `hostname`, `state`) each thing's names and ids. Absent: not known yet; empty: nothing. */
export type Names = Readonly<Record<string, readonly (readonly string[])[]>>;

/** An unreadable name: it gives no right, and lifts no approval. */
export const UNKNOWN = '?';

/** None; repeatable or reversible; neither. */
export type Effect = 'read' | 'write' | 'destructive';

/** What a policy knows of a command. */
export interface Command {
  name: string;
  effect: Effect;
  subjects: readonly string[];
  /** No line can leave these out. */
  always: readonly string[];
  /** Why a word is no value of the subject, as the end of a sentence; `isText` to every reader of YAML. */
  refuses?(subject: string, word: string, isText: boolean): string | undefined;
  /** Members need no rule, anywhere. */
  permission?: 'every member' | undefined;
}

/** What Slack calls what. Answers from memory. */
export interface Directory {
  /** By id or `@handle`. Undefined: not found, so nobody. */
  group(reference: string): readonly string[] | undefined;
  /** By any id of theirs. */
  person(id: string): string;
  /** By present or former id, or `#name`. Undefined: not found. */
  channel(reference: string): string | undefined;
  /** Known by name: certainly not one that cannot be found. */
  knows(channelId: string): boolean;
}

/** For ids alone, and for trying a policy without Slack. */
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

/** `C…`, or `G…` for old private channels. */
export function isChannelId(text: string): boolean {
  return /^[CG][A-Z0-9]{2,}$/.test(text);
}

export function isGroupId(text: string): boolean {
  return /^S[A-Z0-9]{5,}$/.test(text);
}
