import { describe, expect, it } from 'vitest';
import type { Platform } from '../../src/platform/client.ts';
import { PlatformError } from '../../src/platform/errors.ts';
import type { AccessLogQuery } from '../../src/platform/resources/access-logs.ts';
import { IN_LOG, minutesAfter, type Seen } from '../../src/reports/minutes-after.ts';
import type { Counts, Hours } from '../../src/reports/statistics-watch/counts.ts';
import { HOUR, MINUTE } from '../../src/time.ts';

const AT = Date.parse('2026-11-20T14:20:00Z');

/** What a zone does in each minute. */
interface Doing {
  requests: number;
  failed?: number;
  redirected?: number;
  refused?: number;
  hits?: number;
  agent?: string;
  /** The origin’s time, in milliseconds. */
  ms?: number;
}

interface World {
  before: Doing;
  after: Doing;
  /** Statistics go on to count this, whatever the log shows. */
  counted?: Doing;
  error?: Error;
  emptiesCache?: boolean;
  keepsOut?: boolean;
  /** Minutes before the change in which as many fail as after it. */
  failedBefore?: readonly number[];
  /** From this to that minute before the change it did what it does after it. */
  quietBefore?: readonly [last: number, first: number];
}

/** The zone as its log and its statistics show it a little more than ten minutes after a change. */
async function look({ before, after, counted = after, error, failedBefore = [], quietBefore, ...asked }: World) {
  const isQuiet = (back: number) => quietBefore !== undefined && back >= quietBefore[0] && back <= quietBefore[1];
  const doing = (at: number): Doing =>
    at >= AT || isQuiet((AT - at) / MINUTE)
      ? after
      : failedBefore.includes((AT - at) / MINUTE)
        ? { ...before, failed: after.failed ?? 0 }
        : before;
  const minutes = (from: number, to: number) =>
    Array.from({ length: Math.ceil((to - from) / MINUTE) }, (_, index) => from + index * MINUTE);
  async function query(_: number, { from, to, status, limit = 100 }: AccessLogQuery) {
    if (error !== undefined) throw error;
    const records = minutes(from!.getTime(), to!.getTime()).flatMap((at) => {
      const { requests, failed = 0, redirected = 0, refused = 0, hits = 0, agent = 'Firefox' } = doing(at);
      return Array.from({ length: requests }, (_, n) => {
        const statusCode =
          n < failed ? 503 : n < failed + redirected ? 301 : n < failed + redirected + refused ? 403 : 200;
        const cacheStatus = statusCode === 200 && n >= requests - hits ? 'HIT' : 'MISS';
        const timestamp = new Date(at + (n * MINUTE) / requests).toISOString();
        return { timestamp, statusCode, cacheStatus, userAgent: statusCode === 403 ? agent : 'Firefox' };
      });
    });
    const wanted = records.filter(({ statusCode }) => status === undefined || statusCode >= 500).reverse();
    return { data: wanted.slice(0, limit), hasMore: wanted.length > limit };
  }
  const countsOf = (many: number, { requests, failed = 0, hits = 0, ms = 100 }: Doing): Counts => ({
    ...{ requests: many * requests, bandwidth: 0, pulls: many * (requests - hits), errors4xx: 0 },
    ...{ waited: many * (requests - hits) * ms, errors5xx: many * failed },
  });
  const hour = AT - (AT % HOUR);
  const known = Object.fromEntries(
    Array.from({ length: 28 * 24 }, (_, back) => [hour - (back + 1) * HOUR, countsOf(60, before)]),
  );
  const until = (now: number): Hours => {
    const [early, late] = [countsOf(20, before), countsOf(Math.max(0, (now - AT) / MINUTE), counted)];
    const sum = Object.fromEntries(Object.entries(early).map(([key, n]) => [key, n + late[key as keyof Counts]]));
    return { ...known, [hour]: sum as unknown as Counts };
  };
  const now = AT + IN_LOG;
  return minutesAfter(
    {
      platform: { accessLogs: { query } } as unknown as Pick<Platform, 'accessLogs'>,
      hours: async () => ({ at: now, hours: until(now) }),
      signal: new AbortController().signal,
    },
    {
      ...{ zone: 1, at: AT, now, ...asked },
      first: {
        at: AT,
        hours: Object.fromEntries([0, 1, 2].map((n) => [hour - n * HOUR, until(AT)[hour - n * HOUR]!])),
      },
    },
  );
}

const ORDINARY: Doing = { requests: 50, hits: 40 };
const worseOf = async (after: Doing, more: Partial<World> = {}) =>
  ((await look({ before: ORDINARY, after, ...more })) as Seen).worse;

describe('the ten minutes after a moment', () => {
  it('are not worse where nothing changed, where more came, or where only the night began', async () => {
    expect(await worseOf(ORDINARY)).toEqual([]);
    expect(await worseOf({ requests: 400, hits: 60 })).toEqual([]);
    expect(await worseOf({ requests: 30, hits: 24 })).toEqual([]);
  });

  it('are worse where requests fail, stay away, go in circles or are refused, and where the cache or the origin is', async () => {
    expect(await worseOf({ ...ORDINARY, failed: 3 })).toEqual(['5xx']);
    expect(await worseOf({ requests: 0 })).toEqual(['requests']);
    expect(await worseOf({ requests: 300, redirected: 300 })).toEqual(['redirects']);
    expect(await worseOf({ requests: 50, refused: 48 })).toEqual(['refusals']);
    expect(await worseOf({ requests: 50, hits: 10 })).toEqual(['hits']);
    expect(await worseOf({ ...ORDINARY, ms: 400 })).toEqual(['response']);
  });

  it('are not worse for fewer requests, or for those that are turned away, after what keeps some out', async () => {
    for (const after of [{ requests: 0 }, { requests: 50, refused: 48 }, { requests: 300, redirected: 300 }])
      expect(await worseOf(after, { keepsOut: true })).toEqual([]);
    expect(await worseOf({ ...ORDINARY, failed: 3 }, { keepsOut: true })).toEqual(['5xx']);
  });

  it('are worse where a third of the good answers became refusals, but not where robots are refused or ask on top', async () => {
    expect(await worseOf({ requests: 50, hits: 30, refused: 17 })).toEqual(['refusals']);
    expect(await worseOf({ requests: 50, hits: 30, refused: 17, agent: 'Some-Bot/1.0' })).toEqual([]);
    expect(await worseOf({ requests: 90, hits: 40, refused: 40 })).toEqual([]);
  });

  it('are worse where half of the requests stay away, but not if that many came in any ten minutes of three hours', async () => {
    expect(await worseOf({ requests: 25, hits: 20 })).toEqual(['requests']);
    expect(await worseOf({ requests: 25, hits: 20 }, { quietBefore: [91, 100] })).toEqual([]);
  });

  it('are not worse where the cache empties at this minute of each hour', async () => {
    expect(await worseOf({ requests: 50, hits: 20 })).toEqual(['hits']);
    expect(await worseOf({ requests: 50, hits: 20 }, { quietBefore: [51, 60] })).toEqual([]);
  });

  it('may have fewer hits after what empties the cache', async () => {
    expect(await worseOf({ requests: 50, hits: 10 }, { emptiesCache: true })).toEqual([]);
  });

  it('are ordinary in a zone that failed as much a little before', async () => {
    expect(await worseOf({ ...ORDINARY, failed: 3 }, { failedBefore: [81, 82, 83, 84, 85, 86, 87, 88] })).toEqual([]);
  });

  it('are not blamed on the change where the failures began a little before it', async () => {
    const down = { ...ORDINARY, failed: 20 };
    expect(await worseOf(down, { failedBefore: [1, 2] })).toEqual([]);
    // Whatever had failed, and recovered, before.
    expect(await worseOf(down, { failedBefore: [1, 2, 10] })).toEqual([]);
    expect(await worseOf(down)).toEqual(['5xx']);
  });

  it('are waited for while statistics count what the log does not show yet', async () => {
    expect(await look({ before: ORDINARY, after: { requests: 0 }, counted: ORDINARY })).toMatchObject({
      unread: { message: 'the log is late' },
    });
  });

  it('are too few requests to tell, or cannot be read', async () => {
    expect(await look({ before: { requests: 1 }, after: { requests: 2, failed: 1 } })).toMatchObject({
      isFew: true,
      worse: [],
    });
    const error = new PlatformError('Logging is off.', {
      ...{ status: 404, service: 'logging', method: 'GET', path: '/', key: 'logging_disabled' },
    });
    expect(await look({ before: ORDINARY, after: ORDINARY, error })).toEqual({ unread: error });
  });
});
