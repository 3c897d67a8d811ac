import { DAY } from '../durations.ts';
/** What a stretch of time had of a group. */
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

/** What is known of a group from earlier stretches. */
export interface KnownGroup extends SeenGroup {
  /** Stretches that had it. */
  stretches: number;
}

/** What was seen before some moment. */
export interface Recollection {
  /** Milliseconds that were looked at; 0 when nothing was: then nothing can be called new. */
  looked: number;
  groups: ReadonlyMap<string, KnownGroup>;
}

/**
 * Error groups over days, of one choice of zones and filters. In the store: a replica knows what another has told. Asked twice
 * for the same stretch, it answers the same, so that a report that is made again is the same report.
 */
export interface GroupMemory {
  /** What was seen in the days before `until`, whatever has been seen after it. */
  recall(until: Date): Promise<Recollection>;
  /** Takes the place of what was remembered of this stretch. A memory of a trial has none. */
  remember?(stretch: { from: Date; to: Date }, groups: readonly SeenGroup[]): Promise<void>;
}

/** How long a group is remembered, in milliseconds: what comes back after that is new. */
export const GROUP_MEMORY = 8 * DAY;

/** A memory that ends with the process, for tests and replays. */
export function createGroupMemory(): Required<GroupMemory> {
  let stretches: { from: Date; to: Date; groups: readonly SeenGroup[] }[] = [];
  return {
    async recall(until) {
      const groups = new Map<string, KnownGroup>();
      let looked = 0;
      for (const { from, to, groups: seen } of stretches) {
        if (to > until || to.getTime() <= until.getTime() - GROUP_MEMORY) continue;
        looked += to.getTime() - from.getTime();
        for (const group of seen) {
          const known = groups.get(group.id);
          groups.set(group.id, {
            ...group,
            requests: group.requests + (known?.requests ?? 0),
            first: Math.min(group.first, known?.first ?? group.first),
            last: Math.max(group.last, known?.last ?? group.last),
            stretches: 1 + (known?.stretches ?? 0),
          });
        }
      }
      return { looked, groups };
    },
    async remember({ from, to }, groups) {
      stretches = stretches.filter((one) => one.to <= from || one.to > to);
      stretches.push({ from, to, groups });
    },
  };
}
