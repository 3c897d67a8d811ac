import { type Message, message, note } from '../blocks/message.ts';
import { bold, mrkdwn } from '../blocks/mrkdwn.ts';
import { PlatformConnectionError, PlatformError } from '../platform/errors.ts';
import { hintWords, problemOf } from '../problem.ts';
import { endSubscriptions } from '../reports/end-subscriptions.ts';
import { PostRefusedError } from '../reports/post.ts';
import { tellOrAdmins } from '../reports/stand-ins.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { MINUTE } from '../time.ts';
import { LostClaimError } from './claim.ts';
import type { ClaimedSlot } from './make.ts';
import type { ReportServices } from './services.ts';

/** How often what may pass by itself is tried again, and how often a slot is begun at all. */
const TRIES = 3;
const MOST_EPOCHS = 12;

type Services = Pick<ReportServices, 'ledger' | 'subscriptions' | 'poster' | 'policy' | 'log'>;

/** Decides whether a slot whose report could not be made or sent is tried again, and notifies whoever has to know. */
export async function failed(
  services: Services,
  { subscription, claim, signal }: ClaimedSlot,
  error: unknown,
): Promise<'taken' | 'later' | 'failed'> {
  const { ledger, log } = services;
  const { id, report, channel } = subscription;
  const { slot } = claim;
  const about = { subscription: id, report, channel, slot };
  if (error instanceof LostClaimError) {
    log.info(about, 'another replica has taken a slot over');
    return 'taken';
  }
  const refused = error instanceof PostRefusedError;
  const unknown = claim.sending && !refused;
  if (signal.aborted || (unknown && claim.epoch < MOST_EPOCHS)) {
    log.info({ err: error, ...about }, 'a report was stopped on its way');
    if (unknown) await ledger.abandon(claim);
    else await ledger.release(claim, slot);
    return 'later';
  }
  if (passes(error) && claim.attempts < TRIES) {
    log.warn({ err: error, ...about }, 'a report is tried again');
    const pause = 2 ** claim.attempts * MINUTE;
    await ledger.release(claim, new Date((await ledger.now()).getTime() + pause));
    return 'later';
  }
  const problem = refused
    ? {
        summary: error.reason,
        message: message(mrkdwn`Slack says no: ${hintWords(error.reason)}.`),
        reference: error.code,
      }
    : problemOf(error);
  log.error({ err: error, reference: problem.reference, ...about }, 'a report failed');
  await ledger.settle(claim, { state: 'failed', detail: problem.summary });
  if (refused && error.means === 'channel gone')
    await endSubscriptions(services, [subscription], hintWords(error.reason));
  else await complain(services, subscription, problem.summary, problem.message);
  return 'failed';
}

/** Notifies whoever subscribed, once until it works again; the channel when nobody is known. */
async function complain(
  services: Services,
  { id, report, channel, owner }: Subscription,
  reason: string,
  problem: Message,
): Promise<void> {
  const { subscriptions, poster, log } = services;
  if (!(await subscriptions.fail(id, reason))) return;
  const text = message(
    mrkdwn`${bold(report)} for <#${channel}> (subscription ${id}) does not work.`,
    problem,
    note('It is tried again at its next times. This is said once, until it works again.'),
  );
  try {
    if (owner !== '') await tellOrAdmins(services, owner, text);
    else await poster.post({ channel, message: text, key: `${id}:broken` });
  } catch (error) {
    log.warn({ err: error, subscription: id }, 'nobody could be told that a report does not work');
    await subscriptions.unnotified(id);
  }
}

/** True for faults that may be over in a few minutes. */
function passes(error: unknown): boolean {
  return (
    error instanceof PlatformConnectionError ||
    (error instanceof PostRefusedError && error.means === 'later') ||
    (error instanceof PlatformError && (error.status >= 500 || error.status === 429))
  );
}
