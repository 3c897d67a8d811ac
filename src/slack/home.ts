import { commandButton } from '../blocks/buttons.ts';
import { actions, type Message, message } from '../blocks/message.ts';
import { code, mrkdwn } from '../blocks/mrkdwn.ts';
import type { AnyOperation } from '../operations/operation.ts';

/** The Home tab: what this person may run, a button each. */
export function homeOf(permitted: readonly AnyOperation[]): Message {
  const typeable = permitted.filter((operation) => operation.offeredBy === undefined);
  if (typeable.length === 0) return message('You may not use Edgewise in this workspace.');
  const nouns = [...new Set(typeable.map((operation) => operation.name.split(' ')[0]!))];
  return message(
    mrkdwn`*Edgewise* operates your edge platform. Type ${code('/edge')} in any channel, or start here.`,
    ...nouns.map((noun) =>
      actions(
        ...typeable
          .filter((operation) => operation.name.split(' ')[0] === noun)
          .map((operation) => commandButton(operation.name, operation.name)),
      ),
    ),
  );
}
