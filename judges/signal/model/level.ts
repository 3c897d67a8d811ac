import { shapeAt, type Zone } from './account.ts';
import { type BackgroundEvent, type Burst, drawBursts, type Frame, strength } from './background.ts';
import { DAY, dayOf, localMinute } from './calendar.ts';
import type { PlannedChange } from './changes.ts';
import { type Incident, intensity } from './incidents.ts';
import { mix, wave } from './random.ts';

/** An account in one week of its life, with the year before. */
export interface World extends Frame {
  events: readonly BackgroundEvent[];
  incidents: readonly Incident[];
  changes: readonly PlannedChange[];
  eventsOf: readonly (readonly BackgroundEvent[])[];
  incidentsOf: readonly (readonly Incident[])[];
  /** From here on every minute is drawn; before, quarters of an hour, which nobody can tell apart by hours. */
  exactFrom: number;
  bursts: Map<number, readonly Burst[]>;
}

/** What a zone is like at a time, before the dice: everything but the incidents. */
export interface Level {
  /** Requests a minute. */
  rate: number;
  hit: number;
  client: number;
  server: number;
  redirect: number;
  response: number;
}

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));

/** The share of a zone's birth that is done: a new zone takes two days to get its visitors. */
function grown(zone: Zone, minute: number): number {
  if (zone.bornAt === undefined) return 1;
  if (minute < zone.bornAt) return 0;
  return Math.min(1, 0.1 + (0.9 * (minute - zone.bornAt)) / (2 * DAY));
}

export function levelOf(world: World, zone: Zone, minute: number, span: number): Level {
  const at = minute + span / 2;
  const { seed, noise } = zone;
  const drift =
    noise.day * wave(seed + 1, at, 1.7 * DAY) +
    noise.long * wave(seed + 2, at, 410) +
    noise.short * wave(seed + 3, at, 43) +
    0.02 * wave(world.seed + 4, at, 500) +
    zone.growthPerDay * ((at - world.from) / DAY);
  let rate = zone.rate * shapeAt(zone, localMinute(zone.timeZone, at)) * grown(zone, at) * Math.exp(drift);
  const odds = Math.log(zone.hitRate / (1 - zone.hitRate)) + zone.hitWobble * wave(seed + 5, at, 0.9 * DAY);
  let hit = 1 / (1 + Math.exp(-odds - 0.04 * wave(seed + 6, at, 55)));
  let client = zone.clientShare * Math.exp(zone.clientWobble * wave(seed + 7, at, 340));
  let server = zone.serverShare * Math.exp(0.25 * wave(seed + 8, at, 600) + 0.3 * wave(seed + 9, at, 22));
  const busy = zone.rate > 0 ? rate / zone.rate : 1;
  let response = zone.response * Math.exp(zone.responseWobble * wave(seed + 10, at, 190)) * (0.94 + 0.06 * busy);
  for (const event of world.eventsOf[zone.index]!) {
    const there = strength(event, minute, span);
    if (there === 0) continue;
    rate *= 1 + there * ((event.rate ?? 1) - 1);
    response *= 1 + there * ((event.response ?? 1) - 1);
    hit += there * (event.hit ?? 0);
    client += there * (event.client ?? 0);
    server += there * (event.server ?? 0);
  }
  return {
    rate,
    hit: clamp(hit, 0.01, 0.995),
    client: clamp(client, 0, 0.6),
    server: clamp(server, 0, 0.6),
    redirect: zone.redirectShare,
    response,
  };
}

/** The incidents that a zone has in a stretch of time, with how much of each. */
export function incidentsAt(world: World, zone: Zone, minute: number, span: number): [Incident, number][] {
  const there: [Incident, number][] = [];
  for (const incident of world.incidentsOf[zone.index]!) {
    const much = intensity(incident, minute, span);
    if (much > 0) there.push([incident, much]);
  }
  return there;
}

/** The bursts that touch a stretch of time, with the part of it that they fill. */
export function burstsAt(world: World, zone: Zone, minute: number, span: number): [Burst, number][] {
  const day = dayOf(minute);
  const there: [Burst, number][] = [];
  for (const one of [day - 1, day]) {
    const key = one * 64 + zone.index;
    let bursts = world.bursts.get(key);
    if (bursts === undefined) {
      bursts = drawBursts(zone, one);
      world.bursts.set(key, bursts);
    }
    for (const burst of bursts) {
      const overlap = Math.min(burst.end, minute + span) - Math.max(burst.start, minute);
      if (overlap > 0) there.push([burst, overlap / span]);
    }
  }
  return there;
}

/** The seed of what happens in one minute of one zone. */
export const seedOf = (zone: Zone, minute: number, span: number): number => mix(mix(zone.seed, minute), span);
