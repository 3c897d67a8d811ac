import { drawZones, type Zone } from './account.ts';
import { drawEvents, type Frame, type WeekKind } from './background.ts';
import { DAY, dayOf, toMinute } from './calendar.ts';
import { drawChanges } from './changes.ts';
import type { IncidentKind } from './incidents.ts';
import type { World } from './level.ts';
import { planIncidents } from './plan.ts';

export interface WorldOptions {
  seed: number;
  /** The first moment of the judged week. */
  from: Date;
  kind: WeekKind;
  kinds: readonly IncidentKind[];
  days?: number;
  zones?: number;
}

const byZone = <T extends { zones: readonly number[] }>(zones: readonly Zone[], all: readonly T[]): T[][] =>
  zones.map((zone) => all.filter((one) => one.zones.includes(zone.index)));

export function createWorld(options: WorldOptions): World {
  const from = toMinute(options.from);
  const zones = drawZones(options.seed, options.zones);
  const frame: Frame = { seed: options.seed, from, to: from + (options.days ?? 7) * DAY, zones, kind: options.kind };
  const drawn = drawEvents(frame);
  const quiet: World = {
    ...frame,
    events: drawn,
    incidents: [],
    changes: [],
    eventsOf: byZone(zones, drawn),
    incidentsOf: zones.map(() => []),
    exactFrom: (dayOf(from) - 4) * DAY,
    bursts: new Map(),
  };
  const changes = options.kind === 'daily' ? drawChanges(quiet) : [];
  const events = [...drawn, ...changes.map(({ event }) => event)];
  const incidents = planIncidents(quiet, options.kinds);
  return {
    ...quiet,
    events,
    incidents,
    changes,
    eventsOf: byZone(zones, events),
    incidentsOf: byZone(zones, incidents),
  };
}
