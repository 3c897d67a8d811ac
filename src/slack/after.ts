import { BUTTONS, commandButton, undoButton } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { bold, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { afterLine, isChangedSince, lookAfter, WATCH_FOR, worseWords, zoneOf } from '../changes/after.ts';
import { isWatched, operationNamed } from '../changes/context.ts';
import { refusalNow, spokenOf, subjectsOf } from '../changes/permission.ts';
import { undoWordsOf } from '../changes/words.ts';
import { logged } from '../errors.ts';
import { wordsFor } from '../operations/arguments/resources/look-up.ts';
import { troubleOf } from '../operations/now.ts';
import { showStats } from '../operations/stats/show.ts';
import { hoursAt, isUnlogged } from '../reports/minutes-after.ts';
import type { ReadHours } from '../reports/statistics-watch/counts.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { MINUTE } from '../time.ts';
import { keepForLater } from './later.ts';
import type { Posted } from './out/outgoing.ts';
import type { Bot } from './services.ts';
import { sayOfChange } from './to-everybody.ts';
import { addToOutcome, endUndoLater } from './undo-ends.ts';

export const AFTER = 'after';

interface AfterBody extends Posted, Pick<Message, 'text' | 'blocks'> {
  id: string;
  /** When it was changed, in Unix milliseconds. */
  at: number;
  /** The last hours as they were at the change. */
  first?: ReadHours | undefined;
  /** How many looks there were before this one; 0 at the change itself. */
  look: number;
}

/** Schedules the line about the ten minutes after a change, once. Never throws. */
export async function tellAfterLater(services: Bot, change: Confirmation, { text, blocks }: Message, posted: Posted) {
  const operation = operationNamed(services, change.operation);
  const isOfZone = operation && subjectsOf(operation).some((subject) => subject === 'zone' || subject === 'script');
  // If something else completes the change, visitors feel only that.
  if (!isOfZone || operation.completedBy !== undefined) return;
  const body: AfterBody = { ...posted, id: change.id, at: services.now().getTime(), look: 0, text, blocks };
  await keepForLater(services, { kind: AFTER, key: change.id, body, delay: 0 }).catch(
    logged(services.log, 'error', 'the ten minutes after a change will not be told'),
  );
}

/** Throws errors of Slack. */
export async function tellAfter(services: Bot, given: Readonly<Record<string, unknown>>): Promise<void> {
  const body = given as unknown as AfterBody;
  const { id, at, look } = body;
  const signal = AbortSignal.timeout(MINUTE);
  const changed = await zoneOf(services, id, signal);
  // A change that was undone meanwhile is reported by its undo.
  if (changed?.confirmation.state !== 'done') return;
  const { confirmation, operation, zone } = changed;
  // The line has statistics, so the channel has to be one where its requester may show them.
  const names = zone && { zone: [wordsFor(zone)] };
  const reading = { ...spokenOf(confirmation), operation: showStats.name, names };
  if ((await refusalNow(services, reading, body.channel)) !== undefined) return;
  const again = (delay: number, first = body.first) => {
    const next: AfterBody = { ...body, first, look: look + 1 };
    return keepForLater(services, { kind: AFTER, key: `${id}:${next.look}`, body: next, delay });
  };
  if (look === 0) {
    const first = zone && (await hoursAt({ ...services, signal }, zone.Id, at));
    // For a watched change, after the last look.
    return again(at + WATCH_FOR + MINUTE / 4 - services.now().getTime(), first);
  }
  const looked = changed.unread
    ? changed
    : await lookAfter(services, operation, { zone: changed.zone.Id, at, first: body.first }, signal);
  // A log that is late, or cannot be read now.
  if ('unread' in looked && !isUnlogged(looked.unread) && look < 3) return again(4 * MINUTE);
  const undo = await addToOutcome(services, confirmation, body, afterLine(looked, operation, zone));
  const name = zone?.Name ?? confirmation.target;
  const isWatching = isWatched(operation, confirmation.given);
  const say = async (told: Message) => {
    const said = await sayOfChange(services, confirmation, { channel: body.channel, thread: body.thread }, told);
    await endUndoLater(services, confirmation, { ...told, channel: said.channel, ts: said.ts });
  };
  if ('unread' in looked) {
    const why = mrkdwn`⚠️ ${user(confirmation.actor)}, I could not watch ${bold(name)}: ${looked.unread.message}`;
    return isWatching ? say(message(why, note('I undid nothing. Check it yourself.'))) : undefined;
  }
  if (looked.worse.length === 0 || changed.zone === undefined) return;
  const isFailing = looked.worse.includes('5xx');
  const kept = isWatching && isFailing && (await isChangedSince(services, changed.zone.Id, id, at));
  await say(
    message(
      mrkdwn`⚠️ ${user(confirmation.actor)}, ${bold(name)} was worse in the ten minutes after this change: ${worseWords(looked)}.`,
      // It may have another cause.
      ...(await troubleOf({ zone: [[String(changed.zone.Id)]] }, changed.context)).parts,
      actions(
        undo && undoButton(BUTTONS.undo, undoWordsOf(services, confirmation, undo).title, confirmation.id),
        isFailing
          ? commandButton(`Errors of ${name}`, `errors show ${changed.zone.Id}`)
          : commandButton('Statistics', `stats show ${changed.zone.Id} --from 6h --hourly`),
      ),
      kept && note('I did not undo it: something else on this zone has changed since, or may have.'),
    ),
  );
}
