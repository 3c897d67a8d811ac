import { BUTTONS, button, PLAN } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { bold, code, moment, mrkdwn } from '../blocks/mrkdwn.ts';
import type { AnyOperation, ChangeWords, Given, State, StatedChange } from '../operations/operation.ts';
import { label } from '../own-name.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Services } from './services.ts';

/** How the detail of the audit’s entry begins for what the clock or a watch did. */
export const BY_ITSELF = 'by Edgewise, as asked';

/** The detail of the audit entry of a planned change. */
export const plannedFor = ({ due }: Confirmation): string => `for ${due?.toISOString()}`;

export const wordsFor = (operation: AnyOperation, change: StatedChange): ChangeWords =>
  labelled(operation.words?.(change) ?? wordsOfName(operation.name, change.target));

function labelled(words: ChangeWords): ChangeWords {
  const own = label();
  if (own === undefined) return words;
  return { ...words, title: mrkdwn`${bold(own)}: ${words.title}`, done: mrkdwn`${words.done} (${bold(own)})` };
}

/** The words for a stored change. If what was asked is no longer known, its command and target. */
export function wordsOf(
  services: Services,
  stored: Pick<Confirmation, 'operation' | 'target' | 'given' | 'preview' | 'due' | 'emptied' | 'unreadable'>,
): ChangeWords {
  const { operation: name, target, given, preview, due, emptied, unreadable } = stored;
  const operation = services.operations.find((one) => one.name === name);
  if (operation === undefined || emptied === true || unreadable === true) return labelled(wordsOfName(name, target));
  const { before, after } = preview as { before?: State; after: State };
  const words = wordsFor(operation, { target, given, before, after });
  if (due !== undefined) return { ...words, button: PLAN };
  return preview.worsens !== undefined ? { ...words, button: `${words.button} anyway` } : words;
}

export const undoWordsOf = (services: Services, change: Confirmation, given: Given): ChangeWords => {
  const { before, after } = change.preview;
  return wordsOf(services, { ...change, given, preview: { before: after, after: before ?? {} } });
};

const wordsOfName = (name: string, target: string): ChangeWords => ({
  button: BUTTONS.confirm.label,
  title: mrkdwn`${code(name)} on ${code(target)}`,
  done: mrkdwn`ran ${code(name)} on ${code(target)}`,
});

/** Why it cannot be run any more, with *Ask again* if nothing was done. */
export function stateMessage(services: Services, confirmation: Confirmation): Message {
  const { title } = wordsOf(services, confirmation);
  const isThere = services.operations.some(({ name }) => name === confirmation.operation);
  const again = confirmation.unreadable
    ? note('Repeat the command.')
    : isThere && actions(button(BUTTONS.askAgain, confirmation.id));
  const back = confirmation.undoes === undefined ? '' : ', undoing it';
  switch (confirmation.state) {
    case 'done':
      return message(mrkdwn`Already done: ${title}. I didn’t do it again.`);
    case 'undone':
      return message(mrkdwn`Done and undone: ${title}. I didn’t do it again.`, again);
    case 'cancelled':
      return message(mrkdwn`Cancelled${back}: ${title}. Nothing was done.`, again);
    case 'planned':
      return message(
        mrkdwn`Planned for ${moment(confirmation.due!)}: ${title}.`,
        actions(button(BUTTONS.cancel, confirmation.id)),
      );
    case 'claimed':
    case 'sent':
      return message(mrkdwn`Being done right now: ${title}. I won’t do it twice.`);
    case 'unknown':
      return message(
        mrkdwn`Outcome unknown: ${title}. I won’t send it twice.`,
        note('Check the platform, then repeat the command if it is still needed.'),
        again,
      );
    case 'failed':
    case 'refused':
    case 'overtaken':
    case 'withdrawn':
      return message(mrkdwn`Not done${back}: ${title}: ${confirmation.outcome ?? 'it was refused'}.`, again);
    case 'rejected':
      return message(mrkdwn`Rejected: ${title}. Nothing was done.`, again);
    default:
      return message(mrkdwn`Expired${back}: ${title}. Nothing was done.`, again);
  }
}
