import type { Logger } from 'pino';
import { type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn } from '../blocks/mrkdwn.ts';
import type { Actor, Reader } from '../operations/operation.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Reversal } from '../store/reversals.ts';
import type { Store } from '../store/store.ts';
import type { Outcome } from './run-operation.ts';

/** Carries out a confirmation that has been claimed already: the one path by which anything is changed. */
export type CarryOut = (confirmation: Confirmation, actor: Actor, reader: Reader) => Promise<Outcome>;

/** What taking something back came to. `outcome.kind` is `done` only when it was put back. */
export interface TakenBack {
  original: Confirmation;
  outcome: Outcome;
  /** For the one who made the change, when somebody else (or the clock) tried to take it back. */
  requester?: Message;
}

/** Takes back what can be taken back: by the Undo button, or by the clock. Only while the state is still the one that was made. */
export interface Undoing {
  /** Undefined: not this person's own change, so the ordinary way (preview, approval, confirmation) is the right one. */
  press(id: string, actor: Actor, reader: Reader): Promise<TakenBack | { refused: Message } | undefined>;
  /** The arguments that put a change back, while its time lasts. */
  givenOf(id: string): Promise<Record<string, string> | undefined>;
  /** What is due by the clock. */
  due(reader: Reader): Promise<TakenBack[]>;
}

export function createUndoing(services: { store: Store; carryOut: CarryOut; log: Logger; now: () => Date }): Undoing {
  const { store, carryOut, log, now } = services;

  /** A confirmation of its own, named after the change, so that it exists once whatever dies in between. */
  async function takeBack(reversal: Reversal, original: Confirmation, actor: Actor, reader: Reader): Promise<Outcome> {
    const { before, after } = original.preview;
    const asked = await store.confirmations.ask({
      id: `undo-${original.id}`,
      operation: original.operation,
      given: reversal.given,
      target: original.target,
      // What is expected to be there is what the change made: anything else, and nothing is done.
      preview: { before: after, after: before ?? {} },
      actor: actor.id,
      team: actor.teamId,
      channel: original.channel,
      ...(original.thread === undefined ? {} : { thread: original.thread }),
    });
    const claimed = await store.confirmations.claim(asked.id, actor);
    if (claimed === undefined) {
      const there = (await store.confirmations.read(asked.id)) ?? asked;
      return {
        kind: there.state === 'done' ? 'not-done' : 'unknown',
        confirmation: there,
        message: message(
          there.state === 'done'
            ? 'It was put back already.'
            : `Putting it back did not end well: ${there.outcome ?? there.state}.`,
        ),
      };
    }
    const outcome = await carryOut(claimed, actor, reader);
    await store.reversals.settle(original.id, outcome.kind === 'done' ? 'done' : 'failed');
    return outcome;
  }

  return {
    async press(id, actor, reader) {
      const original = await store.confirmations.read(id);
      if (original === undefined)
        return { refused: message('This change is not known any more.', note('Type the command that puts it back.')) };
      if (original.actor !== actor.id || original.team !== actor.teamId) return undefined;
      const reversal = await store.reversals.claim(id);
      if (reversal === undefined) {
        const kept = await store.reversals.read(id);
        const taken = kept?.state === 'done';
        return {
          refused: message(
            taken ? 'It was put back already.' : 'The time for undoing is over.',
            note('Type the command that puts it back.'),
          ),
        };
      }
      return { original, outcome: await takeBack(reversal, original, actor, reader) };
    },

    async givenOf(id) {
      const kept = await store.reversals.read(id);
      return kept?.state === 'open' && kept.undoUntil > now() ? kept.given : undefined;
    },

    async due(reader) {
      const found = await store.reversals.due();
      const ends: TakenBack[] = [];
      for (const reversal of found) {
        const original = await store.confirmations.read(reversal.confirmation);
        if (original === undefined) {
          log.error({ confirmation: reversal.confirmation }, 'a change that is due to be put back is not known');
          await store.reversals.settle(reversal.confirmation, 'failed');
          continue;
        }
        const actor: Actor = { id: original.actor, teamId: original.team, kind: 'member' };
        const outcome = await takeBack(reversal, original, actor, reader);
        const what = mrkdwn`${code(original.operation)} on ${code(original.target)}`;
        ends.push({
          original,
          outcome,
          requester:
            outcome.kind === 'done'
              ? message(mrkdwn`The time is over: ${what} was put back.`)
              : message(
                  mrkdwn`The time is over, but ${what} was *not* put back.`,
                  outcome.kind === 'retype' ? undefined : { ...outcome.message },
                ),
        });
      }
      return ends;
    },
  };
}
