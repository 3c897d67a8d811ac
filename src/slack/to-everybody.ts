import { type Message, message, note } from '../blocks/message.ts';
import { refusalNow, type Spoken, spokenOf } from '../changes/permission.ts';
import { UsageError } from '../errors.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { isDirect, type Posted } from './out/outgoing.ts';
import type { SlackServices } from './services.ts';

/** A channel, with the thread in it. */
interface Where {
  channel: string;
  thread?: string | undefined;
}

/** Why this may not be read in a channel now: the person or the place is another one than it was. Where Slack does not say, it may not. */
async function refusalThere(services: SlackServices, spoken: Spoken, channel: string): Promise<string | undefined> {
  if (isDirect(channel)) return undefined;
  return refusalNow(services, spoken, channel).catch((error: unknown) => {
    if (error instanceof UsageError) return error.message;
    throw error;
  });
}

/** The one way by which something of somebody's leaves for a channel: they, and the place, are looked at at this moment. */
export async function sayToEverybody(
  services: SlackServices,
  spoken: Spoken,
  { channel, thread }: Where,
  text: Message,
): Promise<(Posted & { direct: boolean }) | { refused: string }> {
  const refused = await refusalThere(services, spoken, channel);
  if (refused !== undefined) return { refused };
  return services.outgoing.toChannel({ channel, thread, user: spoken.actor.id }, text);
}

/**
 * Why a change may not be told of in a channel now. Where the workspace is among itself it may: everybody there has seen it, and how
 * it ended is theirs to know, whatever its requester may do by now.
 */
async function refusalOfChange(services: SlackServices, confirmation: Confirmation, channel: string) {
  const { external } = isDirect(channel)
    ? { external: false }
    : await services.seePlace({ channelId: channel }, { fresh: true });
  return external === false ? undefined : refusalThere(services, spokenOf(confirmation), channel);
}

/** Says of a change in a channel; what may not be read there any more goes to its requester directly. */
export async function sayOfChange(
  services: SlackServices,
  confirmation: Confirmation,
  { channel, thread }: Where,
  text: Message,
): Promise<Posted & { direct: boolean }> {
  const user = confirmation.actor;
  const refused = await refusalOfChange(services, confirmation, channel);
  if (refused === undefined) return services.outgoing.toChannel({ channel, thread, user }, text);
  const why = note(`It is not in the channel: ${refused}.`);
  return services.outgoing.toChannel({ channel: undefined, user }, message(text, why));
}

const HIDDEN =
  'A change is not shown here any more: people of other organisations are in this channel, or Slack does not say whether they are.';

/** Brings a message of a change up to date; nothing more of it is shown where other people have come to read. */
export async function drawOfChange(
  services: SlackServices,
  confirmation: Confirmation,
  { channel, ts }: Pick<Posted, 'channel' | 'ts'>,
  text: Message,
): Promise<void> {
  const refused = await refusalOfChange(services, confirmation, channel);
  // The rule itself is not for them.
  const shown = refused === undefined ? text : message(HIDDEN);
  await services.outgoing.update(channel, ts, shown);
}
