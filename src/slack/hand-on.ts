import { createHash } from 'node:crypto';
import { commandButton } from '../blocks/buttons.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { code, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { decisionFor } from '../changes/context.ts';
import { whomToAsk } from '../changes/permission.ts';
import { entryOf } from '../changes/record.ts';
import { noted } from '../interaction.ts';
import type { Actor } from '../operations/context.ts';
import { readCommand } from '../operations/grammar.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { NOT_YET, rarely } from '../store/audit.ts';
import { DAY } from '../time.ts';
import { answer } from './approval.ts';
import type { Origin, SlackServices } from './services.ts';

/** So often a day somebody hands on what they may not do. */
const MOST_A_DAY = 3;
/** Finding out who may do it has so long, in milliseconds. */
const PATIENCE = 5_000;

/** `Ask ada to do it`, under a refusal: whoever may do it gets the command, filled in, and decides. Throws UsageError. */
export async function handOn(services: SlackServices, line: string, origin: Origin, actor: Actor): Promise<void> {
  const { store, now, outgoing } = services;
  const { operation, given } = readCommand(line, services.operations);
  const place = await services.seePlace(origin.place);
  const signal = AbortSignal.timeout(PATIENCE);
  const whom = whomToAsk(await decisionFor(services, operation, given, { actor, place, signal }), actor);
  if (whom === undefined)
    return answer(services, origin, message('Nobody else has to do it.', actions(commandButton('Run it again', line))));
  // The line itself may hold what the audit does not keep.
  const print = createHash('sha256').update(`${whom} ${line}`).digest('hex').slice(0, 8);
  const detail = `asked ${whom} (${print})`;
  const outcome = 'handed on';
  const entry = entryOf({ operation, actor, channel: place.channelId, target: '', given, outcome, detail });
  if ((await store.audit.take(entry, { where: `${rarely(MOST_A_DAY)} AND ${NOT_YET}` })) === undefined) {
    const since = new Date(now().getTime() - DAY);
    const before = await store.audit.list({ actor: actor.id, outcome, since, limit: MOST_A_DAY });
    if (before.some((one) => one.detail === detail))
      return answer(
        services,
        origin,
        message(mrkdwn`${user(whom)} was asked already. Nothing was sent a second time.`),
      );
    const why = `You have asked ${MOST_A_DAY} times within a day. Nothing was sent.`;
    return answer(services, origin, message(why, note('Write to them yourself.')));
  }
  noted({ command: operation.name, outcome });
  await outgoing.toDirect(whom, askedMessage(operation, line, actor));
  await answer(services, origin, message(mrkdwn`${user(whom)} has the command now, filled in, and decides.`));
}

const askedMessage = (operation: AnyOperation, line: string, actor: Actor): Message =>
  message(
    mrkdwn`${user(actor.id)} may not run this, and asks you to: ${code(`/edge ${line}`)}`,
    actions(commandButton(operation.effect === 'read' ? 'Show it' : 'Look at it', line)),
    operation.effect !== 'read' && note('You see what it would change first, and confirm it as your own.'),
  );
