import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Platform } from '../../src/platform/client.ts';
import type { AccountStatisticsQuery } from '../../src/platform/resources/statistics.ts';
import { createWatch } from '../../src/reports/statistics-watch/watch.ts';
import { createHoursReader, type WantedHours } from '../../src/reports/zone-hours.ts';
import { createAnchors, HOURS } from '../../src/store/anchors.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { DAY, HOUR, MINUTE } from '../../src/time.ts';
import { refused, zone } from './asking.ts';
import { failing, minutes, NOON } from './error-summary/failing.ts';

const START = Date.parse('2026-11-20T09:10:00Z');
const { signal } = new AbortController();
const hourOf = (at: number) => at - (at % HOUR);

/** A platform that counts a request a minute and zone, so late, with a store beside it; each process has a reader of its own. */
async function createWorld({ late = 0 } = {}) {
  const world = { now: START, late, asked: [] as AccountStatisticsQuery[], isRefusing: false };
  const counted = (hour: number, at: number) => Math.max(0, Math.min(HOUR, at - world.late - hour)) / MINUTE;
  const get = async (query: AccountStatisticsQuery) => {
    world.asked.push(query);
    if (world.isRefusing) throw refused(500, 'Broken');
    const RequestsServedChart: Record<string, number> = {};
    for (let hour = query.dateFrom!.getTime(); hour <= query.dateTo!.getTime(); hour += HOUR)
      RequestsServedChart[new Date(hour).toISOString()] = counted(hour, world.now);
    return { RequestsServedChart };
  };
  const database = await openDatabase({ url: ':memory:', clock: () => new Date(world.now) });
  const platform = { statistics: { get } } as unknown as Platform;
  const wanted = (back: number, more: Partial<WantedHours> = {}): WantedHours => {
    return { from: hourOf(world.now - back), to: world.now, age: 14 * MINUTE, signal, ...more };
  };
  const start = () => {
    const read = createHoursReader({ platform, anchors: createAnchors(database) });
    const requestsIn = async (asking: Promise<{ at: number; hours: object }>) => {
      const { at, hours } = await asking;
      return { at, requests: Object.entries(hours).map(([hour, { requests }]) => [Number(hour), requests]) };
    };
    return {
      weeks: (more: Partial<WantedHours> = {}, id = 1) => requestsIn(read(id, wanted(28 * DAY, more))),
      lastDay: (more: Partial<WantedHours> = {}, id = 1) => requestsIn(read(id, wanted(12 * HOUR, more))),
    };
  };
  /** How many days the requests since the last time were about. */
  const days = () => {
    const asked = world.asked.splice(0);
    return asked.map(({ dateFrom, dateTo }) => Math.round((dateTo!.getTime() - dateFrom!.getTime()) / DAY));
  };
  const expected = (back: number, at = world.now) =>
    Array.from({ length: (hourOf(at) - hourOf(world.now - back)) / HOUR + 1 }, (_, index) => {
      const hour = hourOf(world.now - back) + index * HOUR;
      return [hour, counted(hour, at)];
    });
  return { ...{ world, database, start, days, expected }, anchors: createAnchors(database) };
}

describe('the hours of a zone', () => {
  let given: Awaited<ReturnType<typeof createWorld>>;
  beforeEach(async () => {
    given = await createWorld();
  });
  afterEach(() => given.database.close());

  test('are read once a day, and the last of them as often as somebody needs younger figures', async () => {
    const { world, start, days, expected } = given;
    const { weeks, lastDay } = start();
    expect((await weeks()).requests).toEqual(expected(28 * DAY));
    expect(days()).toEqual([30]);
    world.now += 13 * MINUTE;
    expect(await weeks()).toEqual({ at: START, requests: expected(28 * DAY, START) });
    expect(days()).toEqual([]);
    world.now += 2 * HOUR;
    expect((await lastDay()).requests).toEqual(expected(12 * HOUR));
    expect((await weeks()).requests).toEqual(expected(28 * DAY));
    expect(days()).toEqual([1]);
    world.now = START + DAY;
    expect((await weeks()).requests).toEqual(expected(28 * DAY));
    expect(days()).toEqual([30]);
  });

  test('cost one request when several ask at once', async () => {
    const { start, days } = given;
    const { weeks, lastDay } = start();
    await Promise.all([weeks(), lastDay(), weeks()]);
    expect(days()).toEqual([30]);
  });

  test('are not read for weeks again after a restart, nor by another process', async () => {
    const { world, start, days, expected } = given;
    const first = start();
    await first.weeks();
    world.now += 10 * MINUTE;
    const second = start();
    await second.weeks();
    expect(days()).toEqual([30]);
    world.now += 6 * HOUR;
    expect((await second.weeks()).requests).toEqual(expected(28 * DAY));
    expect((await start().weeks()).requests).toEqual(expected(28 * DAY));
    expect(days()).toEqual([1, 1]);
    // The next day one reads them for both.
    world.now = START + DAY;
    await second.weeks();
    await first.weeks();
    expect(days()).toEqual([30]);
  });

  test('serve while statistics are refused, to whoever takes older ones', async () => {
    const { world, start, days, expected } = given;
    await start().weeks();
    world.isRefusing = true;
    world.now += 5 * HOUR;
    const { weeks, lastDay } = start();
    expect(await weeks({ mostAge: 6 * HOUR })).toEqual({ at: START, requests: expected(28 * DAY, START) });
    await expect(weeks()).rejects.toThrow('Broken');
    await expect(lastDay()).rejects.toThrow('Broken');
    world.now += 2 * HOUR;
    await expect(weeks({ mostAge: 6 * HOUR })).rejects.toThrow('Broken');
    world.isRefusing = false;
    days();
    expect((await weeks()).requests).toEqual(expected(28 * DAY));
    expect(days()).toEqual([1]);
  });

  test.each<[string, (content: string) => string]>([
    ['rubbish', () => '{"columns":1}'],
    ['of an older version', (content) => content.replace('"waited",', '')],
    ['not numbers', (content) => content.replace('"rows":[', '"rows":["1",').replace(/,\d+\]\}$/, ']}')],
    ['cut', (content) => content.replace(/,\d+\]\}$/, ']}')],
  ])('are read anew where what is stored is %s', async (_, spoil) => {
    const { start, days, anchors, expected } = given;
    await start().weeks();
    const spoilt = JSON.parse(spoil(JSON.stringify(await anchors.read(1, HOURS))));
    await anchors.set(1, HOURS, spoilt);
    days();
    expect((await start().weeks()).requests).toEqual(expected(28 * DAY));
    expect(days()).toEqual([30]);
    expect(await anchors.read(1, HOURS)).not.toEqual(spoilt);
  });

  test('of more zones than memory holds come out of the store', async () => {
    const { start, days } = given;
    const { weeks } = start();
    const zones = Array.from({ length: 80 }, (_, index) => index + 1);
    for (const id of zones) await weeks({}, id);
    expect(days()).toHaveLength(80);
    for (const id of zones) await weeks({}, id);
    expect(days()).toEqual([]);
  });

  test('serve a report that is caught up a few hours later, and are read anew where the clock was set back', async () => {
    const { start, days } = given;
    const { weeks } = start();
    await weeks();
    await weeks({ to: START - 3 * HOUR });
    expect(days()).toEqual([30]);
    await weeks({ to: START - DAY, from: hourOf(START - DAY - 28 * DAY) });
    expect(days()).toEqual([30]);
  });

  test('are those that one request would bring, whoever has asked for what before, however late they are', async () => {
    const step = fc.record({
      minutes: fc.oneof(fc.nat(40), fc.nat(30 * 60)),
      isLong: fc.boolean(),
      isRestart: fc.boolean(),
      isRefusing: fc.boolean(),
      id: fc.nat(1),
    });
    const same = fc.asyncProperty(fc.nat(18 * 60), fc.array(step, { maxLength: 12 }), async (late, steps) => {
      const { world, database, start, expected } = await createWorld({ late: late * MINUTE });
      let reader = start();
      for (const { minutes: passed, isLong, isRestart, isRefusing, id } of steps) {
        world.now += passed * MINUTE;
        world.isRefusing = isRefusing;
        if (isRestart) reader = start();
        const before = world.asked.length;
        const asking = isLong ? reader.weeks({}, id) : reader.lastDay({}, id);
        const answer = await asking.catch(() => undefined);
        expect(world.asked.length - before).toBeLessThanOrEqual(1);
        if (answer === undefined) continue;
        expect(answer.requests).toEqual(expected(isLong ? 28 * DAY : 12 * HOUR, answer.at));
      }
      await database.close();
    });
    await fc.assert(same, { numRuns: 60 });
  });

  test('cost a zone in trouble no second reading of four weeks, because the watch has read them', async () => {
    const { ask, platform } = failing({ 1: { failures: minutes(12, 40) } });
    const asked: (number | undefined)[] = [];
    const get = async (query: AccountStatisticsQuery) => {
      asked.push(query.pullZone);
      return platform.statistics.get(...([{ ...query, pullZone: 1 }] as unknown as []));
    };
    const statistics = { ...platform, statistics: { get } } as unknown as Platform;
    const now = () => new Date(NOON + 30 * MINUTE);
    const database = await openDatabase({ url: ':memory:', clock: now });
    const hours = createHoursReader({ platform: statistics, anchors: createAnchors(database) });
    const watching = { hours, now, anchors: createAnchors(database), wait: async () => {}, elapsed: () => 0 };
    const watch = createWatch({
      ...watching,
      platform: { ...statistics, shieldZones: { mapping: async () => [] } } as never,
    });
    await watch([zone(1, 'zone-1')], true, signal);
    expect(asked).toEqual([undefined, 1]);
    expect((await ask({ hours })).troubles).toMatchObject([{ zone: '1' }]);
    expect(asked).toEqual([undefined, 1]);
    await database.close();
  });
});
