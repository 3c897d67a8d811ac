import { message, note } from '../blocks/message.ts';
import { bullets, code, mrkdwn, user } from '../blocks/mrkdwn.ts';
import { retractVotes } from '../changes/approve.ts';
import { notified, withdraw } from '../changes/recover.ts';
import { endSubscriptions } from '../reports/end-subscriptions.ts';
import { tellOrAdmins } from '../reports/stand-ins.ts';
import { HOUR } from '../time.ts';
import { refreshCard, showEnded } from './approval.ts';
import type { Bot } from './services.ts';

/** One person is looked at in each call: Slack is asked slowly. */
export interface Round {
  people: string[];
  /** In milliseconds of `performance.now()`. */
  next: number;
}

export const beginRound = (): Round => ({ people: [], next: 0 });

/** Ends what belongs to the next person if they have left. Throws what the store throws. */
export async function lookForDeparted(services: Bot, round: Round, now: number): Promise<void> {
  if (round.people.length === 0 && now >= round.next) {
    round.people = await owners(services);
    round.next = now + HOUR;
  }
  const id = round.people.shift();
  if (id === undefined) return;
  const { hasLeft } = await services.people.find(id, '');
  if (hasLeft === true) await endOf(services, id);
}

async function owners({ store, subscriptions }: Bot): Promise<string[]> {
  const subscribed = await subscriptions.list();
  const people = [...subscribed.map(({ owner }) => owner), ...(await store.confirmations.undecided())];
  return [...new Set(people.filter((id) => id !== ''))];
}

async function endOf(services: Bot, id: string): Promise<void> {
  const { subscriptions, log } = services;
  log.warn({ user: id }, 'somebody has left the workspace: what is theirs ends');
  for (const confirmation of await retractVotes(services, id)) await refreshCard(services, confirmation);
  const theirs = (await subscriptions.list()).filter(({ owner }) => owner === id);
  // Their owner cannot be told.
  await endSubscriptions(services, theirs, mrkdwn`${user(id)} has left the workspace`, { told: '' });
  const ended = await withdraw(services, { actor: id }, 'whoever asked for it has left the workspace');
  if (ended.length === 0) return;
  const text = message(
    mrkdwn`${user(id)} has left the workspace. I cancelled ${ended.length === 1 ? 'a change that was' : 'changes that were'} not confirmed yet. Nothing was done:`,
    bullets(ended.map(({ operation, target }) => mrkdwn`${code(operation)} on ${code(target)}`)),
    note('Anyone who still wants it can repeat the command.'),
  );
  for (const confirmation of ended) await refreshCard(services, confirmation);
  await tellOrAdmins(services, '', text);
  for (const { id: confirmation } of ended) await notified(services, confirmation);
}

export async function endChannel(services: Bot, channel: string): Promise<void> {
  const subscriptions = await services.subscriptions.list({ channel });
  await endSubscriptions(services, subscriptions, 'the channel was archived or deleted');
  for (const confirmation of await withdraw(services, { channel }, 'its channel was archived or deleted'))
    await showEnded(services, confirmation);
}

/** Slack has given a channel another id: whatever is kept or written under the one before is about it still. */
export async function moveChannel({ store, log }: Bot, before: string, after: string, team: string): Promise<void> {
  log.warn({ before, after }, 'Slack has given a channel another id');
  await store.channelMoves.note(before, after);
  await store.audit.append({
    ...{ actor: 'Edgewise', team, channel: after, operation: 'channel moved', target: `${before} → ${after}` },
    ...{ given: {}, outcome: 'noted', detail: 'Slack has given the channel another id' },
  });
}

const WITHOUT_TOKEN = {
  uninstalled: {
    why: 'the app was uninstalled',
    next: 'the app was uninstalled: changes that waited and all subscriptions have ended; install it again, and set its new token',
  },
  revoked: {
    why: 'the app’s token was revoked',
    next: 'the app’s token was revoked: changes that waited have ended, subscriptions go on with a new token; set it',
  },
};

/** Nobody can confirm or be told anything now: `recover` tells those who asked, once there is a token. */
export async function endAll(services: Bot, how: keyof typeof WITHOUT_TOKEN): Promise<void> {
  const { subscriptions, log } = services;
  const { why, next } = WITHOUT_TOKEN[how];
  const changes = await withdraw(services, 'all', why);
  const subscribed = how === 'uninstalled' ? await subscriptions.list() : [];
  for (const { id } of subscribed) await subscriptions.end(id, why);
  const ids = (ended: readonly { id: unknown }[]) => ended.map(({ id }) => id);
  log.fatal({ changes: ids(changes), subscriptions: ids(subscribed) }, next);
}
