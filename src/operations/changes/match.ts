import { MINUTE } from '../../time.ts';

/** In milliseconds: between the clocks of the bot and the platform, with the time of a request. */
export const TOLERANCE = 3 * MINUTE;

/** A change that the bot made. */
export interface Ours {
  /** Unix milliseconds. */
  at: number;
  operation: string;
  target: string;
  after?: Readonly<Record<string, unknown>> | undefined;
}

/** A change that the platform’s audit has. */
export interface Theirs {
  at: number;
  /** Undefined: the platform does not say. */
  actor?: string | undefined;
  /** How a target of the bot names what was changed: `(1001)`. */
  names: readonly string[];
  /** If a command makes that change. */
  as?: Pick<Ours, 'operation' | 'target' | 'after'> | undefined;
}

/** Which changes of the platform’s audit the bot made: for each of them the index of its own change. */
export interface Matched {
  ours: ReadonlyMap<number, number>;
  /** The actor of the bot’s key, once two changes have shown it. */
  actor: string | undefined;
}

/** For each of ours, the indexes of theirs at that time, oldest first. */
function nearEach(ours: readonly Ours[], theirs: readonly Theirs[]): number[][] {
  const sorted = [...theirs.keys()].sort((one, other) => theirs[one]!.at - theirs[other]!.at);
  const firstFrom = (at: number) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (theirs[sorted[middle]!]!.at < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return ours.map(({ at }) => sorted.slice(firstFrom(at - TOLERANCE), firstFrom(at + TOLERANCE + 1)));
}

const isNamed = ({ target }: Ours, { names }: Theirs) => names.some((name) => target.includes(name));

function isSame({ operation, target, after = {} }: Ours, { as }: Theirs): boolean {
  if (as === undefined || as.operation !== operation || as.target !== target) return false;
  return Object.entries(as.after ?? {}).every(([key, value]) => !(key in after) || after[key] === value);
}

/** The actor with most changes that can be nobody else’s. The description of the platform does not say who a key is. */
function actorOf(ours: readonly Ours[], theirs: readonly Theirs[], near: readonly number[][]): string | undefined {
  const votes = new Map<string, number>();
  for (const [index, one] of ours.entries()) {
    const fits = near[index]!.map((at) => theirs[at]!).filter((other) =>
      other.as ? isSame(one, other) : isNamed(one, other),
    );
    const actors = new Set(fits.map(({ actor }) => actor));
    const [only] = actors;
    if (actors.size === 1 && only !== undefined) votes.set(only, (votes.get(only) ?? 0) + 1);
  }
  const [first, second] = [...votes].sort(([, one], [, other]) => other - one);
  return first !== undefined && first[1] >= 2 && first[1] > (second?.[1] ?? 0) ? first[0] : undefined;
}

/** Each change of the bot is one of theirs at most, so that the same by somebody else stays theirs. */
export function matched(ours: readonly Ours[], theirs: readonly Theirs[]): Matched {
  const near = nearEach(ours, theirs);
  const actor = actorOf(ours, theirs, near);
  const found = new Map<number, number>();
  const taken = new Set<number>();
  const order = [...ours.keys()].sort((one, other) => ours[one]!.at - ours[other]!.at);
  const isKeys = (other: Theirs) => actor === undefined || other.actor === actor;
  const pair = (fits: (one: Ours, other: Theirs) => boolean) => {
    for (const index of order) {
      const one = ours[index]!;
      if (taken.has(index)) continue;
      const open = near[index]!.filter((at) => !found.has(at) && isKeys(theirs[at]!) && fits(one, theirs[at]!));
      const away = (at: number) => Math.abs(one.at - theirs[at]!.at);
      // While its actor is unknown the nearest is most probably it. Else none may be left over, so the oldest.
      const [best] = actor === undefined ? open.sort((a, b) => away(a) - away(b)) : open;
      if (best === undefined) continue;
      found.set(best, index);
      taken.add(index);
    }
  };
  pair(isSame);
  // Of commands that are recognised here, only the actor could tell that it is another entry.
  const recognised = new Set(theirs.map(({ as }) => as?.operation));
  const isOpen = ({ operation }: Ours) => actor !== undefined || !recognised.has(operation);
  pair((one, other) => other.as === undefined && isOpen(one) && isNamed(one, other));
  // What the bot’s key did to the same thing is part of its change. Without a name there is only the time.
  for (const index of actor === undefined ? [] : order)
    for (const at of near[index]!) {
      const other = theirs[at]!;
      const isPart = other.names.length === 0 || isNamed(ours[index]!, other);
      if (!found.has(at) && other.actor === actor && isPart) found.set(at, index);
    }
  return { ours: found, actor };
}
