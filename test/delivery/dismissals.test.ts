import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dismissIncident, endDismissals, readDismissals } from '../../src/delivery/dismissals.ts';
import { isGoingOn, readIncidents } from '../../src/delivery/incident.ts';
import { isDismissed } from '../../src/reports/dismissed.ts';
import type { Trouble } from '../../src/reports/report.ts';
import { at, type Desk, openDesk, slot, subscribed } from './desk.ts';

let desk: Desk;
let id: number;
/** What is wrong, before a report leaves out what was dismissed. */
let wrong: Trouble[];

beforeEach(async () => {
  desk = await openDesk();
  id = await subscribed(desk, { report: 'alarms' });
  wrong = [];
  desk.troubles = ({ dismissed }) => wrong.filter((one) => !isDismissed(one, dismissed));
});
afterEach(() => desk.database.close());

const failing = (zone: string, size: number): Trouble => ({
  ...{ kind: 'k', zone, name: zone, since: at(-5).getTime() },
  ...{ words: `${zone}: 502`, size },
});

const open = async () => (await readIncidents(desk.services, id)).filter(isGoingOn);

/** A window with these troubles. */
function window(minute: number, ...troubles: Trouble[]) {
  wrong = troubles;
  return slot(desk, id, minute);
}

describe('an incident that somebody says is no problem', () => {
  beforeEach(async () => {
    expect(await window(0, failing('shop', 0.1))).toBe('posted');
    expect(await dismissIncident(desk.services, id, 'U2')).toBe(true);
  });

  it('says so in its message within one slot, by whom, with the button that takes it back, and is no incident any more', async () => {
    expect(await window(5, failing('shop', 0.1))).toBe('updated');
    expect(desk.said.at(-1)?.text).toMatch(
      /^Not a problem, says <@U2>, [^.]+:\n• shop: 502, 10% of requests failed then\nI’ll alert again if it gets 50% worse\. \/edge now tells how it is\.$/,
    );
    expect(desk.said.at(-1)?.commands).toEqual([
      expect.stringContaining('now'),
      expect.stringContaining(`report undismiss ${id}`),
    ]);
    expect(await open()).toEqual([]);
  });

  it('is not told again while it is as bad, and is when it is half as bad again', async () => {
    await window(5, failing('shop', 0.1));
    expect(await window(10, failing('shop', 0.12))).toBe('quiet');
    expect(await window(15, failing('shop', 0.16))).toBe('posted');
  });

  it('hides nothing of another zone or kind', async () => {
    await window(5, failing('shop', 0.1));
    expect(await window(10, failing('shop', 0.1), failing('api', 0.1))).toBe('posted');
    expect(await open()).toMatchObject([{ kinds: ['api:k'] }]);
  });

  it('hides only the causes that it shows, and no earlier ones', async () => {
    const cause = (kind: string, size: number, minute = -5): Trouble => ({
      ...failing('shop', size),
      ...{ kind, words: `shop: ${kind}`, since: at(minute).getTime() },
    });
    await window(5, failing('shop', 0.1));
    await window(10, cause('refused', 0.02));
    await window(15, cause('slow', 0.02));
    await dismissIncident(desk.services, id, 'U3');
    expect(await window(20, cause('slow', 0.02))).toBe('updated');
    expect(desk.said.at(-1)?.text).toMatch(/^Not a problem, says <@U3>/);
    expect(Object.keys(await readDismissals(desk.services, id))).toEqual(['shop:k', 'shop:slow']);
    expect(await window(600)).toBe('quiet');
    expect(await window(610, cause('refused', 1, 600))).toBe('posted');
  });

  it('is over as others are when it comes back worse and ends', async () => {
    await window(5, failing('shop', 0.1));
    await window(10, failing('shop', 0.5));
    await window(30);
    expect(await window(45)).toBe('updated');
    expect(desk.said.at(-1)?.text).toMatch(/^✅ shop recovered after 15 min, from/u);
  });

  it('is not over when it came back worse and is a little better', async () => {
    await window(5, failing('shop', 0.1));
    expect(await window(10, failing('shop', 0.16))).toBe('posted');
    for (const minute of [15, 30, 45]) expect(await window(minute, failing('shop', 0.149))).toBe('updated');
    expect(desk.said.map(({ text }) => text).join()).not.toContain('recovered');
    await dismissIncident(desk.services, id, 'U2');
    await window(50, failing('shop', 0.149));
    expect(desk.said.at(-1)?.text).toMatch(/^Not a problem/);
  });

  it('counts for a month', async () => {
    expect(Object.keys(await readDismissals(desk.services, id))).toEqual(['shop:k']);
    desk.now = at(31 * 24 * 60);
    expect(await readDismissals(desk.services, id)).toEqual({});
  });

  it('is told again once that is undone', async () => {
    await window(5, failing('shop', 0.1));
    expect(await endDismissals(desk.services, id)).toMatchObject([{ by: 'U2', words: 'shop: 502', ts: '1' }]);
    expect(await endDismissals(desk.services, id)).toEqual([]);
    expect(await window(10, failing('shop', 0.1))).toBe('posted');
  });
});

it('nothing is dismissed where there is no incident', async () => {
  expect(await dismissIncident(desk.services, id, 'U2')).toBe(false);
});
