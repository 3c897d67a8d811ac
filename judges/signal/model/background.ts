import type { Zone } from './account.ts';
import { DAY, dayOf, HOUR, localMinute, WEEK } from './calendar.ts';
import { between, createRandom, logBetween, mix, pareto, pick, poisson, type Random, wholeBetween } from './random.ts';

export type EventKind = 'campaign' | 'holiday' | 'new zone' | 'level shift' | 'deploy' | 'blip' | 'change';

/** What happens without being an incident. Nobody on call wants to be called for it. */
export interface BackgroundEvent {
  kind: EventKind;
  zones: readonly number[];
  start: number;
  end: number;
  /** Minutes until it is there in full, and from the end until it is gone. */
  ramp: number;
  /** A factor of the requests. */
  rate?: number;
  /** Added to shares from 0 to 1. */
  hit?: number;
  client?: number;
  server?: number;
  /** A factor of the origin's time. */
  response?: number;
  /** One message about it is neither right nor wrong: it is true and lasts. */
  isTellableOnce: boolean;
  words: string;
}

export interface Burst {
  zone: number;
  start: number;
  end: number;
  /** Requests of the burst, as a factor of the zone's average. */
  times: number;
  isBot: boolean;
}

export type WeekKind = 'quiet' | 'incidents' | 'daily';

export interface Frame {
  seed: number;
  /** First and last minute of the judged week. */
  from: number;
  to: number;
  zones: readonly Zone[];
  kind: WeekKind;
}

/** How much of an event there is in a stretch of time, from 0 to 1. */
export function strength(event: BackgroundEvent, minute: number, span: number): number {
  const overlap = Math.min(event.end, minute + span) - Math.max(event.start, minute);
  if (overlap <= 0) return 0;
  const middle = Math.max(event.start, minute) + overlap / 2;
  const inside = Math.min(middle - event.start, event.end - middle);
  const risen = event.ramp > 0 ? Math.min(1, (inside + 0.5) / event.ramp) : 1;
  return (overlap / span) * risen;
}

function campaign(random: Random, frame: Frame, start: number): BackgroundEvent {
  const candidates = frame.zones.filter((zone) => zone.rate >= 15);
  const zone = pick(random, candidates.length > 0 ? candidates : frame.zones);
  const rate = logBetween(random, 1.3, 2.2);
  return {
    kind: 'campaign',
    zones: [zone.index],
    start,
    end: start + logBetween(random, 2, 10) * HOUR,
    ramp: 25,
    rate,
    hit: 0.01,
    response: 1 + (rate - 1) * 0.1,
    isTellableOnce: false,
    words: `a campaign with ${rate.toFixed(1)} times the requests`,
  };
}

function deploy(random: Random, frame: Frame, start: number): BackgroundEvent {
  return {
    kind: 'deploy',
    zones: [pick(random, frame.zones).index],
    start,
    end: start + wholeBetween(random, 8, 22),
    ramp: 4,
    hit: -between(random, 0.02, 0.12),
    client: between(random, 0.001, 0.004),
    response: between(random, 1, 1.15),
    isTellableOnce: false,
    words: 'a deploy that went well: the cache fills again',
  };
}

/** A minute or two with some failures, over before anybody could look. */
function blip(random: Random, frame: Frame, start: number): BackgroundEvent {
  const zone = pick(random, frame.zones);
  return {
    kind: 'blip',
    zones: [zone.index],
    start,
    end: start + wholeBetween(random, 1, 2),
    ramp: 0,
    server: Math.min(between(random, 0.02, 0.08), 30 / zone.rate),
    isTellableOnce: false,
    words: 'a blip of two minutes at most with some sixty failures at most',
  };
}

function levelShift(random: Random, frame: Frame, start: number): BackgroundEvent {
  const zone = pick(random, frame.zones);
  const what = pick(random, ['rate', 'rate', 'hit', 'server', 'client', 'response'] as const);
  const shared = {
    kind: 'level shift' as const,
    zones: [zone.index],
    start,
    end: frame.to + 5 * WEEK,
    ramp: 30,
    isTellableOnce: true,
  };
  if (what === 'rate') {
    const rate = random() < 0.5 ? between(random, 0.55, 0.75) : between(random, 1.3, 1.7);
    return { ...shared, rate, words: `from now on ${rate.toFixed(2)} times the requests` };
  }
  if (what === 'hit') return { ...shared, hit: -between(random, 0.03, 0.08), words: 'from now on a lower hit rate' };
  if (what === 'server') {
    return { ...shared, server: between(random, 0.002, 0.02), words: 'from now on more constant failures' };
  }
  if (what === 'client') return { ...shared, client: between(random, 0.01, 0.03), words: 'from now on more 4xx' };
  return { ...shared, response: between(random, 1.25, 1.6), words: 'from now on a slower origin' };
}

/** A day of the visitors' calendar on which all zones move together, some more than others. */
function holiday(random: Random, frame: Frame, start: number): BackgroundEvent[] {
  const factor = random() < 0.75 ? between(random, 0.45, 0.75) : between(random, 1.3, 1.6);
  return frame.zones.map((zone) => {
    const offset = localMinute(zone.timeZone, start) - start;
    return {
      kind: 'holiday' as const,
      zones: [zone.index],
      start: start - offset,
      end: start - offset + DAY,
      ramp: 90,
      rate: factor * between(random, 0.88, 1.12),
      isTellableOnce: false,
      words: 'a holiday: all zones move together',
    };
  });
}

function newZone(random: Random, frame: Frame): BackgroundEvent[] {
  const candidates = frame.zones.filter((zone) => zone.rate > 3 && zone.rate < 1000);
  if (candidates.length === 0) return [];
  const zone = pick(random, candidates);
  const start = Math.floor(frame.from + between(random, -12, 3) * DAY);
  zone.bornAt = start;
  const words = 'a zone that did not exist before';
  return [{ kind: 'new zone', zones: [zone.index], start, end: start + 4 * DAY, ramp: 0, isTellableOnce: true, words }];
}

/** How many of each a week has. */
const COUNTS = { campaign: 1.6, deploy: 5, blip: 3.5, 'level shift': 0.35, holiday: 0.22 } as const;

/** Everything that happens besides, in the judged week and in the five weeks before it. */
export function drawEvents(frame: Frame): BackgroundEvent[] {
  const random = createRandom(mix(frame.seed, 21));
  const events: BackgroundEvent[] = random() < 0.5 ? newZone(random, frame) : [];
  for (let week = frame.from - 5 * WEEK; week < frame.to; week += WEEK) {
    const at = () => Math.floor(week + random() * WEEK);
    for (let i = poisson(random, COUNTS.campaign); i > 0; i--) events.push(campaign(random, frame, at()));
    for (let i = poisson(random, COUNTS.deploy); i > 0; i--) events.push(deploy(random, frame, at()));
    for (let i = poisson(random, COUNTS.blip); i > 0; i--) events.push(blip(random, frame, at()));
    if (random() < COUNTS['level shift']) events.push(levelShift(random, frame, at()));
    if (random() < COUNTS.holiday) events.push(...holiday(random, frame, dayOf(at()) * DAY));
  }
  return events;
}

/** The bursts that begin on a day: bots that look at everything, and links that many people open at once. */
export function drawBursts(zone: Zone, day: number): Burst[] {
  const random = createRandom(mix(mix(zone.seed, 31), day));
  return Array.from({ length: poisson(random, zone.burstsPerDay) }, () => {
    const start = day * DAY + Math.floor(random() * DAY);
    const isBot = random() < 0.6;
    const most = isBot ? 1.6 : 3;
    return {
      zone: zone.index,
      start,
      end: start + wholeBetween(random, 2, 22),
      times: pareto(random, 0.06, 1.4, most),
      isBot,
    };
  });
}
