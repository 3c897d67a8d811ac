import type { Logger } from 'pino';
import { type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn, user } from '../blocks/mrkdwn.ts';
import type { Actor, Reader } from '../operations/context.ts';
import { type Confirmation, type ConfirmationState, NOT_SENT } from '../store/confirmations.ts';
import type { Reversal } from '../store/reversals.ts';
import type { Store } from '../store/store.ts';
import type { Ended } from './execute.ts';

/** Carries out the putting back that has been claimed already, as one's own undoing. */
export type PutBack = (confirmation: Confirmation, actor: Actor, reader: Reader) => Promise<Ended>;

/** What taking something back came to. `outcome.kind` is `done` only when it was put back. */
export interface TakenBack {
  original: Confirmation;
  outcome: Ended;
  /** For the one who made the change, when somebody else (or the clock) tried to take it back. */
  requester?: Message;
  /** For somebody else who changed it since, when it was left as they set it. */
  other?: { user: string; message: Message };
  /** For the channel, which was told that the clock would put it back: it did not, or nobody knows. */
  channel?: Message;
}

/** Takes back what can be taken back: by the Undo button, or by the clock. Only while the state is still the one that was made. */
export interface Undoing {
  /** Undefined: not this person's own change, so the ordinary way (preview, approval, confirmation) is the right one. */
  press(id: string, actor: Actor, reader: Reader): Promise<TakenBack | { refused: Message } | undefined>;
  /** The arguments that put a change back, while its time lasts. */
  givenOf(id: string): Promise<Record<string, string> | undefined>;
  /** Why a change cannot be taken back by its button, where there are no such arguments. */
  refusalOf(id: string): Promise<Message>;
  /** What is due by the clock. */
  due(reader: Reader): Promise<TakenBack[]>;
}

/** How often a putting back is begun whose process died each time before the request left. */
const ATTEMPTS = 5;
/** Entries of the audit that are looked through for who changed something since. */
const LOOKED_THROUGH = 50;
const UNDER_WAY: ReadonlySet<string> = new Set<ConfirmationState>(['asked', 'claimed', 'sent']);
const BY_HAND = 'Type the command that puts it back.';
const UNDER_WAY_WORDS = 'This is being put back right now. It is not done a second time.';
const attemptId = (id: string, attempt: number): string => `undo-${id}${attempt === 1 ? '' : `-${attempt}`}`;

/** Whether a confirmation is one by which something is taken back. */
export const isTakingBack = (id: string): boolean => id.startsWith('undo-');

export function createUndoing(services: { store: Store; carryOut: PutBack; log: Logger; now: () => Date }): Undoing {
  const { store, carryOut, log, now } = services;

  /**
   * A confirmation of its own, named after the change, so that it exists once whatever dies in between. One that certainly did
   * nothing is followed by another: never the same again, because a process that only slept may still believe that it has it.
   * Where a process died (`interrupted`), how its own attempt failed has been told: that one is not followed.
   */
  async function claimed(reversal: Reversal, original: Confirmation, actor: Actor, interrupted: boolean) {
    const { before, after } = original.preview;
    let there: Confirmation | undefined;
    let stopped = 0;
    for (let attempt = 1; stopped < ATTEMPTS; attempt += 1) {
      const { id } = await store.confirmations.ask({
        id: attemptId(original.id, attempt),
        operation: original.operation,
        given: reversal.given,
        target: original.target,
        // What is expected to be there is what the change made: anything else, and nothing is done.
        preview: { before: after, after: before ?? {} },
        actor: actor.id,
        team: actor.teamId,
        channel: original.channel,
        thread: original.thread,
      });
      const claim = await store.confirmations.claim(id, actor);
      if (claim !== undefined) return { claim };
      there = await store.confirmations.read(id);
      if (there?.state === 'expired' || there?.outcome === NOT_SENT) stopped += 1;
      else if (there?.state !== 'failed') break;
      else if (interrupted && (await store.confirmations.read(attemptId(original.id, attempt + 1))) === undefined)
        break;
    }
    return { there };
  }

  /** What became of the way back. It stays open where nothing was done: a right can come back, and a platform too. */
  async function settled(id: string, state: ConfirmationState | undefined): Promise<void> {
    if (state === 'failed') await store.reversals.reopen(id);
    else await store.reversals.settle(id, state === 'done' ? 'done' : 'failed');
  }

  /** Undefined: it is under way, or has come to an end that is told elsewhere. */
  async function takeBack(
    reversal: Reversal,
    original: Confirmation,
    actor: Actor,
    reader: Reader,
    interrupted = false,
  ): Promise<Ended | undefined> {
    const { claim, there } = await claimed(reversal, original, actor, interrupted);
    if (claim !== undefined) {
      const outcome = await carryOut(claim, actor, reader);
      const state = outcome.kind === 'done' ? outcome.kind : (await store.confirmations.read(claim.id))?.state;
      await settled(original.id, state);
      return outcome;
    }
    if (there === undefined || UNDER_WAY.has(there.state)) return undefined;
    if (there.outcome !== NOT_SENT) {
      await settled(original.id, there.state);
      return undefined;
    }
    await store.reversals.settle(original.id, 'failed');
    return { kind: 'not-done', message: message('It was begun several times, and Edgewise stopped each time.') };
  }

  /** Whoever changed it after that, as far as it was changed from here: theirs is what stays, and they are told. */
  async function otherThan(original: Confirmation, outcome: Ended): Promise<TakenBack['other']> {
    if (outcome.kind !== 'not-done') return undefined;
    const { operation, target, actor } = original;
    for (const entry of await store.audit.list({ operation, target, limit: LOOKED_THROUGH })) {
      if (entry.confirmation === original.id) return undefined;
      if (entry.target !== target || entry.outcome !== 'done' || entry.actor === actor) continue;
      const text = mrkdwn`Your ${code(operation)} on ${code(target)} stays: what ${user(actor)} had set before was to be put back, and was not.`;
      return { user: entry.actor, message: message(text) };
    }
    return undefined;
  }

  /** What the clock was said to put back and did not. What somebody has changed since needs no word: they were seen to. */
  async function unkept({ operation, target, actor }: Confirmation, outcome: Ended): Promise<Message | undefined> {
    if (outcome.kind === 'done') return undefined;
    const id = outcome.confirmation?.id;
    const attempt = id === undefined ? undefined : await store.confirmations.read(id);
    if (attempt?.state === 'refused') return undefined;
    const end = outcome.kind === 'unknown' ? 'may not have been put back' : mrkdwn`was *not* put back`;
    return message(
      mrkdwn`:warning: The time is over, but ${code(operation)} on ${code(target)} ${end}.`,
      note(mrkdwn`${user(actor)} was told why. ${BY_HAND}`),
    );
  }

  /** By the clock, or for somebody whose process died. */
  async function putBack(
    { interrupted, ...reversal }: Reversal & { interrupted: boolean },
    reader: Reader,
  ): Promise<TakenBack | undefined> {
    const original = await store.confirmations.read(reversal.confirmation);
    if (original === undefined) {
      log.error({ confirmation: reversal.confirmation }, 'a change that is due to be put back is not known');
      await store.reversals.settle(reversal.confirmation, 'failed');
      return undefined;
    }
    const actor: Actor = { id: original.actor, teamId: original.team, kind: 'member' };
    const outcome = await takeBack(reversal, original, actor, reader, interrupted);
    if (outcome === undefined) return undefined;
    const what = mrkdwn`${code(original.operation)} on ${code(original.target)}`;
    const isDue = reversal.dueAt !== undefined && reversal.dueAt <= now();
    const why = isDue ? 'The time is over' : 'Edgewise had stopped while it put something back for you';
    const other = await otherThan(original, outcome);
    const channel = isDue ? await unkept(original, outcome) : undefined;
    return {
      original,
      outcome,
      ...(other === undefined ? {} : { other }),
      ...(channel === undefined ? {} : { channel }),
      requester: message(
        outcome.kind === 'done'
          ? mrkdwn`${why}: ${what} was put back.`
          : outcome.kind === 'unknown'
            ? mrkdwn`${why}. Whether ${what} was put back is not certain.`
            : mrkdwn`${why}, but ${what} was *not* put back.`,
        outcome.kind !== 'done' && outcome.message,
      ),
    };
  }

  async function refusalOf(id: string): Promise<Message> {
    const state = (await store.reversals.read(id))?.state;
    if (state === 'claimed') return message(UNDER_WAY_WORDS);
    if (state === 'done') return message('It was put back already. It is not done a second time.');
    const tried = state === 'failed' && (await store.confirmations.read(attemptId(id, 1))) !== undefined;
    return message(
      tried ? 'Putting it back was tried already, and is not tried again.' : 'The time for undoing is over.',
      note(BY_HAND),
    );
  }

  return {
    async press(id, actor, reader) {
      const original = await store.confirmations.read(id);
      if (original === undefined) return { refused: message('This change is not known any more.', note(BY_HAND)) };
      if (original.actor !== actor.id || original.team !== actor.teamId) return undefined;
      const reversal = await store.reversals.claim(id);
      if (reversal === undefined) return { refused: await refusalOf(id) };
      const outcome = await takeBack(reversal, original, actor, reader);
      if (outcome === undefined) return { refused: message(UNDER_WAY_WORDS) };
      const other = await otherThan(original, outcome);
      return { original, outcome, ...(other === undefined ? {} : { other }) };
    },

    refusalOf,

    async givenOf(id) {
      const kept = await store.reversals.read(id);
      return kept?.state === 'open' && kept.undoUntil > now() ? kept.given : undefined;
    },

    async due(reader) {
      const ends: TakenBack[] = [];
      for (const reversal of await store.reversals.due()) {
        try {
          const end = await putBack(reversal, reader);
          if (end !== undefined) ends.push(end);
        } catch (error) {
          // The others are put back all the same; this one is handed out again.
          log.error({ err: error, confirmation: reversal.confirmation }, 'what is due could not be put back');
        }
      }
      return ends;
    },
  };
}
