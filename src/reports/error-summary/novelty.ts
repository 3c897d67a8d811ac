import { type ErrorGroup, kindIdOf } from '../../logs/error-groups.ts';
import type { KnownGroup, Recollection } from '../../logs/group-memory.ts';
import { HOUR } from '../../time.ts';

/** A group beside the days before. Undefined: nothing is known of those. */
export type Novelty = 'new' | 'recurring' | 'growing' | undefined;

/** A growing group has so many times what is usual in so long a time, and so many more. */
const TIMES = 4;
const MORE = 20;
/** A group is gone when there is none where so many would be usual, and there were some just before. */
const EXPECTED = 10;
/** A memory shorter than this calls nothing new: everything would be. */
const LEAST_LOOKED = HOUR;

/** The memory of a group. */
export function knownOf(group: ErrorGroup, groups: Recollection['groups']): KnownGroup | undefined {
  return groups.get(group.id) ?? (group.path === undefined ? groups.get(kindIdOf(group)) : undefined);
}

/** Tells what is new from what is always there. `length`: of the stretch that has the group, in milliseconds. */
export function noveltyOf(group: ErrorGroup, { looked, groups }: Recollection, length: number): Novelty {
  if (looked < LEAST_LOOKED) return undefined;
  const known = knownOf(group, groups);
  if (known === undefined) return 'new';
  const usual = (known.requests * length) / looked;
  return group.requests >= TIMES * usual && group.requests - usual >= MORE ? 'growing' : 'recurring';
}

/** True for a group that is news: with fewer than `least` requests it is one of the odd failures that there always are. */
export function isNews(
  { requests, novelty }: Pick<ErrorGroup, 'requests'> & { novelty: Novelty },
  least: number,
): boolean {
  return (novelty === 'growing' || novelty === 'new') && requests >= least;
}

/**
 * Kinds that were there until this stretch, often enough to be missed in it. Told once: in the next stretch they have been away
 * for one already. `there`: the ids of the kinds that there are.
 */
export function goneIn(
  { looked, groups }: Recollection,
  there: ReadonlySet<string>,
  { from, to }: { from: Date; to: Date },
): KnownGroup[] {
  const length = to.getTime() - from.getTime();
  if (looked < LEAST_LOOKED) return [];
  return [...groups.values()]
    .filter((known) => known.whole && !there.has(known.id))
    .filter(({ last }) => last >= from.getTime() - length)
    .filter(({ requests, first, last }) => (requests * length) / Math.max(length, last - first) >= EXPECTED)
    .sort((a, b) => b.requests - a.requests);
}
