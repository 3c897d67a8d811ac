import { commandButton } from '../blocks/buttons.ts';
import { actions, type Message, message } from '../blocks/message.ts';
import { code, mrkdwn } from '../blocks/mrkdwn.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { explain } from './conversation.ts';
import { whoIs } from './people.ts';
import type { SlackServices, SlackUser } from './services.ts';

/** Somebody looks at the Home tab: it is made for them, by their rights as they are now. */
export async function showHome(services: SlackServices, person: SlackUser): Promise<void> {
  const shown = await homeFor(services, person).catch((error: unknown) => explain(services, error));
  await services.outgoing.publishHome(person.userId, shown.blocks);
}

async function homeFor(services: SlackServices, person: SlackUser): Promise<Message> {
  const { operations, policy } = services;
  const { actor, reader } = await whoIs(services, person);
  const permitted = operations.filter((one) => policy.decide(one, actor, { channelId: actor.id }).allowed);
  const more = permitted.length === 0 ? undefined : await services.onHome(reader);
  return message(homeOf(permitted), more);
}

/** A button for each of these operations. */
function homeOf(permitted: readonly AnyOperation[]): Message {
  const typeable = permitted.filter((operation) => operation.offeredBy === undefined);
  if (typeable.length === 0) return message('You may not use Edgewise in this workspace.');
  const nounOf = ({ name }: AnyOperation) => name.split(' ')[0];
  const nouns = [...new Set(typeable.map(nounOf))];
  return message(
    mrkdwn`*Edgewise* operates your edge platform. Type ${code('/edge')} in any channel, or start here.`,
    ...nouns.map((noun) =>
      actions(
        ...typeable.filter((operation) => nounOf(operation) === noun).map(({ name }) => commandButton(name, name)),
      ),
    ),
  );
}
