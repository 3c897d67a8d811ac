import { pino } from 'pino';
import type { Message } from '../../src/blocks/message.ts';
import { unescaped } from '../../src/blocks/mrkdwn.ts';
import { createReporting } from '../../src/delivery/reporting.ts';
import { nextSlotOf } from '../../src/delivery/scheduler.ts';
import { createPlatform } from '../../src/platform/client.ts';
import { reports } from '../../src/reports/index.ts';
import type { Poster } from '../../src/reports/post.ts';
import { parseSchedule } from '../../src/schedule/words.ts';
import { Secret } from '../../src/secret.ts';
import { createAnchors } from '../../src/store/anchors.ts';
import { createJobs } from '../../src/store/jobs.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createReportLedger } from '../../src/store/report-ledger.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { PLAIN } from '../../test/support/subscription.ts';
import { runOf } from './judge/run.ts';
import { judgeWeek, type Post, type WeekResult } from './judge.ts';
import type { Week } from './seeds.ts';
import { type Running, type ServiceOptions, start } from './service.ts';

const MINUTE = 60_000;

/** Where everybody subscribed. */
const CHANNEL = 'C0ALERTS';

/** What a week was worth, what was posted in it, and the requests that it took, by service. */
export interface DrivenWeek {
  result: WeekResult;
  posts: readonly Post[];
  requests: Running['requests'];
}

/** Reports that its platform has data for: no audit, no billing. */
export const SERVED: readonly string[] = ['error-summary', 'daily-statistics'];

export interface DriveOptions {
  service?: ServiceOptions;
  /** Names of reports; those that its platform has data for when not given. */
  only?: readonly string[];
  /** The part of the week in which it is subscribed, in Unix milliseconds; the whole when not given. */
  stretch?: { from: number; to: number };
  /** Puts faults into the platform once its week is known. */
  prepare?: (platform: Running) => void;
  /** Whether a service was late, sampled or refused at a moment. */
  isFaulty?: (at: number) => boolean;
}

/** A Slack that writes down what is read in the channel, and what one person is told, in the order in which it came. */
function recorded(clock: () => number, isDaily: (key: string) => boolean) {
  let last = 0;
  // The clock stands still while a slot is done: a millisecond apart, an edit is not read before the reply that came first.
  const now = () => {
    last = Math.max(clock(), last + 1);
    return last;
  };
  const posts: (Omit<Post, 'edits'> & { edits: { at: number; text: string }[] })[] = [];
  const add = (channel: string, { text }: Message, more: Pick<Post, 'isDaily' | 'thread'> = {}) => {
    const id = String(posts.length + 1);
    posts.push({ id, at: now(), channel, text: unescaped(text), edits: [], ...more });
    return { ts: id };
  };
  const poster: Poster = {
    async post({ channel, message, key, thread, ready }) {
      await ready?.();
      // Tables that stand in the thread from the start are part of their message.
      if (key.endsWith(':details')) return { ts: key };
      return add(channel, message, { isDaily: isDaily(key), ...(thread && { thread }) });
    },
    async update({ ts, message, ready }) {
      await ready?.();
      posts[Number(ts) - 1]?.edits.push({ at: now(), text: unescaped(message.text) });
    },
    find: async () => undefined,
    async tell(person, message) {
      add(person, message);
    },
  };
  return { posts, poster };
}

/** The reports of the bot as they are, subscribed on an empty store when the week begins, minute by minute to its end. */
export async function driveWeek(week: Week, options: DriveOptions = {}): Promise<DrivenWeek> {
  const platform = await start({ isRateLimited: false, ...options.service }, week);
  options.prepare?.(platform);
  const { clock, model } = platform;
  const now = () => new Date(clock.now());
  const client = createPlatform({
    apiUrl: platform.url,
    originLogsUrl: platform.url,
    loggingUrl: platform.url,
    accessKey: Secret.of('judge-key'),
    now,
    retries: 0,
  });
  const { from, to } = options.stretch ?? {
    from: model.from,
    // The last day's report is posted the morning after.
    to: model.to + (week.kind === 'daily' ? 600 * MINUTE : 0),
  };
  clock.advance(from - clock.now());
  const database = await openDatabase({ url: ':memory:', clock: now });
  const daily = new Set<string>();
  const { posts, poster } = recorded(clock.now, (key) => daily.has(key.split(':')[0]!));
  try {
    const subscriptions = createSubscriptions(database);
    for (const { name: report, schedule } of reports) {
      if (!(options.only ?? SERVED).includes(report)) continue;
      const settings = { ...PLAIN, report, channel: CHANNEL, schedule, cron: parseSchedule(schedule).cron };
      const { id } = await subscriptions.add(settings, nextSlotOf(settings));
      if (report === 'daily-statistics') daily.add(String(id));
    }
    const { scheduler } = createReporting({
      reports,
      poster,
      policy: { admins: [] },
      log: pino({ level: process.env.SIGNAL_LOG ?? 'silent' }),
      wait: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
      stillMay: async () => undefined,
      refusalNow: async () => undefined,
      platform: client,
      zones: () => client.pullZones.list(),
      now,
      store: {
        jobs: createJobs(database),
        subscriptions,
        ledger: createReportLedger(database),
        anchors: createAnchors(database),
      },
      channels: { find: async () => undefined, nameOf: async (id) => id },
      names: { person: async () => undefined },
    });
    while (clock.now() < to) {
      await scheduler.tick();
      clock.advance(MINUTE);
    }
    const run = runOf(week, model, posts, platform.shownAt);
    const result = judgeWeek(options.isFaulty === undefined ? run : { ...run, isFaulty: options.isFaulty });
    return { result, posts, requests: platform.requests };
  } finally {
    await database.close();
    await client.close();
    await platform.close();
  }
}
