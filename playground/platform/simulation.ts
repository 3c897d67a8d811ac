import type { Account, PullZone } from './account/account.ts';
import type { Faults } from './faults.ts';
import type { LogStore } from './traffic/log-store.ts';
import type { Incidents } from './traffic/traffic.ts';

/** What the routes share: the live account, the clock, the traffic and the faults. */
export interface Simulation {
  seed: number;
  specOnly: boolean;
  account: Account;
  logs: LogStore;
  faults: Faults;
  /** What goes wrong when; undefined: as the seed has it. */
  incidents: Incidents | undefined;
  now(): Date;
  /** Milliseconds by a clock that nobody sets, for limits. */
  elapsed(): number;
  /** Remembers a secret that was made while it ran. */
  remember(secret: string): void;
  /** What viewers of the zone with extended logging send as `Authorization`. */
  viewerToken: string;
}

/** The pull zone of that id, as it stands in a path. */
export const zoneOf = (account: Account, id: string | undefined): PullZone | undefined =>
  account.zones.find((zone) => String(zone.Id) === id);
