import { troubleKey } from '../reports/dismissed.ts';
import { STATISTICS, type Trouble } from '../reports/report.ts';
import { DAY, HOUR, MINUTE } from '../time.ts';
import type { ReportServices } from './services.ts';

/** Milliseconds before the first update of its message; each further pause doubles, up to the longest. */
const FIRST_PAUSE = 5 * MINUTE;
/** A longer incident is the usual. */
const LONGEST = DAY;

const ANCHOR = 'incident';
const ENDED = 'ended';

export interface Incident {
  ts: string;
  from: Date;
  /** The end of the last window with something wrong. */
  last: Date;
  /** Its message is not edited before. */
  next: Date;
  updates: number;
  /** Each with its zone. */
  kinds: readonly string[];
  said?: Readonly<Record<string, { words?: string | undefined; size?: number | undefined }>>;
  /** The worst that was told, by `sizeKey`. */
  told?: Readonly<Record<string, number>>;
  thread?: string | undefined;
  returns?: number | undefined;
  /** First and last failure by zone, in Unix milliseconds. */
  zones: Readonly<Record<string, { since: number; last: number }>>;
}

/** `told`: new, or with something untold. `usual`: it goes on for too long. `worse`: twice as bad as was told. */
export type IncidentStep =
  | { is: 'healthy' }
  | { is: 'told' | 'kept' | 'updated' | 'worse' | 'over' | 'usual' | 'dismissed'; incident: Incident };

/** Pure. The window ends at `to`. */
export function incidentStep(
  known: Incident | undefined,
  found: readonly Trouble[],
  window: { from: Date; to: Date },
  dismissals: Readonly<Record<string, { at: number }>> = {},
): IncidentStep {
  const { to } = window;
  // A trouble of more than a day is the usual, unless its zone is being told of.
  const troubles = found.filter(
    ({ zone, since }) => to.getTime() - since < LONGEST || (known !== undefined && zone in known.zones),
  );
  if (troubles.length === 0) {
    if (known === undefined) return { is: 'healthy' };
    if (known.kinds.every((key) => (dismissals[key]?.at ?? 0) > known.from.getTime()))
      return { is: 'dismissed', incident: known };
    const isOver = to.getTime() - known.last.getTime() >= overAfter(known);
    return { is: isOver ? 'over' : 'kept', incident: known };
  }
  if (known !== undefined && to.getTime() - beginOf(known) >= LONGEST) return { is: 'usual', incident: known };
  // A zone that recovered is news when it fails again.
  const recent = Object.entries(known?.zones ?? {}).filter(
    ([, { last }]) => window.from.getTime() - last < overAfter(known!),
  );
  const zones = Object.fromEntries(recent);
  const told = new Set(known?.kinds.filter((key) => key.slice(0, key.indexOf(':')) in zones));
  const isKnown = ({ zone, kind, symptom = kind }: Trouble) =>
    told.has(troubleKey({ zone, kind })) || told.has(troubleKey({ zone, kind: symptom }));
  const isTold = troubles.every((one) => one.zone in zones && (!one.isNews || isKnown(one)));
  for (const { zone, since } of troubles) zones[zone] = { since: zones[zone]?.since ?? since, last: to.getTime() };
  const kinds = [...new Set([...told, ...troubles.map(troubleKey)])];
  // Its cause says a symptom.
  const causes = troubles.flatMap(({ zone, symptom }) =>
    symptom === undefined ? [] : troubleKey({ zone, kind: symptom }),
  );
  const said = Object.fromEntries(
    Object.entries({
      ...known?.said,
      ...Object.fromEntries(troubles.map((one) => [troubleKey(one), wordsOf(one)])),
    }).filter(([key]) => kinds.includes(key) && !causes.includes(key)),
  );
  if (known === undefined || !isTold) {
    const from = known?.from ?? window.from;
    const next = new Date(to.getTime() + FIRST_PAUSE);
    const { returns } = known ?? {};
    const incident = { ts: '', from, last: to, next, updates: 0, kinds, said, told: sizesOf(troubles), returns, zones };
    return { is: 'told', incident };
  }
  const sizes = sizesOf(troubles);
  const worse = Object.entries(sizes).filter(([key, size]) => size >= 2 * (known.told?.[key] ?? size));
  const incident: Incident = { ...known, last: to, kinds, said, zones };
  if (to < incident.next && worse.length === 0) return { is: 'kept', incident };
  const updates = incident.updates + 1;
  const pause = Math.min(4 * HOUR, FIRST_PAUSE * 2 ** updates);
  const shown = Object.entries(sizes).map(([key, size]) => [key, Math.max(size, known.told?.[key] ?? 0)]);
  const worst: Record<string, number> = { ...known.told, ...Object.fromEntries(shown) };
  const step = { ...incident, updates, told: worst, next: new Date(to.getTime() + pause) };
  return { is: worse.length > 0 ? 'worse' : 'updated', incident: step };
}

export const overAfter = ({ returns = 0 }: Pick<Incident, 'returns'>): number =>
  // Half an hour of nothing, doubled each time that it came back.
  Math.min(2 * HOUR, 30 * MINUTE * 2 ** returns);

/** All kinds of failures share their zone's size; other figures have their own. */
const sizeKey = ({ zone, kind }: Trouble): string =>
  kind.startsWith(STATISTICS) && kind !== `${STATISTICS} 5xx` ? troubleKey({ zone, kind }) : zone;

function sizesOf(troubles: readonly Trouble[]): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (const one of troubles) if (one.size) sizes[sizeKey(one)] = Math.max(one.size, sizes[sizeKey(one)] ?? 0);
  return sizes;
}

const wordsOf = ({ words, size }: Trouble) => ({ words, size });

export const beginOf = ({ zones }: Pick<Incident, 'zones'>): number =>
  Math.min(...Object.values(zones).map(({ since }) => since));

/** In the store: whichever replica has the next slot goes on. */
type Services = Pick<ReportServices, 'anchors'>;

async function kept({ anchors }: Services, subscription: number): Promise<Incident | undefined> {
  const anchor = await anchors.read(subscription, ANCHOR);
  return anchor === undefined ? undefined : { ...incidentOf(anchor.content), ts: anchor.ts };
}

export async function readIncident(services: Services, subscription: number): Promise<Incident | undefined> {
  const incident = await kept(services, subscription);
  return incident?.ts === '' ? undefined : incident;
}

/** By subscription, those whose message is known. */
export async function readIncidents({ anchors }: Services): Promise<ReadonlyMap<number, Incident>> {
  const all = [...(await anchors.named(ANCHOR))].map(
    ([id, { ts, content }]) => [id, { ...incidentOf(content), ts }] as const,
  );
  return new Map(all.filter(([, { ts }]) => ts !== ''));
}

/** Before its message is sent: whoever finds that message knows what it is about. */
export function intendIncident(services: Services, subscription: number, incident: Incident): Promise<void> {
  return keepIncident(services, subscription, { ...incident, ts: '' });
}

export function keepIncident(
  { anchors }: Services,
  subscription: number,
  { ts, ...incident }: Incident,
): Promise<void> {
  return anchors.set(subscription, ANCHOR, { ts, content: JSON.stringify(incident) });
}

/** The message of an intended incident was found. */
export async function foundIncident(services: Services, subscription: number, ts: string): Promise<void> {
  const incident = await kept(services, subscription);
  if (incident?.ts === '') await keepIncident(services, subscription, { ...incident, ts });
}

/** Over, or its message is gone. */
export async function endIncident({ anchors }: Services, subscription: number, ended?: Incident): Promise<void> {
  if (ended !== undefined) {
    const { ts, last, zones, returns = 0 } = ended;
    const content = JSON.stringify({ last, zones: Object.keys(zones), returns });
    await anchors.set(subscription, ENDED, { ts, content });
  }
  await anchors.drop(subscription, ANCHOR);
}

/** Counts how often it came back after the last one in its zones. */
export async function withReturns({ anchors }: Services, subscription: number, incident: Incident): Promise<Incident> {
  const anchor = await anchors.read(subscription, ENDED);
  if (anchor === undefined) return incident;
  const { last, zones, returns } = JSON.parse(anchor.content) as { last: string; zones: string[]; returns: number };
  // What begins so soon after an incident in its zone is that incident.
  const isBack = beginOf(incident) - Date.parse(last) < 3 * HOUR && zones.some((zone) => zone in incident.zones);
  return isBack ? { ...incident, returns: returns + 1 } : incident;
}

function incidentOf(content: string): Omit<Incident, 'ts'> {
  const { from, last, next, updates, kinds, said, told, thread, returns, zones } = JSON.parse(content);
  return {
    from: new Date(from),
    last: new Date(last),
    next: new Date(next),
    updates,
    kinds,
    said,
    told,
    thread,
    returns,
    zones,
  };
}
