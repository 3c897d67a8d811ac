import { type Message, message, note } from '../blocks/message.ts';
import { bold, bullets, code, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import type { Subscription, Subscriptions } from '../store/subscriptions.ts';
import { type StandInServices, tellOrAdmins } from './stand-ins.ts';

export interface EndingServices extends StandInServices {
  subscriptions: Pick<Subscriptions, 'list' | 'end'>;
}

/** Each once over all replicas. Throws only what the store throws. */
export async function endSubscriptions(
  services: EndingServices,
  subscriptions: readonly Subscription[],
  why: Words,
): Promise<void> {
  const ended: Subscription[] = [];
  for (const subscription of subscriptions)
    if (await services.subscriptions.end(subscription.id, String(why))) ended.push(subscription);
  for (const person of new Set(ended.map(({ owner }) => owner))) {
    const theirs = ended.filter(({ owner }) => owner === person);
    services.log.warn({ subscriptions: theirs.map(({ id }) => id), why: String(why) }, 'subscriptions have ended');
    await tellOrAdmins(services, person, endedMessage(theirs, why)).catch((error: unknown) =>
      services.log.error({ err: error, person }, 'that subscriptions have ended could not be said'),
    );
  }
}

const endedMessage = (subscriptions: readonly Subscription[], why: Words): Message =>
  message(
    mrkdwn`${subscriptions.length === 1 ? 'A subscription has' : 'Subscriptions have'} ended: ${why}.`,
    bullets(
      subscriptions.map(({ id, report, channel }) => mrkdwn`${bold(report)} for <#${channel}> (subscription ${id})`),
    ),
    note(mrkdwn`Whoever still wants it subscribes again: ${code('/edge report subscribe')}`),
  );
