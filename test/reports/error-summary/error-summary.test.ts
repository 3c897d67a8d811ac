import { describe, expect, test, vi } from 'vitest';
import type { AccessLogPage } from '../../../src/platform/resources/access-logs.ts';
import type { OriginErrorDay } from '../../../src/platform/resources/origin-errors.ts';
import type { StatisticsAnswer } from '../../../src/platform/resources/statistics.ts';
import { errorSummary } from '../../../src/reports/error-summary/error-summary.ts';
import type { ZoneFinding } from '../../../src/reports/statistics-watch/watch.ts';
import { buttonsOf } from '../../operations/performing.ts';
import { createGroupMemory } from '../../support/group-memory.ts';
import { contextOf, refused, say, UTC, zone } from '../asking.ts';

const stretch = { from: new Date('2026-11-21T11:45:00Z'), to: new Date('2026-11-21T12:00:00Z') };

function originError(at: string, message: string): OriginErrorDay['logs'][number] {
  return {
    timestamp: Date.parse(at),
    at: new Date(at),
    labels: { ServerZone: 'DE' },
    error: { ErrorCode: 'error', StatusCode: 504, Message: message, RequestUrl: '/items/7?token=hush' },
  };
}

function platformOf(logs: OriginErrorDay['logs'], pages: AccessLogPage[]) {
  const get = vi.fn(async (_zone: number, _day: Date) => ({ logs, hasMoreData: false, isCut: false }));
  const query = vi.fn(async (_zone: number) => pages.shift() ?? { data: [], hasMore: false });
  // Statistics that say nothing.
  const statistics = vi.fn(async (): Promise<StatisticsAnswer> => ({}));
  return { originErrors: { get }, accessLogs: { query }, statistics: { get: statistics } };
}

describe('the error summary', () => {
  test('says by kind what went wrong in its stretch of time, in both logs', async () => {
    const platform = platformOf(
      [
        originError('2026-11-21T11:50:00Z', 'No answer within 60 s'),
        originError('2026-11-21T11:55:00Z', 'No answer within 61 s'),
        originError('2026-11-21T11:44:59Z', 'told already'),
        originError('2026-11-21T12:00:00Z', 'told next time'),
      ],
      [
        {
          data: [{ timestamp: '2026-11-21T11:51:00Z', statusCode: 503, path: '/b/9', edgeLocation: 'FR' }],
          hasMore: false,
        },
      ],
    );
    const said = await say(errorSummary, contextOf(platform, [zone(1001, 'shop')], stretch));
    expect(said?.text).toContain(
      '1 failed request of visitors (5xx) and 2 errors between the edge and the origin in the 15 min up to',
    );
    expect(said?.text).toMatch(
      /2\s+[▁█]+\s+504 error\s+No answer within …\s+\/items\/…\s+shop 2\s+100%\s+11:50 AM\s+11:55 AM\s+DE 2/,
    );
    expect(said?.text).toMatch(/1\s+[▁█]+\s+503 failed request\s+–\s+\/b\/…\s+shop 1\s+100%.*FR 1/);
    expect(JSON.stringify(said)).not.toMatch(/hush|told/);
    expect(platform.accessLogs.query.mock.calls[0]).toEqual([
      1001,
      expect.objectContaining({ ...stretch, status: ['5xx'] }),
      expect.objectContaining({ priority: 'background' }),
    ]);
    const range = '--from 2026-11-21T11:45:00.000Z --to 2026-11-21T12:00:00.000Z';
    expect(buttonsOf(said!)).toEqual({
      'Show me the requests': `log search 1001 --status 504 --url /items/ ${range}`,
      'Two samples': `log search 1001 --status 504 --url /items/ ${range} --limit 2`,
      'Show the origin errors': 'errors show 1001 2026-11-21',
    });
  });

  test('tells what statistics say when no log has an error, and takes it for one incident', async () => {
    const since = Date.parse('2026-11-21T11:35:00Z');
    const finding = { measure: 'traffic', since, to: since + 1_500_000, now: 0, usual: 310, zone: 1001, name: 'shop' };
    const watch = async () => ({ findings: [finding as ZoneFinding], notes: ['Statistics are 30 minutes late.'] });
    const context = { ...contextOf(platformOf([], []), [zone(1001, 'shop')], stretch), watch };
    const said = (await say(errorSummary, context))!;
    expect(said.text).toBe(
      '🔴 shop: no requests for 25 min (usually 310 in that time), since 11:35 AM\nStatistics are 30 minutes late.',
    );
    expect(buttonsOf(said)).toEqual({ 'Show statistics': 'stats show 1001 --from yesterday --hourly' });
    const collected = await errorSummary.collect(errorSummary.args, context);
    const troubles = errorSummary.troubles!({ ...collected, remembers: true }, errorSummary.args);
    expect(troubles).toEqual([{ kind: 'statistics traffic', zone: '1001', hourly: 1 }]);
    const ended = { ...finding, until: Date.parse('2026-11-21T11:40:00Z') };
    const after = { ...context, watch: async () => ({ findings: [ended as ZoneFinding], notes: [] }) };
    expect(await say(errorSummary, after)).toBeUndefined();
  });

  test('says nothing when nothing went wrong', async () => {
    expect(await say(errorSummary, contextOf(platformOf([], []), [zone(1001, 'shop')], stretch))).toBeUndefined();
  });

  test('tells an error of the origin and what visitors got because of it once', async () => {
    const failed = { timestamp: '2026-11-21T11:50:00Z', statusCode: 504, path: '/items/8', edgeLocation: 'DE' };
    const platform = platformOf(
      [originError('2026-11-21T11:50:00Z', 'No answer within 60 s')],
      [{ data: [failed, { ...failed, path: '/other' }], hasMore: false }],
    );
    const text = (await say(errorSummary, contextOf(platform, [zone(1001, 'shop')], stretch)))!.text;
    expect(text).toContain('2 failed requests');
    expect(text.match(/failed request .*/g)).toEqual([expect.stringContaining('/other')]);
    expect(text).toContain('is in the row of that error');
  });

  test('asks for both days when midnight lies between', async () => {
    const platform = platformOf([], []);
    const midnight = { from: new Date('2026-11-20T23:55:00Z'), to: new Date('2026-11-21T00:10:00Z') };
    await say(errorSummary, contextOf(platform, [zone(1001, 'shop')], midnight));
    expect(platform.originErrors.get.mock.calls.map(([, day]) => day)).toEqual([
      new Date('2026-11-20'),
      new Date('2026-11-21'),
    ]);
  });

  test('reads the further pages of a zone, up to a bound that it names', async () => {
    const page = {
      data: [{ timestamp: '2026-11-21T11:51:00Z', statusCode: 500, path: '/a' }],
      hasMore: true,
      nextOffset: 1000,
    };
    const platform = platformOf(
      [],
      Array.from({ length: 9 }, () => page),
    );
    const said = await say(errorSummary, contextOf(platform, [zone(1001, 'shop')], stretch));
    expect(platform.accessLogs.query).toHaveBeenCalledTimes(5);
    expect(said?.text).toContain('shop: only the first 5 failed requests were read');
  });

  test('leaves out zones without a log, and names one that cannot be read beside the others', async () => {
    const platform = platformOf([originError('2026-11-21T11:50:00Z', 'x')], []);
    platform.accessLogs.query.mockImplementation(async (id) => {
      if (id === 1001) throw refused(404, 'Logging is off', 'logging_disabled');
      throw refused(403, 'Not yours');
    });
    const zones = [
      zone(1001, 'shop'),
      zone(1002, 'api'),
      zone(1003, 'off', { Suspended: true }),
      zone(1004, 'mute', { EnableLogging: false }),
    ];
    const said = await say(errorSummary, contextOf(platform, zones, stretch));
    expect(said?.text).toContain('api: the access log could not be read (Not yours)');
    expect(said?.text).not.toMatch(/shop: the|off: the|mute: the/);
    expect(platform.originErrors.get.mock.calls.map(([id]) => id).sort()).toEqual([1001, 1002, 1004]);
  });

  test('fails when no zone can be read, and when there is no list of zones', async () => {
    const platform = platformOf([], []);
    platform.originErrors.get.mockRejectedValue(refused(401, 'Who are you?'));
    await expect(say(errorSummary, contextOf(platform, [zone(1001, 'shop')], stretch))).rejects.toThrow('Who are you?');
    await expect(say(errorSummary, contextOf(platform, 'the platform has no such list', stretch))).rejects.toThrow(
      'There is no list of pull zones to look through: the platform has no such list.',
    );
  });

  test('tells what is new, growing and gone over the stretches that it remembers, and the same when asked again', async () => {
    const memory = createGroupMemory();
    const at = (quarter: number) => new Date(Date.parse('2026-11-21T00:00:00Z') + quarter * 900_000);
    const saidAt = async (quarter: number, logs: OriginErrorDay['logs']) => {
      const context = contextOf(platformOf(logs, []), [zone(1001, 'shop')], { from: at(quarter - 1), to: at(quarter) });
      return (await say(errorSummary, { ...context, memory } as typeof context))?.text;
    };
    const errors = (quarter: number, often: number, message: string) =>
      Array.from({ length: often }, () => originError(new Date(at(quarter).getTime() - 1000).toISOString(), message));

    const day = Array.from({ length: 96 }, (_, quarter) => errors(-quarter, 12, 'Time-out after 6 s')).flat();
    expect(await saidAt(1, [...day, ...errors(1, 12, 'Time-out after 7 s')])).toMatch(/12\s.*as before/);
    for (const quarter of [2, 3, 4, 5]) await saidAt(quarter, errors(quarter, 12, `Time-out after ${quarter} s`));
    const sixth = [
      ...errors(6, 80, 'Time-out after 9 s'),
      ...errors(6, 6, 'Refused by 10.0.0.1'),
      ...errors(6, 1, 'Odd'),
    ];
    const said = await saidAt(6, sixth);
    expect(said).toContain('• Growing: error · 504 · Time-out after …, 80 on shop, /items/…');
    expect(said).toContain('• New: error · 504 · Refused by …, 6 on shop, /items/…');
    expect(said).not.toContain('New: error · 504 · Odd');
    expect(said).toMatch(/1\s.*Odd.*1\.1%\s+new/);
    expect(await saidAt(6, sixth)).toBe(said);
    expect(await saidAt(7, errors(7, 12, 'Time-out after 7 s'))).toMatch(/12\s.*100%\s+as before/);
    expect(await saidAt(8, [])).toMatch(/No errors any more.*\n• Gone: error · 504 · Time-out after …, last at/);
    expect(await saidAt(9, [])).toBeUndefined();
  });

  test('has troubles when something is new or growing, beside what was there before the storm', async () => {
    const memory = createGroupMemory();
    const at = (quarter: number) => new Date(Date.parse('2026-11-21T00:00:00Z') + quarter * 900_000);
    const errors = (quarter: number, often: number, message: string) =>
      Array.from({ length: often }, () => originError(new Date(at(quarter).getTime() - 1000).toISOString(), message));
    const troublesAt = async (
      quarter: number,
      logs: OriginErrorDay['logs'],
      more: { calm?: Date; quarters?: number } = {},
    ) => {
      const { quarters = 1, ...rest } = more;
      const context = {
        ...contextOf(platformOf(logs, []), [zone(1001, 'shop')], { from: at(quarter - quarters), to: at(quarter) }),
        memory,
        ...rest,
      };
      const collected = await errorSummary.collect(errorSummary.args, context);
      return errorSummary.troubles?.(collected, errorSummary.args)?.map(({ zone, hourly }) => [zone, hourly]);
    };
    // The first time, the day before is looked at: what was there is the usual.
    const day = Array.from({ length: 96 }, (_, quarter) => errors(-quarter, 12, 'Time-out after 6 s')).flat();
    expect(await troublesAt(1, [...day, ...errors(1, 12, 'Time-out after 7 s')])).toEqual([]);
    for (const quarter of [2, 3, 4, 5])
      expect(await troublesAt(quarter, errors(quarter, 12, 'Time-out after 8 s'))).toEqual([]);
    const storm = (quarter: number) => [
      ...errors(quarter, 12, 'Time-out after 9 s'),
      ...errors(quarter, 200, 'Refused by 10.0.0.1'),
      ...errors(quarter, 4, 'Odd'),
    ];
    expect(await troublesAt(6, storm(6))).toEqual([['1001', 800]]);
    await troublesAt(7, storm(7), { calm: at(5) });
    // What is usual is what was there in the calm before the storm, however long the storm is.
    expect(await troublesAt(8, storm(8), { calm: at(5) })).toEqual([['1001', 800]]);
    expect(await troublesAt(9, errors(9, 12, 'Time-out after 9 s'), { calm: at(5) })).toEqual([]);
    // Half a day is told whatever there is in it.
    expect(await troublesAt(60, errors(60, 12, 'Time-out after 9 s'), { quarters: 52 })).toBeUndefined();
  });

  test('notices a small zone that ails, by its own traffic, whatever the kinds of its errors', async () => {
    const memory = createGroupMemory();
    const at = (hour: number) => new Date(Date.parse('2026-11-21T00:00:00Z') + hour * 3_600_000);
    // Kinds that a large zone always has, so that eight more of them are nothing new.
    const usual = (hour: number) =>
      Array.from({ length: 100 }, () => originError(new Date(at(hour).getTime() - 1000).toISOString(), 'Time-out'));
    const before = Array.from({ length: 24 }, (_, hour) => usual(-hour)).flat();
    const told = async (hour: number, few: number, requests: number) => {
      const platform = platformOf([], []);
      platform.originErrors.get.mockImplementation(async (id: number) => ({
        logs: id === 1 ? [...before, ...usual(hour)] : usual(hour).slice(0, few),
        hasMoreData: false,
        isCut: false,
      }));
      platform.statistics.get.mockResolvedValue({
        RequestsServedChart: { [at(hour - 1).toISOString()]: requests },
        Error5xxChart: { [at(hour - 1).toISOString()]: few },
      });
      const zones = [zone(1, 'large'), zone(2, 'small')];
      const context = { ...contextOf(platform, zones, { from: at(hour - 1), to: at(hour) }), memory };
      const collected = await errorSummary.collect(errorSummary.args, context);
      const troubles = errorSummary.troubles?.(collected, errorSummary.args)?.map(({ zone }) => zone);
      const said = errorSummary.render(collected, errorSummary.args, UTC)!;
      return { troubles, text: said.text, buttons: buttonsOf(said) };
    };
    for (const hour of [1, 2]) await told(hour, 1, 25);
    expect((await told(3, 8, 1000)).troubles).toEqual([]);
    const ailing = await told(3, 8, 25);
    expect(ailing.troubles).toEqual(['2']);
    expect(ailing.text).toContain('• small: 8 failed, 32% of the requests in these hours');
    expect(ailing.buttons['Show me the requests']).toBe(
      'log search 2 --status 5xx --from 2026-11-21T02:00:00.000Z --to 2026-11-21T03:00:00.000Z',
    );
    expect((await told(4, 4, 4)).troubles).toEqual([]);
  });
});
