import { beforeEach, expect, it } from 'vitest';
import { createScheduler, nextSlotOf } from '../../src/delivery/scheduler.ts';
import { UNOBSERVED } from '../../src/observe.ts';
import { createJobs } from '../../src/store/jobs.ts';
import { PLAIN } from '../support/subscription.ts';
import { again, at, type Desk, open, openDesk, slot, subscribed } from './desk.ts';

let desk: Desk;
let seen: string[];

beforeEach(async () => {
  desk = await openDesk();
  seen = [];
  desk.services.observe = {
    ...UNOBSERVED,
    saw: (measure, labels, value) => void seen.push([measure, ...Object.values(labels), value].join(' ').trim()),
  };
});

it('a slot is counted as claimed and by its end, with how late it was begun', async () => {
  const id = await subscribed(desk);
  await slot(desk, id, 30, 2_000);
  expect(seen).toEqual(['slots errors claimed', 'reports errors 2', 'slots errors posted']);
});

it('one that is late is counted as late', async () => {
  const id = await subscribed(desk);
  await slot(desk, id, 30, 600_000);
  expect(seen).toEqual(['slots errors claimed', 'reports errors 600', 'slots errors late', 'slots errors posted']);
});

it('one that a process died over is counted as taken over, and one that was given back is not', async () => {
  const id = await subscribed(desk);
  desk.now = at(30);
  await open(desk, id, 30);
  await desk.services.ledger.claim(id, at(30));
  await again(desk, id, 30, 32);
  expect(seen).toContain('slots errors taken over');
  const other = await subscribed(desk, { channel: 'COTHER' });
  desk.now = at(30);
  await open(desk, other, 30);
  const claim = await desk.services.ledger.claim(other, at(30));
  await desk.services.ledger.release(claim!, 0);
  seen.length = 0;
  await again(desk, other, 30, 31);
  expect(seen).toEqual(['slots errors claimed', 'reports errors 60', 'slots errors posted']);
});

it('one that was missed while the bot was away is counted, and whether it could be looked is told', async () => {
  const settings = { ...PLAIN, timezone: 'Europe/Berlin' };
  await desk.services.subscriptions.add(settings, nextSlotOf(settings));
  const looks: boolean[] = [];
  const scheduler = createScheduler({
    ...desk.services,
    jobs: createJobs(desk.database),
    run: async () => 'posted',
    looked: (ok) => void looks.push(ok),
  });
  desk.now = at(24 * 60);
  await scheduler.tick();
  expect(seen).toEqual(['slots errors missed']);
  desk.services.subscriptions.arm = async () => {
    throw new Error('the store is away');
  };
  await scheduler.tick();
  expect(looks).toEqual([true, false]);
});
