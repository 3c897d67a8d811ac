import { describe, expect, it } from 'vitest';
import { slotsToOpen } from '../../src/delivery/scheduler.ts';
import type { Subscription } from '../../src/store/subscriptions.ts';
import { walk } from '../schedule/walker.ts';
import { PLAIN } from '../support/subscription.ts';
import { keyOf, simulate, type World, type WorldOptions } from './simulated-replicas.ts';

const HOUR = 3_600_000;

const subscription: Subscription = {
  id: 1,
  version: 1,
  state: 'active',
  isOfSettings: false,
  createdAt: new Date(0),
  slotsUntil: new Date('2026-11-21T00:00Z'),
  ...PLAIN,
  report: 'plain',
  schedule: 'hourly',
  cron: '0 * * * *',
};

const opened = (now: string, more: Partial<Subscription> = {}, isStretch = false) =>
  slotsToOpen({ ...subscription, ...more }, new Date(now), isStretch).map(({ slot, state, notBefore, foldedInto }) =>
    [
      slot.toISOString().slice(11, 16),
      state,
      ...(notBefore > slot ? [`not before ${notBefore.toISOString().slice(11, 16)}`] : []),
      ...(foldedInto === undefined ? [] : [`into ${foldedInto.toISOString().slice(11, 16)}`]),
    ].join(' '),
  );

describe('the slots that are opened', () => {
  it('are those since the last time', () => {
    expect(opened('2026-11-21T00:59Z')).toEqual([]);
    expect(opened('2026-11-21T01:00Z')).toEqual(['01:00 due']);
  });

  it('after an outage are caught up, the oldest folded, and those of long ago missed', () => {
    expect(opened('2026-11-21T05:30Z')).toEqual([
      '01:00 folded into 03:00',
      '02:00 folded into 03:00',
      '03:00 due',
      '04:00 due',
      '05:00 due',
    ]);
    expect(opened('2026-11-21T05:30Z', {}, true).filter((one) => one.endsWith('due'))).toEqual(['05:00 due']);
    expect(opened('2026-11-21T20:30Z')).toEqual([
      '01:00 missed',
      '15:00 folded into 18:00',
      '16:00 folded into 18:00',
      '17:00 folded into 18:00',
      '18:00 due',
      '19:00 due',
      '20:00 due',
    ]);
  });

  it('six hours ago to the minute are caught up, and nothing of longer ago is missed when the bot was there', () => {
    expect(opened('2026-11-21T07:00Z').slice(0, 2)).toEqual(['01:00 folded into 05:00', '02:00 folded into 05:00']);
    const [missed] = slotsToOpen(subscription, new Date('2026-11-21T07:01Z'), false);
    expect(missed).toMatchObject({ state: 'missed' });
    const there = { slotsUntil: new Date('2026-11-21T01:00:30Z') };
    expect(opened('2026-11-21T07:01Z', there)[0]).toBe('02:00 folded into 05:00');
    // Away for hours, but not at a time of the schedule.
    expect(opened('2026-11-21T07:30Z', { ...there, cron: '0 7 * * *' })).toEqual(['07:00 due']);
  });

  it('in quiet hours wait for their end, by the subscription’s clocks', () => {
    const quiet = { quiet: '22:00-07:00', timezone: 'Europe/Berlin' };
    expect(opened('2026-11-21T01:10Z', quiet)).toEqual(['01:00 due not before 06:00']);
    expect(opened('2026-11-21T06:10Z', { ...quiet, slotsUntil: new Date('2026-11-21T05:30Z') })).toEqual(['06:00 due']);
  });
});

/** Both ends of daylight saving time in 2027, where there are any, as UTC. */
const EDGES: readonly [timezone: string, edge: string][] = [
  ['Europe/Berlin', '2027-03-28T01:00Z'],
  ['Europe/Berlin', '2027-10-31T01:00Z'],
  ['America/New_York', '2027-03-14T07:00Z'],
  ['America/New_York', '2027-11-07T06:00Z'],
  ['Australia/Lord_Howe', '2027-10-02T15:30Z'],
  ['Australia/Lord_Howe', '2027-04-03T15:00Z'],
  ['Asia/Kathmandu', '2027-03-28T01:00Z'],
  ['Asia/Kathmandu', '2027-10-31T01:00Z'],
];

const CRONS = ['30 2 * * *', '15 1,2 * * *', '*/30 * * * *', '0 * * * *'];

function worldAround(timezone: string, edge: string, seed: number): WorldOptions {
  return {
    seed,
    from: new Date(Date.parse(edge) - 2 * HOUR),
    to: new Date(Date.parse(edge) + 2 * HOUR),
    replicas: 3,
    chances: { kill: 0.04, freeze: 0.02, jump: 0.015, lostAnswer: 0.1, lostPost: 0.05, refusal: 0.03 },
    subscriptions: CRONS.map((cron) => ({ cron, timezone })),
  };
}

/** What is wrong with a world: a slot without its one message, a message without its slot. */
function faultsOf({ said, rows, latest }: World, { from, subscriptions }: WorldOptions): string[] {
  const faults: string[] = [];
  const counts = new Map<string, number>();
  for (const { key } of said) counts.set(key, (counts.get(key) ?? 0) + 1);
  const known = new Map(rows.map((row) => [keyOf(row.subscription, row.slot), row]));
  const wanted = new Set<string>();
  for (const [index, { cron, timezone }] of subscriptions.entries()) {
    walk([cron], timezone, new Date(from.getTime() + 1), latest, (_, at) => wanted.add(keyOf(index + 1, new Date(at))));
  }
  for (const key of wanted) {
    const row = known.get(key);
    const messages = counts.get(key) ?? 0;
    const carrier = row?.foldedInto === undefined ? key : keyOf(row.subscription, row.foldedInto);
    if (row === undefined) faults.push(`${key} was forgotten`);
    else if (row.state === 'folded' && messages === 0 && counts.get(carrier) === 1) continue;
    else if (row.state !== 'posted' || messages !== 1) faults.push(`${key} ${row.state}: ${messages} messages`);
  }
  for (const key of counts.keys()) if (!wanted.has(key)) faults.push(`${key} is no slot`);
  return faults;
}

/** More worlds than the tests take: `WORLDS=20 npx vitest run … test/delivery/scheduler.test.ts`. */
const WORLDS = Number(process.env.WORLDS ?? 1);

describe('three replicas that are killed, stand still, and whose clock jumps', () => {
  it.each(EDGES)(
    'in %s around %s post exactly one message a slot',
    { timeout: 60_000 * WORLDS },
    async (zone, edge) => {
      for (let seed = 1; seed <= WORLDS; seed += 1) {
        const options = worldAround(zone, edge, seed);
        const world = await simulate(options);
        expect(faultsOf(world, options), `seed ${seed}`).toEqual([]);
        expect(world.said.length).toBeGreaterThan(8);
        expect(world.faults.kill).toBeGreaterThan(5);
      }
    },
  );

  it('is the same world for the same seed', async () => {
    const options = { ...worldAround('Europe/Berlin', '2027-03-28T01:00Z', 5), to: new Date('2027-03-28T00:00Z') };
    expect(await simulate(options)).toEqual(await simulate(options));
  });

  it('would post twice if nobody looked', { timeout: 60_000 }, async () => {
    const options = worldAround('Europe/Berlin', '2027-03-28T01:00Z', 1);
    const chances = { ...options.chances, lostAnswer: 0.5 };
    const world = await simulate({ ...options, chances, blind: true });
    expect(faultsOf(world, options).filter((fault) => /[2-9] messages/.test(fault))).not.toEqual([]);
  });
});
