import type { Platform } from '../../../src/platform/client.ts';
import type { EventSearch } from '../../../src/platform/resources/security.ts';
import type { AccountStatisticsQuery, StatisticsAnswer } from '../../../src/platform/resources/statistics.ts';
import { createWatch } from '../../../src/reports/statistics-watch/watch.ts';
import { findingInWords } from '../../../src/reports/statistics-watch/words.ts';
import { createHoursReader } from '../../../src/reports/zone-hours.ts';
import { DAY, HOUR, MINUTE } from '../../../src/time.ts';
import { UTC, zone } from '../asking.ts';

/** The first line, with times as a plain text has them. */
const withoutTokens = (words: string) => words.split('\n', 1)[0]!.replaceAll(/<!date\^[^|]*\|([^>]*)>/g, '$1');

/** A Wednesday. */
export const START = Date.parse('2026-03-04T06:00:00Z');

/** What a zone does in a minute. */
export interface Minute {
  requests: number;
  hits: number;
  errors4xx: number;
  response: number;
  /** Of each request; 10,000 where nothing is said. */
  bytes?: number;
}

export type Effect = (usual: Minute, at: number) => Minute;

interface World {
  /** By zone; those that are not named do what they always do. */
  effects?: Record<number, Effect>;
  /** Minutes that statistics are late at a moment. */
  lag?: (at: number) => number;
  zones?: number;
  /** Requests a minute of each zone, on average. */
  rate?: number;
  perSecond?: number;
  /** Waits for its turn; not at all when not given. */
  turn?: (ms: number) => Promise<void>;
  fail?: (query: AccountStatisticsQuery, at: number) => void;
  /** What is counted of an hour at a moment: requests, pulls, refused, waited, bytes. */
  counted?: (counts: number[], hour: number, at: number) => number[];
  /** What the shield of a zone sees in a minute. Zones that are not named have none. */
  shields?: Record<number, (at: number) => number>;
  /** Throws what the platform does not tell of shields. */
  hide?: (at: number) => void;
  /** The records of the access log, newest first. */
  log?: (zone: number, query: { from?: Date; to?: Date; status?: readonly string[]; limit?: number }) => object[];
}

/** More by day than by night, with some noise that is always the same. */
function usualAt(id: number, rate: number, at: number): Minute {
  const day = 1 + 0.5 * Math.sin(((at % DAY) / DAY) * 2 * Math.PI);
  const noise = 1 + 0.1 * Math.sin(at / (7 * MINUTE) + id);
  const requests = Math.round(rate * day * noise);
  return { requests, hits: Math.round(0.9 * requests), errors4xx: Math.round(0.02 * requests), response: 200 };
}

/** An account with a watch over it, on a clock of its own. */
export function watchedWorld(given: World = {}) {
  const { effects = {}, lag = () => 0, zones: many = 4, rate = 100, perSecond, turn, fail, log, counted } = given;
  const { shields = {}, hide } = given;
  const zones = Array.from({ length: many }, (_, index) => zone(index + 1, `zone-${index + 1}`));
  let now = START;
  const asked: AccountStatisticsQuery[] = [];
  const minuteOf = (id: number, at: number) => {
    const usual = usualAt(id, rate, at);
    return effects[id]?.(usual, at) ?? usual;
  };
  const sums = new Map<string, number[]>();
  const hourOf = (id: number, hour: number, until: number) => {
    const key = `${id} ${hour}`;
    const known = sums.get(key);
    if (known !== undefined) return known;
    const sum = [0, 0, 0, 0, 0];
    for (let at = hour; at < Math.min(hour + HOUR, until); at += MINUTE) {
      const { requests, hits, errors4xx, response, bytes = 10_000 } = minuteOf(id, at);
      const values = [requests, requests - hits, errors4xx, response * (requests - hits), bytes * requests];
      for (const [index, value] of values.entries()) sum[index]! += value;
    }
    if (until >= hour + HOUR) sums.set(key, sum);
    return sum;
  };
  const get = async (query: AccountStatisticsQuery = {}): Promise<StatisticsAnswer> => {
    asked.push(query);
    fail?.(query, now);
    const ids = query.pullZone === undefined ? zones.map(({ Id }) => Id) : [query.pullZone];
    const answer = {
      RequestsServedChart: {} as Record<string, number>,
      PullRequestsPulledChart: {} as Record<string, number>,
      Error4xxChart: {} as Record<string, number>,
      OriginResponseTimeChart: {} as Record<string, number>,
      BandwidthUsedChart: {} as Record<string, number>,
    };
    for (let hour = query.dateFrom!.getTime(); hour < now; hour += HOUR) {
      const [requests, pulls, errors4xx, waited, bandwidth] = ids
        .map((id) => hourOf(id, hour, now - lag(now) * MINUTE))
        .map((counts) => counted?.(counts, hour, now) ?? counts)
        .reduce((sum, one) => sum.map((value, index) => value + one[index]!));
      const key = new Date(hour).toISOString().replace('.000Z', 'Z');
      answer.RequestsServedChart[key] = requests!;
      answer.PullRequestsPulledChart[key] = pulls!;
      answer.BandwidthUsedChart[key] = bandwidth!;
      answer.Error4xxChart[key] = errors4xx!;
      answer.OriginResponseTimeChart[key] = pulls === 0 ? 0 : Math.round(waited! / pulls!);
    }
    return answer;
  };
  const query = async (id: number, wanted: { from?: Date; status?: readonly string[]; limit?: number }) => ({
    data: log?.(id, wanted) ?? [],
    hasMore: false,
  });
  const kept = new Map<number, string>();
  const waits: number[] = [];
  const searched: number[] = [];
  const events = async (id: number, { from, to, buckets = 0 }: EventSearch) => {
    searched.push(id);
    hide?.(now);
    const width = (to.getTime() - from.getTime()) / Math.max(1, buckets);
    const sparkline = Array.from({ length: Math.max(1, buckets) }, (_, index) => {
      const begin = from.getTime() + index * width;
      let seen = 0;
      for (let at = begin; at < begin + width; at += MINUTE) seen += shields[id - 100]?.(at) ?? 0;
      return seen;
    });
    const count = sparkline.reduce((sum, one) => sum + one, 0);
    return [{ key: { action: 'Block' }, count, sparkline: buckets === 0 ? [] : sparkline }];
  };
  const mapping = async () =>
    Object.keys(shields).map((id) => ({ pullZoneId: Number(id), shieldZoneId: 100 + Number(id) }));
  const platform = {
    statistics: { get },
    accessLogs: { query },
    shieldZones: { mapping },
    security: { events },
  } as unknown as Platform;
  const services = {
    platform,
    anchors: {
      named: async <T>() => new Map([...kept].map(([id, row]) => [id, JSON.parse(row) as T])),
      set: async (id: number, _: string, value: unknown) => void kept.set(id, JSON.stringify(value)),
      setAll: async (_: string, values: ReadonlyMap<number, unknown>) => {
        for (const [id, value] of values) kept.set(id, JSON.stringify(value));
      },
    },
    hours: createHoursReader({ platform }),
    now: () => new Date(now),
    perSecond,
    wait: async (ms: number) => {
      waits.push(ms);
      await turn?.(ms);
    },
    elapsed: () => 0,
  };
  const signal = new AbortController().signal;
  const watch = createWatch(services);
  return {
    asked,
    searched,
    kept,
    waits,
    watch: () => watch(zones, true, signal),
    trial: () => createWatch(services, { isTrial: true })(zones, true, signal),
    advance: (minutes: number) => {
      now += minutes * MINUTE;
    },
    now: () => now,
    /** What was said at each look, by the minutes since the start. */
    async run(minutes: number, every = 15) {
      const said = new Map<number, string[]>();
      let notes: readonly string[] = [];
      for (let passed = 0; passed <= minutes; passed += every) {
        const watched = await watch(zones, true, signal);
        notes = [...watched.notes, ...watched.unread];
        const lines = watched.findings.map((finding) => withoutTokens(String(findingInWords(finding, UTC))));
        if (lines.length > 0) said.set(passed, lines);
        now += every * MINUTE;
      }
      return { said, notes };
    },
  };
}
