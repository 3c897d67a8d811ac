import { DAY } from '../time.ts';
import { chain, isCut, isOther, newestKnown, type Seen } from './audit-chain.ts';
import { type AuditStart, startOf } from './audit-start.ts';
import type { Database } from './database.ts';
import { isGenuine } from './protection.ts';
import type { Seal } from './seal.ts';

/** How long a subscription that has ended is kept, in milliseconds. */
export const ENDED_FOR = 60 * DAY;

/** A word of the audit about a subscription: the version that it came to, with which it may have ended. */
export interface SubscriptionWord {
  id: number;
  version: number;
  isEnded?: true;
}

/** The words of the audit about subscriptions, and how far they can be believed. */
export interface Standing {
  /** Nothing in it was changed or removed since then. Undefined: its newest entries are gone. */
  wholeSince: Date | undefined;
  /** The last word about each, by its id. */
  words: ReadonlyMap<number, SubscriptionWord & { at: number }>;
  /** Of those with an id up to this one, the ones without a word have ended: an entry that was removed had the word. */
  upTo: number;
}

/** Reads the audit once, and from then on what is new in it: what is removed behind that changes nothing any more. */
export function createStanding(database: Database, seal: Seal): (seen: Seen | undefined) => Promise<Standing> {
  const words = new Map<number, SubscriptionWord & { at: number }>();
  let wholeSince: Date | undefined = new Date(0);
  let isBroken = false;
  let last: Seen | undefined;
  let upTo = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function read(seen: Seen | undefined): Promise<Standing> {
    const known = await newestKnown(database, seen);
    if (last === undefined) {
      const living = (await startOf(database, seal))?.living;
      upTo = living?.upTo ?? 0;
      for (const [id, version] of Object.entries(living?.versions ?? {}))
        words.set(Number(id), { id: Number(id), version, at: 0 });
    } else {
      const { rows } = await database.execute('SELECT hash FROM audit WHERE number = :number', { number: last.number });
      if (rows[0]?.hash !== last.hash) return { wholeSince: undefined, words, upTo };
    }
    for await (const { row, problem } of chain(database, seal, last?.number ?? 0)) {
      last = { number: Number(row.number), hash: String(row.hash) };
      if (problem === 'changed' || problem === 'unsigned' || isOther(known, row)) {
        isBroken = true;
        continue;
      }
      if (isBroken || problem === 'gap') wholeSince = new Date(Number(row.at));
      isBroken = false;
      const { subscription: word } = JSON.parse(String(row.content)) as { subscription?: SubscriptionWord };
      if (word !== undefined) words.set(word.id, { ...word, at: Number(row.at) });
    }
    return { wholeSince: isCut(known, last) || isBroken ? undefined : wholeSince, words, upTo };
  }

  return (seen) => {
    const reading = turn.then(() => read(seen));
    turn = reading.catch(() => undefined);
    return reading;
  };
}

/** Why a subscription is not as the bot left it, as the audit knows; undefined: it is. */
export function doubtOf(
  { wholeSince, words, upTo }: Standing,
  { id, version, createdAt }: { id: number; version: number; createdAt: Date },
): string | undefined {
  const word = words.get(id);
  if (word === undefined ? id <= upTo : word.isEnded === true && version <= word.version)
    return 'has ended, as the audit says';
  if (word !== undefined && version < word.version) return 'is older than the audit says';
  return wholeSince === undefined || createdAt < wholeSince
    ? 'may have ended: the audit since it was made is not whole'
    : undefined;
}

/** The subscriptions that go on, noted when the words of the audit about them are removed. */
export async function livingIn(database: Database, seal: Seal, standing: Standing): Promise<AuditStart['living']> {
  const { rows } = await database.execute('SELECT * FROM subscriptions ORDER BY id');
  const versions = new Map<number, number>();
  for (const row of rows) {
    const one = { id: Number(row.id), version: Number(row.version), createdAt: new Date(Number(row.created_at)) };
    if (row.state !== 'ended' && isGenuine(seal, 'subscriptions', row) && doubtOf(standing, one) === undefined)
      versions.set(one.id, one.version);
  }
  // Also one whose row is missing: it goes on being missed.
  for (const { id, version, isEnded } of standing.words.values())
    if (isEnded !== true) versions.set(id, Math.max(version, versions.get(id) ?? 0));
  return { upTo: Math.max(standing.upTo, ...rows.map(({ id }) => Number(id))), versions: Object.fromEntries(versions) };
}
