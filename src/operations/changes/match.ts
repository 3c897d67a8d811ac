import type { StoredAuditEntry } from '../../store/audit-entry.ts';
import { MINUTE } from '../../time.ts';

/** In milliseconds: between the clocks of the bot and the platform, with the time of a request. */
export const TOLERANCE = 3 * MINUTE;

/** A change that the bot made. */
export type Ours = Pick<StoredAuditEntry, 'at' | 'operation' | 'target' | 'preview'>;

/** A change that the platform’s audit has. */
export interface Theirs {
  at: Date;
  /** Undefined: the platform does not say. */
  actor?: string | undefined;
  /** How a target of the bot names what was changed: `(1001)`. */
  names: readonly string[];
  /** If a command makes that change. */
  as?: { operation: string; target: string; after: Readonly<Record<string, unknown>> } | undefined;
}

/** Two changes of the same thing, or of something without a name, at the same time. Nearest first. */
function pairsOf(ours: readonly Ours[], theirs: readonly Theirs[]) {
  /** `fits`: they may be the same change. */
  const pairs: { our: Ours; their: Theirs; away: number; fits: boolean }[] = [];
  for (const our of ours)
    for (const their of theirs) {
      const away = Math.abs(our.at.getTime() - their.at.getTime());
      if (away > TOLERANCE) continue;
      const isNamed = their.names.some((name) => our.target.includes(name));
      const fits = their.as === undefined ? isNamed : isSame(our, their.as);
      if (fits || isNamed || their.names.length === 0) pairs.push({ our, their, away, fits });
    }
  return pairs.sort((one, other) => one.away - other.away);
}

const isSame = ({ operation, target, preview: { after } = { after: {} } }: Ours, as: NonNullable<Theirs['as']>) =>
  as.operation === operation &&
  as.target === target &&
  Object.entries(as.after).every(([key, value]) => !(key in after) || after[key] === value);

/** The platform does not say which actor a key is: it is the one at most of the bot’s changes. */
function actorOf(pairs: ReturnType<typeof pairsOf>): string | undefined {
  const seen = new Map<string, Set<Ours>>();
  for (const { our, their, fits } of pairs)
    if (fits && their.actor) seen.set(their.actor, (seen.get(their.actor) ?? new Set()).add(our));
  const [most, next] = [...seen].sort(([, one], [, other]) => other.size - one.size);
  return most !== undefined && most[1].size >= 2 && most[1].size > (next?.[1].size ?? 0) ? most[0] : undefined;
}

/** `ours`: which of theirs the bot made, with its own change. `actor`: of its key, once two changes have shown it. */
export function matched(ours: readonly Ours[], theirs: readonly Theirs[]) {
  const pairs = pairsOf(ours, theirs);
  const actor = actorOf(pairs);
  // If a command is recognised here, an entry in other words could be the bot’s only by its actor.
  const recognised = new Set(theirs.map(({ as }) => as?.operation));
  const mayBe = (our: Ours, their: Theirs) =>
    actor === undefined ? their.as !== undefined || !recognised.has(our.operation) : their.actor === actor;
  const found = new Map<Theirs, Ours>();
  const taken = new Set<Ours>();
  // Each change of the bot is one of theirs, so that the same by somebody else stays theirs.
  for (const pair of pairs)
    if (pair.fits && mayBe(pair.our, pair.their) && !found.has(pair.their) && !taken.has(pair.our)) {
      found.set(pair.their, pair.our);
      taken.add(pair.our);
    }
  // What the bot’s key did to the same thing is part of its change.
  for (const { our, their } of pairs)
    if (actor !== undefined && their.actor === actor && !found.has(their)) found.set(their, our);
  return { ours: found, actor };
}
