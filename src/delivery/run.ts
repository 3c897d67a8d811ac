import type { Logger } from 'pino';
import { commandButton } from '../blocks/buttons.ts';
import { clock, dayAndTime, type Reading } from '../blocks/format.ts';
import { actions, type Message, message, note, section } from '../blocks/message.ts';
import { bold, mrkdwn } from '../blocks/mrkdwn.ts';
import { PlatformConnectionError, PlatformError } from '../platform/errors.ts';
import { problemOf } from '../problem.ts';
import { POST_TIMEOUT, type Poster, PostRefusedError } from '../reports/post.ts';
import type { AnyReport } from '../reports/report.ts';
import type { Claim, ReportLedger, SlotEnd } from '../store/report-ledger.ts';
import type { Subscription, Subscriptions } from '../store/subscriptions.ts';
import type { CollectReport, News } from './collect.ts';
import { createDelivery, LostClaimError } from './deliver.ts';
import { createStorms, type Storm, type StormStep, stormStep } from './incident.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How long a claim is believed without a sign of life, in milliseconds. */
const LEASE = 2 * MINUTE;
/**
 * How long after a claim was taken over its message is looked for. Whoever had the claim before wrote its intent, then sent;
 * from the moment that the epoch changed it cannot begin to send, and what was on its way has arrived by then. Waited for,
 * not computed, so that no clock that jumps can shorten it.
 */
const SETTLING = POST_TIMEOUT + 10_000;
const LONGEST_FENCE = 5_000;
/** After so long a report says that it is late. */
const LATE = 5 * MINUTE;
/** How often what may pass by itself is tried again, and how often a slot is begun at all. */
const TRIES = 3;
const MOST_EPOCHS = 12;

/** What became of a slot. `taken`: another replica has it. `later`: it is tried again. */
export type ReportOutcome = SlotEnd | 'taken' | 'later';

/** Does what is due; never throws. */
export interface ReportRunner {
  run(subscription: number, slot: Date, signal: AbortSignal): Promise<ReportOutcome>;
}

export interface ReportServices {
  reports: readonly AnyReport[];
  subscriptions: Subscriptions;
  ledger: ReportLedger;
  collect: CollectReport;
  poster: Poster;
  log: Logger;
  /** Waits, by a clock that nobody sets; rejects when the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds, by the same clock. */
  elapsed(): number;
}

export function createReportRunner(services: ReportServices): ReportRunner {
  const { reports, subscriptions, ledger, collect, poster, log, wait, elapsed } = services;

  const storms = createStorms(ledger);
  const { deliver, update, recognised } = createDelivery({
    ledger,
    poster,
    async fence(claim) {
      for (;;) {
        const asked = elapsed();
        if (!(await ledger.sending(claim, LEASE))) throw new LostClaimError('another replica has this slot by now');
        claim.sending = true;
        // An old yes is none: whoever takes over meanwhile looks for what was sent at once.
        if (elapsed() - asked < LONGEST_FENCE) return;
      }
    },
  });

  /** From where the last message ended (at first: a little before somebody subscribed), within the report's own bounds. */
  async function startOf({ stretch }: AnyReport, subscription: Subscription, to: Date): Promise<Date> {
    if (stretch === undefined) return new Date(to.getTime() - 24 * HOUR);
    const told = await ledger.toldUntil(subscription.id);
    const earliest = to.getTime() - stretch.longest;
    return new Date(Math.max(earliest, told?.getTime() ?? subscription.createdAt.getTime() - stretch.first));
  }

  /** Silent for now: until a moment, or until the report says something else. */
  async function isMuted({ id, muted }: Subscription, isChanged?: boolean): Promise<boolean> {
    if (muted === undefined) return false;
    const ended = muted.until === undefined ? isChanged : muted.until <= (await ledger.now());
    if (ended) await subscriptions.unmute(id);
    return !ended;
  }

  /** Says when it is late, and for how many it stands. */
  async function annotated(
    news: Message,
    { id, locale, timezone }: Subscription,
    slot: Date,
    isStretch: boolean,
  ): Promise<Message> {
    const reading: Reading = { locale, timezone };
    const late = (await ledger.now()).getTime() - slot.getTime() > LATE;
    const folded = await ledger.folded(id, slot);
    return message(
      news,
      late && note(`Late: this was due ${dayAndTime(slot, reading)}.`),
      // What comes because something went wrong can be too much at once.
      isStretch && muteButtons(id),
      folded > 0 && note(`It stands for ${folded} earlier ${folded === 1 ? 'one' : 'ones'} too.`),
    );
  }

  async function tell(subscription: Subscription, claim: Claim, signal: AbortSignal): Promise<SlotEnd> {
    const { slot } = claim;
    const report = reports.find(({ name }) => name === subscription.report);
    if (report === undefined) throw new Error(`there is no report ${subscription.report}`);
    const reading: Reading = { locale: subscription.locale, timezone: subscription.timezone };
    const to = new Date(slot.getTime() - (report.stretch?.lag ?? 0));
    const from = await startOf(report, subscription, to);
    const end = async (state: SlotEnd, more: { ts?: string | undefined; print?: string } = {}) => {
      await ledger.settle(claim, { state, from, to, ...more });
      return state;
    };
    // A report that is silent for a time is not even made.
    if (subscription.muted?.until !== undefined && (await isMuted(subscription))) return end('muted');
    const known = report.troubles === undefined ? undefined : await storms.read(subscription.id);
    const newsOf = (since: Date, calm = known?.calm) =>
      collect(report, subscription, { from: since, to, calm }, reading, signal);
    let news = from < to ? await newsOf(from) : undefined;
    const troubles = news === undefined ? [] : news.troubles;
    let step: StormStep | undefined;
    if (troubles !== undefined) {
      step = stormStep(known, troubles, { from, to });
      if (step.is !== 'told') return weathered(subscription, claim, step, { from, to, newsOf, reading, signal });
      if (step.storm.from < from) news = await newsOf(step.storm.from);
    }
    if (news === undefined) return end('quiet');
    const { print } = news;
    const isChanged = step !== undefined || print !== subscription.muted?.print;
    if (await isMuted(subscription, isChanged)) return end('muted');
    if (subscription.skipUnchanged && print === (await ledger.lastPrint(subscription.id)))
      return end('unchanged', { print });
    if (step?.is === 'told') await storms.intend(subscription.id, step.storm);
    const { state, ts, since } = await deliver({
      subscription,
      claim,
      news: { print, message: await annotated(news.message, subscription, slot, report.stretch !== undefined) },
      from,
      to,
      signal,
      since: newsOf,
    });
    if (step?.is === 'told') {
      const { storm } = step;
      await storms.keep(subscription.id, {
        ...storm,
        ts,
        from: new Date(Math.min(storm.from.getTime(), (since ?? storm.from).getTime())),
      });
    }
    return end(state, { ts, print });
  }

  /** There is nothing that nobody was told: at the most, the message that told it is brought up to date. */
  async function weathered(
    subscription: Subscription,
    claim: Claim,
    step: StormStep,
    about: {
      from: Date;
      to: Date;
      newsOf(since: Date): Promise<News | undefined>;
      reading: Reading;
      signal: AbortSignal;
    },
  ): Promise<SlotEnd> {
    const { from, to, newsOf, reading, signal } = about;
    const { id } = subscription;
    const end = async (state: SlotEnd, ts?: string) => {
      await ledger.settle(claim, { state, from, to, ts });
      return state;
    };
    if (step.is === 'calm') return end('quiet');
    const { storm } = step;
    const isEnd = step.is === 'over' || step.is === 'usual';
    if (await isMuted(subscription, isEnd)) {
      await storms.keep(id, { ...storm, next: to });
      return end('muted');
    }
    if (step.is === 'kept') {
      await storms.keep(id, storm);
      return end('quiet');
    }
    const news = await newsOf(storm.from);
    const there =
      news !== undefined &&
      (await update({ subscription, claim, signal }, storm.ts, stormMessage(news, id, step, reading)));
    if (isEnd || !there) await storms.end(id);
    else await storms.keep(id, storm);
    return there ? end('updated', storm.ts) : end('quiet');
  }

  /** One slot that is ours. Throws what went wrong. */
  async function carryOut(subscription: Subscription, claim: Claim, signal: AbortSignal): Promise<SlotEnd> {
    if (subscription.state === 'ended') {
      await ledger.settle(claim, { state: 'dropped' });
      return 'dropped';
    }
    const isLate = (await ledger.now()).getTime() - claim.slot.getTime() > LATE;
    // What is late may have been posted by a store that was lost since: a power failure, a backup.
    if (claim.sending || isLate) {
      if (claim.sending) await wait(SETTLING, signal);
      const found = await recognised(subscription, claim);
      if (found !== undefined) {
        await storms.found(subscription.id, found.ts);
        await ledger.settle(claim, { ...found, to: claim.slot, detail: 'found in the channel' });
        return found.state;
      }
      // Nobody has sent it, and nobody else can any more.
      claim.sending = false;
    }
    return tell(subscription, claim, signal);
  }

  /** Tells whoever subscribed, once until it works again; the channel when nobody is known. */
  async function complain(subscription: Subscription, reason: string, what: Message): Promise<void> {
    const { id, report, channel, owner } = subscription;
    if (!(await subscriptions.fail(id, reason))) return;
    const text = message(
      mrkdwn`${bold(report)} for <#${channel}> (subscription ${id}) does not work.`,
      what,
      note('It is tried again at its next times. This is said once, until it works again.'),
    );
    try {
      if (owner !== '') await poster.tell(owner, text);
      else await poster.post({ channel, message: text, key: `${id}:broken` });
    } catch (error) {
      log.warn({ err: error, subscription: id }, 'nobody could be told that a report does not work');
      await subscriptions.untold(id);
    }
  }

  async function failed(
    subscription: Subscription,
    claim: Claim,
    error: unknown,
    signal: AbortSignal,
  ): Promise<ReportOutcome> {
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
      ? { summary: error.reason, message: message(mrkdwn`Slack says no: ${error.reason}.`), reference: error.code }
      : problemOf(error);
    log.error({ err: error, reference: problem.reference, ...about }, 'a report failed');
    await ledger.settle(claim, { state: 'failed', detail: problem.summary });
    await complain(subscription, problem.summary, problem.message);
    return 'failed';
  }

  /** Keeps a claim alive until its work has ended. */
  async function renewing(claim: Claim, ended: AbortSignal): Promise<void> {
    for (;;) {
      await wait(LEASE / 4, ended).catch(() => undefined);
      if (ended.aborted) return;
      await ledger
        .renew(claim, LEASE)
        .catch((error: unknown) => log.warn({ err: error }, 'a claim could not be renewed'));
    }
  }

  async function claimed(claim: Claim, stopping: AbortSignal): Promise<ReportOutcome> {
    const subscription = await subscriptions.read(claim.subscription);
    if (subscription === undefined) return 'taken';
    const ended = new AbortController();
    void renewing(claim, ended.signal);
    try {
      const outcome = await carryOut(subscription, claim, stopping);
      if (subscription.state === 'broken') await subscriptions.works(subscription.id);
      return outcome;
    } catch (error) {
      return await failed(subscription, claim, error, stopping);
    } finally {
      ended.abort();
    }
  }

  return {
    async run(subscription, slot, signal) {
      try {
        const claim = await ledger.claim(subscription, slot, LEASE);
        return claim === undefined ? 'taken' : await claimed(claim, signal);
      } catch (error) {
        // The store does not answer: the claim runs out, and then somebody goes on.
        log.error({ err: error, subscription, slot }, 'a report could not be carried out');
        return 'later';
      }
    },
  };
}

function muteButtons(subscription: number) {
  return actions(
    commandButton('Mute 1 h', `report mute ${subscription} 1h`),
    commandButton('Mute 1 day', `report mute ${subscription} 1d`),
    commandButton('Mute until it changes', `report mute ${subscription} changed`),
  );
}

/** The message of a storm as it stands now. */
function stormMessage(
  news: News,
  subscription: number,
  { is, storm: { last, next, calm } }: { is: StormStep['is']; storm: Storm },
  reading: Reading,
): Message {
  if (is === 'over')
    return message(section(mrkdwn`${bold('Over')} since about ${clock(last, reading)}. Until then:`), news.message);
  if (is === 'usual')
    return message(
      news.message,
      note(`This goes on since ${dayAndTime(calm, reading)}: from now on it counts as usual, and I say no more of it.`),
    );
  return message(
    news.message,
    muteButtons(subscription),
    note(`This goes on. The message is brought up to date at growing intervals, next after ${clock(next, reading)}.`),
  );
}

/** What may be different in a few minutes. */
function passes(error: unknown): boolean {
  return (
    error instanceof PlatformConnectionError ||
    (error instanceof PostRefusedError && error.code === 'ratelimited') ||
    (error instanceof PlatformError && (error.status >= 500 || error.status === 429))
  );
}
