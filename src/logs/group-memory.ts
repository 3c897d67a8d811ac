/** A group of errors in a window. */
export interface SeenGroup {
  id: string;
  /** All of a kind, whatever their paths; else those of one kind of path. */
  whole: boolean;
  /** In a few words, for when it is gone. */
  words: string;
  requests: number;
  /** Unix milliseconds. */
  first: number;
  last: number;
}

/** The same over earlier windows. */
export interface KnownGroup extends SeenGroup {
  /** Stretches that had it. */
  windows: number;
}

/** The groups that were seen before some moment. */
export interface Recollection {
  /** Milliseconds that were looked at; 0 when nothing was: then nothing can be called new. */
  looked: number;
  groups: ReadonlyMap<string, KnownGroup>;
}

/**
 * Error groups over days, of one choice of zones and filters. In the store: a replica knows what another has told. Asked twice
 * for the same window, it answers the same, so that a report that is made again is the same report.
 */
export interface GroupMemory {
  /** The groups of the days before `until`, whatever has been seen after it. */
  recall(until: Date): Promise<Recollection>;
  /** Takes the place of what was remembered of this window. A memory of a trial has none. */
  remember?(window: { from: Date; to: Date }, groups: readonly SeenGroup[]): Promise<void>;
}
