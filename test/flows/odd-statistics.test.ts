import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOnCanned } from '../support/on-canned.ts';

/** Slack's `Row | 10` lines of the table, without the day that goes on. */
const rowsIn = (text: string) => text.match(/^\d{4}-\d\d-\d\d \| [^|\n]*/gm)?.map((row) => row.trim());
const hoursIn = (text: string) => text.match(/^\d\d-\d\d \d\d:\d\d \| [^|\n]*/gm)?.map((row) => row.trim());

describe('statistics whose instants are written in another form', () => {
  let canned: Awaited<ReturnType<typeof startOnCanned>>;
  beforeAll(async () => {
    canned = await startOnCanned(new Date('2026-11-25T12:00:00Z'));
  });
  afterAll(() => canned.close());
  const give = (points: Record<string, unknown>, more: object = {}) =>
    canned.platform.answer('GET /api/statistics', { body: { RequestsServedChart: points, ...more } });

  it.each<[string, Record<string, unknown>]>([
    ['without a zone', { '2026-11-23T00:00:00': 10, '2026-11-24T00:00:00': 20 }],
    ['as days', { '2026-11-23': 10, '2026-11-24': 20 }],
    ['with +00:00', { '2026-11-23T00:00:00+00:00': 10, '2026-11-24T00:00:00+00:00': 20 }],
    ['with fractions', { '2026-11-23T00:00:00.000Z': 10, '2026-11-24T00:00:00.0000000Z': 20 }],
    ['with a space', { '2026-11-23 00:00:00': 10, '2026-11-24 00:00:00Z': 20 }],
    ['as milliseconds', { [Date.parse('2026-11-23')]: 10, [Date.parse('2026-11-24')]: 20 }],
    ['each in its own form', { '2026-11-23': 10, '2026-11-24T00:00:00+0000': 20 }],
    ['in another zone', { '2026-11-24T00:00:00+02:00': 10, '2026-11-25T00:00:00+02:00': 20 }],
    ['twice in two forms', { '2026-11-23': 9, '2026-11-23T02:00:00+02:00': 10, '2026-11-24T00:00:00Z': 20 }],
    ['by parts of the day', { '2026-11-23T00:00:00Z': 4, '2026-11-23T12:00:00Z': 6, '2026-11-24T23:59:59Z': 20 }],
  ])('have one row a day of UTC: %s', async (_, points) => {
    give(points);
    const { text } = await canned.ask('stats show --from 2026-11-23 --to 2026-11-24');
    expect(rowsIn(text)).toEqual(['2026-11-24 | 20', '2026-11-23 | 10']);
    expect(text).not.toContain('No figure');
  });

  it('are in no sum where they are negative, which the answer says', async () => {
    give({ '2026-11-23': 10, '2026-11-24': -4 }, { Error5xxChart: { '2026-11-23': 3, '2026-11-24': -3 } });
    const { text } = await canned.ask('stats show --from 2026-11-23 --to 2026-11-24');
    expect(text).toMatch(/^Requests\W+10$/m);
    expect(text).toMatch(/^5xx\W+3$/m);
    expect(text).toContain('The platform sent negative figures, which are corrections. The sums leave them out.');
  });

  it('by the day say when such a day begins for their reader', async () => {
    give({ '2026-11-23': 10, '2026-11-24': 20 });
    const { text } = await canned.ask('stats show --from 2026-11-23 --to 2026-11-24');
    expect(text).toContain('2026-11-23 to 2026-11-24, by the day, in UTC: from 1:00 AM to 1:00 AM for you');
  });

  it('have one row an hour, also of a zone that is half an hour beside', async () => {
    give({ '2026-11-24T10:00:00': 1, '2026-11-24T11:00:00+00:00': 2, '2026-11-24T17:30:00+05:30': 3 });
    const { text } = await canned.ask('stats show --from 2026-11-24T10:00 --to 2026-11-24T12:30 --hourly');
    expect(hoursIn(text)).toEqual(['11-24 13:00 | 3', '11-24 12:00 | 2', '11-24 11:00 | 1']);
  });

  it('have the mean of what is an average', async () => {
    const average = { '2026-11-24T00:00:00Z': 100, '2026-11-24T12:00:00Z': 50 };
    give({ '2026-11-24': 20 }, { CacheHitRateChart: average });
    expect((await canned.ask('stats show --from 2026-11-24 --to 2026-11-24')).text).toMatch(/2026-11-24 \| 20 .*\b75/);
  });

  it('have no figure for a day of which a part has none', async () => {
    give({ '2026-11-23': 10, '2026-11-24T00:00:00Z': 20, '2026-11-24T12:00:00Z': null });
    const { text } = await canned.ask('stats show --from 2026-11-23 --to 2026-11-24');
    expect(rowsIn(text)).toEqual(['2026-11-24 | –', '2026-11-23 | 10']);
  });

  it.each(['soon', '1e400', '-1e300', '2026-13-45', ''])('are left out where they are none: %j', async (key) => {
    give({ [key]: 1, '2026-11-24': 20 });
    expect(rowsIn((await canned.ask('stats show --from 2026-11-24 --to 2026-11-24')).text)).toEqual([
      '2026-11-24 | 20',
    ]);
  });
});
