import type { Logger } from 'pino';
import type { Reading } from '../blocks/format.ts';
import { type Message, message, note } from '../blocks/message.ts';
import { mrkdwn } from '../blocks/mrkdwn.ts';
import type { Platform } from '../platform/client.ts';
import type { AnyReport, ReportContext } from '../reports/report.ts';
import type { ReportPosts } from '../store/report-posts.ts';
import { problemOf } from './problem.ts';

const HOUR = 3_600_000;
/** How long one report may take, in milliseconds. */
const TIME_LIMIT = 10 * 60_000;
/** How long a slot is remembered: longer than anything that is counted or folded. */
const MEMORY = 30 * 24 * HOUR;

/** Where reports go. */
export interface Poster {
  post(channel: string, message: Message): Promise<{ ts: string }>;
  update(channel: string, ts: string, message: Message): Promise<void>;
}

/** A report that a channel gets on a schedule. */
export interface Subscription {
  report: AnyReport;
  channel: string;
  /** Cron, five fields. */
  schedule: string;
  timezone: string;
  /** New messages an hour at most; what comes beyond is told by the last message, brought up to date. Undefined: no limit. */
  perHour?: number | undefined;
}

export interface ReportServices {
  platform: Platform;
  zones: ReportContext['zones'];
  posts: ReportPosts;
  poster: Poster;
  log: Logger;
  /** The language of the channel's reports; `en-US`. */
  locale?: string | undefined;
}

/** What became of one slot. `taken`: another replica has done it, or this one before a restart. */
export type ReportOutcome = 'posted' | 'updated' | 'quiet' | 'failed' | 'taken';

/** Runs reports; the only caller of `collect`. */
export interface ReportRunner {
  /** Does a subscription's report for one slot of its schedule. Never throws: a failing report is logged, and said once. */
  run(subscription: Subscription, slot: Date, signal?: AbortSignal): Promise<ReportOutcome>;
}

export function createReportRunner(services: ReportServices): ReportRunner {
  const { platform, zones, posts, poster, log } = services;

  async function collected(subscription: Subscription, from: Date, to: Date, given?: AbortSignal) {
    const { report, timezone } = subscription;
    const limit = AbortSignal.timeout(TIME_LIMIT);
    const signal = given === undefined ? limit : AbortSignal.any([limit, given]);
    const reading: Reading = { locale: services.locale ?? 'en-US', timezone };
    const result = await report.collect(report.args, { platform, zones, from, to, signal });
    return report.render(result, report.args, reading);
  }

  /** From where the last message ended, within the report's own bounds. */
  async function startOf({ report, channel }: Subscription, to: Date): Promise<Date> {
    const { stretch } = report;
    if (stretch === undefined) return new Date(to.getTime() - 24 * HOUR);
    const told = await posts.toldUntil({ report: report.name, channel });
    const earliest = to.getTime() - stretch.longest;
    return new Date(Math.max(earliest, told?.getTime() ?? to.getTime() - stretch.first));
  }

  /** False when the message cannot be changed any more (somebody deleted it): a new one is due then, limit or not. */
  async function updated(channel: string, ts: string, news: Message): Promise<boolean> {
    try {
      await poster.update(channel, ts, news);
      return true;
    } catch (error) {
      log.warn({ err: error, channel, ts }, 'a report’s message could not be brought up to date');
      return false;
    }
  }

  async function tell(subscription: Subscription, slot: Date, signal?: AbortSignal): Promise<ReportOutcome> {
    const { report, channel, perHour } = subscription;
    const key = { report: report.name, channel };
    const recent = perHour === undefined ? [] : await posts.since(key, new Date(slot.getTime() - HOUR));
    const last = recent[0];
    const to = new Date(slot.getTime() - (report.stretch?.lag ?? 0));
    const from = await startOf(subscription, to);
    const news = from < to ? await collected(subscription, from, to, signal) : undefined;
    if (news === undefined) {
      await posts.settle(key, slot, { state: 'quiet', from, to });
      return 'quiet';
    }
    if (perHour !== undefined && last !== undefined && recent.length >= perHour) {
      // The limit is reached: the last message tells the whole stretch since its own beginning.
      const whole = await collected(subscription, last.from, to, signal);
      const kept = `Brought up to date instead of a new message: there are at most ${perHour} an hour.`;
      if (await updated(channel, last.ts, message(whole ?? news, note(kept)))) {
        await posts.extend(key, last.slot, to);
        await posts.settle(key, slot, { state: 'folded', from, to });
        return 'updated';
      }
    }
    const { ts } = await poster.post(channel, news);
    await posts.settle(key, slot, { state: 'posted', from, to, ts, at: slot });
    return 'posted';
  }

  async function complain(subscription: Subscription, slot: Date, error: unknown): Promise<void> {
    const { report, channel } = subscription;
    const key = { report: report.name, channel };
    const problem = problemOf(error);
    log.error({ err: error, report: report.name, channel, reference: problem.reference }, 'a report failed');
    const again = await posts.failedBefore(key, slot);
    await posts.settle(key, slot, { state: 'failed', from: slot, to: slot });
    if (again) return;
    await poster.post(
      channel,
      message(
        mrkdwn`The report *${report.name}* could not be made.`,
        problem.message,
        note('It is tried again at its next time; this is said once, until it works again.'),
      ),
    );
  }

  return {
    async run(subscription, slot, signal) {
      const { report, channel } = subscription;
      try {
        if (!(await posts.claim({ report: report.name, channel }, slot))) return 'taken';
        try {
          return await tell(subscription, slot, signal);
        } catch (error) {
          // Stopping the bot is no failure of the report: the next slot tells what this one did not.
          if (signal?.aborted === true) log.info({ report: report.name, channel, slot }, 'a report was stopped');
          else await complain(subscription, slot, error);
          return 'failed';
        } finally {
          await posts.forget(new Date(slot.getTime() - MEMORY));
        }
      } catch (error) {
        // The store or Slack itself does not answer: there is nowhere to say it.
        log.error({ err: error, report: report.name, channel }, 'a report could not be told of');
        return 'failed';
      }
    },
  };
}
