/** The names and ids of each thing, by subject (`zone`, `hostname`, `state`). Absent: unknown yet. Empty: there is none. */
export type Names = Readonly<Record<string, readonly (readonly string[])[]>>;

/** An unreadable name. It gives no right, and saves no approval. */
export const UNKNOWN = '?';

/** `read` changes nothing. `write` can be repeated or reversed. `destructive` cannot. */
export type Effect = 'read' | 'write' | 'destructive';

/** What a policy knows of a command. */
export interface Command {
  name: string;
  effect: Effect;
  subjects: readonly string[];
  /** Subjects that every line of the command names. */
  always: readonly string[];
  /** Why a word cannot be a value of the subject, to complete a sentence. `isText`: all YAML parsers read it as text. */
  refuses?(subject: string, word: string, isText: boolean): string | undefined;
  /** Members need no rule for it, anywhere. */
  permission?: 'every member' | undefined;
}

/** Resolves Slack’s names, from memory. */
export interface Directory {
  /** By id or `@handle`. Undefined: it was not found, so it has no members. */
  group(reference: string): readonly string[] | undefined;
  /** By any id of the person. */
  person(id: string): string;
  /** By present or former id, or `#name`. Undefined: not found. */
  channel(reference: string): string | undefined;
  /** Whether Slack names the channel, so that it cannot be a lost one. */
  knows(channelId: string): boolean;
}

/** For policies with ids only, and for trying a policy without Slack. */
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
