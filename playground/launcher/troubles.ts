/** The trouble with the traffic of the zones: as the seed has it, as the flags ask for it, and an origin that people break. */
import { seedAccount } from '../platform/account/seed.ts';
import { DAY, HOUR, startOfDay } from '../platform/clock.ts';
import { type Incident, type Incidents, incidentOf } from '../platform/traffic/traffic.ts';
import { FlagError, type PlaygroundFlags, TROUBLES, type Trouble } from './flags.ts';

const MINUTE = HOUR / 60;

/** The zone that fails already when the demonstration begins, and the one whose origin people break. */
const FAILING = 'shop';
const BREAKABLE = 'main-site';

/** Each trouble as an incident: minutes from the start, minutes that it lasts, and the share of the requests. */
const INCIDENTS: Record<Trouble, { kind: Incident['kind']; after: number; lasts: number; share: number }> = {
  'origin-down': { kind: 'origin-down', after: 2, lasts: 30, share: 0.6 },
  'traffic-gone': { kind: 'traffic-gone', after: 15, lasts: 60, share: 1 },
  'cache-collapsed': { kind: 'purge', after: 15, lasts: 60, share: 0.95 },
  'certificate-expired': { kind: 'certificate-expired', after: 15, lasts: 60, share: 0.95 },
  flood: { kind: 'flood', after: 2, lasts: 180, share: 1 },
};

/** The trouble with every zone, and a switch for one origin. */
export interface Troubles {
  incidents: Incidents;
  /** Breaks the origin, or heals it when it is broken: a sentence about what is true now. */
  switchOrigin(): string;
}

interface Wanted {
  seed: number;
  troubles: PlaygroundFlags['troubles'];
  demo: boolean;
  now(): Date;
}

/** The seed's incidents, but for the zones that have other trouble. Throws FlagError for a zone that is not there. */
export function createTroubles({ seed, troubles, demo, now }: Wanted): Troubles {
  const start = now().getTime();
  const asked = new Map<number, Incident>();
  const breakable = zoneNamed('the demonstration', seed, BREAKABLE);
  const down = (from: number, lasts: number): Incident => ({ kind: 'origin-down', from, to: from + lasts, share: 0.6 });
  if (demo) asked.set(zoneNamed('the demonstration', seed, FAILING), down(start - 20 * MINUTE, 80 * MINUTE));
  for (const trouble of TROUBLES) {
    const zone = troubles[trouble];
    if (zone === undefined) continue;
    const { kind, after, lasts, share } = INCIDENTS[trouble];
    const from = start + after * MINUTE;
    asked.set(zoneNamed(`--${trouble}`, seed, zone), { kind, from, to: from + lasts * MINUTE, share });
  }
  return {
    incidents(zoneId, day) {
      const incident = asked.get(zoneId);
      if (incident !== undefined && incident.from < day + DAY && incident.to > day) return incident;
      // Nothing else is wrong with an origin that people break.
      return demo && zoneId === breakable && day >= startOfDay(start) ? undefined : incidentOf(seed, zoneId, day);
    },
    switchOrigin() {
      const at = now().getTime();
      const last = asked.get(breakable);
      const isDown = last !== undefined && last.from <= at && at < last.to;
      asked.set(breakable, isDown ? { ...last, to: at } : down(at, 6 * HOUR));
      return isDown
        ? `The origin of ${BREAKABLE} works again: in some five minutes Edgewise is sure, and says that it is over.`
        : `The origin of ${BREAKABLE} is down now: in five to ten minutes Edgewise is sure, and says so in #ops. The same again heals it.`;
    },
  };
}

/** The id of the zone that a person named, by id or by name in the account of this seed. */
export function zoneNamed(flag: string, seed: number, zone: string): number {
  const { zones } = seedAccount(seed, new Date());
  const found = zones.find(({ Id, Name }) => String(Id) === zone || Name === zone);
  if (!found) throw new FlagError(`${flag}: there is no zone ${zone}, but ${zones.map(({ Name }) => Name).join(', ')}`);
  return found.Id;
}
