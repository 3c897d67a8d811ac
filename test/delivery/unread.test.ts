import { afterEach, beforeEach, expect, it } from 'vitest';
import { at, type Desk, firstLines, openDesk, slot, subscribed } from './desk.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
  desk.unread = ['shop: the access log could not be read (Broken)'];
});
afterEach(() => desk.database.close());

it('the owner hears once that three silent reports in a row could not read everything', async () => {
  const id = await subscribed(desk, { report: 'alarms' });
  for (const minute of [0, 15]) await slot(desk, id, minute);
  expect(desk.said).toEqual([]);
  for (const minute of [30, 45, 60, 75]) await slot(desk, id, minute);
  expect(firstLines(desk)).toEqual([
    `tell U1: alarms for <#C1> (subscription ${id}) could not read everything, 3 times in a row. Even if it’s silent, something may be broken.`,
  ]);
  expect(desk.said[0]?.text).toContain('shop: the access log could not be read (Broken)');
});

it('the owner hears again after everything could be read meanwhile, and not of less than three', async () => {
  const id = await subscribed(desk, { report: 'alarms' });
  const lost = desk.unread;
  const said = [];
  for (const [index, unread] of [lost, lost, [], lost, lost, lost, [], lost, lost, lost].entries()) {
    desk.unread = unread;
    await slot(desk, id, 15 * index);
    said.push(desk.said.length);
  }
  expect(said).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 2]);
});

it('the owner hears nothing where a message has said it', async () => {
  const id = await subscribed(desk, { report: 'alarms' });
  desk.troubles = () => [{ kind: 'k', zone: 'shop', since: at(-15).getTime() }];
  expect(await slot(desk, id, 0)).toBe('posted');
  for (const minute of [15, 30]) expect(await slot(desk, id, minute)).toBe('updated');
  expect(desk.said.map(({ how }) => how)).not.toContain('tell U1');
});

it('three silent reports are three in a row: a message in between is none of them', async () => {
  const id = await subscribed(desk, { report: 'alarms' });
  for (const minute of [0, 15]) await slot(desk, id, minute);
  desk.troubles = () => [{ kind: 'k', zone: 'shop', since: at(15).getTime() }];
  expect(await slot(desk, id, 30)).toBe('posted');
  desk.troubles = () => [];
  const said = () => desk.said.filter(({ how }) => how === 'tell U1').length;
  const outcomes: string[] = [];
  const silent = () => outcomes.slice(outcomes.lastIndexOf('updated') + 1).length;
  for (let minute = 45; silent() < 3 || !outcomes.includes('updated'); minute += 15) {
    expect(said()).toBe(0);
    outcomes.push(await slot(desk, id, minute));
  }
  expect(outcomes.slice(-4)).toEqual(['updated', 'quiet', 'quiet', 'quiet']);
  expect(said()).toBe(1);
});
