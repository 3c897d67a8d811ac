import { contextOf, resolve } from '../changes/context.ts';
import { authorize } from '../changes/permission.ts';
import type { Services } from '../changes/services.ts';
import { ForbiddenError, UsageError } from '../errors.ts';
import { givenOf, subscribeReport } from '../operations/report/subscribe.ts';
import { toType } from '../own-name.ts';
import { PostRefusedError } from '../reports/post.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { MINUTE } from '../time.ts';

/** Throws if the owner could not subscribe now or the audit contradicts the row, and PostRefusedError while Slack does not answer. */
export async function stillMay(services: Services, subscription: Subscription): Promise<void> {
  const { id, owner, team, channel, locale, timezone, report, isOfSettings } = subscription;
  // It may be an older row that somebody put back.
  const why = await services.store.audit.doubt(subscription);
  if (why !== undefined) {
    services.log.error({ subscription: id, why }, 'the store does not say what the bot has written there');
    throw new UsageError(`The bot’s store was changed by something other than Edgewise: subscription ${id} ${why}.`, {
      hint: `${toType(`report unsubscribe ${id}`)} ends it; ${toType('audit verify')} says more to whoever runs Edgewise.`,
    });
  }
  // The settings made it, and its owner needs no right in Slack.
  if (isOfSettings) return;
  const actor = await services.actorNow({ id: owner, teamId: team, kind: 'member' }).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    throw error.cause instanceof PostRefusedError
      ? error.cause
      : new PostRefusedError('unknown', 'later', error.message);
  });
  const place = await services.seePlace({ channelId: channel }, { fresh: true });
  const reader = { locale, timezone, now: services.now() };
  const context = contextOf(services, { actor, place, signal: AbortSignal.timeout(MINUTE), reader });
  try {
    authorize(services, subscribeReport, actor, place);
    const { values } = await resolve(subscribeReport, givenOf(subscription), context, false);
    authorize(services, subscribeReport, actor, place, values, report);
  } catch (error) {
    const isUnsaid = error instanceof ForbiddenError && typeof place.external === 'string';
    throw isUnsaid ? new PostRefusedError('unknown', 'later', error.message) : error;
  }
}
