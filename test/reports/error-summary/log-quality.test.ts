import { describe, expect, test } from 'vitest';
import type { StatisticsAnswer } from '../../../src/platform/resources/statistics.ts';
import { errorSummary } from '../../../src/reports/error-summary/error-summary.ts';
import type { ZoneFinding } from '../../../src/reports/statistics-watch/watch.ts';
import { HOUR, MINUTE } from '../../../src/time.ts';
import { refused, zone } from '../asking.ts';
import { failing, minutes, NOON } from './failing.ts';

describe('a zone of which more fails than is read', () => {
  test('is told by the newest failures, and since when by the oldest', async () => {
    const { text, troubles } = await failing({ 1: { requests: 4000, failures: minutes(20, 2000) } }).ask();
    expect(text).toMatch(/^🔴 Down · zone-1: .*, 50% of requests fail \(usually 0%\) · 10 min, since 12:20 PM UTC/u);
    expect(text).toContain('zone-1: only the last 5,000 of the access log were read');
    expect(troubles).toMatchObject([{ zone: '1', since: NOON + 20 * MINUTE }]);
  });

  test('is drawn from where it is read, and never as if nothing had failed before', async () => {
    const { ask, platform } = failing({ 1: { requests: 2000, failures: minutes(20, 1000) } });
    // Its origin logs nothing.
    platform.originErrors.get.mockResolvedValue({ logs: [], hasMoreData: false, isCut: false });
    const { text } = await ask();
    expect(text).toContain('Failed requests a minute (5 min to 7 min, since it began)');
    expect(text).not.toMatch(/Failed: 0/);
  });

  test('has its share of the minutes that are read, however few', async () => {
    const { text } = await failing({ 1: { requests: 4000, failures: minutes(26, 3000) } }).ask();
    expect(text).toMatch(/^🔴 Down · zone-1: .*, 75% of requests fail \(usually 0%\) · 4 min, since 12:26 PM UTC/u);
  });
});

describe('a zone whose log is not what it should be', () => {
  const window = (errors5xx: number) => ({
    from: NOON + 13 * MINUTE,
    to: NOON + 28 * MINUTE,
    counts: { requests: 1500, bandwidth: 0, pulls: 0, waited: 0, errors4xx: 0, errors5xx },
  });
  const since = NOON + 12 * MINUTE;
  const found = { measure: '5xx', since, to: NOON + 28 * MINUTE, now: 0.4, usual: 0, zone: 1, name: 'zone-1' };
  const watchOf = (more: object) => async () => ({
    findings: [{ ...found, window: window(600), ...more } as ZoneFinding],
    notes: [],
    unread: [],
  });

  test('is told for its statistics when these count failures that the log does not show', async () => {
    const { ask } = failing({ 1: { failures: minutes(20, 1) } });
    const { text, troubles } = await ask({ watch: watchOf({}) });
    expect(text.split('\n')[0]).toBe(
      '🔴 Degraded · zone-1: 40% of the requests fail with 5xx (usually 0%), its access log shows 8 of 600 of them, since about 12:12 PM UTC',
    );
    expect(troubles).toMatchObject([{ kind: 'statistics 5xx', zone: '1', since }]);
    expect((await ask({ watch: watchOf({ until: NOON + 20 * MINUTE }) })).text).not.toContain('5xx (usually');
    expect((await ask({ watch: watchOf({ window: window(14) }) })).text).not.toContain('5xx (usually');
    // The log may be a little late.
    expect((await ask({ watch: watchOf({ since: NOON + 20 * MINUTE }) })).text).not.toContain('5xx (usually');
  });

  test('is not told for failures that its log has beyond those that are read', async () => {
    // As much as always, 18,000 in the window of statistics; the newest 5,000 are read.
    const { ask } = failing({ 1: { requests: 60_000, usual: 0.02, failures: minutes(0, 1200) } });
    const { text } = await ask({ watch: watchOf({ window: window(18_000) }) });
    expect(text).not.toContain('with 5xx');
  });

  test('is told for its log alone when that shows them too', async () => {
    const { ask } = failing({ 1: { failures: minutes(12, 40) } });
    const { text } = await ask({ watch: watchOf({}) });
    expect(text).toMatch(/^🔴 Down · zone-1: .*, 40% of/u);
    expect(text).not.toContain('with 5xx');
  });

  test('has no log at all, and is told once all the same', async () => {
    const { ask } = failing({ 1: { failures: minutes(12, 40) } });
    const unlogged = { zones: async () => ({ items: [zone(1, 'zone-1', { EnableLogging: false })] }) };
    const { text, troubles } = await ask({ ...unlogged, watch: watchOf({}) });
    expect(text).toMatch(/^🔴 Down · zone-1: origin refuses connections/u);
    expect(text).not.toContain('with 5xx');
    expect(troubles).toHaveLength(1);
  });

  test('is not called healthy while statistics still count failures', async () => {
    const { ask } = failing({ 1: { failures: minutes(30, 0) } });
    const known = { 1: NOON - HOUR };
    expect((await ask({ known, watch: watchOf({}) })).troubles).toContainEqual(
      expect.objectContaining({ kind: 'statistics 5xx', zone: '1', since, until: undefined }),
    );
  });

  test('is over when its log shows that, while statistics, which are late, still count failures', async () => {
    const { ask } = failing({ 1: { failures: minutes(12, 40).fill(0, 18) } });
    const { troubles } = await ask({
      ...{ known: { 1: NOON + 12 * MINUTE }, told: { 1: 'now' } },
      watch: watchOf({ since: NOON + 10 * MINUTE }),
    });
    expect(troubles).toEqual([expect.objectContaining({ zone: '1', kind: '', until: expect.any(Number) })]);
  });

  test('is told at once for its statistics when the log cannot be read, and the owner is to know', async () => {
    const { ask, platform } = failing({ 1: { failures: [] }, 2: { failures: [] } });
    platform.accessLogs.query.mockRejectedValueOnce(refused(500, 'Broken'));
    const watch = watchOf({ since: NOON + 25 * MINUTE });
    const { text, collected } = await ask({ watch });
    expect(text).toContain('its log could not be read');
    const sentence = 'zone-1: the access log could not be read (Broken)';
    expect(errorSummary.unread?.(collected)).toEqual([sentence]);
    expect(text).toContain(sentence);
  });

  test('has its share by the log alone when that is sampled, and says so', async () => {
    // Statistics count ten times as much.
    const { ask, platform } = failing({ 1: { requests: 20, failures: minutes(10, 8) } });
    const hours = platform.statistics.get.getMockImplementation()!;
    platform.statistics.get.mockImplementation((async (query) => {
      const { RequestsServedChart = {} } = await (hours as (query: unknown) => Promise<StatisticsAnswer>)(query);
      return {
        RequestsServedChart: Object.fromEntries(
          Object.entries(RequestsServedChart).map(([at, all = 0]) => [at, 10 * all]),
        ),
      };
    }) as (query?: unknown) => Promise<StatisticsAnswer>);
    const { text } = await ask();
    expect(text).toMatch(/^🔴 Down · zone-1: .*, 40% of requests fail/u);
    expect(text).toContain('zone-1: the access log shows about 1 in 10 of the requests that statistics count');
  });

  test('is not told for a surge that late statistics do not have yet', async () => {
    const fewBefore = failing({ 1: { requests: 100, usual: 0.015, failures: minutes(0, 15) } });
    expect((await fewBefore.ask()).troubles).toHaveLength(1);
    const surge = failing({ 1: { requests: 1000, usual: 0.015, failures: minutes(0, 15) } });
    // Statistics have what the others had.
    surge.platform.statistics.get.mockImplementation(fewBefore.platform.statistics.get.getMockImplementation()!);
    expect((await surge.ask()).troubles).toEqual([]);
  });
});
