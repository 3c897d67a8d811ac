import { chain, isCut, type Seen } from './audit-chain.ts';
import type { Database } from './database.ts';
import type { Seal } from './seal.ts';

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
  words: ReadonlyMap<number, SubscriptionWord>;
}

/** Reads the audit once, and from then on what is new in it: what is removed behind that changes nothing any more. */
export function createStanding(database: Database, seal: Seal): (seen: Seen | undefined) => Promise<Standing> {
  const words = new Map<number, SubscriptionWord>();
  let wholeSince: Date | undefined = new Date(0);
  let isBroken = false;
  let last: Seen | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  async function read(seen: Seen | undefined): Promise<Standing> {
    const { rows } = await database.execute('SELECT hash FROM audit WHERE number = :number', {
      number: last?.number ?? 0,
    });
    if (last !== undefined && rows[0]?.hash !== last.hash) return { wholeSince: undefined, words };
    for await (const { row, problem } of chain(database, seal, last?.number ?? 0)) {
      last = { number: Number(row.number), hash: String(row.hash) };
      if (problem === 'changed' || problem === 'unsigned') {
        isBroken = true;
        continue;
      }
      if (isBroken || problem === 'gap') wholeSince = new Date(Number(row.at));
      isBroken = false;
      const { subscription: word } = JSON.parse(String(row.content)) as { subscription?: SubscriptionWord };
      if (word !== undefined) words.set(word.id, word);
    }
    return { wholeSince: isCut(seen, last) || isBroken ? undefined : wholeSince, words };
  }

  return (seen) => {
    const reading = turn.then(() => read(seen));
    turn = reading.catch(() => undefined);
    return reading;
  };
}

/** Why a subscription is not as the bot left it, as the audit knows; undefined: it is. */
export function doubtOf(
  { wholeSince, words }: Standing,
  { id, version, createdAt }: { id: number; version: number; createdAt: Date },
): string | undefined {
  const word = words.get(id);
  if (word?.isEnded === true && version <= word.version) return 'has ended, as the audit says';
  if (word !== undefined && version < word.version) return 'is older than the audit says';
  return wholeSince === undefined || createdAt < wholeSince
    ? 'may have ended: the audit since it was made is not whole'
    : undefined;
}
