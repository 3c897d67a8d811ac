import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import type { Changed, ReadTimeLine } from '../../src/changed.ts';
import { createCollectReport } from '../../src/delivery/collect.ts';
import { keepIncidents } from '../../src/delivery/incident.ts';
import type { Platform } from '../../src/platform/client.ts';
import { changes } from '../../src/reports/changes/changes.ts';
import { zone } from '../reports/asking.ts';
import { at, type Desk, firstLines, openDesk, row, slot, subscribed } from './desk.ts';

const MINUTE = 60_000;

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.database.close());

describe('a report’s window', () => {
  it('ends as much before the slot as the platform’s logs lag behind; a report without one tells a day', async () => {
    const windows: Date[][] = [];
    desk.collects = ({ from, to }) => void windows.push([from, to]);
    await slot(desk, await subscribed(desk), 0);
    await slot(desk, await subscribed(desk, { report: 'plain', timezone: 'UTC', locale: 'de-DE' }), 0);
    expect(windows).toEqual([
      [at(-15), at(-5)],
      [at(-24 * 60), at(0)],
    ]);
    expect(firstLines(desk)).toEqual(['post C1: 11:45-11:55 en-US Europe/Berlin', 'post C1: 12:00-12:00 de-DE UTC']);
  });

  it('knows at its first look since when a zone fails, if another channel was told', async () => {
    const known: unknown[] = [];
    desk.collects = (context) => void known.push(context.known);
    const since = at(-120).getTime();
    const zones = { '7': { since, last: at(0).getTime(), failures: 9 } };
    const incident = { ts: '1', from: at(-115).getTime(), kinds: ['7:origin refused'], said: {}, zones };
    await keepIncidents(desk.services, await subscribed(desk, { report: 'alarms' }), [incident]);
    const id = await subscribed(desk, { report: 'alarms', channel: 'C2' });
    for (const minute of [0, 15]) await slot(desk, id, minute);
    expect(known).toEqual([{ '7': since }, {}]);
  });

  it('that was told already is not told again', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    const other = await subscribed(desk, { report: 'plain' });
    desk.collects = ({ from, to }) => (from < to ? undefined : expect.unreachable('an empty window was collected'));
    desk.troubles = () => undefined;
    expect(await slot(desk, id, 30)).toBe('posted');
    expect(await slot(desk, id, 15, 20 * MINUTE)).toBe('quiet');
    const { ledger } = desk.services;
    await ledger.open({ id, version: 1 }, [{ slot: at(33), state: 'due', notBefore: at(33) }]);
    await ledger.settle((await ledger.claim(id, at(33)))!, { state: 'updated', to: at(45) });
    expect(await slot(desk, id, 45)).toBe('quiet');
    expect(await slot(desk, other, 45)).toBe('posted');
  });
});

it('what was changed elsewhere stays in its message when the limit of an hour adds more to it', async () => {
  const line: Changed[] = [];
  const timeLine: ReadTimeLine = async ({ from, to }) => ({
    changes: line.filter((one) => one.at >= from && one.at < to!).reverse(),
    isCut: false,
  });
  const zones = async () => ({ items: [zone(1, 'shop')] });
  const collect = createCollectReport({ platform: {} as Platform, now: () => desk.now, zones, timeLine });
  desk.services = { ...desk.services, reports: [changes], collect };
  const id = await subscribed(desk, { report: 'changes', perHour: 1 });
  const change = (minute: number, done: string) =>
    line.push({ ...{ by: 'somebody else', at: at(minute), key: done, zones: [1] }, actor: 'Eve', done });
  change(1, 'deleted the zone api');
  expect(await slot(desk, id, 5)).toBe('posted');
  change(8, 'switched off the shield');
  expect(await slot(desk, id, 15)).toBe('updated');
  expect(desk.said.at(-1)?.text).toMatch(/deleted the zone api.*\n.*switched off the shield/);
  change(18, 'switched it on');
  expect(await slot(desk, id, 25)).toBe('updated');
  expect(desk.said.at(-1)?.text).toMatch(/deleted the zone api.*\n.*switched off the shield.*\n.*switched it on/);
  expect(await slot(desk, id, 90)).toBe('quiet');
});

describe('a report’s message', () => {
  it.each([
    [5 * MINUTE, false],
    [5 * MINUTE + 1, true],
  ])('%i milliseconds after its time says that it is late: %s', async (late, isSaid) => {
    await slot(desk, await subscribed(desk), 0, late);
    expect(desk.said[0]?.text.includes('Late: this was due Nov 21, 2026, 1:00 PM GMT+1.')).toBe(isSaid);
    expect(desk.said[0]?.text).not.toContain('stands for');
    expect(desk.looked).toBe(isSaid ? 1 : 0);
  });

  it('has its tables in its thread, and counts where they cannot be posted', async () => {
    const [plain] = desk.services.reports;
    const details = () => message('a table');
    desk.services = { ...desk.services, reports: [{ ...plain!, details }] };
    const id = await subscribed(desk, { report: 'plain' });
    expect(await slot(desk, id, 0)).toBe('posted');
    expect(desk.said.map(({ text, key }) => [text, key])).toEqual([
      [expect.any(String), `${id}:${at(0).toISOString()}`],
      ['a table', `${id}:${at(0).toISOString()}:details`],
    ]);
    desk.before = () => {
      if (desk.said.length === 3) throw new Error('no');
    };
    expect(await slot(desk, id, 15)).toBe('posted');
    expect([desk.said.length, (await row(desk, 15)).state]).toEqual([3, 'posted']);
  });

  it('says for how many it stands', async () => {
    const id = await subscribed(desk);
    desk.now = at(30);
    const opened = [0, 15].map((minute) => ({ slot: at(minute), notBefore: at(minute), foldedInto: at(30) }));
    await desk.services.ledger.open(
      (await desk.services.subscriptions.read(id))!,
      opened.map((one) => ({ ...one, state: 'folded' })),
    );
    await slot(desk, id, 30);
    expect(desk.said[0]?.text).toContain('This also covers the 2 reports due since 1:00 PM GMT+1.');
  });

  it('comes again at the very end of a mute', async () => {
    const id = await subscribed(desk);
    await desk.services.subscriptions.mute(id, { until: at(15), by: 'U2' });
    expect([await slot(desk, id, 14), await slot(desk, id, 15)]).toEqual(['muted', 'posted']);
    expect(desk.rendered).toBe(1);
  });
});
