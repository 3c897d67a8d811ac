import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCollectReport } from '../../src/delivery/collect.ts';
import type { OriginErrorDay } from '../../src/platform/resources/origin-errors.ts';
import { errorSummary } from '../../src/reports/error-summary/error-summary.ts';
import { zone } from '../reports/asking.ts';
import { failing } from '../reports/error-summary/failing.ts';
import { type Desk, openDesk, slot, subscribed } from './desk.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.database.close());

/** What everybody reads of a zone that breaks from and to these minutes, and is looked at every five. */
async function heard(breaks: readonly [number, number][], until: number): Promise<string[]> {
  const failures = Array.from({ length: until }, (_, at) => (breaks.some(([a, b]) => at >= a && at < b) ? 40 : 0));
  const { platform } = failing({ 1: { failures } });
  const whole = platform.originErrors.get.getMockImplementation()!;
  platform.originErrors.get.mockImplementation(async (...of) => {
    const day: OriginErrorDay = await whole(...of);
    return { ...day, logs: day.logs.filter(({ at }) => at! < desk.now) } as never;
  });
  desk.services.reports = [errorSummary];
  desk.services.collect = createCollectReport({
    platform: { shieldZones: { mapping: async () => [] }, ...platform } as never,
    zones: async () => ({ items: [zone(1, 'shop')] }),
    now: () => desk.now,
    anchors: desk.services.anchors,
  });
  const id = await subscribed(desk, { report: 'error-summary', cron: '*/5 * * * *', timezone: 'UTC' });
  for (let minute = 5; minute <= until; minute += 5) await slot(desk, id, minute);
  return desk.said.flatMap(({ how, text }) =>
    how === 'post C1' || how.endsWith('for all') ? text.split('\n')[0]! : [],
  );
}

describe('a zone that came back', () => {
  it('and breaks once more while it is watched is told aloud with its own minute, and ends with it', async () => {
    expect(
      await heard(
        [
          [2, 12],
          [22, 28],
          [48, 56],
        ],
        95,
      ),
    ).toEqual([
      expect.stringMatching(/^🔴 Down · shop: .* since 12:02 PM UTC$/u),
      expect.stringMatching(/^✅ shop recovered .* from 12:02 PM UTC to 12:11 PM UTC: 400 requests failed\.$/u),
      expect.stringMatching(/^🔴 Down · shop: .* again since 12:22 PM UTC$/u),
      expect.stringMatching(/^🔴 Down · shop: .*, 40% of requests fail .* again since 12:48 PM UTC$/u),
      expect.stringMatching(/^✅ shop recovered .* from 12:48 PM UTC to 12:55 PM UTC: 320 requests failed\.$/u),
    ]);
  });

  it('is told again with the release that it began after', async () => {
    desk.services.changesAround = async () => ({ began: ['Began 3 min after release new'], before: [], after: [] });
    await heard(
      [
        [2, 12],
        [22, 28],
      ],
      35,
    );
    const again = desk.said.find(({ how, text }) => how.endsWith('for all') && text.includes('again since'));
    expect(again!.text).toMatch(/^Began 3 min after release new\.$/m);
  });

  it('and comes and goes within ten minutes is told once', async () => {
    const told = await heard(
      [
        [2, 12],
        [22, 28],
        [34, 40],
      ],
      75,
    );
    expect(told.filter((line) => line.includes('again since'))).toHaveLength(1);
  });
});
