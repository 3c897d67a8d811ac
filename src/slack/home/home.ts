import { heading, type Message, message, note } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import type { Actor, SeenPlace } from '../../operations/context.ts';
import { menuParts } from '../../operations/help.ts';
import type { AnyOperation } from '../../operations/operation.ts';
import { slash } from '../../own-name.ts';
import { explain } from '../conversation.ts';
import { keepUntilTaken } from '../later.ts';
import { whoIs } from '../people.ts';
import type { Bot, SlackUser } from '../services.ts';
import { plannedPart, subscriptionsPart, temporaryPart, troublePart, waitingPart } from './parts.ts';

export const HOME = 'home';

export async function showHome(services: Bot, person: SlackUser): Promise<void> {
  const { blocks } = await homeFor(services, person).catch((error: unknown) => explain(services, error));
  const { userId, teamId } = person;
  await services.outgoing
    .publishHome(userId, blocks)
    .catch((error: unknown) => keepUntilTaken(services, error, { kind: HOME, body: { userId, teamId } }));
}

export function permittedTo(
  { operations, policy }: Bot,
  actor: Actor,
  place: SeenPlace = { channelId: actor.id, external: false },
): AnyOperation[] {
  return operations.filter((one) => policy.decide(one, actor, place).allowed);
}

async function homeFor(services: Bot, person: SlackUser): Promise<Message> {
  const { actor, reader } = await whoIs(services, person);
  const permitted = permittedTo(services, actor);
  if (permitted.length === 0) return message('You may not use Edgewise in this workspace.');
  const open = await Promise.all([
    waitingPart(services, actor),
    plannedPart(services, actor),
    temporaryPart(services, actor),
    troublePart(services, actor),
  ]);
  const subscriptions = await subscriptionsPart(services, actor, reader);
  const isCalm = open.every((part) => part === undefined);
  return message(
    ...open,
    isCalm && note('All quiet: nothing waits for you, no change is planned or temporary, no incident is open.'),
    heading('Commands'),
    mrkdwn`*Edgewise* operates your edge platform. Type ${code(slash())} in any channel, or start here.`,
    ...menuParts(permitted),
    subscriptions,
  );
}
