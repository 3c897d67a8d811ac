import { DAY } from '../time.ts';
import { type Incident, isGoingOn, openIncidents, readIncidents } from './incident.ts';
import type { ReportServices } from './services.ts';

export const DISMISSED = 'dismissed';

/** Somebody pressed *Not a problem*. */
export interface Dismissal {
  by: string;
  /** Unix milliseconds. */
  at: number;
  words: string;
  /** See `Trouble.size`. Infinite if unknown. */
  size: number;
  /** The message that says so after the next look. */
  ts?: string;
}

/** By `troubleKey`. */
export type Dismissals = Readonly<Record<string, Dismissal>>;

type Services = Pick<ReportServices, 'anchors' | 'ledger'>;
type Takers = Services & Pick<ReportServices, 'subscriptions'>;

export async function readDismissals({ anchors, ledger }: Services, subscription: number): Promise<Dismissals> {
  const all = await anchors.read<Dismissals>(subscription, DISMISSED);
  return all === undefined ? {} : recentOf(all, (await ledger.now()).getTime());
}

/** `now` in Unix milliseconds. After a month the usual, which covers four weeks, includes it. */
export const recentOf = (all: Dismissals, now: number): Dismissals =>
  Object.fromEntries(Object.entries(all).filter(([, { at }]) => now - at < 30 * DAY));

/** The next slot shows it in the incident’s message. `zone`: only of that zone. False: there is no incident. */
export async function dismissIncident(
  services: Services,
  subscription: number,
  by: string,
  zone?: string,
): Promise<boolean> {
  const open = (await readIncidents(services, subscription)).filter(isGoingOn);
  const chosen = open.filter(({ zones }) => zone === undefined || zone in zones);
  if (chosen.length === 0) return false;
  const at = (await services.ledger.now()).getTime();
  // A cause that is not said any more was not seen by whoever pressed.
  const added = chosen.flatMap(({ ts, said }) =>
    Object.entries(said).map(
      ([key, { words = key, size = Number.MAX_VALUE }]) => [key, { by, at, words, size, ts }] as const,
    ),
  );
  const all = { ...(await readDismissals(services, subscription)), ...Object.fromEntries(added) };
  await services.anchors.set(subscription, DISMISSED, all);
  return true;
}

/** Reports everything again, and returns what was dismissed. */
export async function endDismissals(services: Services, subscription: number): Promise<readonly Dismissal[]> {
  const ended = Object.values(await readDismissals(services, subscription));
  if (ended.length > 0) await services.anchors.drop(subscription, DISMISSED);
  return ended;
}

/** Who is on an incident: the Slack id, since when in Unix milliseconds, by which subscription’s message, and who was before. */
export interface Taken {
  by: string;
  at: number;
  of: number;
  after?: string | undefined;
}

/** One for each message of an incident. */
const nameOf = (ts: string) => `taken ${ts}`;

/** Who is on it by its message, which comes first, and by those of other channels that tell one of its zones. */
async function takenIn(services: Takers, subscription: number, { ts, zones }: Pick<Incident, 'ts' | 'zones'>) {
  const open = (await openIncidents(services)).map(({ id, incident }) => ({ ...incident, id }));
  const goesOn = (zone: Incident['zones'][string] | undefined) => zone !== undefined && zone.isOver !== true;
  const isSame = (one: Incident) => Object.entries(zones).some(([id, zone]) => goesOn(zone) && goesOn(one.zones[id]));
  const same = open.filter((one) => one.id !== subscription && isSame(one));
  return Promise.all(
    [{ id: subscription, ts }, ...same].map(async (one) => {
      const name = nameOf(one.ts);
      return { id: one.id, ts: one.ts, name, taken: await services.anchors.read<Taken>(one.id, name) };
    }),
  );
}

/** Whoever said so last. If two say so at once, everybody sees the same one. */
const latestOf = (all: Awaited<ReturnType<typeof takenIn>>): Taken | undefined =>
  all.flatMap(({ taken }) => taken ?? []).sort((a, b) => b.at - a.at || (a.by < b.by ? -1 : 1))[0];

export const readTaken = async (services: Takers, subscription: number, incident: Pick<Incident, 'ts' | 'zones'>) =>
  latestOf(await takenIn(services, subscription, incident));

export const endTaken = ({ anchors }: Services, subscription: number, ts: string): Promise<void> =>
  anchors.drop(subscription, nameOf(ts));

/** Takes the incident with the message `shown`, or else the newest. `before`: where whoever was on it said so. Undefined: there is none. */
export async function takeIncident(
  services: Takers,
  subscription: number,
  by: string,
  shown?: string,
  isOver = false,
): Promise<{ ts: string; taken: Taken; isNew: boolean; before?: { id: number; ts: string } | undefined } | undefined> {
  const open = (await readIncidents(services, subscription)).filter(isGoingOn);
  const incident = shown === undefined ? open[0] : open.find((one) => one.ts === shown);
  if (incident === undefined) return undefined;
  const { ts } = incident;
  const all = await takenIn(services, subscription, incident);
  const known = latestOf(all);
  if (known !== undefined && (known.by === by || !isOver)) return { ts, taken: known, isNew: false };
  const taken = { by, at: (await services.ledger.now()).getTime(), of: subscription, after: known?.by };
  // In each of them: one may end before the others.
  const [isOwn] = await Promise.all(all.map((one) => services.anchors.replace(one.id, one.name, one.taken, taken)));
  const now = (await readTaken(services, subscription, incident)) ?? taken;
  const before = known && (all.find(({ id }) => id === known.of) ?? all[0]);
  return { ts, taken: now, isNew: isOwn === true && now.by === by, before };
}
