import { type Message, message, note } from '../blocks/message.ts';
import { refusalNow, type Spoken, spokenOf } from '../changes/permission.ts';
import { UsageError } from '../errors.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { isDirect, type Posted, type Where } from './out/outgoing.ts';
import type { Bot } from './services.ts';

/** Asked again, because rights and readers may have changed. If Slack does not answer, that is a refusal. */
async function refusalThere(services: Bot, spoken: Spoken, channel: string): Promise<string | undefined> {
  if (isDirect(channel)) return undefined;
  return refusalNow(services, spoken, channel).catch((error: unknown) => {
    if (error instanceof UsageError) return 'Slack did not say who may read it';
    throw error;
  });
}

/** The only way from a person’s answer to a channel. Rights and readers are checked now. */
export async function sayToEverybody(
  services: Bot,
  spoken: Spoken,
  { channel, thread }: Where,
  text: Message,
): Promise<(Posted & { direct: boolean }) | { refused: string }> {
  const refused = await refusalThere(services, spoken, channel);
  if (refused !== undefined) return { refused };
  return services.outgoing.toChannel({ channel, thread, user: spoken.actor.id }, text);
}

/** In a channel without strangers everybody saw the change, so its requester needs no right any more. */
export async function refusalOfChange(services: Bot, confirmation: Confirmation, channel: string) {
  const { external } = isDirect(channel)
    ? { external: false }
    : await services.seePlace({ channelId: channel }, { fresh: true });
  return external === false ? undefined : refusalThere(services, spokenOf(confirmation), channel);
}

export async function sayOfChange(
  services: Bot,
  confirmation: Confirmation,
  { channel, thread }: Where,
  text: Message,
): Promise<Posted & { direct: boolean }> {
  const user = confirmation.actor;
  const refused = await refusalOfChange(services, confirmation, channel);
  if (refused === undefined) return services.outgoing.toChannel({ channel, thread, user }, text);
  const why = note(`It was not posted in the channel: ${refused}.`);
  return services.outgoing.toChannel({ user }, message(text, why));
}

export async function drawOfChange(
  services: Bot,
  confirmation: Confirmation,
  { channel, ts }: Pick<Posted, 'channel' | 'ts'>,
  text: Message,
): Promise<void> {
  const refused = await refusalOfChange(services, confirmation, channel);
  // Strangers must not read the rule either.
  const hidden =
    'A change is hidden here: people from other organisations are in this channel, or Slack does not say whether they are.';
  const shown = refused === undefined ? text : message(hidden);
  await services.outgoing.update(channel, ts, shown);
}
