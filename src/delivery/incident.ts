import { troubleKey } from '../reports/dismissed.ts';
import { isGrave, STATISTICS, type ToldIncident, type Trouble } from '../reports/report.ts';
import { DAY, HOUR, MINUTE } from '../time.ts';
import type { ReportServices } from './services.ts';

/** A failure that lasts longer counts as usual. */
const LONGEST = DAY;
/** What looks alike and begins within this time is one incident. */
const TOGETHER = 10 * MINUTE;
const ANCHOR = 'incident';

interface IncidentZone {
  name?: string | undefined;
  /** First and last failure, in Unix milliseconds. */
  since: number;
  last: number;
  failures: number;
  /** When it first began, if it had recovered since. */
  first?: number | undefined;
  /** Its end was told while others went on. */
  isOver?: boolean | undefined;
}

export interface Incident {
  ts: string;
  /** When it was first posted, in Unix milliseconds. */
  from: number;
  /** Keys of troubles: each has its zone. */
  kinds: readonly string[];
  said: Readonly<Record<string, Partial<Trouble>>>;
  zones: Readonly<Record<string, IncidentZone>>;
  /** Others were added to its message at the limit of messages, and the channel was told. */
  hasJoined?: boolean | undefined;
  /** When its end was posted, in Unix milliseconds. */
  over?: number | undefined;
}

/** `again`: it had been over. `overtaken`: a newer incident has its zones. `usual`: it lasts too long. */
export interface IncidentStep {
  is: 'kept' | 'updated' | 'again' | 'over' | 'usual' | 'dismissed' | 'overtaken';
  incident: Incident;
  /** Zones whose end is told. */
  recovered?: readonly string[];
}

/** Pure. The window ends at `to`. `begun`: a new incident, which has no message yet. `isMore`: another begins, which is unlike it. */
export function incidentSteps(
  known: readonly Incident[],
  found: readonly Trouble[],
  to: Date,
  dismissals: Readonly<Record<string, { at: number }>> = {},
): { begun: Incident | undefined; isMore: boolean; steps: readonly IncidentStep[] } {
  const now = to.getTime();
  const homes = new Map<Incident, Trouble[]>();
  const fresh: Trouble[] = [];
  const present = found.filter((one) => !isUsual(one, homeOf(one, known), now));
  for (const trouble of present) {
    const home = homeOf(trouble, known);
    if (home !== undefined) homes.set(home, [...(homes.get(home) ?? []), trouble]);
    if (isNewsIn(trouble, home)) fresh.push(trouble);
  }
  // The messages an hour may be limited, so the gravest comes first.
  const [first] = fresh.sort((a, b) => Number(isGraveOne(b)) - Number(isGraveOne(a)));
  const alike = fresh.filter((one) => looksOf(one) === looksOf(first!));
  const isMany = new Set(alike.map(({ zone }) => zone)).size >= 3;
  const told = fresh.filter(
    (one) =>
      one.zone === first!.zone ||
      (isMany && alike.includes(one)) ||
      (Math.abs(one.since - first!.since) < TOGETHER &&
        fresh.some(({ zone, kind }) => zone === first!.zone && kind === one.kind)),
  );
  const isFresh = ({ zone }: Trouble) => told.some((one) => one.zone === zone);
  const blank: Incident = { ts: '', from: now, kinds: [], said: {}, zones: {} };
  const begun = first && withTroubles(blank, present.filter(isFresh), now);
  const steps = known.flatMap((incident, index) => {
    const newer = [begun ?? [], known.slice(0, index).filter(isGoingOn)].flat();
    const zones = Object.fromEntries(
      Object.entries(incident.zones).filter(
        ([zone, { isOver }]) => isOver || !newer.some((one) => one.zones[zone] && !one.zones[zone].isOver),
      ),
    );
    const left = { ...incident, zones };
    if (incident.over === undefined && Object.keys(zones).length === 0) return { is: 'overtaken' as const, incident };
    const mine = (homes.get(incident) ?? []).filter((one) => !isFresh(one));
    return stepOf(left, mine, now, dismissals) ?? [];
  });
  return { begun, isMore: !fresh.every(isFresh), steps };
}

/** Undefined: the incident is forgotten. */
function stepOf(
  known: Incident,
  mine: readonly Trouble[],
  now: number,
  dismissals: Readonly<Record<string, { at: number }>>,
): IncidentStep | undefined {
  const incident = withTroubles(known, mine, now);
  const isOpen = mine.some(({ until }) => until === undefined);
  if (known.over !== undefined) {
    if (isOpen) return { is: 'again', incident: { ...incident, over: undefined } };
    // Until the report of the next morning has read it.
    return now - known.over < 2 * DAY ? { is: 'kept', incident: known } : undefined;
  }
  if (isOpen) {
    const isDown = (id: string) => mine.some(({ zone, until }) => zone === id && until === undefined);
    const recovered = [...new Set(mine.flatMap(({ zone }) => (isDown(zone) ? [] : zone)))];
    if (Object.entries(known.zones).some(([zone, { since }]) => since < incident.zones[zone]!.since))
      return { is: 'again', incident };
    const is = now - beginOf(incident) >= LONGEST ? 'usual' : 'updated';
    return { is, incident: endedIn(incident, recovered), recovered };
  }
  const said = Object.keys(known.said);
  if (said.length > 0 && said.every((key) => (dismissals[key]?.at ?? 0) >= known.from))
    return { is: 'dismissed', incident };
  const recovered = Object.keys(incident.zones).filter((zone) => known.zones[zone]?.isOver !== true);
  // Without a sign of it, it is kept for half an hour, unless its end is told and only its message lacks it.
  if (mine.length === 0 && recovered.length > 0 && now - lastOf(incident) < 30 * MINUTE)
    return { is: 'kept', incident };
  return { is: 'over', incident: { ...endedIn(incident, recovered), over: now }, recovered };
}

function endedIn(incident: Incident, some: readonly string[]): Incident {
  const ended = some.map((zone) => [zone, { ...incident.zones[zone]!, isOver: true }]);
  return { ...incident, zones: { ...incident.zones, ...Object.fromEntries(ended) } };
}

/** A zone that is found later does not join an incident, because whoever is on that has not seen it. */
function homeOf({ zone, since, until }: Trouble, known: readonly Incident[]): Incident | undefined {
  const mine = known.filter(({ zones }) => zone in zones);
  // What fails again after its end was told, while others of its incident go on, is news.
  const open = mine.find((one) => isGoingOn(one) && one.zones[zone]!.isOver !== true);
  if (open !== undefined || until !== undefined) return open;
  return mine.find((one) => !isGoingOn(one) && since - one.zones[zone]!.last < HOUR);
}

const kindOf = (key: string) => key.slice(key.indexOf(':') + 1);

/** Undefined: the logs show it. */
export const measureOf = (kind: string): string | undefined => kind.split(`${STATISTICS} `)[1];

const isGraveOne = ({ kind, size }: Trouble) => isGrave(size, measureOf(kind));

/** Where requests of many zones fail, the causes may differ. */
const looksOf = ({ kind }: Trouble) => measureOf(kind) ?? '5xx';

/** A trouble of more than a day that no incident has told. Where requests fail, the cause may have changed. */
const isUsual = (one: Trouble, home: Incident | undefined, now: number): boolean =>
  now - one.since >= LONGEST &&
  (home === undefined || (one.kind.startsWith(STATISTICS) && !home.kinds.includes(troubleKey(one))));

/** In a zone that was told for its statistics, failing requests are news. Another cause is not. */
function isNewsIn({ zone, kind, until }: Trouble, home: Incident | undefined): boolean {
  if (until !== undefined || kind === '') return false;
  if (home === undefined) return true;
  return !isInLogs(home, zone) && !kind.startsWith(STATISTICS);
}

const isInLogs = ({ kinds }: Incident, zone: string): boolean =>
  kinds.some((key) => key.startsWith(`${zone}:`) && !kindOf(key).startsWith(STATISTICS));

function withTroubles(incident: Incident, troubles: readonly Trouble[], now: number): Incident {
  const zones: Record<string, IncidentZone> = { ...incident.zones };
  // Sorted by end, with what goes on last, because later troubles overwrite.
  const inTurn = [...troubles].sort((a, b) => (a.until ?? now) - (b.until ?? now));
  for (const { zone, kind, since, until, name, failures = 0 } of inTurn) {
    const known = zones[zone];
    // What has come back is told by the minute of its newest break.
    const isNewer = known?.first !== undefined && since > known.since && !kind.startsWith(STATISTICS);
    const isBack = (incident.over !== undefined || isNewer) && known === incident.zones[zone];
    zones[zone] = {
      name: name ?? known?.name,
      since: isBack ? since : Math.min(since, known?.since ?? since),
      last: until ?? now,
      failures: ((isBack ? 0 : known?.failures) ?? 0) + failures,
      first: isBack ? (known?.first ?? known?.since) : known?.first,
    };
  }
  const open = troubles.filter(({ kind, until }) => kind !== '' && until === undefined);
  const kinds = [...new Set([...incident.kinds, ...open.map(troubleKey)])];
  // For a failing zone, only what fails now.
  const before = Object.entries(incident.said).filter(([key]) => !open.some(({ zone }) => key.startsWith(`${zone}:`)));
  const said = Object.fromEntries([...before, ...open.map((one) => [troubleKey(one), one] as const)]);
  return { ...incident, kinds, said, zones };
}

export const beginOf = ({ zones }: Pick<Incident, 'zones'>): number =>
  Math.min(...Object.values(zones).map(({ since }) => since));

export const lastOf = ({ zones }: Pick<Incident, 'zones'>): number =>
  Math.max(...Object.values(zones).map(({ last }) => last));

export const isGoingOn = ({ over }: Incident): boolean => over === undefined;

/** Left out: zones that were told only for their statistics, whose logs may still show something new. */
export function failingSince(incidents: readonly Incident[]): Record<string, number> {
  return Object.fromEntries(
    incidents.filter(isGoingOn).flatMap((one) =>
      Object.entries(one.zones)
        .filter(([zone, { isOver }]) => isOver !== true && isInLogs(one, zone))
        .map(([zone, { since }]) => [zone, since]),
    ),
  );
}

export const toldZones = (incidents: readonly Incident[], now: number): Record<string, 'now' | 'again' | 'before'> =>
  Object.fromEntries(
    incidents
      // For three hours its zones may have echoes.
      .filter(({ over = now }) => now - over < 3 * HOUR)
      .sort((a, b) => Number(isGoingOn(a)) - Number(isGoingOn(b)))
      .flatMap((one) =>
        Object.entries(one.zones).map(([zone, { isOver, first }]) => [
          zone,
          !isGoingOn(one) || isOver ? 'before' : first === undefined ? 'now' : 'again',
        ]),
      ),
  );

/** The last failure, in Unix milliseconds, of zones whose end was told within the hour, which a look may still see. */
export const endedZones = (incidents: readonly Incident[], now: number): Record<string, number> =>
  Object.fromEntries(
    // The newest last.
    incidents
      .toReversed()
      .flatMap((one) =>
        Object.entries(one.zones).flatMap(([zone, { isOver, last }]) =>
          (isOver || !isGoingOn(one)) && now - last < HOUR ? [[zone, last] as const] : [],
        ),
      ),
  );

/** In the store, because another replica may do the next slot. */
type Services = Pick<ReportServices, 'anchors'>;

/** Incidents that have a message, the newest first. */
export const readIncidents = async ({ anchors }: Services, subscription: number): Promise<readonly Incident[]> =>
  toldIn((await anchors.read(subscription, ANCHOR)) ?? []);

/** Incidents that go on, of subscriptions that do, too. */
export async function openIncidents({ anchors, subscriptions }: Pick<ReportServices, 'anchors' | 'subscriptions'>) {
  const all = await anchors.named<readonly Incident[]>(ANCHOR);
  const live = all.size === 0 ? [] : await subscriptions.list();
  return live.flatMap(({ id, channel }) =>
    toldIn(all.get(id) ?? []).flatMap((incident) => (isGoingOn(incident) ? { id, channel, incident } : [])),
  );
}

/** By zone over all subscriptions, oldest first. Overlapping ones are merged. */
export async function toldIncidents({ anchors }: Services): Promise<ToldIncident[]> {
  const all = [...(await anchors.named<readonly Incident[]>(ANCHOR)).values()].flatMap(toldIn);
  const told = all.flatMap(({ zones, said, over }) =>
    Object.entries(zones).map(
      ([zone, { name, since, last, first = since, isOver = over !== undefined }]): ToldIncident => {
        const mine = Object.entries(said).flatMap(([key, one]) => (key.startsWith(`${zone}:`) ? one : []));
        const words = mine.flatMap((one) => one.words ?? []);
        const isAbout = mine.some((one) => one.isAbout);
        const isQuiet = !isOver && mine.length > 0 && mine.every((one) => one.lately === 0 && one.seen !== undefined);
        const quiet = isQuiet ? Math.max(...mine.map(({ seen = 0 }) => seen)) : undefined;
        return { zone: Number(zone), name, from: first, since, to: last, isOver, quiet, isAbout, words };
      },
    ),
  );
  const merged: ToldIncident[] = [];
  for (const one of told.sort((a, b) => a.from - b.from)) {
    const before = merged.find(({ zone, to }) => zone === one.zone && to >= one.from);
    if (before === undefined) merged.push(one);
    else {
      // The later one says how it is now.
      const late = one.to >= before.to ? one : before;
      Object.assign(before, { ...late, from: before.from, words: [...new Set([...before.words, ...one.words])] });
    }
  }
  return merged;
}

/** An incident without `ts` is about to be sent. Whoever finds its message then knows what it is about. */
export async function keepIncidents(
  { anchors }: Services,
  subscription: number,
  incidents: readonly Incident[],
): Promise<void> {
  if (incidents.length === 0) return anchors.drop(subscription, ANCHOR);
  await anchors.set(subscription, ANCHOR, incidents);
}

/** The message of an incident without `ts` was found. */
export async function foundIncident({ anchors }: Services, subscription: number, ts: string): Promise<void> {
  const all = (await anchors.read<readonly Incident[]>(subscription, ANCHOR)) ?? [];
  if (!all.some((one) => one.ts === '')) return;
  const found = all.map((one) => (one.ts === '' ? { ...one, ts } : one));
  await keepIncidents({ anchors }, subscription, found);
}

const toldIn = (stored: readonly Incident[]) => stored.filter(({ ts }) => ts !== '');
