import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Incident, keepIncident, readIncident } from '../../src/delivery/incident.ts';
import { takeIncident } from '../../src/delivery/taken.ts';
import type { Trouble } from '../../src/reports/report.ts';
import { at, type Desk, firstLines, openDesk, row, slot, subscribed } from './desk.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.database.close());

describe('an incident', () => {
  const of = (kind: string, zone: string): Trouble => ({
    kind,
    zone,
    since: at(-15).getTime(),
    isNews: true,
  });
  const incident = (id: number, minute: number, ...now: Trouble[]) => {
    desk.troubles = () => now;
    return slot(desk, id, minute);
  };
  const known: Incident = {
    ts: '7',
    from: at(-60),
    last: at(-15),
    next: at(0),
    updates: 3,
    kinds: ['shop:k'],
    zones: { shop: { since: at(-24 * 60).getTime(), last: at(-15).getTime() } },
  };

  it('of another kind elsewhere is told with what was told before, and made once', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await incident(id, 0, of('k', 'shop'));
    expect(desk.rendered).toBe(1);
    expect(await incident(id, 15, of('k', 'shop'), of('l', 'api'))).toBe('posted');
    expect(firstLines(desk)[1]).toMatch('post C1: 11:45-12:15');
  });

  it('of a report that cannot tell troubles yet is told as any other', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    desk.troubles = () => undefined;
    expect(await slot(desk, id, 0)).toBe('posted');
    expect(await readIncident(desk.services, id)).toBeUndefined();
  });

  it('that is new is told even when the same words were muted until they change', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await incident(id, 0, of('k', 'shop'));
    expect([await incident(id, 30), await incident(id, 45)]).toEqual(['updated', 'quiet']);
    await desk.services.subscriptions.mute(id, {
      fingerprint: (await desk.services.ledger.lastFingerprint(id))!,
      by: 'U2',
    });
    expect(await incident(id, 60, of('k', 'shop'))).toBe('posted');
    expect((await desk.services.subscriptions.read(id))?.muted).toBeUndefined();
  });

  it('in the message of an earlier one is kept up to date from that one’s beginning', async () => {
    const id = await subscribed(desk, { report: 'alarms', perHour: 1 });
    await incident(id, 0, of('k', 'shop'));
    expect([await incident(id, 30), await incident(id, 40)]).toEqual(['updated', 'quiet']);
    expect(await incident(id, 45, of('k', 'shop'))).toBe('updated');
    expect(await incident(id, 60, of('k', 'shop'))).toBe('updated');
    expect(firstLines(desk).slice(3)).toEqual([
      'update 1: 11:45-12:45 en-US Europe/Berlin',
      'update 1: 11:45-13:00 en-US Europe/Berlin',
    ]);
    expect(desk.said[4]?.commands.join()).toMatch(/I’m on it.*report dismiss 1/);
  });

  it.each([false, true])('of a day is said to be the usual, muted until it changes: %s', async (isMuted) => {
    const id = await subscribed(desk, { report: 'alarms' });
    await keepIncident(desk.services, id, known);
    if (isMuted) await desk.services.subscriptions.mute(id, { fingerprint: 'the same', by: 'U2' });
    expect(await incident(id, 0, of('k', 'shop'))).toBe('updated');
    expect(desk.said[0]).toMatchObject({ how: 'update 7', commands: [] });
    expect(desk.said[0]?.text).toMatch(/since Nov 20, 2026, 1:00 PM GMT\+1: from now on it counts as usual/);
    expect(await readIncident(desk.services, id)).toBeUndefined();
  });

  it('of which there is nothing to be said as a whole is quiet', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await incident(id, 0, of('k', 'shop'));
    desk.collects = ({ from }) => (from < at(0) ? null : undefined);
    expect(await incident(id, 15, of('l', 'api'))).toBe('quiet');
    expect([desk.said.length, (await row(desk, 15)).state]).toEqual([1, 'quiet']);
  });

  it('is said to be over when there is nothing left to be said of it', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await keepIncident(desk.services, id, { ...known, last: at(-30) });
    desk.collects = () => null;
    expect(await incident(id, 0)).toBe('updated');
    expect(desk.said).toMatchObject([{ how: 'update 7', text: expect.stringContaining('over after'), commands: [] }]);
    expect(await readIncident(desk.services, id)).toBeUndefined();
  });

  it('that gets twice as bad is brought up to date at once, and says so in its thread', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    const failing = (size: number) => ({ kind: 'k', zone: 'shop', since: at(0).getTime(), isNews: true, size });
    await incident(id, 0, failing(0.1));
    await incident(id, 5, failing(0.15));
    desk.said = [];
    expect(await incident(id, 6, failing(0.29))).toBe('quiet');
    expect(await incident(id, 7, failing(0.3))).toBe('updated');
    expect(desk.said.map(({ how, text }) => [how, text.split('\n')[0]])).toEqual([
      ['post C1', 'Now it is twice as bad as was told:'],
      ['update 1', expect.stringContaining('11:45-12:07')],
    ]);
    expect(await incident(id, 8, failing(0.59))).toBe('quiet');
  });

  it.each<[string, string | undefined, number]>([
    ['once more in the next slot', undefined, 1],
    ['no second time where it came all the same', '9', 0],
  ])('whose end Slack does not take in its thread says it there %s', async (_, found, times) => {
    const id = await subscribed(desk, { report: 'alarms' });
    await keepIncident(desk.services, id, { ...known, last: at(-30), thread: '7' });
    desk.before = () => {
      desk.before = () => undefined;
      throw new Error('Slack is away');
    };
    expect(await incident(id, 0)).toBe('updated');
    const ends = () => desk.said.filter(({ how, text }) => how === 'post C1' && text.includes('over after'));
    expect(ends()).toEqual([]);
    desk.found = found;
    for (const minute of [5, 10]) expect(await incident(id, minute)).toBe('quiet');
    expect(ends()).toHaveLength(times);
    expect(desk.looked).toBe(1);
  });

  it('that has more is told anew, and its older message has nothing to press any more', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await incident(id, 0, { ...of('k', 'shop'), words: 'shop: origin refuses connections' });
    expect(await incident(id, 5, of('k', 'shop'), of('k', 'api'))).toBe('posted');
    expect(desk.said.at(-1)).toMatchObject({
      how: 'update 1',
      text: 'A newer message goes on from here.\n• shop: origin refuses connections',
      commands: [],
    });
  });

  it('that is over when another begins is said to be over, where it was told', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    await incident(id, 0, { ...of('k', 'shop'), words: 'shop: origin refuses connections' });
    expect(await incident(id, 30, of('k', 'api'))).toBe('posted');
    expect(desk.said.at(-1)).toMatchObject({
      how: 'update 1',
      text: expect.stringMatching(/over after.*\n• shop: origin/),
    });
  });

  it('names whoever is on it, in place of the button, for as long as it goes on', async () => {
    const id = await subscribed(desk, { report: 'alarms' });
    expect(await takeIncident(desk.services, id, 'U2')).toBeUndefined();
    await incident(id, 0, of('k', 'shop'));
    expect(desk.said[0]?.commands.join()).toContain('on-it');
    expect(await takeIncident(desk.services, id, 'U2')).toMatchObject({ isNew: true, ts: '1' });
    expect(await takeIncident(desk.services, id, 'U3')).toMatchObject({ isNew: false, taken: { by: 'U2' } });
    await incident(id, 15, of('k', 'shop'));
    expect(desk.said.at(-1)?.text).toContain('<@U2> is on it, since 1:00 PM GMT+1.');
    expect(desk.said.at(-1)?.commands.join()).not.toContain('on-it');
    await incident(id, 45);
    expect(desk.said.findLast(({ text }) => text.includes('over after'))?.text).toContain('<@U2> was on it.');
    await incident(id, 60, of('k', 'shop'));
    expect(desk.said.at(-1)?.commands.join()).toContain('on-it');
  });
});
