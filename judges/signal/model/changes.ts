import type { BackgroundEvent } from './background.ts';
import { DAY, HOUR, isoDay } from './calendar.ts';
import type { World } from './level.ts';
import { between, createRandom, mix, pick, type Random, shuffled } from './random.ts';

export const CHANGE_KINDS = ['requests', 'hit rate', 'client errors', 'response time', 'failures'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** A change of a day that a morning report should tell. */
export interface PlannedChange {
  kind: ChangeKind;
  zone: number;
  /** `yyyy-mm-dd`, in UTC. */
  day: string;
  start: number;
  end: number;
  isAllDay: boolean;
  event: BackgroundEvent;
}

/** Over the whole day this much, whether it lasted all day or some hours: that much more while it lasted. */
function effectOf(kind: ChangeKind, share: number): { effect: Partial<BackgroundEvent>; words: string } {
  switch (kind) {
    case 'requests':
      return { effect: { rate: 1 + 0.3 / share }, words: '+30 % requests' };
    case 'hit rate':
      return { effect: { hit: -0.03 / share }, words: 'hit rate −3 points' };
    case 'client errors':
      return { effect: { client: 0.01 / share }, words: '4xx +1 point' };
    case 'response time':
      return { effect: { response: 1 + 0.3 / share }, words: 'response time +30 %' };
    case 'failures':
      return { effect: { server: 0.001 / share }, words: '5xx +0.1 points, thousands of failures' };
  }
}

/** Which zones a change can be told of: where it is several times what the zone does by itself. */
function fits(world: World, kind: ChangeKind): number[] {
  return world.zones
    .filter((zone) => {
      if (zone.bornAt !== undefined || zone.rate < 100) return false;
      if (kind === 'requests') return zone.noise.day < 0.07;
      if (kind === 'hit rate') return zone.hitRate * (1 - zone.hitRate) * zone.hitWobble < 0.011 && zone.hitRate > 0.3;
      if (kind === 'client errors') return zone.clientShare * zone.clientWobble < 0.004;
      if (kind === 'response time') return zone.responseWobble < 0.1;
      return zone.rate > 2500 && zone.serverShare < 0.002;
    })
    .map(({ index }) => index);
}

function drawChange(random: Random, world: World, kind: ChangeKind, day: number): PlannedChange | undefined {
  const zones = fits(world, kind);
  if (zones.length === 0) return undefined;
  const zone = pick(random, zones);
  const isAllDay = random() < 0.6;
  const hours = isAllDay ? 24 : Math.round(between(random, 5, 9));
  const start = day * DAY + (isAllDay ? 0 : Math.floor(between(random, 0, 24 - hours)) * HOUR);
  const { effect, words } = effectOf(kind, hours / 24);
  const end = start + hours * HOUR;
  return {
    kind,
    zone,
    day: isoDay(day),
    start,
    end,
    isAllDay,
    event: { kind: 'change', zones: [zone], start, end, ramp: 0, isTellableOnce: true, words, ...effect },
  };
}

/** Changes on four days of a week, two a day; the other three are calm. */
export function drawChanges(world: World): PlannedChange[] {
  const random = createRandom(mix(world.seed, 51));
  const first = Math.ceil(world.from / DAY);
  const days = shuffled(random, [...Array(Math.floor((world.to - world.from) / DAY)).keys()]).slice(0, 4);
  const kinds = shuffled(random, [...CHANGE_KINDS, ...CHANGE_KINDS]);
  const changes: PlannedChange[] = [];
  for (const day of days.flatMap((one) => [one, one])) {
    const change = drawChange(random, world, kinds.pop()!, first + day);
    const isFree = !changes.some(
      (other) => other.zone === change?.zone && Math.abs(other.start - change.start) < 2 * DAY,
    );
    if (change !== undefined && isFree) changes.push(change);
  }
  return changes;
}
