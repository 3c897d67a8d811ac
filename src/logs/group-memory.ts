export interface SeenGroup {
  id: string;
  /** The group covers all paths. */
  whole: boolean;
  /** What to call it once it no longer occurs. */
  words: string;
  requests: number;
  /** Unix milliseconds. */
  first: number;
  last: number;
}

/** Summed over earlier windows. */
export interface KnownGroup extends SeenGroup {
  /** How many windows had it. */
  windows: number;
}

export interface Recollection {
  /** In milliseconds: the time that is remembered. 0: nothing can be called new. */
  looked: number;
  groups: ReadonlyMap<string, KnownGroup>;
}

/** Error groups over days, for one choice of zones and filters. `recall` is repeatable. */
export interface GroupMemory {
  /** Only what was seen before `until`. */
  recall(until: Date): Promise<Recollection>;
  /** Replaces what is remembered of this window. */
  remember?(window: { from: Date; to: Date }, groups: readonly SeenGroup[]): Promise<void>;
}
