import { BUTTONS } from '../blocks/buttons.ts';
import { code, mrkdwn } from '../blocks/mrkdwn.ts';
import type { Given } from '../operations/argument.ts';
import type { AnyOperation, ChangeWords, State, StatedChange } from '../operations/operation.ts';
import type { Confirmation } from '../store/confirmations.ts';
import type { Services } from './services.ts';

export const wordsFor = (operation: AnyOperation, change: StatedChange): ChangeWords =>
  operation.words?.(change) ?? wordsOfName(operation.name, change.target);

/** The words for a stored change; its command and its target where nobody knows any more what was asked for. */
export function wordsOf(
  services: Services,
  { operation: name, target, given, preview, emptied, unreadable }: Confirmation,
): ChangeWords {
  const operation = services.operations.find((one) => one.name === name);
  if (operation === undefined || emptied === true || unreadable === true) return wordsOfName(name, target);
  const { before, after } = preview as { before?: State; after: State };
  return wordsFor(operation, { target, given, before, after });
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
