import { type Account, type PullZone, secretsOf, type UserAuditLog } from './account/account.ts';
import { seedAccount } from './account/seed.ts';
import { signedText } from './account/tokens.ts';
import type { Answer } from './answers.ts';
import { createFaults, type Faults } from './faults.ts';
import { createRandom } from './random.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
import type { Incoming, Route } from './server.ts';
import { keptBy } from './traffic/kept.ts';
import { loadLog } from './traffic/log-file.ts';
import { createLogStore, type LogStore } from './traffic/log-store.ts';
import type { Incidents } from './traffic/traffic.ts';

/** How a simulator is started; everything has a default. */
export interface SimulatorOptions {
  /** Everything seeded is a function of it; 1. */
  seed?: number;
  /** Statistics and logs are functions of seed, zone and time; the real time. */
  now?: () => Date;
  /** Milliseconds, the clock of the rate limit; the real one. For replays, in which an hour passes at once. */
  elapsed?: () => number;
  /** Answers 404 to everything outside the specification. */
  specOnly?: boolean;
  /** A real v1 log that is loaded onto a zone (the first), shifted by whole days so that its last date is yesterday. */
  accessLog?: { file: string; zone?: number };
  /** The trouble with the traffic of each zone on each day; as the seed has it. */
  incidents?: Incidents;
  /** Faults in the syntax of faults.ts. */
  faults?: string[];
  /** How long one database request may run before the database's process is killed, milliseconds; 10,000. */
  queryLimitMs?: number;
  /** Ports; 0 picks one. */
  ports?: { api?: number; originLogs?: number; logging?: number };
}

/** The simulated platform, shared by all routes: the live account, the clock, the traffic, the faults and the limits. */
export interface Simulation {
  seed: number;
  specOnly: boolean;
  account: Account;
  logs: LogStore;
  faults: Faults;
  /** The trouble with each zone's traffic; undefined: as the seed has it. */
  incidents: Incidents | undefined;
  now(): Date;
  /** Valid JWTs: each for its own service only. */
  jwt: { originLogs: string; logging: string };
  /** The `Authorization` that viewers of the zone with extended logging send. */
  viewerToken: string;
  /** Every secret that ever existed. */
  secrets: Set<string>;
  /** How many database tokens were made while it ran. */
  tokensMade: number;
  /** 30 requests per 10 s and pull zone for the access logs, v1 and v2 together. */
  logLimit: RateLimit;
  /** Certificates that wait for their TXT record: until when, and when each hostname's were asked for (milliseconds). */
  certificates: { pending: Map<string, number>; asked: Map<string, number[]> };
  /** What was changed, by requests and by hand. */
  audit: UserAuditLog[];
}

/** A platform to which nothing has happened yet. Throws a RangeError for an unknown zone or fault. */
export async function createSimulation(options: SimulatorOptions): Promise<Simulation> {
  const { seed = 1, now = () => new Date(), elapsed = () => performance.now(), incidents } = options;
  const account = seedAccount(seed, now());
  const random = createRandom(seed, 'jwt');
  const jwt = {
    originLogs: signedText({ sub: 'account-7001', aud: 'origin-logs', jti: random.text(12) }, random.text(16)),
    logging: signedText({ sub: 'account-7001', aud: 'logging', jti: random.text(12) }, random.text(16)),
  };
  const viewerToken = signedText({ sub: 'viewer', aud: 'video', jti: random.text(12) }, random.text(16));
  const zoneId = options.accessLog?.zone ?? account.zones[0]?.Id ?? 0;
  if (!account.zones.some((zone) => zone.Id === zoneId)) {
    throw new RangeError(`There is no pull zone ${zoneId} to load the access log onto.`);
  }
  const loaded = options.accessLog ? { ...(await loadLog(options.accessLog.file, now())), zoneId } : undefined;
  return {
    seed,
    specOnly: options.specOnly ?? false,
    account,
    logs: createLogStore(seed, now, loaded, incidents, (zoneId, record) => keptBy(account.kept, zoneId, record)),
    faults: createFaults(options.faults),
    incidents,
    now,
    jwt,
    viewerToken,
    secrets: new Set([...secretsOf(account), jwt.originLogs, jwt.logging, viewerToken]),
    tokensMade: 0,
    logLimit: createRateLimit(30, 10_000, elapsed),
    certificates: { pending: new Map(), asked: new Map() },
    audit: [],
  };
}

/** One path of the simulated platform. */
export interface SimulationRoute extends Omit<Route, 'answer'> {
  answer(simulation: Simulation, request: Incoming): Answer | Promise<Answer>;
}

/** Routes that answer from this simulation. */
export function routesOf(simulation: Simulation, routes: readonly SimulationRoute[]): Route[] {
  return routes.map((route) => ({ ...route, answer: (request) => route.answer(simulation, request) }));
}

/** The pull zone of that id, as it stands in a path. */
export const zoneOf = (account: Account, id: string | undefined): PullZone | undefined =>
  account.zones.find((zone) => String(zone.Id) === id);
