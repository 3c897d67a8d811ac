import { withdraw } from '../changes/recover.ts';
import { endSubscriptions } from '../reports/stand-ins.ts';
import { showEnded } from './approval.ts';
import type { Bot } from './services.ts';

export async function endChannel(services: Bot, channel: string): Promise<void> {
  const subscriptions = await services.subscriptions.list({ channel });
  await endSubscriptions(services, subscriptions, 'the channel was archived or deleted');
  for (const confirmation of await withdraw(services, { channel }, 'its channel was archived or deleted'))
    await showEnded(services, confirmation);
}

/** Slack has given a channel another id. Rows under the old id still mean that channel. */
export async function moveChannel({ store, log }: Bot, before: string, after: string, at: Date, team: string) {
  log.warn({ before, after }, 'Slack has given a channel another id');
  await store.channelMoves.note(before, after, at);
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
    next: 'the app’s token was revoked: changes that waited have ended, and subscriptions continue once you set a new token',
  },
};

/** Without a token nobody can be told. `recover` does that once there is one. */
export async function endAll(services: Bot, how: keyof typeof WITHOUT_TOKEN): Promise<void> {
  const { subscriptions, log } = services;
  const { why, next } = WITHOUT_TOKEN[how];
  const changes = await withdraw(services, 'all', why);
  const subscribed = how === 'uninstalled' ? await subscriptions.list() : [];
  for (const { id } of subscribed) await subscriptions.end(id, why);
  const ids = (ended: readonly { id: unknown }[]) => ended.map(({ id }) => id);
  log.fatal({ changes: ids(changes), subscriptions: ids(subscribed) }, next);
}
