import type { Dismissed } from '../reports/dismissed.ts';
import { DAY } from '../time.ts';
import { isGoingOn, readIncidents } from './incident.ts';
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
}

/** By `troubleKey`. */
export type Dismissals = Readonly<Record<string, Dismissal>>;

type Services = Pick<ReportServices, 'anchors' | 'ledger'>;

export async function readDismissals({ anchors, ledger }: Services, subscription: number): Promise<Dismissals> {
  const anchor = await anchors.read(subscription, DISMISSED);
  return anchor === undefined ? {} : dismissalsOf(anchor.content, (await ledger.now()).getTime());
}

/** `now` in Unix milliseconds. */
export function dismissalsOf(content: string, now: number): Dismissals {
  const all = Object.entries(JSON.parse(content) as Dismissals);
  // By then the usual, which covers four weeks, includes it.
  return Object.fromEntries(all.filter(([, { at }]) => now - at < 30 * DAY));
}

export const sizesOf = (dismissals: Dismissals): Dismissed =>
  Object.fromEntries(Object.entries(dismissals).map(([key, { size }]) => [key, size]));

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
  const added = chosen.flatMap(({ kinds, said }) =>
    kinds.map((key) => {
      const { words = key, size = Number.MAX_VALUE } = said[key] ?? { words: Object.values(said)[0]?.words };
      return [key, { by, at, words, size }] as const;
    }),
  );
  const content = JSON.stringify({ ...(await readDismissals(services, subscription)), ...Object.fromEntries(added) });
  await services.anchors.set(subscription, DISMISSED, { ts: '', content });
  return true;
}

/** Reports everything again. False: nothing was dismissed. */
export async function endDismissals(services: Services, subscription: number): Promise<boolean> {
  const isThere = Object.keys(await readDismissals(services, subscription)).length > 0;
  if (isThere) await services.anchors.drop(subscription, DISMISSED);
  return isThere;
}

/** Who is on an incident: the Slack id, and since when in Unix milliseconds. */
export interface Taken {
  by: string;
  at: number;
}

const TAKEN = 'taken';
const MOST = 20;

/** All of a subscription, by the message of the incident. */
async function readAll({ anchors }: Services, subscription: number): Promise<Readonly<Record<string, Taken>>> {
  return JSON.parse((await anchors.read(subscription, TAKEN))?.content ?? '{}');
}

export const readTaken = async (services: Services, subscription: number, ts: string): Promise<Taken | undefined> =>
  (await readAll(services, subscription))[ts];

/** Takes the incident with the message `shown`, or else the newest. Undefined: there is none. */
export async function takeIncident(
  services: Services,
  subscription: number,
  by: string,
  shown?: string,
): Promise<{ ts: string; taken: Taken; isNew: boolean } | undefined> {
  const open = (await readIncidents(services, subscription)).filter(isGoingOn);
  const ts = (shown === undefined ? open[0] : open.find((one) => one.ts === shown))?.ts;
  if (ts === undefined) return undefined;
  const all = await readAll(services, subscription);
  if (all[ts] !== undefined) return { ts, taken: all[ts], isNew: false };
  const taken = { by, at: (await services.ledger.now()).getTime() };
  const content = JSON.stringify(Object.fromEntries([...Object.entries(all), [ts, taken]].slice(-MOST)));
  await services.anchors.set(subscription, TAKEN, { ts: '', content });
  return { ts, taken, isNew: true };
}
