import type { Zone } from './model/account.ts';
import type { BackgroundEvent } from './model/background.ts';
import { MINUTE_MS, toMs } from './model/calendar.ts';
import { type Label, labelsOf } from './model/labels.ts';
import { burstsAt, type World } from './model/level.ts';
import { type Cell, compose } from './model/minutes.ts';
import { createTotals, type Totals } from './model/totals.ts';
import { createWorld, type WorldOptions } from './model/world.ts';

export type { Zone } from './model/account.ts';
export { type IncidentKind, KINDS, WITHOUT_5XX } from './model/incidents.ts';
export type { Label } from './model/labels.ts';
export type { Totals } from './model/totals.ts';
export type { WorldOptions } from './model/world.ts';

/** Something of the background that a false post can be blamed on. */
export interface Happening {
  kind: BackgroundEvent['kind'] | 'burst';
  zone: string;
  start: number;
  end: number;
  isTellableOnce: boolean;
  words: string;
}

/** A change of a day that a morning report should tell. */
export interface DayLabel {
  kind: string;
  zone: string;
  day: string;
  start: number;
  end: number;
  isAllDay: boolean;
  words: string;
}

export interface Model {
  world: World;
  zones: readonly Zone[];
  /** Milliseconds since 1970 of the judged week. */
  from: number;
  to: number;
  /** What a zone did in one minute; exact from four days before the week. */
  minute: (zone: Zone, minute: number) => Cell;
  /** What statistics count from one minute to another. */
  totals: (zone: Zone, from: number, to: number) => Totals;
  labels: () => Label[];
  dayLabels: () => DayLabel[];
  /** What else went on in a zone at a moment, or up to `before` earlier. */
  happenings: (zone: string, at: number, before?: number) => Happening[];
}

/** Minutes that are kept: two days of fourteen zones. The error log of a day is asked for again every quarter of an hour. */
const KEPT_MINUTES = 40_000;

function rememberMinutes(world: World): Model['minute'] {
  const kept = new Map<number, Cell>();
  return (zone, minute) => {
    const key = minute * 64 + zone.index;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const cell = compose(world, zone, minute);
    if (kept.size >= KEPT_MINUTES) kept.delete(kept.keys().next().value!);
    kept.set(key, cell);
    return cell;
  };
}

/** The seeded traffic of an account: one week that is judged, with labels, and what came before. */
export function createModel(options: WorldOptions): Model {
  const world = createWorld(options);
  const totals = createTotals(world);
  let labels: Label[] | undefined;
  const name = (index: number) => world.zones[index]!.name;

  const model: Model = {
    world,
    zones: world.zones,
    from: toMs(world.from),
    to: toMs(world.to),
    minute: rememberMinutes(world),
    totals: totals.of,
    labels: () => {
      labels ??= labelsOf(world);
      return labels;
    },
    dayLabels: () =>
      world.changes.map(({ kind, zone, day, start, end, isAllDay, event }) => ({
        kind,
        zone: name(zone),
        day,
        start: toMs(start),
        end: toMs(end),
        isAllDay,
        words: event.words,
      })),
    happenings: (zoneName, at, before = 0) => {
      const zone = world.zones.find((one) => one.name === zoneName);
      if (zone === undefined) return [];
      const from = Math.floor((at - before) / MINUTE_MS);
      const to = Math.floor(at / MINUTE_MS) + 1;
      const events = world.eventsOf[zone.index]!.filter((event) => event.start < to && event.end > from).map(
        (event) => ({
          kind: event.kind,
          zone: zoneName,
          start: toMs(event.start),
          end: toMs(event.end),
          isTellableOnce: event.isTellableOnce,
          words: event.words,
        }),
      );
      const bursts = burstsAt(world, zone, from, to - from).map(([burst]) => ({
        kind: 'burst' as const,
        zone: zoneName,
        start: toMs(burst.start),
        end: toMs(burst.end),
        isTellableOnce: false,
        words: `a burst of ${burst.isBot ? 'bots' : 'visitors'}, ${burst.times.toFixed(2)} times the zone's average`,
      }));
      return [...events, ...bursts];
    },
  };
  return model;
}
