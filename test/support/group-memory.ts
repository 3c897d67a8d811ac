import type { GroupMemory, KnownGroup, SeenGroup } from '../../src/logs/group-memory.ts';
import { DAY } from '../../src/time.ts';

/** How long a group is remembered, in milliseconds: what comes back after that is new. */
const GROUP_MEMORY = 8 * DAY;

/** A memory that ends with the process, for tests and replays. */
export function createGroupMemory(): Required<GroupMemory> {
  let windows: { from: Date; to: Date; groups: readonly SeenGroup[] }[] = [];
  return {
    async recall(until) {
      const groups = new Map<string, KnownGroup>();
      let looked = 0;
      for (const { from, to, groups: seen } of windows) {
        if (to > until || to.getTime() <= until.getTime() - GROUP_MEMORY) continue;
        looked += to.getTime() - from.getTime();
        for (const group of seen) {
          const known = groups.get(group.id);
          groups.set(group.id, {
            ...group,
            requests: group.requests + (known?.requests ?? 0),
            first: Math.min(group.first, known?.first ?? group.first),
            last: Math.max(group.last, known?.last ?? group.last),
            windows: 1 + (known?.windows ?? 0),
          });
        }
      }
      return { looked, groups };
    },
    async remember({ from, to }, groups) {
      windows = windows.filter((one) => one.to <= from || one.to > to);
      windows.push({ from, to, groups });
    },
  };
}
