import type { Logger } from 'pino';
import { type Message, message, note } from '../blocks/message.ts';
import { bold, bullets, code, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import { slash } from '../own-name.ts';
import type { Policy } from '../policy/policy.ts';
import type { Subscription, Subscriptions } from '../store/subscriptions.ts';
import { type Poster, PostRefusedError } from './post.ts';

interface StandInServices {
  poster: Pick<Poster, 'tell'>;
  policy: Pick<Policy, 'admins'>;
  log: Logger;
}

/** Tells a person; the admins if that person has left or is unknown (empty); else the log. Throws only errors that may pass. */
export async function tellOrAdmins(services: StandInServices, person: string, message: Message): Promise<void> {
  if (person !== '' && (await isTold(services, person, message))) return;
  const others = services.policy.admins.filter((admin) => admin !== person);
  const told = await Promise.allSettled(others.slice(0, 5).map((admin) => isTold(services, admin, message)));
  if (told.some((one) => one.status === 'fulfilled' && one.value)) return;
  const failed = told.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  services.log.error({ person, said: message.text }, 'nobody who can act could be told');
}

/** Returns false if there is nobody to tell any more. */
async function isTold({ poster }: StandInServices, person: string, message: Message): Promise<boolean> {
  try {
    await poster.tell(person, message);
    return true;
  } catch (error) {
    if (error instanceof PostRefusedError && error.means === 'person gone') return false;
    throw error;
  }
}

/** Ends each once over all replicas. Throws only errors of the store. */
export async function endSubscriptions(
  services: StandInServices & { subscriptions: Pick<Subscriptions, 'end'> },
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
      services.log.error({ err: error, person }, 'could not report that subscriptions have ended'),
    );
  }
}

const endedMessage = (subscriptions: readonly Subscription[], why: Words): Message =>
  message(
    mrkdwn`${subscriptions.length === 1 ? 'A subscription has' : 'Subscriptions have'} ended: ${why}.`,
    bullets(
      subscriptions.map(({ id, report, channel }) => mrkdwn`${bold(report)} for <#${channel}> (subscription ${id})`),
    ),
    note(mrkdwn`Whoever still wants it subscribes again: ${code(slash('report subscribe'))}`),
  );
