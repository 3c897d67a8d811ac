import { pino } from 'pino';
import { createRandom } from '../../playground/platform/random.ts';
import { startPlatformSimulator } from '../../playground/platform/simulator.ts';
import type { Incident } from '../../playground/platform/traffic/traffic.ts';
import { createCollectReport } from '../../src/delivery/collect.ts';
import { runSlot } from '../../src/delivery/run.ts';
import type { ReportServices } from '../../src/delivery/services.ts';
import { settingsSubscriptions } from '../../src/delivery/settings-subscriptions.ts';
import { createPlatform, type Platform } from '../../src/platform/client.ts';
import { reports } from '../../src/reports/index.ts';
import type { Poster } from '../../src/reports/post.ts';
import { Secret } from '../../src/secret.ts';
import { createAnchors } from '../../src/store/anchors.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createReportLedger } from '../../src/store/report-ledger.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** A Monday. */
const START = Date.parse('2026-11-09T00:00:00Z');

const ZONES: readonly [id: number, name: string][] = [
  [308001, 'main-site'],
  [308002, 'shop'],
  [308003, 'shop-images'],
  [308004, 'api'],
  [308005, 'docs'],
];

/** What goes wrong in the week. */
export interface Planned extends Incident {
  zone: number;
  zoneName: string;
  /** It hurts visitors: to be found. */
  isHarm: boolean;
}

/** What hurts has to be found; what changes the traffic and hurts nobody may be told or not. */
const HARM: readonly Incident['kind'][] = ['origin-down', 'origin-slow', 'broken-deploy'];
const TRAFFIC: readonly Incident['kind'][] = ['purge', 'crawler'];

/** Three incidents, a purge and a crawler, on zones and days of their own; each of two to five hours. */
function incidentsOf(seed: number, start: number): Planned[] {
  const random = createRandom('replay', seed);
  const zones = shuffled(ZONES, random.next);
  const days = shuffled([0, 1, 2, 3, 4, 5, 6], random.next);
  return [...HARM, ...TRAFFIC].map((kind, index) => {
    const [zone, zoneName] = zones[index]!;
    const hours = 2 + 3 * random.next();
    const from = start + days[index]! * DAY + Math.floor((24 - hours) * random.next() * HOUR);
    const share = 0.35 + 0.35 * random.next();
    return { kind, isHarm: index < HARM.length, zone, zoneName, from, to: from + hours * HOUR, share };
  });
}

function shuffled<T>(things: readonly T[], roll: () => number): T[] {
  return things
    .map((thing) => ({ thing, by: roll() }))
    .sort((a, b) => a.by - b.by)
    .map(({ thing }) => thing);
}

/** Something that was said to the channel. */
export interface Saying {
  at: Date;
  report: string;
  /** A message of its own, one that was brought up to date, or one that says that it is over. */
  how: 'posted' | 'updated' | 'over';
  /** What it says is out of the ordinary, a line each. */
  lines: string[];
  /** What it is about. */
  incidents: Planned[];
  /** Lines about nothing that went wrong. */
  wrong: string[];
}

export interface Replayed {
  /** Those that have to be found. */
  incidents: Planned[];
  sayings: Saying[];
}

export interface ReplayOptions {
  seed: number;
  /** Weeks after the first one. */
  week?: number;
  /** Minutes between error summaries. */
  every?: number;
  /** Days that are replayed, of the week. */
  days?: number;
}

/** One week of five zones through both reports, as a new installation has them. The same on every run. */
export async function replayWeek({ seed, week = 0, every = 15, days = 7 }: ReplayOptions): Promise<Replayed> {
  const start = START + week * WEEK;
  const incidents = incidentsOf(seed, start);
  let now = new Date(start - DAY);
  const simulator = await startPlatformSimulator({
    seed,
    now: () => now,
    elapsed: () => now.getTime(),
    incidents: (zone, day) => incidents.find((one) => one.zone === zone && one.from >= day && one.from < day + DAY),
  });
  const platform = createPlatform({
    apiUrl: simulator.urls.api,
    originLogsUrl: simulator.urls.originLogs,
    loggingUrl: simulator.urls.logging,
    accessKey: Secret.of(simulator.environment.PLATFORM_ACCESS_KEY ?? ''),
    now: () => now,
    retries: 0,
    // An hour of the week passes in milliseconds: the simulator's limit goes by that clock, and nothing waits for permits here.
    permits: {
      claim: async () => ({ permit: 'free' }),
      release: async () => {},
      drain: async () => {},
    },
  });
  const database = await openDatabase({ url: ':memory:', clock: () => now });
  try {
    const sayings: Saying[] = [];
    const run = await installed(platform, database, () => now, incidents, sayings);
    // What is usual is known from the day before.
    for (let at = start - DAY + every * MINUTE; at <= start + days * DAY; at += every * MINUTE) {
      now = new Date(at);
      await run('error-summary', now);
      if (at > start && (at - start) % DAY === 9 * HOUR) await run('daily-statistics', now);
    }
    now = new Date(start + days * DAY + 9 * HOUR);
    await run('daily-statistics', now);
    return {
      incidents: incidents.filter(({ isHarm }) => isHarm),
      sayings: sayings.filter(({ at }) => at.getTime() > start),
    };
  } finally {
    await database.close();
    await platform.close();
    await simulator.close();
  }
}

/** The two subscriptions of the settings, on a channel that writes down what it is told. */
async function installed(
  platform: Platform,
  database: Awaited<ReturnType<typeof openDatabase>>,
  now: () => Date,
  incidents: readonly Planned[],
  sayings: Saying[],
) {
  const ledger = createReportLedger(database);
  const anchors = createAnchors(database);
  const subscriptions = createSubscriptions(database);
  const settings = settingsSubscriptions(
    {
      REPORT_CHANNEL: 'C1',
      DAILY_STATISTICS_CRON: '0 9 * * *',
      ERROR_SUMMARY_CRON: '*/15 * * * *',
      ERROR_SUMMARY_PER_HOUR: 12,
      REPORT_TIMEZONE: 'UTC',
      EDGEWISE_ADMINS: ['U1'],
    },
    'T1',
  );
  const wanted = new Set(ZONES.map(([id]) => id));
  const all = await platform.pullZones.list();
  let current = { report: '', from: 0 };
  const heard = (how: Saying['how'], text: string) => {
    const isTold = (line: string) =>
      /^[🔴🟠] /u.test(line) ||
      ['All zones', ...ZONES.map(([, name]) => name)].some((name) => line.startsWith(`${name}: `));
    const told = how === 'over' ? [] : text.split('\n').filter(isTold);
    const since = current.report === 'daily-statistics' ? now().getTime() - 33 * HOUR : now().getTime() - DAY;
    const until = current.report === 'daily-statistics' ? now().getTime() - 9 * HOUR : now().getTime();
    const about = (line: string) =>
      incidents.filter(
        ({ from, to, zoneName, kind }) =>
          // Error summaries are about failures of the server only.
          (current.report === 'daily-statistics' || /^origin/.test(kind)) &&
          from < until &&
          to > since &&
          new RegExp(`(?<![\\w-])${zoneName}(?![\\w-])`).test(line),
      );
    sayings.push({
      at: now(),
      report: current.report,
      how,
      lines: told,
      incidents: incidents.filter((one) => told.some((line) => about(line).includes(one))),
      wrong: told.filter((line) => about(line).length === 0),
    });
  };
  let messages = 0;
  const poster: Poster = {
    async post({ message, thread, ready }) {
      await ready?.();
      if (thread === undefined) heard('posted', message.text);
      messages += 1;
      return { ts: String(messages) };
    },
    async update({ message, ready }) {
      await ready?.();
      heard(message.text.startsWith('✅ ') ? 'over' : 'updated', message.text);
    },
    find: async () => undefined,
    async tell(_, message) {
      throw new Error(message.text);
    },
  };
  const services: ReportServices = {
    reports,
    subscriptions,
    ledger,
    anchors,
    collect: createCollectReport({
      platform,
      zones: async () => ({ items: all.items.filter(({ Id }) => wanted.has(Id)) }),
      now,
      anchors,
    }),
    poster,
    policy: { admins: [] },
    stillMay: async () => undefined,
    refusalNow: async () => undefined,
    log: pino({ level: 'silent' }),
    wait: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    elapsed: () => 0,
  };
  const ids = new Map<string, number>();
  for (const { settings: one } of settings) {
    // Five zones are named: the platform's figures for the whole account are not theirs.
    const targets = ZONES.map(([id]) => String(id));
    ids.set(one.report, (await subscriptions.add({ ...one, targets }, () => undefined)).id);
  }
  return async (report: string, slot: Date) => {
    const subscription = (await subscriptions.read(ids.get(report)!))!;
    current = { report, from: slot.getTime() };
    await ledger.open(subscription, [{ slot, notBefore: slot, state: 'due' }]);
    const outcome = await runSlot(services, subscription.id, slot, new AbortController().signal);
    if (!['posted', 'updated', 'quiet'].includes(outcome))
      throw new Error(`${report} at ${slot.toISOString()}: ${outcome}`);
  };
}

/** What came of an incident: when it was told first after it began, and by which report. */
export function foundIn(
  incident: Planned,
  sayings: readonly Saying[],
): { report: string; minutes: number } | undefined {
  const first = sayings.find(({ incidents }) => incidents.includes(incident));
  return first && { report: first.report, minutes: Math.round((first.at.getTime() - incident.from) / MINUTE) };
}

/** Lines of the daily statistics about nothing that went wrong, and messages of the error summary about nothing else. */
export function falseAlarms(sayings: readonly Saying[]): Saying[] {
  return sayings.flatMap((saying) => {
    if (saying.report === 'daily-statistics') return saying.wrong.map((line) => ({ ...saying, lines: [line] }));
    return saying.how === 'posted' && saying.incidents.length === 0 ? [saying] : [];
  });
}

const words = ({ kind, zoneName }: Planned) => `${kind} of ${zoneName}`;

/** What was said when, as lines of a table: what is wrong, and what it was about. */
export function sayingLines(sayings: readonly Saying[]): string[] {
  return sayings.flatMap(({ at, report, how, lines, incidents }) => {
    const about = incidents.map(words).join(', ');
    return (lines.length === 0 ? [how === 'over' ? '(over)' : '(nothing out of the ordinary)'] : lines).map(
      (line, index) =>
        `${index === 0 ? at.toISOString().slice(0, 16) : ' '.repeat(16)}  ${(index === 0 ? report : '').padEnd(16)}  ${(index === 0 ? how : '').padEnd(7)}  ${(index === 0 ? about || '–' : '').padEnd(27)}  ${line}`,
    );
  });
}

/** One line a week: each incident with when and by what it was found, and the false alarms. */
export function weekLine({ seed, week = 0 }: ReplayOptions, { incidents, sayings }: Replayed): string {
  const found = incidents.map((incident) => {
    const first = foundIn(incident, sayings);
    return `${words(incident)}: ${first === undefined ? 'MISSED' : `${first.minutes} min (${first.report})`}`;
  });
  const count = (report: string, how: Saying['how']) =>
    sayings.filter((saying) => saying.report === report && saying.how === how).length;
  return `seed ${seed}, week ${week}: ${found.join('; ')}; ${falseAlarms(sayings).length} false alarms; error summaries: ${count('error-summary', 'posted')} posted, ${count('error-summary', 'updated')} updates`;
}
