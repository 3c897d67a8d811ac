import { describe, expect, test, vi } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { PlatformConnectionError } from '../../../src/platform/errors.ts';
import { isWorthTelling } from '../../../src/reports/error-summary/decision.ts';
import { findingInWords } from '../../../src/reports/statistics-watch/words.ts';
import { MINUTE } from '../../../src/time.ts';
import { refused, UTC } from '../asking.ts';
import { type Effect, type Minute, START, watchedWorld } from './watched-world.ts';

/** From a minute after the start on, to another. */
const between =
  (from: number, to: number, change: Effect): Effect =>
  (usual, at) =>
    at >= START + from * MINUTE && at < START + to * MINUTE ? change(usual, at) : usual;

const times =
  (factor: number): Effect =>
  ({ requests, hits, errors4xx, response }) => ({
    requests: Math.round(factor * requests),
    hits: Math.round(factor * hits),
    errors4xx: Math.round(factor * errors4xx),
    response,
  });

const refusing = () => {
  throw refused(403, 'Forbidden');
};

const silent: Effect = (usual) => ({ ...usual, requests: 0, hits: 0, errors4xx: 0 });
const first = ({ said }: { said: Map<number, string[]> }) => [...said][0];

/** Requests of a busy zone, the newest first. */
const newestBefore = (at: number, { limit = 1 }: { limit?: number }) =>
  Array.from({ length: limit }, (_, index) => ({ timestamp: new Date(at - 20 * index - 20).toISOString() }));

describe('the watch of statistics', () => {
  test('says nothing of a day like those before', async () => {
    expect((await watchedWorld().run(24 * 60)).said).toEqual(new Map());
  });

  test.each([0, 10, 30, 60])('tells silence with its beginning when statistics are %i minutes late', async (lag) => {
    const world = watchedWorld({ effects: { 2: between(485, 700, silent) }, lag: () => lag });
    const [at, [line]] = first(await world.run(700))!;
    expect(at - lag).toBeLessThanOrEqual(525);
    expect(line).toMatch(
      /^🔴 \w+ · \*zone-2\*: no requests for .* \(usually [\d,]+ in that time\), since about 2:0[0-9] PM UTC$/,
    );
  });

  test('still tells what has lasted for more than a day, which is not over', async () => {
    const { said } = await watchedWorld({ effects: { 2: between(485, 3000, silent) } }).run(485 + 25 * 60);
    expect([...said].at(-1)).toEqual([
      485 + 25 * 60 - 5,
      [expect.stringMatching(/^🔴 \w+ · \*zone-2\*: no requests/u)],
    ]);
  });

  test('tells a zone that falls silent more than a day after the visitors of all others left for good', async () => {
    const left = between(485, 5000, times(0.1));
    const [gone, late] = [START + 485 * MINUTE, START + 2285 * MINUTE];
    const log = (id: number, { from, to }: { from?: Date; to?: Date }) => {
      const last = Math.min(id === 4 ? late : gone, to!.getTime()) - 20;
      return last < from!.getTime() ? [] : [{ timestamp: new Date(last).toISOString() }];
    };
    const effects = { 1: left, 2: left, 3: left, 4: between(2285, 5000, silent) };
    const { said } = await watchedWorld({ effects, log }).run(2325);
    expect([...said].at(-1)![1]).toContainEqual(expect.stringMatching(/^🔴 \w+ · \*zone-4\*: /u));
  });

  test('tells the minute after the last visitor where the log has it, and that it is over', async () => {
    const last = new Date(START + 484 * MINUTE).toISOString();
    const world = watchedWorld({ effects: { 2: between(485, 590, silent) }, log: () => [{ timestamp: last }] });
    const { said } = await world.run(700);
    expect([...said][0]![1][0]).toMatch(/no requests .* since 2:04 PM UTC$/);
    expect([...said].at(-1)![1][0]).toMatch(/^🟢 \*zone-2\*: .* from 2:04 PM UTC until 3:[45]\d PM UTC$/);
  });

  test('tells that minute also where statistics still count earlier visitors as later ones, else one that it calls about', async () => {
    const visits = (_: number, { from, limit = 1 }: { from?: Date; limit?: number }) =>
      newestBefore(START + 498 * MINUTE, { limit: 50 * limit }).filter(
        ({ timestamp }, index) => index % 50 === 0 && Date.parse(timestamp) >= from!.getTime(),
      );
    const given = { effects: { 1: between(498, 700, silent) }, rate: 10 };
    const [at, [line]] = first(await watchedWorld({ ...given, log: visits }).run(560, 5))!;
    expect(at).toBeLessThanOrEqual(515);
    expect(line).toMatch(/requests fell to .*, since 2:17 PM UTC$/);
    expect(first(await watchedWorld(given).run(560, 5))![1][0]).toMatch(/, since about 2:(1[4-9]|2[0-2]) PM UTC$/);
  });

  test.each([
    ['visitors', times(0.05)],
    ['its cache', (usual: Minute) => ({ ...usual, hits: Math.round(0.05 * usual.hits) })],
    ['its cache, and pulls twice', (usual: Minute) => ({ ...usual, hits: -usual.requests })],
  ])(
    'tells within a minute or two when a zone lost nearly all of %s, by statistics of a quarter of an hour',
    async (_, effect) => {
      const { said } = await watchedWorld({ effects: { 1: between(481, 700, effect) }, rate: 20 }).run(560);
      expect([...said][0]![1][0]).toMatch(/, since about 2:0[0-2] PM UTC$/);
    },
  );

  test('takes no hour for silence that nobody has counted yet', async () => {
    const lags = [0, 0, 45, 90, 0, 20, 60, 10];
    const lag = (at: number) => lags[Math.floor((at - START) / (90 * MINUTE)) % lags.length]!;
    // The log goes on.
    const log = (_: number, { limit = 1 }) =>
      Array.from({ length: limit }, () => ({ timestamp: new Date(START + 30 * 24 * 60 * MINUTE).toISOString() }));
    expect((await watchedWorld({ lag, log }).run(24 * 60)).said).toEqual(new Map());
  });

  test('does not believe statistics of one zone that miss what its log has', async () => {
    const effects = { 1: between(485, 700, silent) };
    const log = (_: number, query: { to?: Date; limit?: number }) => newestBefore(query.to!.getTime(), query);
    expect((await watchedWorld({ effects, log }).run(700)).said).toEqual(new Map());
  });

  test('tells silence of a busy zone by late statistics: its log has thousands of requests just before', async () => {
    // Its beginning is estimated a little early.
    const begin = START + 491 * MINUTE;
    const log = (id: number, query: { to?: Date; limit?: number }) =>
      newestBefore(id === 1 ? Math.min(begin, query.to!.getTime()) : query.to!.getTime(), query);
    const world = watchedWorld({ effects: { 1: between(485, 700, silent) }, rate: 3000, lag: () => 10, log });
    const [at, [line]] = first(await world.run(700))!;
    expect(at).toBeLessThanOrEqual(525);
    expect(line).toMatch(/zone-1.*: no requests .*since 2:1[01] PM UTC$/);
  });

  test('tells silence of all zones when the log is silent too', async () => {
    const effects = Object.fromEntries([1, 2, 3, 4].map((id) => [id, between(485, 700, silent)]));
    const [at, lines] = first(await watchedWorld({ effects }).run(700))!;
    expect(at).toBeLessThanOrEqual(525);
    expect(lines).toEqual([
      expect.stringMatching(
        /^🔴 Down · \*All zones\*: requests fell to 35.2% of usual: .*, 4 of 4 zones, since about 2:0\d PM UTC$/,
      ),
    ]);
  });

  const everywhere = (effect: Effect, many = 6, but: number[] = []) =>
    Object.fromEntries(
      Array.from({ length: many }, (_, index) => index + 1)
        .filter((id) => !but.includes(id))
        .map((id) => [id, effect]),
    );

  test.each([0.33, 0.2, 0.05])(
    'tells within ten minutes that most zones have lost their visitors to %f at once',
    async (left) => {
      const effects = everywhere(between(487, 607, times(left)), 6, [4]);
      const { said } = await watchedWorld({ effects, zones: 6 }).run(700, 5);
      const [at, lines] = first({ said })!;
      expect(at).toBeLessThanOrEqual(497);
      expect(lines).toEqual([
        expect.stringMatching(
          /^🔴 \w+ · \*All zones\*: requests fell to .*, 5 of 6 zones, since about (1:5|2:0)\d PM UTC$/,
        ),
      ]);
      const [end, over] = [...said].find(([, all]) => all.some((line) => line.startsWith('🟢')))!;
      expect(end).toBeLessThanOrEqual(645);
      expect(over[0]).toMatch(/from .* until (4:0|3:5)\d PM UTC$/);
      expect([...said.values()].flat().join()).not.toMatch(/\*zone-/);
    },
  );

  test('says nothing of a holiday, on which visitors stay away everywhere within hours', async () => {
    const slowly: Effect = (usual, at) =>
      at < START ? usual : times(Math.max(0.4, 1 - (0.6 * (at - START)) / (180 * MINUTE)))(usual, at);
    expect((await watchedWorld({ effects: everywhere(slowly), zones: 6 }).run(700, 5)).said).toEqual(new Map());
  });

  const withBlip = (part: number, from: number, to: number, day: Effect): Effect => {
    const blip = between(from, to, (usual) => ({ ...usual, errors4xx: Math.round(part * usual.requests) }));
    return (usual, at) => blip(day(usual, at), at);
  };

  test('misses nobody when those who came beyond the usual go again everywhere', async () => {
    const effects = everywhere(between(480, 660, times(3)), 5);
    expect((await watchedWorld({ effects, rate: 400, zones: 5 }).run(900, 5)).said).toEqual(new Map());
  });

  test.each<[string, Effect, number]>([
    [
      'a quiet day, on which visitors stay away from all zones',
      (usual, at) =>
        times(Math.min(1, Math.max(0.3, 1 - (0.7 * (at - START - 720 * MINUTE)) / (960 * MINUTE))))(usual, at),
      2160,
    ],
    ['a day on which all zones have seven times the visitors', between(480, 660, times(7)), 500],
  ])('takes a blip of one zone for nothing else on %s, though it alone is looked at again', async (_, day, blip) => {
    const effects = { ...everywhere(day, 5), 1: withBlip(0.3, blip, blip + 12, day) };
    const { said } = await watchedWorld({ effects, rate: 400, zones: 5 }).run(blip + 200, 5);
    expect([...said.values()].flat().filter((line) => !line.includes('4xx'))).toEqual([]);
  });

  /** Hardly anybody by night. */
  const office =
    (change: (at: number) => number, clock: (at: number) => number = (at) => at): Effect =>
    (usual, at) => {
      const hour = new Date(clock(at)).getUTCHours();
      return times(change(at) * (hour >= 7 && hour < 19 ? 1 : 0.1))(usual, at);
    };

  test('says nothing of the holiday of a single office, which begins by night', async () => {
    const holiday = office((at) => (at < START + 1080 * MINUTE ? 1 : 0.25));
    expect((await watchedWorld({ effects: { 2: holiday } }).run(2400)).said).toEqual(new Map());
  });

  test('tells by night within half an hour that nobody comes, and names a zone of few to which nobody does', async () => {
    const open = office(() => 1);
    const gone = between(1205, 1440, silent);
    const asleep = (rate: number) => watchedWorld({ rate, effects: { 2: (usual, at) => gone(open(usual, at), at) } });
    const [at, [line]] = first(await asleep(100).run(1400))!;
    expect([at, line]).toEqual([1230, expect.stringMatching(/\*zone-2\*: no requests for/)]);
    const few = asleep(25);
    expect((await few.run(1215)).said).toEqual(new Map());
    expect((await few.watch()).silent).toMatchObject([{ zone: 2, name: 'zone-2', usual: expect.any(Number) }]);
  });

  test.each([
    ['in place of', (night: Minute) => ({ ...night, errors4xx: Math.round(0.6 * night.requests) }), true],
    [
      'on top of',
      (night: Minute) => ({ ...night, requests: 2.5 * night.requests, errors4xx: Math.round(1.5 * night.requests) }),
      false,
    ],
  ])('knows by night too whether refusals come %s good answers', async (_, change, isTold) => {
    const open = office(() => 1);
    const refused = between(1000, 1440, change);
    const log = () => Array.from({ length: 100 }, (_, id) => ({ statusCode: 403, path: `/cart/${id}` }));
    const effects = { 2: (usual: Minute, at: number) => refused(open(usual, at), at) };
    const world = watchedWorld({ effects, rate: 400, log });
    await world.run(1040, 5);
    const [finding] = (await world.watch()).findings;
    expect(finding).toMatchObject({ measure: '4xx', detail: '403 on /cart/<n>' });
    expect(isWorthTelling(finding!, 15)).toBe(isTold);
    const goesOn = { ...finding!, to: finding!.since + 2 * 60 * MINUTE };
    expect(isWorthTelling(goesOn, 15)).toBe(true);
    expect(isWorthTelling({ ...goesOn, detail: '429 on /cart/<n>' }, 15)).toBe(isTold);
    expect(String(findingInWords(finding!, UTC)).includes('these requests are extra')).toBe(!isTold);
  });

  test.each([-60, 60])('says nothing when clocks are changed by %i minutes', async (by) => {
    const clock = (at: number) => (at < START + 1080 * MINUTE ? at : at + by * MINUTE);
    expect((await watchedWorld({ effects: { 2: office(() => 1, clock) } }).run(2400)).said).toEqual(new Map());
  });

  test('says nothing of visitors by night who are no more than by day', async () => {
    const many = office((at) => (at < START + 1080 * MINUTE || at > START + 1140 * MINUTE ? 1 : 9));
    expect((await watchedWorld({ effects: { 2: many }, rate: 1000 }).run(1440)).said).toEqual(new Map());
  });

  test('believes the log when statistics of all zones fall at once, because they are late', async () => {
    // From then on a minute is counted every three.
    const begin = START + 487 * MINUTE;
    const lag = (at: number) => (at < begin ? 0 : Math.min(60, ((at - begin) * 2) / 3 / MINUTE));
    const log = (_: number, query: { to?: Date; limit?: number }) =>
      newestBefore((query.to ?? new Date(START + 900 * MINUTE)).getTime(), query);
    expect((await watchedWorld({ lag, zones: 6, log }).run(600, 5)).said).toEqual(new Map());
  });

  test.each([
    ['says nothing of statistics that count every ten minutes', (at: number) => (at / MINUTE) % 10, []],
    [
      'says that statistics have stopped, once a quarter of an hour is missing',
      (at: number) => Math.max(0, (at - START) / MINUTE - 540),
      [555, 560, 565, 570],
    ],
  ])('%s', async (_, lag, said) => {
    const log = (_zone: number, query: { to?: Date; limit?: number }) =>
      newestBefore((query.to ?? new Date(START + 900 * MINUTE)).getTime(), query);
    const gone = { 2: between(485, 700, times(0.1)) };
    const world = watchedWorld({ effects: gone, lag, zones: 6, log });
    const stopped: number[] = [];
    for (let passed = 0; passed <= 570; passed += 5) {
      const { unread } = await world.watch();
      if (unread.some((line) => line.startsWith('Statistics have stopped'))) stopped.push(passed);
      world.advance(5);
    }
    expect(stopped).toEqual(said);
  });

  test('takes a holiday for no level: the day after is as ever, and who stays away then is missed', async () => {
    const yesterday = between(-30 * 60, -6 * 60, times(0.3));
    expect((await watchedWorld({ effects: everywhere(yesterday, 4) }).run(700)).said).toEqual(new Map());
    const gone = between(485, 700, times(0.2));
    const effects = { ...everywhere(yesterday, 4), 1: (usual, at) => gone(yesterday(usual, at), at) } satisfies Record<
      number,
      Effect
    >;
    const [at, [line]] = first(await watchedWorld({ effects }).run(700))!;
    expect(at).toBeLessThanOrEqual(525);
    expect(line).toMatch(/^🔴 \w+ · \*zone-1\*: requests fell to [23]\d(\.\d)?%/);
  });

  test('does not tell the end of a loss of visitors while a third of them comes', async () => {
    const gone = between(485, 520, times(0.2));
    const few = between(520, 640, times(0.4));
    const { said } = await watchedWorld({ effects: { 2: (usual, at) => few(gone(usual, at), at) } }).run(700);
    const over = [...said].find(([, lines]) => lines[0]!.startsWith('🟢'))!;
    expect(over[0]).toBeGreaterThanOrEqual(640);
    expect(over[0]).toBeLessThanOrEqual(660);
  });

  test('tells within two hours and a half that more than a third of a zone stays away', async () => {
    const [at, [line]] = first(await watchedWorld({ effects: { 2: between(300, 700, times(0.6)) } }).run(700))!;
    expect(at).toBeLessThanOrEqual(450);
    expect(line).toMatch(/^🔴 \w+ · \*zone-2\*: requests fell to 6\d(\.\d)?%/);
  });

  test.each([
    ['refused requests', ([requests, pulls, errors, ...rest]: number[]) => [requests!, pulls!, 0 * errors!, ...rest]],
    ['all requests', (counts: number[]) => counts.map((value) => Math.round(0.85 * value))],
  ])('says nothing when %s of hours that were over are counted later', async (_, early) => {
    const at = START + 420 * MINUTE;
    const counted = (counts: number[], hour: number, now: number) =>
      now < at && hour >= START && hour < at - 120 * MINUTE ? early(counts) : counts;
    expect((await watchedWorld({ counted }).run(600)).said).toEqual(new Map());
  });

  test('tells when hardly anybody gets through, and what the log says of them', async () => {
    const few = between(480, 700, ({ requests, hits, errors4xx, response }) => ({
      requests: Math.round(requests / 10),
      hits: Math.round(hits / 10),
      errors4xx: Math.round(errors4xx / 10),
      response,
    }));
    const log = () =>
      Array.from({ length: 6 }, () => ({
        timestamp: new Date(START + 500 * MINUTE).toISOString(),
        url: 'http://zone-3/a',
      }));
    const [at, [line]] = first(await watchedWorld({ effects: { 3: few }, log }).run(700))!;
    expect(at).toBeLessThanOrEqual(510);
    expect(line).toMatch(
      /^🔴 \w+ · \*zone-3\*: requests fell to (9|1\d)(\.\d)?% of usual: .* what still arrives is mostly plain HTTP, since about 2:0/,
    );
  });

  test.each([
    ['small', 7, 15],
    ['busy', 4000, 15],
  ])('tells that most stay away from a %s zone, although a part still comes', async (_, rate, percent) => {
    const part = (value: number) => Math.round((value * percent) / 100);
    const left: Effect = ({ requests, hits, errors4xx, response }) => ({
      requests: part(requests),
      hits: part(hits),
      errors4xx: part(errors4xx),
      response,
    });
    // Its log has what is left, evenly, and a page of it is full.
    const log = (id: number, { to, limit = 1 }: { to?: Date; limit?: number }) =>
      Array.from({ length: limit }, (_one, index) => ({
        timestamp: new Date(
          to!.getTime() - (index + 1) * (MINUTE / (rate * (id === 3 ? percent / 100 : 1))),
        ).toISOString(),
      }));
    const world = watchedWorld({ rate, effects: { 3: between(480, 700, left) }, log });
    const [at, [line]] = first(await world.run(700))!;
    expect(at).toBeLessThanOrEqual(520);
    expect(line).toContain('*zone-3*: requests fell to');
  });

  test.each<[string, Effect, RegExp]>([
    [
      'a slow origin',
      (usual) => ({ ...usual, response: 700 }),
      /origin is slow: it answers in [567]\d\d ms \(usually 200 ms\)/,
    ],
    ['a cache that does not answer', (usual) => ({ ...usual, hits: Math.round(0.3 * usual.requests) }), /cache hit/],
    [
      'clients that are refused',
      (usual) => ({ ...usual, errors4xx: Math.round(0.25 * usual.requests) }),
      /[12]\d(\.\d)?% of the requests are refused with 4xx \(usually 1\.\d%\)/,
    ],
  ])('tells %s within half an hour', async (_, effect, words) => {
    const [at, [line]] = first(await watchedWorld({ effects: { 4: between(485, 700, effect) } }).run(700))!;
    expect(at).toBeLessThanOrEqual(515);
    expect(line).toMatch(words);
    expect(line).toMatch(/since about 2:0\d PM UTC$|since about 1:5\d PM UTC$/);
  });

  test('looks again after five minutes where a zone of 100 requests in a quarter of an hour may lose its cache', async () => {
    const cold = between(482, 700, (usual) => ({ ...usual, hits: Math.round(0.5 * usual.requests) }));
    const [at, [line]] = first(await watchedWorld({ effects: { 1: cold }, rate: 16 }).run(700, 5))!;
    expect(at).toBeLessThanOrEqual(500);
    expect(line).toContain('cache hit rate');
  });

  test('does not take a scanner that went for visitors who stay away', async () => {
    // Slowly, as a holiday does.
    const quiet: Effect = (usual, at) => times(Math.max(0.5, 1 - Math.max(0, at - START) / (720 * MINUTE)))(usual, at);
    const scanned: Effect = (usual, at) => {
      const few = quiet(usual, at);
      const scan = between(420, 520, () => usual)(few, at) === few ? 0 : 6 * usual.requests;
      return { ...few, requests: few.requests + scan, errors4xx: few.errors4xx + scan };
    };
    const { said } = await watchedWorld({ effects: { 1: scanned } }).run(800);
    expect([...said.values()].flat().join('\n')).not.toMatch(/requests fell/);
  });

  test('does not blame the cache for what is refused', async () => {
    const robots: Effect = ({ requests, hits, errors4xx, response }) => ({
      ...{ requests, hits: Math.round(0.5 * hits), response },
      errors4xx: errors4xx + Math.round(0.5 * requests),
    });
    const { said } = await watchedWorld({ effects: { 1: between(300, 700, robots) } }).run(700);
    expect([...said.values()].flat().join()).toMatch(/refused with 4xx/);
    expect([...said.values()].flat().join()).not.toMatch(/cache hit rate/);
  });

  test('says since before when it was so already when it was first looked at', async () => {
    const cold = between(-60, 700, (usual) => ({ ...usual, hits: Math.round(0.3 * usual.requests) }));
    const [at, [line]] = first(await watchedWorld({ effects: { 4: cold } }).run(700))!;
    expect(at).toBeLessThanOrEqual(30);
    expect(line).toMatch(/since before 6:00 AM UTC$/);
  });

  test('begins where it was first so, in hours with too few requests to tell it', async () => {
    const waking: Effect = (usual, at) => {
      const requests = (at - START) % (24 * 60 * MINUTE) < 500 * MINUTE ? 1 : 3;
      return { ...usual, requests, errors4xx: 0, hits: at < START + 380 * MINUTE ? requests : 0 };
    };
    const [at, [line]] = first(await watchedWorld({ effects: { 4: waking } }).run(600))!;
    expect(at).toBeGreaterThan(500);
    expect(line).toMatch(/cache hit rate .*since about 12:[23]\d PM UTC$/);
  });

  /** Its log from `begin` on, the newest first: each moment has what `left` lets through, with a path and a region. */
  const logOf =
    (
      begin: number,
      left: (place: { path: string; edgeLocation: string }, index: number) => object | undefined,
      every = 600,
    ) =>
    (
      _: number,
      { from, to = from, limit = 100, status }: { from?: Date; to?: Date; limit?: number; status?: readonly string[] },
    ) => {
      const records: object[] = [];
      for (let at = to!.getTime() - 1000; at >= from!.getTime() && records.length < limit; at -= every) {
        const index = Math.floor(at / every);
        const place = {
          path: `/${['img', 'doc', 'cart', 'login'][index % 4]}/${index}`,
          edgeLocation: ['DE', 'NY', 'SG', 'DE', 'DE', 'UK', 'DE'][index % 7]!,
        };
        const record = at >= begin ? left(place, index) : { statusCode: 200, cacheStatus: 'HIT' };
        const isWanted = status === undefined || (record as { statusCode?: number } | undefined)?.statusCode === 404;
        if (record !== undefined && isWanted)
          records.push({ timestamp: new Date(at).toISOString(), ...place, ...record });
      }
      return records;
    };

  test.each<[string, Effect, Parameters<typeof logOf>[1], string]>([
    [
      'on which paths the cache answers no more',
      (usual) => ({ ...usual, hits: Math.round(0.65 * usual.requests) }),
      ({ path }) => ({ cacheStatus: path.startsWith('/img') ? 'MISS' : 'HIT' }),
      'Nearly all of the lost hits are on /img, in all regions. The origin gets 3.7 times the usual requests\n',
    ],
    [
      'that the cache answers nowhere',
      (usual) => ({ ...usual, hits: 0 }),
      () => ({ cacheStatus: 'MISS' }),
      'Everywhere: all regions, all pages. The origin gets 10.6 times the usual requests\n',
    ],
    [
      'that twice the visitors make twice the requests of it',
      (usual) => ({ ...usual, requests: 2 * usual.requests, hits: 0 }),
      () => ({ cacheStatus: 'MISS' }),
      'Everywhere: all regions, all pages. The origin gets 21.2 times the usual requests\n',
    ],
    [
      'in which region visitors stay away',
      times(0.3),
      ({ edgeLocation }, index) => (edgeLocation === 'DE' || index % 2 ? undefined : {}),
      'Nearly all of the lost requests are in DE',
    ],
    [
      'where requests are refused, and that good answers are as many as ever',
      (usual) => ({
        ...usual,
        requests: Math.round(usual.requests / 0.75),
        errors4xx: Math.round(0.3 * usual.requests),
      }),
      (_place, index) => (index % 4 === 0 ? { statusCode: 404, path: `/old/${index}` } : { statusCode: 200 }),
      'In all regions. Few good responses are missing; these requests are extra\nCheck first: were pages moved or removed? If not, is a crawler or a scanner asking for pages that never existed?',
    ],
  ])('says %s', async (_, effect, left, words) => {
    const begin = 485;
    const world = watchedWorld({
      effects: { 4: between(begin, 900, effect) },
      log: logOf(START + begin * MINUTE, left),
    });
    for (let passed = 0; passed < 560; passed += 5) {
      await world.watch();
      world.advance(5);
    }
    const { findings } = await world.watch();
    expect(findings).toHaveLength(1);
    expect(String(findingInWords(findings[0]!, UTC)).replaceAll('*', '')).toContain(words);
  });

  test('says on which paths the cache answers no more also of a zone of few, by as many requests before', async () => {
    const effects = { 4: between(485, 700, (usual) => ({ ...usual, hits: Math.round(0.45 * usual.requests) })) };
    const cold = ({ path }: { path: string }) => ({ cacheStatus: /img|doc/.test(path) ? 'MISS' : 'HIT' });
    const world = watchedWorld({ effects, rate: 10, log: logOf(START + 485 * MINUTE, cold, 6000) });
    await world.run(515);
    const [finding] = (await world.watch()).findings;
    expect(finding).toMatchObject({ measure: 'hits', where: { paths: expect.arrayContaining(['/img', '/doc']) } });
  });

  test.each([0, 0.02, 0.3])(
    'asks the log for as many requests as it answers, where %f of the visitors come',
    async (part) => {
      const limits: number[] = [];
      const effects = { 4: between(485, 700, part === 0 ? silent : times(part)) };
      const of = logOf(START + 485 * MINUTE, (_, index) => (index % 50 < 50 * part ? {} : undefined));
      const log: typeof of = (id, query) => {
        limits.push(query.limit!);
        return part === 0 ? [] : of(id, query);
      };
      expect(first(await watchedWorld({ effects, log }).run(560, 5))![1][0]).toContain('*zone-4*:');
      expect(limits.filter((one) => !(Number.isInteger(one) && one > 0 && one <= 1001))).toEqual([]);
    },
  );

  test('names the status and the path that most refused requests have', async () => {
    const effects = {
      4: between(485, 700, (usual) => ({ ...usual, errors4xx: Math.round(0.25 * usual.requests) })),
    };
    const log = (_: number, { status }: { status?: readonly string[] }) =>
      status === undefined ? [] : [7, 8, 9].map((id) => ({ statusCode: 401, path: `/account/${id}` }));
    const [, [line]] = first(await watchedWorld({ effects, log }).run(700))!;
    expect(line).toMatch(/mostly 401 on `\/account\//);
  });

  const fourOf = (index: number) => ({ remoteIp: `203.0.113.${index % 4}` });
  test.each<[string, boolean, (index: number) => object, ((index: number) => object)?]>([
    ['robots', true, () => ({ userAgent: 'Mozilla/5.0 (compatible; LearnBot/1.0; +https://learn.example)' })],
    ['a handful of addresses', true, fourOf, (index) => ({ remoteIp: `198.51.100.${index}` })],
    ['a handful of customers, who send all the rest', false, fourOf, fourOf],
    ['a handful of customers, and nobody is served', false, fourOf, () => ({ statusCode: 403 })],
    ['many addresses', false, (index) => ({ remoteIp: `203.0.113.${index}` })],
    ['nobody knows whom', false, () => ({ remoteIp: '0.0.0.0' })],
  ])('knows whether few are refused: %s', async (_, isOfFew, by, served) => {
    const effects = { 4: between(485, 700, (usual) => ({ ...usual, errors4xx: Math.round(0.25 * usual.requests) })) };
    const some = (statusCode: number, who: (index: number) => object) =>
      Array.from({ length: 200 }, (_, index) => ({ statusCode, ...who(index) }));
    const log = (_: number, { status }: { status?: readonly string[] }) =>
      status !== undefined ? some(404, by) : served === undefined ? [] : some(200, served);
    const world = watchedWorld({ effects, log });
    await world.run(600);
    const [finding] = (await world.watch()).findings;
    expect(finding).toMatchObject({ measure: '4xx', isOfFew });
  });

  test('tells robots from nobody where all is refused now', async () => {
    const effects = { 4: between(485, 700, (usual) => ({ ...usual, errors4xx: usual.requests })) };
    const robot = { userAgent: 'Mozilla/5.0 (compatible; LearnBot/1.0; +https://learn.example)' };
    const log = (_: number, { to }: { to?: Date }) =>
      Array.from({ length: 200 }, (_, index) => ({
        ...{ statusCode: to!.getTime() <= START + 485 * MINUTE ? 200 : 403 },
        ...(index % 2 === 0 ? robot : { remoteIp: `203.0.113.${index}` }),
      }));
    const world = watchedWorld({ effects, log });
    await world.run(600);
    expect((await world.watch()).findings).toMatchObject([{ measure: '4xx', isOfFew: false }]);
  });

  /** Of a hundred requests of its log: those of the package have a status, and those of a few customers are refused. */
  const packages =
    (begin: number, of: (index: number, isLater: boolean) => object) =>
    (
      _: number,
      { from, to, limit = 500, status }: { from?: Date; to?: Date; limit?: number; status?: readonly string[] },
    ) => {
      const records: object[] = [];
      for (let at = to!.getTime() - 600; at >= from!.getTime() && records.length < limit; at -= 600) {
        const index = Math.floor(at / 600) * 37;
        const usual = {
          statusCode: 200,
          path: `/${['docs', 'news', 'list'][index % 3]}/${index}`,
          remoteIp: `198.51.100.${index % 251}`,
        };
        const record = { timestamp: new Date(at).toISOString(), ...usual, ...of(index % 100, at >= begin) };
        if (status === undefined || record.statusCode >= 400) records.push(record);
      }
      return records;
    };
  const missing = (path: string) => ({ statusCode: 404, path });

  test.each<[string, number, Parameters<typeof packages>[1], boolean]>([
    [
      'pages that answered until then',
      0.08,
      (index, isLater) => (index < 8 ? { path: `/pkg/left-pad/${index}`, ...(isLater && { statusCode: 404 }) } : {}),
      true,
    ],
    [
      'pages that never existed',
      0.08,
      (index, isLater) => (index < 8 && isLater ? missing(`/old/${index}`) : {}),
      false,
    ],
    [
      'pages that never existed, beside others that do',
      0.08,
      (index, isLater) => (index < 8 && isLater ? missing(`/docs/old-${index}`) : {}),
      false,
    ],
    [
      'a few customers who send most requests',
      0.16,
      (index, isLater) =>
        index < 70 ? { remoteIp: `203.0.113.${index % 4}`, ...(isLater && index < 16 && { statusCode: 429 }) } : {},
      true,
    ],
    [
      'a few customers who get nothing any more',
      0.16,
      (index, isLater) =>
        index < 16 ? { remoteIp: `203.0.113.${index % 4}`, ...(isLater && { statusCode: 429 }) } : {},
      true,
    ],
    [
      'a few scanners',
      0.16,
      (index, isLater) => (index < 16 && isLater ? { remoteIp: `203.0.113.${index % 4}`, statusCode: 429 } : {}),
      false,
    ],
  ])('tells of refused requests if they are those of %s', async (_, part, of, told) => {
    const begin = 485;
    const effects = {
      4: between(begin, 700, (usual) => ({ ...usual, errors4xx: Math.round((0.02 + part) * usual.requests) })),
    };
    const world = watchedWorld({ effects, log: packages(START + begin * MINUTE, of) });
    await world.run(600);
    const [finding] = (await world.watch()).findings;
    expect(finding?.measure).toBe('4xx');
    expect(isWorthTelling(finding!, 15)).toBe(told);
    const isInstead = /^About as many good responses are missing on these pages$/m.test(
      String(findingInWords(finding!, UTC)),
    );
    expect(isInstead).toBe(part === 0.08 && told);
  });

  test.each([
    ['says nothing of what both weeks before had at this hour', [0, 1, 2], false],
    ['tells what one week before had at this hour', [0, 1], true],
  ])('%s', async (_, weeks, told) => {
    const backup = between(480, 540, (usual) => ({ ...usual, response: 900 }));
    const slow: Effect = (usual, at) =>
      weeks.map((week) => backup(usual, at + week * 7 * 24 * 60 * MINUTE)).find(({ response }) => response === 900) ??
      usual;
    const { said } = await watchedWorld({ effects: { 3: slow } }).run(700);
    expect([...said.values()].flat().some((line) => line.includes('origin is slow'))).toBe(told);
  });

  test.each([-60, 60])(
    'says nothing of what is at this hour each day, when clocks change by %i minutes',
    async (by) => {
      const backup: Effect = (usual, at) => {
        const minute = (((at - START) / MINUTE + 28 * 24 * 60) % (24 * 60)) - (at < START ? 0 : by);
        return minute >= 480 && minute < 530 ? { ...usual, response: 900 } : usual;
      };
      expect((await watchedWorld({ effects: { 3: backup } }).run(700)).said).toEqual(new Map());
    },
  );

  test('says nothing of a crawl on a quiet day: as many are served from the cache as before', async () => {
    const crawled: Effect = (usual, at) => {
      const quiet = at > START - 360 * MINUTE ? times(0.75)(usual, at) : usual;
      return between(300, 800, (one) => ({ ...one, requests: one.requests + usual.requests }))(quiet, at);
    };
    expect((await watchedWorld({ effects: { 1: crawled } }).run(900)).said).toEqual(new Map());
  });

  test.each([
    ['says nothing of a holiday in a zone of one request a minute', 0.05, 24 * 60, false],
    ['tells that its visitors stay away at noon', 0.1, 6 * 60, true],
  ])('%s', async (_, left, length, told) => {
    const noon = START + 30 * 60 * MINUTE;
    const office: Effect = (usual, at) => {
      const hour = (at / MINUTE / 60) % 24;
      const isAway = at >= noon - (told ? 0 : length / 2) * MINUTE && at < noon + (length / 2) * MINUTE;
      const rate = (0.02 + 2.4 * Math.exp(-0.5 * ((hour - 12) / 3.2) ** 2)) * (isAway ? left : 1);
      // Spread evenly: the sum up to this minute, in whole requests.
      const requests = Math.floor(rate * (at / MINUTE + 1)) - Math.floor(rate * (at / MINUTE));
      return { ...usual, requests, hits: 0, errors4xx: 0 };
    };
    const { said } = await watchedWorld({ zones: 2, effects: { 1: office } }).run(42 * 60);
    expect([...said.values()].flat().some((line) => /requests fell|no requests/.test(line))).toBe(told);
  });

  test('says nothing of a burst of bots that fetch what is not cached', async () => {
    const bots = between(480, 495, (usual) => ({ ...usual, requests: usual.requests * 2 }));
    expect((await watchedWorld({ effects: { 1: bots } }).run(700)).said).toEqual(new Map());
  });

  test('tells the end of a cold cache, although bots go on to fetch what is not cached', async () => {
    const cold = between(480, 540, (usual) => ({ ...usual, hits: Math.round(0.2 * usual.requests) }));
    const bots = between(540, 900, (usual) => ({ ...usual, requests: usual.requests * 2 }));
    const { said } = await watchedWorld({ effects: { 1: (usual, at) => bots(cold(usual, at), at) } }).run(900);
    expect([...said].at(-1)![1]).toEqual([expect.stringMatching(/^🟢 .*cache hit rate .* until 3:[0-4]\d PM UTC$/)]);
  });

  test('tells a flood of requests that lasts, once, and its bandwidth with it', async () => {
    const { said } = await watchedWorld({ effects: { 1: between(485, 600, times(8)) } }).run(700);
    const [at, lines] = first({ said })!;
    expect(at).toBeLessThanOrEqual(525);
    expect(lines).toEqual([
      expect.stringMatching(
        /^🟠 Look · \*zone-1\*: [78](\.\d)? times the usual requests: [\d,.]+ a minute \(usually [\d,.]+\), since about 2:0\d PM UTC$/,
      ),
    ]);
    expect([...said].at(-1)![1]).toEqual([expect.stringMatching(/^🟢 .*from .* until 4:\d\d PM UTC$/)]);
    const all = [...said.values()].flat();
    expect(all.join()).not.toContain(' 1 times the usual');
  });

  test('tells of a flood where most of it comes from, where the log has it', async () => {
    const bot = { countryCode: 'BR', userAgent: 'python-requests/2.32', path: '/search?q=1', remoteIp: '203.0.113.0' };
    const log = (_: number, { limit = 1 }) => Array.from({ length: limit }, () => bot);
    const { said } = await watchedWorld({ effects: { 1: between(485, 600, times(8)) }, log }).run(560);
    expect(first({ said })![1][0]).toMatch(
      /, mostly from BR, by python-requests, on \/search, since about 2:0\d PM UTC$/,
    );
  });

  test.each<[string, Parameters<typeof watchedWorld>[0]]>([
    [
      'a slow origin of a small zone',
      { rate: 20, effects: { 1: between(485, 600, (usual) => ({ ...usual, response: 600 })) } },
    ],
    ['a flood', { rate: 60, effects: { 1: between(485, 600, times(8)) } }],
    ['an attack', { shields: { 1: (at) => (at >= START + 485 * MINUTE && at < START + 600 * MINUTE ? 100 : 0) } }],
  ])('does not tell the end of %s that goes on, though it looks every five minutes', async (_, world) => {
    const { said } = await watchedWorld(world).run(700, 5);
    const ends = [...said].filter(([, lines]) => lines.some((line) => line.startsWith('🟢')));
    expect(said.size - ends.length).toBeGreaterThan(10);
    expect(ends[0]![0]).toBeGreaterThanOrEqual(600);
  });

  test('tells bandwidth that the requests do not explain', async () => {
    const large = between(485, 600, (usual) => ({ ...usual, bytes: 90_000 }));
    const [at, lines] = first(await watchedWorld({ effects: { 1: large } }).run(700))!;
    expect(at).toBeLessThanOrEqual(525);
    expect(lines).toEqual([
      expect.stringMatching(
        /zone-1\*: [89](\.\d)? times the usual bandwidth: [\d.]+ MB a minute \(usually [\d.]+ [kM]B\), since about 2:0\d PM UTC$/,
      ),
    ]);
  });

  /** A little more or less than its usual, which some zones have none of, and so much more in an attack. */
  const attacked =
    (usual: number, inAttack: number, until = 600) =>
    (at: number) =>
      at >= START + 485 * MINUTE && at < START + until * MINUTE ? inAttack : usual * (1 + 0.3 * Math.sin(at / MINUTE));

  test.each([0, 20])('tells an attack far beyond what its shield usually sees (%i a minute), once', async (usual) => {
    const shields = { 1: attacked(usual, 400), 2: attacked(usual, usual) };
    const { said } = await watchedWorld({ shields }).run(700);
    const [at, lines] = first({ said })!;
    expect(at).toBeLessThanOrEqual(525);
    expect(lines).toEqual([
      expect.stringMatching(
        /^🟠 Look · \*zone-1\*: its shield saw an attack of 400 requests a minute \(usually (\d+)\), since about 2:0\d PM UTC$/,
      ),
    ]);
    expect(Math.abs(Number(/usually (\d+)/.exec(lines[0]!)?.[1]) - usual)).toBeLessThanOrEqual(0.2 * usual);
    expect([...said].at(-1)![1]).toEqual([expect.stringMatching(/^🟢 .*from .* until 4:\d\d PM UTC$/)]);
  });

  test('tells an attack alone, though it takes much bandwidth', async () => {
    const large = between(485, 600, (usual) => ({ ...usual, bytes: 90_000 }));
    const { said } = await watchedWorld({ effects: { 1: large }, shields: { 1: attacked(0, 400) } }).run(700);
    const lines = [...said.values()].flat();
    expect(lines[0]).toContain('its shield saw an attack of 400');
    expect(lines.join()).not.toContain('bandwidth');
  });

  test.each<[string, Parameters<typeof watchedWorld>[0]]>([
    ['a scanner, whom shields see every day', { shields: { 1: attacked(0, 40) } }],
    ['a shield that sees thrice as much as usual', { shields: { 1: attacked(200, 450) } }],
    ['an attack of a quarter of an hour', { shields: { 1: attacked(0, 2000, 495) } }],
    ['shields that may not be read', { shields: { 1: attacked(0, 2000) }, hide: () => refusing() }],
  ])('says nothing of %s', async (_, world) => {
    expect((await watchedWorld(world).run(700)).said).toEqual(new Map());
  });

  test('goes on with an attack while its shield cannot be read', async () => {
    const hide = (at: number) => {
      if (at > START + 540 * MINUTE && at < START + 580 * MINUTE) refusing();
    };
    const { said } = await watchedWorld({ shields: { 1: attacked(0, 400) }, hide }).run(700);
    expect([...said.values()].flat().filter((line) => line.startsWith('🟢') && !line.includes('Watching'))).toSatisfy(
      (over: string[]) => new Set(over).size === 1,
    );
  });

  test.each<[string, Record<number, Effect>]>([
    ['a campaign with twice the visitors', { 1: between(485, 700, times(2.2)) }],
    ['a flood of a quarter of an hour', { 1: between(480, 495, times(8)) }],
    [
      'eight times the bandwidth of small files, which costs nothing',
      { 1: (usual, at) => between(485, 700, (one) => ({ ...one, bytes: 4000 }))({ ...usual, bytes: 500 }, at) },
    ],
    [
      'a day on which all zones have more',
      Object.fromEntries([1, 2, 3, 4].map((id) => [id, between(485, 700, times(5))])),
    ],
  ])('says nothing of %s', async (_, effects) => {
    expect((await watchedWorld({ effects }).run(700)).said).toEqual(new Map());
  });

  test('asks for each zone and the account once a quarter of an hour, and for weeks once a day', async () => {
    const world = watchedWorld();
    await world.run(60);
    expect(world.asked).toHaveLength(5 * 5);
    const long = world.asked.filter(({ dateFrom, dateTo }) => dateTo!.getTime() - dateFrom!.getTime() > 86_400_000);
    expect(long).toHaveLength(5);
    expect(world.asked[0]).toMatchObject({ hourly: true, exactRange: true });
    expect(world.asked[0]!.pullZone).toBeUndefined();
    await world.watch();
    const after = world.asked.length;
    await Promise.all([world.watch(), world.watch()]);
    await world.trial();
    expect(world.asked).toHaveLength(after);
  });

  test('asks each shield once a look, once more a day, and none of a zone that has no usual', async () => {
    const shields = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [index + 1, () => 1]));
    const none = { 20: () => ({ requests: 0, hits: 0, errors4xx: 0, response: 0 }) };
    const world = watchedWorld({ zones: 20, shields, effects: none });
    await world.run(45);
    const first = world.searched.length;
    await world.run(45);
    expect(world.searched.length - first).toBe(4 * 19);
    await world.run(24 * 60 - 15);
    expect(world.searched.length - first).toBe(25 * 4 * 19 + 19);
    expect(world.searched).not.toContain(120);
  });

  test('keeps to its rate, and to half of it after a 429', async () => {
    const world = watchedWorld({
      perSecond: 2,
      fail: ({ pullZone }) => {
        if (pullZone === 1) throw refused(429, 'Too many requests');
      },
    });
    const { unread } = await world.watch();
    expect(unread).toContain('zone-1: statistics could not be read (Too many requests)');
    expect(world.waits.slice(0, 2)).toEqual([500, 1000]);
    expect(Math.max(...world.waits)).toBeGreaterThan(1000);
  });

  test('reads on behind a summary that waits for no more than a minute of it', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const turn = async (ms: number) => (ms >= 60_000 ? released : undefined);
    const world = watchedWorld({ zones: 6, perSecond: 0.05, turn });
    await world.watch();
    expect(world.asked).toHaveLength(3);
    // Another summary takes what is there.
    await world.watch();
    expect(world.asked).toHaveLength(3);
    release();
    await vi.waitFor(() => expect(world.kept.size).toBe(7));
    expect(world.asked).toHaveLength(7);
  });

  test('tells at the next look when reading on failed', async () => {
    let failures = 0;
    const fail = ({ pullZone }: { pullZone?: number | undefined }) => {
      if (pullZone !== 5 || failures > 0) return;
      failures += 1;
      throw new Error('nobody expected this');
    };
    const world = watchedWorld({ zones: 6, perSecond: 0.05, fail });
    await world.watch();
    // A look while it is read on takes what is there.
    await vi.waitFor(() => expect(world.watch()).rejects.toThrow('nobody expected this'));
    await expect(world.watch()).resolves.toBeDefined();
  });

  test('watches the account alone where single zones are switched off, and says so', async () => {
    const fail = ({ pullZone }: { pullZone?: number | undefined }) => {
      if (pullZone !== undefined) throw new UsageError('Statistics of a single zone are switched off.');
    };
    const effects = Object.fromEntries(
      [1, 2, 3, 4].map((id) => [id, between(485, 700, (usual) => ({ ...usual, response: 900 }))]),
    );
    const { said, notes } = await watchedWorld({ effects, fail }).run(700);
    expect([...said][0]![1]).toEqual([expect.stringMatching(/^🟠 Look · \*The account\*: origin is slow/)]);
    expect(notes).toContain('Statistics of single zones are switched off: only those of the account are watched.');
  });

  test('takes a zone that could not be asked for nothing else, and goes on with the others', async () => {
    const asked = { service: 'statistics', method: 'GET', path: '/statistics' } as const;
    const fail = ({ pullZone }: { pullZone?: number | undefined }) => {
      if (pullZone === 2) throw new PlatformConnectionError('The connection broke off.', { ...asked, applied: 'no' });
    };
    const effects = { 3: between(485, 700, silent) };
    const { said, notes } = await watchedWorld({ effects, fail }).run(700);
    expect([...said].at(-1)![1]).toEqual([expect.stringMatching(/^🔴 \w+ · \*zone-3\*: no requests/)]);
    expect(notes).toEqual(['zone-2: statistics could not be read (The connection broke off.)']);
  });

  test('says which figures are old', async () => {
    const world = watchedWorld({
      fail: ({ pullZone }, at) => {
        if (pullZone === 2 && at > START + 30 * MINUTE) throw refused(500, 'Broken');
      },
    });
    const { notes } = await world.run(120);
    expect(notes).toEqual([
      'Statistics of 1 zone were not read in the last half hour.',
      'zone-2: statistics could not be read (Broken)',
    ]);
  });
});
