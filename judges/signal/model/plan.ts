import type { Zone } from './account.ts';
import { DAY, HOUR, WEEK } from './calendar.ts';
import { DRAWERS, type Incident, type IncidentKind, intensity, KINDS } from './incidents.ts';
import { levelOf, type World } from './level.ts';
import { createRandom, mix, pick, type Random, shuffled } from './random.ts';

/** Requests that silence is asked for: ten in a window of a quarter of an hour. */
export const LEAST_EXPECTED = 10;
const QUARTER = 15;
const TRIES = 600;

/** What can be expected in a stretch of time with an incident, and what without. */
interface Expected {
  requests: number;
  pulls: number;
  /** More than usual of what the incident brings. */
  bad: number;
  /** As many of these are usual. */
  usual: number;
}

function expected(world: World, zone: Zone, incident: Incident, from: number, to: number): Expected {
  const sum: Expected = { requests: 0, pulls: 0, bad: 0, usual: 0 };
  const { fail, client, flood, hit } = incident.effect;
  for (let minute = from; minute < to; minute += 5) {
    const level = levelOf(world, zone, minute, 5);
    const much = intensity(incident, minute, 5);
    const requests = level.rate * 5;
    const pulls = requests * (1 - level.hit * (hit === undefined ? 1 : 1 + much * (hit - 1)));
    sum.requests += requests;
    sum.pulls += pulls;
    if (fail !== undefined) {
      sum.bad += pulls * fail.weight * fail.share * much;
      sum.usual += requests * level.server;
    } else if (client !== undefined) {
      sum.bad += requests * client.share * much;
      sum.usual += requests * level.client;
    } else if (flood !== undefined) {
      sum.bad += requests * flood.times * 0.85 * much;
      sum.usual += requests * level.client;
    }
  }
  return sum;
}

/** Whether an incident leaves traces that somebody could see: a handful of failures among thousands is none. */
function isVisible(world: World, zone: Zone, incident: Incident): boolean {
  const { kind, start, end } = incident;
  const whole = expected(world, zone, incident, start, end);
  const quarters = Math.max(1, (end - start) / QUARTER);
  if (kind === 'silence' || kind === 'certificate') {
    for (let at = start; at < Math.min(end, start + HOUR); at += QUARTER) {
      if (expected(world, zone, incident, at, at + QUARTER).requests < LEAST_EXPECTED * 1.3) return false;
    }
    return true;
  }
  if (kind === 'slow origin') return whole.pulls / quarters >= 12;
  if (kind === 'cache collapse') return whole.requests / quarters >= 40;
  const least = kind === 'tiny zone' ? 12 : 40;
  // An ordinary quarter has its own ups and downs, wider than chance alone.
  return whole.bad >= least && whole.bad >= 6 * Math.sqrt(whole.usual + 1) && whole.bad >= 0.6 * whole.usual;
}

function isApart(incident: Incident, others: readonly Incident[]): boolean {
  return others.every(
    (other) =>
      !other.zones.some((zone) => incident.zones.includes(zone)) ||
      incident.start > other.end + 4 * HOUR ||
      incident.end + 4 * HOUR < other.start,
  );
}

/** Whether nothing of the background begins or goes on that would make it unclear whose doing it is. */
function isClear(world: World, incident: Incident): boolean {
  return world.events.every((event) => {
    if (event.kind === 'deploy' || event.kind === 'blip') return true;
    if (!event.zones.some((zone) => incident.zones.includes(zone))) return true;
    const until = event.kind === 'level shift' ? event.start + 3 * HOUR : event.end + HOUR;
    return incident.end < event.start - HOUR || incident.start > until;
  });
}

/** Zones beside the first that share the origin of an outage. */
function companions(random: Random, world: World, zone: Zone, kind: IncidentKind): number[] {
  const isShared = (kind === 'outage' || kind === 'unlogged outage') && random() < 0.3;
  if (!isShared) return [zone.index];
  const others = world.zones.filter((other) => other !== zone && other.rate >= 20 && other.bornAt === undefined);
  return [
    zone.index,
    ...shuffled(
      random,
      others.map(({ index }) => index),
    ).slice(0, random() < 0.7 ? 1 : 2),
  ];
}

function drawOne(
  random: Random,
  world: World,
  kind: IncidentKind,
  frame: { index: number; from: number; to: number; others: readonly Incident[] },
): Incident | undefined {
  const zone = pick(random, world.zones);
  if (zone.bornAt !== undefined && zone.bornAt > frame.from - 3 * DAY) return undefined;
  const draft = DRAWERS[kind](random, zone);
  if (draft === undefined) return undefined;
  const duration = Math.max(4, Math.round(draft.duration));
  const earliest = frame.from + 3 * HOUR;
  const latest = frame.to - duration - 3 * HOUR;
  const start = Math.floor(earliest + random() * (latest - earliest));
  if (latest <= earliest) return undefined;
  const incident: Incident = {
    index: frame.index,
    kind,
    zones: companions(random, world, zone, kind),
    start,
    end: start + duration,
    onset: draft.onset,
    ...(draft.bouts && { bouts: draft.bouts.map(([a, b]) => [start + a, start + b] as const) }),
    effect: draft.effect,
  };
  const isFit =
    isApart(incident, frame.others) &&
    isClear(world, incident) &&
    incident.zones.every((index) => isVisible(world, world.zones[index]!, incident));
  return isFit ? incident : undefined;
}

/** The incidents of the judged week, one of each kind asked for, and those of the weeks before, which nobody is judged by. */
export function planIncidents(world: World, kinds: readonly IncidentKind[]): Incident[] {
  const random = createRandom(mix(world.seed, 41));
  const all: Incident[] = [];
  const add = (kind: IncidentKind, from: number, to: number): boolean => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const incident = drawOne(random, world, kind, { index: all.length, from, to, others: all });
      if (incident !== undefined) {
        all.push(incident);
        return true;
      }
    }
    return false;
  };
  for (let week = world.from - 4 * WEEK; week < world.from; week += WEEK) {
    for (const kind of shuffled(random, KINDS).slice(0, 3)) add(kind, week, week + WEEK);
  }
  for (const kind of kinds) {
    const hasPlace = add(kind, world.from, world.to);
    if (!hasPlace) throw new Error(`seed ${world.seed} has no place for an incident of the kind “${kind}”`);
  }
  return all;
}
