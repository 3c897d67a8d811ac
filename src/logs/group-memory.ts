export interface SeenGroup {
  id: string;
  /** Of a kind with any path. */
  whole: boolean;
  /** For when it is gone. */
  words: string;
  requests: number;
  /** Unix milliseconds. */
  first: number;
  last: number;
}

/** Over earlier windows. */
export interface KnownGroup extends SeenGroup {
  /** How many had it. */
  windows: number;
}

export interface Recollection {
  /** Milliseconds; 0: nothing can be called new. */
  looked: number;
  groups: ReadonlyMap<string, KnownGroup>;
}

/** Error groups over days, for one choice of zones and filters. Recalled twice, it answers the same. */
export interface GroupMemory {
  /** Before `until`, whatever was seen after it. */
  recall(until: Date): Promise<Recollection>;
  /** Replaces what was remembered of this window. */
  remember?(window: { from: Date; to: Date }, groups: readonly SeenGroup[]): Promise<void>;
}
