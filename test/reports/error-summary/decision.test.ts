import { expect, test } from 'vitest';
import { isFailing } from '../../../src/reports/error-summary/decision.ts';
import { errorSummary } from '../../../src/reports/error-summary/error-summary.ts';
import type { UnhealthyZone } from '../../../src/reports/error-summary/zone-look.ts';
import type { ReportContext } from '../../../src/reports/report.ts';
import type { ZoneFinding } from '../../../src/reports/statistics-watch/watch.ts';
import { HOUR, MINUTE } from '../../../src/time.ts';
import { contextOf, UTC, zone } from '../asking.ts';
import { NOON, platformOf } from './failing.ts';

const QUARTER = 15 * MINUTE;
const COUNTS = { requests: 1500, bandwidth: 0, pulls: 300, waited: 0, errors4xx: 30, errors5xx: 0 };
const USUAL = { requests: 1500, bandwidth: 0, '4xx': 0.02, '5xx': 0, hits: 0.8, response: 200 };

/** What statistics show in a zone since so many minutes, and whether it is told. */
async function isTold(
  found: Partial<ZoneFinding>,
  {
    minutes = 30,
    counts = {},
    own = 1500,
    ...context
  }: Partial<ReportContext> & { minutes?: number; counts?: object; own?: number } = {},
) {
  const window = {
    from: NOON - QUARTER,
    to: NOON,
    counts: { ...COUNTS, ...counts },
    usual: USUAL,
    excess: {},
    own,
  };
  const finding = { since: NOON - minutes * MINUTE, to: NOON, zone: 1001, name: 'shop', window, ...found };
  const range = { from: new Date(NOON - 5 * MINUTE), to: new Date(NOON) };
  const collected = await errorSummary.collect(errorSummary.args, {
    ...contextOf(platformOf([], []), [zone(1001, 'shop')], range),
    watch: async () => ({ findings: [finding as unknown as ZoneFinding], notes: [], unread: [] }),
    ...context,
  });
  return errorSummary.troubles?.(collected, errorSummary.args)?.length === 1;
}

const nothing = () =>
  errorSummary.collect(
    errorSummary.args,
    contextOf(platformOf([], []), [], { from: new Date(NOON), to: new Date(NOON) }),
  );

test('nine failures in a thousand requests are told where one region or page has nearly all of them', () => {
  const zone = {
    failures: 270,
    requests: 1000,
    usual: 0.002,
    planned: 0,
    share: 0.009,
    looks: 6,
    since: NOON,
    to: NOON + 30 * MINUTE,
  };
  const isTold = (where?: UnhealthyZone['where']) => isFailing({ ...zone, where } as UnhealthyZone, 15);
  expect(isTold({ regions: ['FR'], paths: [] })).toBe(true);
  expect(isTold({ paths: ['/hls/…'] })).toBe(true);
  expect(isTold({ regions: [], paths: [] })).toBe(false);
  expect(isTold({ regions: ['FR', 'DE'] })).toBe(false);
  expect(isTold()).toBe(false);
});

const refused = (now: number, detail: string) => ({ measure: '4xx', now, usual: 0.02, detail }) as const;

test('refusals on top of as many good answers as usual are told after an hour, those of a login at once', async () => {
  const crawled = { counts: { requests: 2000, errors4xx: 530 } };
  expect(await isTold(refused(0.265, '404'), crawled)).toBe(false);
  expect(await isTold(refused(0.265, '404'), { ...crawled, minutes: 60 })).toBe(true);
  expect(await isTold(refused(0.265, '401 on /session'), crawled)).toBe(true);
});

test('refusals replace no more good answers than are missing', async () => {
  // A scan of a small zone whose visitors scatter.
  const scan = { counts: { requests: 60, errors4xx: 40 }, own: 30 };
  expect(await isTold(refused(0.66, '404'), { ...scan, minutes: 50 })).toBe(false);
  expect(await isTold(refused(0.66, '404'), { ...scan, own: 60 })).toBe(true);
  // Nobody is served, and all ask again.
  expect(await isTold(refused(1, '403'), { counts: { requests: 6000, errors4xx: 6000 } })).toBe(true);
});

test('good answers that one look counts late are not missing', async () => {
  const look = (requests: number) => ({ counts: { ...COUNTS, requests, errors4xx: 600 }, usual: USUAL, own: 1500 });
  const looks = [look(2500), look(1500)] as unknown as NonNullable<ZoneFinding['windows']>;
  const replaced = { counts: { errors4xx: 600 } };
  expect(await isTold({ ...refused(0.4, '404'), windows: looks }, replaced)).toBe(false);
  expect(await isTold({ ...refused(0.4, '404'), windows: looks.slice(1) }, replaced)).toBe(true);
});

test('robots and scanners that are refused wait for the morning, unless good answers are missing', async () => {
  const scanned = { counts: { requests: 2000, errors4xx: 530 }, minutes: 90 };
  expect(await isTold({ ...refused(0.265, '404'), isOfFew: true }, scanned)).toBe(false);
  expect(await isTold({ ...refused(0.4, '401'), isOfFew: true }, { counts: { errors4xx: 600 } })).toBe(true);
});

test('refusals in place of good answers are told', async () => {
  const replaced = { counts: { errors4xx: 600 } };
  expect(await isTold(refused(0.4, '404 on /shop'), replaced)).toBe(true);
  // A fifth less is no longer “as many as usual”.
  expect(await isTold(refused(0.4, '404 on /shop'), { ...replaced, own: 1190 })).toBe(true);
  // On a quiet day few good answers are expected.
  expect(await isTold(refused(0.4, '404 on /shop'), { ...replaced, own: 1000 })).toBe(false);
});

test('what hurts a handful of people is no reason to get up', async () => {
  expect(await isTold(refused(0.12, '401'), { counts: { requests: 100, errors4xx: 12 } })).toBe(false);
  expect(await isTold({ measure: '5xx', now: 0.1, usual: 0 }, { counts: { requests: 100, errors5xx: 10 } })).toBe(
    false,
  );
});

test('visitors who stay away are told where they are many, and a third of all', async () => {
  const away = (now: number, usual = 3000) => ({ measure: 'traffic', now, usual }) as const;
  expect(await isTold(away(1900))).toBe(true);
  expect(await isTold(away(2200))).toBe(false);
  expect(await isTold(away(2, 30))).toBe(false);
  // All zones together.
  expect(await isTold({ ...away(2200), zone: 0 })).toBe(true);
});

test('a little is told by two looks, nearly everything by one', async () => {
  const failing = (now: number) => ({ measure: '5xx', now, usual: 0 }) as const;
  const some = { counts: { requests: 900, errors5xx: 50 }, minutes: 16 };
  expect(await isTold(failing(0.055), some)).toBe(false);
  expect(await isTold(failing(0.055), { ...some, minutes: 25 })).toBe(true);
  expect(await isTold(failing(0.9), { ...some, counts: { requests: 60, errors5xx: 54 } })).toBe(true);
});

test('a cold cache is told unless the bot has emptied it a short while before', async () => {
  const cold = { measure: 'hits', now: 0.4, usual: 0.8 } as const;
  expect(await isTold(cold)).toBe(true);
  const asked: unknown[] = [];
  const emptied = async (...of: unknown[]) => {
    asked.push(of);
    return NOON - HOUR;
  };
  expect(await isTold(cold, { emptied })).toBe(false);
  expect(asked).toEqual([[1001, new Date(NOON - 3 * HOUR)]]);
  // Somebody else may have emptied it.
  expect(await isTold({ ...cold, isFilling: true })).toBe(false);
});

test('a cold cache of a small zone is told once it has missed some hits since it began', async () => {
  const small = { counts: { requests: 32 } };
  const cold = { measure: 'hits', now: 0.05, usual: 0.85 } as const;
  expect(await isTold(cold, { ...small, minutes: 15 })).toBe(false);
  expect(await isTold(cold, { ...small, minutes: 30 })).toBe(true);
});

test('what is near its usual again is not told in the present', async () => {
  const finding = { measure: '4xx', now: 0.021, usual: 0.02, since: NOON, to: NOON, zone: 1001, name: 'shop' } as const;
  const said = errorSummary.render({ ...(await nothing()), findings: [finding] }, errorSummary.args, UTC);
  expect(said?.text).toBe(
    '🟡 Getting better · shop: more 4xx since about 12:00 PM UTC, now back near normal. Watching.',
  );
});

test('what lags behind an incident of its zone is its echo', async () => {
  const slow = { measure: 'response', now: 900, usual: 200 } as const;
  expect(await isTold(slow)).toBe(true);
  expect(await isTold(slow, { told: { 1001: 'before' } })).toBe(false);
  expect(await isTold(slow, { told: { 1001: 'now' } })).toBe(true);
});
