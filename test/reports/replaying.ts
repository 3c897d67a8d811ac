import { createGroupMemory } from '../../src/logs/group-memory.ts';
import { createPlatform, type Platform } from '../../src/platform/client.ts';
import { Secret } from '../../src/platform/secret.ts';
import { startPlatformSimulator } from '../../src/playground/platform/simulator.ts';
import type { Incident } from '../../src/playground/platform/traffic.ts';
import { dailyStatistics } from '../../src/reports/daily-statistics.ts';
import { errorSummary } from '../../src/reports/error-summary.ts';
import type { ReportContext } from '../../src/reports/report.ts';
import { UTC } from './asking.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A Monday. */
const START = Date.parse('2026-11-09T00:00:00Z');

/** What goes wrong in the week. */
export interface Planned extends Incident {
  zone: number;
  zoneName: string;
  name: string;
}

function planned(
  name: string,
  [zone, zoneName]: [number, string],
  kind: Incident['kind'],
  start: string,
  hours: number,
  share: number,
): Planned {
  const from = Date.parse(start);
  return { name, zone, zoneName, kind, from, to: from + hours * HOUR, share };
}

export const INCIDENTS: readonly Planned[] = [
  planned('the origin of the shop is down', [308002, 'shop'], 'origin-down', '2026-11-10T14:00:00Z', 2, 0.6),
  planned('a deploy breaks pages', [308005, 'docs'], 'broken-deploy', '2026-11-12T09:00:00Z', 4, 0.5),
  planned('the origin of the images is slow', [308003, 'shop-images'], 'origin-slow', '2026-11-14T20:00:00Z', 2, 0.5),
];

/** Something that a report said was out of the ordinary. */
export interface Alarm {
  at: Date;
  report: string;
  words: string;
  /** What it is about; undefined: a false alarm. */
  incident: Planned | undefined;
}

/** One week of three zones; `every`: hours between error summaries. The same on every run. */
export async function replayWeek(every: number): Promise<{ alarms: Alarm[]; messages: Record<string, number> }> {
  let now = new Date(START);
  const simulator = await startPlatformSimulator({
    seed: 7,
    now: () => now,
    elapsed: () => now.getTime(),
    incidents: (zone, day) => INCIDENTS.find((one) => one.zone === zone && one.from >= day && one.from < day + DAY),
  });
  const platform = createPlatform({
    apiUrl: simulator.urls.api,
    originLogsUrl: simulator.urls.originLogs,
    loggingUrl: simulator.urls.logging,
    accessKey: Secret.of(simulator.environment.PLATFORM_ACCESS_KEY ?? ''),
    now: () => now,
    retries: 0,
    // An hour of the week passes in milliseconds: the simulator's limit goes by that clock, and nothing waits for places here.
    slots: {
      claim: async () => ({ slot: 'free' }),
      release: async () => {},
      drain: async () => {},
    },
  });
  try {
    return await replayed(platform, every, (instant) => {
      now = new Date(instant);
    });
  } finally {
    await platform.close();
    await simulator.close();
  }
}

async function replayed(platform: Platform, every: number, set: (instant: number) => void) {
  const memory = createGroupMemory();
  const alarms: Alarm[] = [];
  const messages: Record<string, number> = { [dailyStatistics.name]: 0, [errorSummary.name]: 0 };
  const wanted = new Set(INCIDENTS.map(({ zone }) => zone));
  const context = (from: number, to: number) => ({
    platform,
    zones: async () => {
      const all = await platform.pullZones.list();
      return { items: all.items.filter(({ Id }) => wanted.has(Id)) };
    },
    whole: false,
    filter: () => true,
    from: new Date(from),
    to: new Date(to),
    signal: new AbortController().signal,
    memory,
  });
  const tell = async (report: typeof dailyStatistics | typeof errorSummary, from: number, to: number) => {
    const given: ReportContext = context(from, to);
    const said =
      report.name === dailyStatistics.name
        ? dailyStatistics.render(await dailyStatistics.collect(dailyStatistics.args, given), dailyStatistics.args, UTC)
        : errorSummary.render(await errorSummary.collect(errorSummary.args, given), errorSummary.args, UTC);
    if (said === undefined) return;
    messages[report.name]! += 1;
    for (const line of said.text.split('\n').filter((one) => one.startsWith('• '))) {
      // That something is over is no alarm.
      if (line.startsWith('• *Gone*')) continue;
      const incident = INCIDENTS.find(
        (one) => one.from < to && one.to > from && new RegExp(`(?<![\\w-])${one.zoneName}(?![\\w-])`).test(line),
      );
      alarms.push({ at: new Date(to), report: report.name, words: line.slice(2), incident });
    }
  };
  // What is usual is known from the day before.
  for (let at = START - DAY + every * HOUR; at <= START + 7 * DAY; at += every * HOUR) {
    set(at + 60_000);
    const before = alarms.length;
    await tell(errorSummary, at - every * HOUR, at);
    if (at <= START) alarms.length = before;
    if (at > START && (at - START) % DAY === 0) {
      set(at + 9 * HOUR);
      await tell(dailyStatistics, at - DAY, at);
    }
  }
  return { alarms, messages };
}

/** The alarms as lines of a table. */
export function alarmLines(alarms: readonly Alarm[]): string[] {
  return alarms.map(
    ({ at, report, words, incident }) =>
      `${at.toISOString().slice(0, 16)}  ${report.padEnd(16)}  ${(incident?.name ?? 'FALSE ALARM').padEnd(32)}  ${words}`,
  );
}
