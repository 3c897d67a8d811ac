import type { Account, PullZone } from './account.ts';
import type { Faults } from './faults.ts';
import type { LogStore } from './log-store.ts';

/** What the routes share: the live account, the clock, the traffic and the faults. */
export interface Simulation {
  seed: number;
  specOnly: boolean;
  account: Account;
  logs: LogStore;
  faults: Faults;
  now(): Date;
  /** Remembers a secret that was made while it ran. */
  remember(secret: string): void;
  /** What viewers of the zone with extended logging send as `Authorization`. */
  viewerToken: string;
}

/** The pull zone of that id, as it stands in a path. */
export const zoneOf = (account: Account, id: string | undefined): PullZone | undefined =>
  account.zones.find((zone) => String(zone.Id) === id);
