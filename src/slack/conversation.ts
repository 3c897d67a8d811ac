import type { Message } from '../blocks/message.ts';
import { problemOf } from '../problem.ts';
import { tellOrAdmins } from '../reports/stand-ins.ts';
import type { Recipient } from './out/outgoing.ts';
import { isGone, usageErrorOf } from './refusals.ts';
import type { Origin, SlackServices } from './services.ts';

/** For the eyes of the one who typed, pressed or submitted something. `replace`: in place of the message with the button. */
export function tell(
  { outgoing }: Pick<SlackServices, 'outgoing'>,
  { userId, place, responseUrl }: Origin,
  message: Message,
  options?: { replace?: boolean },
): Promise<void> {
  return outgoing.toPerson(
    { user: userId, channel: place.channelId, thread: place.threadTs, responseUrl },
    message,
    options,
  );
}

/** Tells somebody unasked, wherever they are; the admins in their place when they have left. */
export async function tellOrStandIn(services: SlackServices, person: Recipient, message: Message): Promise<void> {
  try {
    await services.outgoing.toPerson(person, message);
  } catch (error) {
    if (!isGone(error, 'person')) throw error;
    await tellOrAdmins(services, '', message);
  }
}

/** The words for something that went wrong. An unexpected error is logged with the reference that people are shown. */
export function explain({ log }: Pick<SlackServices, 'log'>, error: unknown): Message {
  const said = usageErrorOf(error);
  if (said !== undefined) log.warn({ err: error }, 'Slack refused a call, and the person is told');
  const { message, reference } = problemOf(said ?? error);
  if (reference !== undefined) log.error({ err: error, reference }, 'unexpected error');
  return message;
}

/** Does the work, and tells the person when it goes wrong. Never throws. */
export async function tellingProblems(
  services: Pick<SlackServices, 'outgoing' | 'log'>,
  origin: Origin,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    await tell(services, origin, explain(services, error)).catch((second: unknown) =>
      services.log.error({ err: second }, 'the person could not be told'),
    );
  }
}
