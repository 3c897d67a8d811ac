import { afterEach, describe, expect, it, vi } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { createCollectReport } from '../../src/delivery/collect.ts';
import type { ReportSelection } from '../../src/operations/reports-view.ts';
import type { Platform } from '../../src/platform/client.ts';
import type { PullZone } from '../../src/platform/resources/pull-zones.ts';
import { type AnyReport, defineReport, type ReportContext } from '../../src/reports/report.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 10, 21, 12);
const ALL: ReportSelection = { targets: [], include: [], exclude: [], thresholds: {} };
const READING = { locale: 'en-US', timezone: 'UTC', now: new Date(NOON) };
const STRETCH = { from: new Date(NOON - 15 * MINUTE), to: new Date(NOON) };
const zones = [
  { Id: 1, Name: 'shop-de' },
  { Id: 2, Name: 'shop-fr' },
  { Id: 3, Name: undefined },
] as unknown as PullZone[];

afterEach(() => vi.restoreAllMocks());

/** A platform of three zones, and a report that comes to what `answer` says. */
function desk(answer: (context: ReportContext) => unknown = () => 'all is well') {
  const contexts: ReportContext[] = [];
  const kept = new Map<string, unknown>();
  const time = { now: NOON };
  const report = defineReport({
    name: 'errors',
    summary: 'What went wrong',
    schedule: '*/15 * * * *',
    args: { least: 1 },
    collect: async ({ least }: { least: number }, context) => {
      contexts.push(context);
      return { found: await answer(context), least };
    },
    render: ({ found, least }) => (found === undefined ? undefined : message(`${found}, at least ${least}`)),
  });
  const collect = createCollectReport({
    platform: {} as Platform,
    zones: async () => ({ items: zones, missing: 'some' }),
    now: () => new Date(time.now),
    anchors: {
      read: async <T>(about: number, name: string) => kept.get(`${name} ${about}`) as T | undefined,
      set: async (about, name, value) => void kept.set(`${name} ${about}`, value),
    },
  });
  const ask = async (
    selection: Partial<ReportSelection> = {},
    { window = STRETCH, timezone = 'UTC', signal = new AbortController().signal, of = report as unknown } = {},
  ) => {
    const collected = await collect(
      of as AnyReport,
      { ...ALL, ...selection },
      window,
      { ...READING, timezone },
      signal,
    );
    const news = collected.news();
    return news && { ...news, troubles: collected.troubles };
  };
  return { ask, contexts, kept, time, report };
}

describe('what a report has to say', () => {
  it('is its message, with the thresholds of the subscription', async () => {
    const { ask } = desk();
    expect(await ask()).toMatchObject({ message: { text: 'all is well, at least 1' }, troubles: undefined });
    expect(await ask({ thresholds: { least: 5 } })).toMatchObject({ message: { text: 'all is well, at least 5' } });
  });

  it('may be nothing', async () => {
    expect(await desk(() => undefined).ask()).toBeUndefined();
  });

  it('has a short fingerprint: of its own words, or of what the report says they come to', async () => {
    const { ask, report } = desk();
    const words = await ask();
    expect(words?.fingerprint).toMatch(/^[\w-]{22}$/);
    expect((await ask({}, { timezone: 'Europe/Paris' }))?.fingerprint).toBe(words?.fingerprint);
    expect((await ask({ thresholds: { least: 5 } }))?.fingerprint).not.toBe(words?.fingerprint);
    const own = { ...report, name: 'own', fingerprint: () => 'same' };
    const prints = [await ask({}, { of: own }), await ask({ thresholds: { least: 5 } }, { of: own })];
    expect(prints[0]?.fingerprint).toMatch(/^[\w-]{22}$/);
    expect(prints[0]?.fingerprint).toBe(prints[1]?.fingerprint);
    expect(prints[0]?.fingerprint).not.toBe(words?.fingerprint);
  });

  it('has the troubles that the report sees in it', async () => {
    const { ask, report } = desk();
    const troubles = [{ kind: 'k', zone: 'p', since: 0 }];
    expect((await ask({}, { of: { ...report, troubles: () => troubles } }))?.troubles).toEqual(troubles);
  });
});

it('what a report could not read is known where it has no message too', async () => {
  const { report } = desk();
  const collect = createCollectReport({
    platform: {} as Platform,
    zones: async () => ({ items: [] }),
    now: () => new Date(NOON),
  });
  const silent = { ...report, render: () => undefined, unread: () => ['no log'] } as unknown as AnyReport;
  const signal = new AbortController().signal;
  const { news, unread } = await collect(silent, ALL, STRETCH, READING, signal);
  expect([news(), unread]).toEqual([undefined, ['no log']]);
});

describe('what a report is given', () => {
  it('is its window and the time zone', async () => {
    const { ask, contexts } = desk();
    const window = { ...STRETCH, known: { '1': NOON - 60 * MINUTE } };
    await ask({}, { window, timezone: 'Europe/Berlin' });
    expect(contexts[0]).toMatchObject({ ...window, timezone: 'Europe/Berlin' });
  });

  it('is no memory where there is none', async () => {
    let given: unknown = 'not asked';
    const { report } = desk();
    const collect = createCollectReport({
      platform: {} as Platform,
      zones: async () => ({ items: [] }),
      now: () => new Date(NOON),
    });
    const of = {
      ...report,
      collect: async (_: object, { failures }: ReportContext) => {
        given = failures;
        return {};
      },
    };
    await collect(of as unknown as AnyReport, ALL, STRETCH, READING, new AbortController().signal);
    expect(given).toBeUndefined();
  });

  it.each([
    [{}, [1, 2, 3], true],
    [{ targets: ['shop-de'] }, [1], false],
    [{ targets: ['2', '3'] }, [2, 3], false],
    [{ targets: ['shop-*'] }, [1, 2], false],
    [{ include: ['zone:shop-*'] }, [1, 2], false],
    [{ include: ['zone:3'] }, [3], false],
    [{ exclude: ['shop-fr'] }, [1, 3], false],
    [{ include: ['status:5xx'], exclude: ['path:/health'] }, [1, 2, 3], true],
    [{ include: ['status:5xx'], exclude: ['zone:shop-de'] }, [2, 3], false],
    [{ targets: ['shop-*'], exclude: ['shop-fr', 'status:404'] }, [1], false],
  ])('of %j is about zones %j; that these are all: %s', async (selection, ids, whole) => {
    const { ask, contexts } = desk();
    await ask(selection);
    const listing = await contexts[0]!.zones();
    expect(listing.items.map(({ Id }) => Id)).toEqual(ids);
    expect(listing.missing).toBe('some');
    expect(contexts[0]!.whole).toBe(whole);
  });

  it('is the filter of the subscription', async () => {
    const { ask, contexts } = desk();
    await ask({ include: ['status:5xx'], exclude: ['path:/health'] });
    const { filter } = contexts[0]!;
    expect([filter({ status: 502 }), filter({ status: 404 }), filter({ status: 502, path: '/health' })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('is a memory that whoever chooses the same zones and filters shares, at any time, and nobody else', async () => {
    const before = { until: NOON, length: 60 * MINUTE, zones: { 1: 3 } };
    const { ask, kept, report } = desk(async ({ failures }) => {
      const found = await failures?.read();
      await failures?.keep(before);
      return found === undefined ? 'nothing' : `${found.zones[1]} failures`;
    });
    expect((await ask())?.message.text).toBe('nothing, at least 1');
    const later = { from: STRETCH.to, to: new Date(NOON + 15 * MINUTE) };
    expect((await ask({}, { window: later }))?.message.text).toBe('3 failures, at least 1');
    expect((await ask({ thresholds: { least: 7 } }))?.message.text).toBe('3 failures, at least 7');
    for (const others of [{ targets: ['1'] }, { include: ['zone:1'] }, { exclude: ['zone:1'] }])
      expect((await ask(others))?.message.text).toBe('nothing, at least 1');
    await ask({}, { of: { ...report, name: 'other' } });
    expect(kept.size).toBe(5);
  });

  it('is a signal that says when nobody wants it any more, or when it takes longer than ten minutes', async () => {
    const limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    const gone = new AbortController();
    const { ask, contexts } = desk();
    await ask({}, { signal: gone.signal });
    await ask({ targets: ['1'] });
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    gone.abort();
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    limit.abort();
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(timeout).toHaveBeenCalledWith(10 * MINUTE);
  });
});

describe('what is collected', () => {
  it('serves everybody who wants the very same within five minutes', async () => {
    const { ask, contexts, time } = desk();
    await Promise.all([ask(), ask()]);
    time.now = NOON + 5 * MINUTE;
    await ask();
    expect(contexts).toHaveLength(1);
    time.now += 1;
    await ask();
    expect(contexts).toHaveLength(2);
  });

  it('serves nobody after a clock was put back', async () => {
    const { ask, contexts, time } = desk();
    await ask();
    time.now = NOON - 5 * MINUTE - 1;
    await ask();
    expect(contexts).toHaveLength(2);
  });

  it.each<[string, Partial<ReportSelection>, object]>([
    ['zones', { targets: ['1'] }, {}],
    ['included records', { include: ['status:404'] }, {}],
    ['excluded records', { exclude: ['status:404'] }, {}],
    ['thresholds', { thresholds: { least: 2 } }, {}],
    ['time zone', {}, { timezone: 'Europe/Berlin' }],
    ['beginning', {}, { window: { ...STRETCH, from: new Date(0) } }],
    ['end', {}, { window: { ...STRETCH, to: new Date(NOON + 1) } }],
    ['known incident', {}, { window: { ...STRETCH, known: { '1': 0 } } }],
  ])('is collected anew for other %s', async (_, selection, more) => {
    const { ask, contexts } = desk();
    await ask();
    await ask(selection, more);
    expect(contexts).toHaveLength(2);
  });

  it('is tried anew after it failed', async () => {
    let fails = true;
    const { ask, contexts } = desk(() => {
      if (fails) throw new Error('the platform is away');
      return 'all is well';
    });
    await expect(ask()).rejects.toThrow('the platform is away');
    fails = false;
    expect((await ask())?.message.text).toContain('all is well');
    expect(contexts).toHaveLength(2);
  });

  it('is four reports at once at the most; who comes later takes the place of who is done', async () => {
    const ends: (() => void)[] = [];
    const { ask, contexts } = desk(() => new Promise<string>((resolve) => ends.push(() => resolve('done'))));
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    for (const round of [1, 2]) {
      contexts.length = 0;
      ends.length = 0;
      const asked = Array.from({ length: 6 }, (_, n) => ask({ targets: [`${round}-${n}`] }));
      await settle();
      expect(contexts).toHaveLength(4);
      ends[0]!();
      await settle();
      expect(contexts).toHaveLength(5);
      ends[1]!();
      await settle();
      expect(contexts).toHaveLength(6);
      for (const end of ends) end();
      expect((await Promise.all(asked)).map((news) => news?.message.text)).toEqual(Array(6).fill('done, at least 1'));
    }
  });

  it('is not begun when nobody wants it by the time of its turn', async () => {
    const { ask, contexts } = desk();
    const gone = AbortSignal.abort(new Error('stopped'));
    await expect(ask({}, { signal: gone })).rejects.toThrow('stopped');
    expect(contexts).toEqual([]);
  });
});
