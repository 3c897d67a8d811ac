import { message, note } from '../blocks/message.ts';
import { bold, mrkdwn } from '../blocks/mrkdwn.ts';
import { UNOBSERVED } from '../observe.ts';
import { mayPass } from '../platform/errors.ts';
import { hintWords, problemOf } from '../problem.ts';
import { POST_TIMEOUT, PostRefusedError } from '../reports/post.ts';
import { endSubscriptions, tellOrAdmins } from '../reports/stand-ins.ts';
import type { SlotOutcome } from '../store/report-ledger.ts';
import { MINUTE } from '../time.ts';
import { type ClaimedSlot, findDelivered, LostClaimError } from './deliver.ts';
import { foundIncident } from './incident.ts';
import { makeReport } from './make.ts';
import type { ReportServices } from './services.ts';

/**
 * Decides whether a slot whose report could not be made or sent is tried again. Else the owner is notified once until it works again,
 * or the channel if there is no owner.
 */
async function failed(
  services: ReportServices,
  { subscription, claim, signal }: ClaimedSlot,
  error: unknown,
): Promise<'taken' | 'later' | 'failed'> {
  const { ledger, subscriptions, poster, log } = services;
  const { id, report, channel, owner } = subscription;
  const { slot } = claim;
  const about = { subscription: id, report, channel, slot };
  if (error instanceof LostClaimError) {
    log.info(about, 'another replica has taken a slot over');
    return 'taken';
  }
  const refused = error instanceof PostRefusedError;
  const unknown = claim.sending && !refused;
  if (signal.aborted || (unknown && claim.attempts < 11)) {
    log.info({ err: error, ...about }, 'a report was stopped on its way');
    await ledger.release(claim, unknown ? undefined : 0);
    return 'later';
  }
  const passes = mayPass(error) || (refused && error.means === 'later');
  if (passes && claim.attempts < 3) {
    log.warn({ err: error, ...about }, 'a report is tried again');
    await ledger.release(claim, 2 ** claim.attempts * MINUTE);
    return 'later';
  }
  const problem = refused
    ? {
        summary: error.reason,
        message: message(mrkdwn`Slack refused it: ${hintWords(error.reason)}.`),
        reference: error.code,
      }
    : problemOf(error);
  log.error({ err: error, reference: problem.reference, ...about }, 'a report failed');
  await ledger.settle(claim, { state: 'failed' });
  if (refused && error.means === 'channel gone')
    await endSubscriptions(services, [subscription], hintWords(error.reason));
  else if (await subscriptions.fail(id, problem.summary)) {
    const text = message(
      mrkdwn`${bold(report)} for <#${channel}> (subscription ${id}) is not working.`,
      problem.message,
      note('I’ll keep trying on schedule. I won’t repeat this warning until it has worked again.'),
    );
    const told =
      owner === '' ? poster.post({ channel, message: text, key: `${id}:broken` }) : tellOrAdmins(services, owner, text);
    await told.catch(async (failure: unknown) => {
      log.warn({ err: failure, subscription: id }, 'nobody could be told that a report does not work');
      await subscriptions.unnotified(id);
    });
  }
  return 'failed';
}

/** `taken`: another replica has it. `later`: it is tried again. */
export type RunOutcome = SlotOutcome | 'taken' | 'later';

/** Does one slot of a subscription if it can be claimed. Never throws. */
export async function runSlot(
  services: ReportServices,
  id: number,
  slot: Date,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { reports, ledger, subscriptions, log, observe = UNOBSERVED } = services;
  try {
    const claim = await ledger.claim(id, slot);
    const subscription = claim && (await subscriptions.read(id));
    if (claim === undefined || subscription === undefined) return 'taken';
    const report = reports.find(({ name }) => name === subscription.report)?.name ?? 'unknown';
    const late = (await ledger.now()).getTime() - slot.getTime();
    const claimed = { subscription, claim, signal, isLate: late > 5 * MINUTE };
    const saw = (event: string) => observe.saw('slots', { report, event });
    saw('claimed');
    observe.saw('reports', { report }, late / 1_000);
    // A released claim counts as an attempt; a higher epoch without one means a crash.
    if (claim.epoch - 1 > claim.attempts) saw('taken over');
    if (claimed.isLate) saw('late');
    const work = async () => {
      const outcome = await recognisedOrMade(services, claimed);
      if (subscription.state === 'broken') await subscriptions.works(id);
      return outcome;
    };
    const outcome = await work().catch((error: unknown) => failed(services, claimed, error));
    saw(outcome);
    return outcome;
  } catch (error) {
    // The store does not answer. The claim expires, and then some process goes on.
    log.error({ err: error, subscription: id, slot }, 'a report could not be carried out');
    return 'later';
  }
}

/** Makes the report, unless its message is already in the channel. */
async function recognisedOrMade(services: ReportServices, claimed: ClaimedSlot): Promise<SlotOutcome> {
  const { subscription, claim, signal, isLate } = claimed;
  if (subscription.state === 'ended') {
    await services.ledger.settle(claim, { state: 'dropped' });
    return 'dropped';
  }
  // A late report may have been posted before the store lost that, by a power failure or a restored backup.
  if (claim.sending || isLate) {
    // Its former owner stored the intent, then sent. Since the epoch changed it can send nothing, and by then what it sent has arrived.
    // A wait, because a computed time could be shortened by a clock that jumps.
    if (claim.sending) await services.wait(POST_TIMEOUT + 10_000, signal);
    const found = await findDelivered(services, claimed);
    if (found !== undefined) {
      await foundIncident(services, subscription.id, found.ts);
      await services.ledger.settle(claim, { ...found, to: claim.slot });
      return found.state;
    }
    // Nobody has sent it, and nobody else still can.
    claim.sending = false;
  }
  await services.stillMay(subscription);
  return makeReport(services, claimed);
}
