import { expect, it } from 'vitest';
import { dismissIncident } from '../../src/delivery/dismissals.ts';
import { createReportsView } from '../../src/delivery/reports-view.ts';
import { isDismissed } from '../../src/reports/dismissed.ts';
import type { Trouble } from '../../src/reports/report.ts';
import { at, openDesk, slot, subscribed } from './desk.ts';

it('what got worse after it was dismissed, before the next look, is told by now as failing', async () => {
  const desk = await openDesk();
  const id = await subscribed(desk, { report: 'alarms' });
  let wrong: Trouble[] = [];
  desk.troubles = ({ dismissed }) => wrong.filter((one) => !isDismissed(one, dismissed));
  const failing = (size: number): Trouble => ({
    kind: 'k',
    zone: '7',
    name: 'shop',
    since: at(-5).getTime(),
    words: 'shop: 502',
    size,
  });
  wrong = [failing(0.1)];
  expect(await slot(desk, id, 0)).toBe('posted');
  await dismissIncident(desk.services, id, 'U2');
  for (const minute of [5, 10, 15]) {
    wrong = [failing(0.5)];
    expect(await slot(desk, id, minute)).toBe('updated');
  }
  const view = createReportsView({
    ...desk.services,
    channels: { nameOf: async (one: string) => `#${one}` },
    names: {},
    now: () => desk.now,
  } as never);
  expect(await view.incidents()).toMatchObject([{ troubles: [{ words: 'shop: 502' }] }]);
  expect(await view.doubts()).toEqual([]);
  desk.database.close();
});
