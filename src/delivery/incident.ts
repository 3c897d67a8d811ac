import type { Trouble } from '../reports/report.ts';
import { DAY, HOUR, MINUTE } from '../time.ts';
import type { ReportServices } from './services.ts';

/** Between a message and its first update, in milliseconds; each further pause is twice as long, up to the longest. */
const FIRST_PAUSE = 5 * MINUTE;
const LONGEST_PAUSE = 4 * HOUR;
/** So long there has to be nothing before it is over. */
const OVER_AFTER = 30 * MINUTE;
/** After so long it is told anew: a message of yesterday is not read again. */
const TOLD_ANEW = DAY;
/** An incident of so long, some three days, is the usual from then on. */
const LONGEST = 70 * HOUR;
/** So many times as many errors as were told are worth a message of their own. */
const MUCH_MORE = 10;
/** So long an incident rises: that there is more than in its first minutes is no news. */
const RISING = 45 * MINUTE;

/** A subscription's incident among its anchors, as older versions named it. */
const ANCHOR = 'storm';

/** Something that is wrong and was told, until it is over. */
export interface Incident {
  /** Its message, which is kept up to date. */
  ts: string;
  /** When it began: what was there before is the usual. */
  calm: Date;
  /** From when on its message tells. */
  from: Date;
  /** When something was last wrong: the end of that stretch. */
  last: Date;
  /** The message is not brought up to date before then. */
  next: Date;
  updates: number;
  kinds: readonly string[];
  zones: readonly string[];
  /** The most of one kind that was told, in an hour. */
  hourly: number;
}

/**
 * The meaning of a stretch for an incident: `told` is a new one, or one with something in it that nobody was told; `usual` one
 * that goes on for so long that it is none any more.
 */
export type IncidentStep = { is: 'calm' } | { is: 'told' | 'kept' | 'updated' | 'over' | 'usual'; incident: Incident };

/** Pure: what is to be done after a stretch that ends at `to` and has these troubles. */
export function incidentStep(
  known: Incident | undefined,
  troubles: readonly Trouble[],
  stretch: { from: Date; to: Date },
): IncidentStep {
  const { to } = stretch;
  if (troubles.length === 0) {
    if (known === undefined) return { is: 'calm' };
    const isOver = to.getTime() - known.last.getTime() >= OVER_AFTER;
    return { is: isOver ? 'over' : 'kept', incident: known };
  }
  if (known !== undefined && to.getTime() - known.calm.getTime() >= LONGEST) return { is: 'usual', incident: known };
  const hourly = Math.max(...troubles.map((trouble) => trouble.hourly));
  const both = (before: readonly string[] = [], now: readonly string[]) => [...new Set([...before, ...now])];
  const kinds = both(
    known?.kinds,
    troubles.map(({ kind }) => kind),
  );
  const zones = both(
    known?.zones,
    troubles.map(({ zone }) => zone),
  );
  const isOld = known !== undefined && to.getTime() - known.from.getTime() >= TOLD_ANEW;
  const isRising = known !== undefined && to.getTime() - known.calm.getTime() <= RISING;
  const isTold =
    known !== undefined &&
    !isOld &&
    troubles.every(({ kind, zone }) => known.kinds.includes(kind) || known.zones.includes(zone)) &&
    (isRising || hourly < MUCH_MORE * known.hourly);
  if (!isTold) {
    const from = known === undefined || isOld ? stretch.from : known.from;
    const next = new Date(to.getTime() + FIRST_PAUSE);
    const calm = known?.calm ?? stretch.from;
    const most = Math.max(known?.hourly ?? 0, hourly);
    return { is: 'told', incident: { ts: '', calm, from, last: to, next, updates: 0, kinds, zones, hourly: most } };
  }
  const most = isRising ? Math.max(known.hourly, hourly) : known.hourly;
  const incident = { ...known, last: to, kinds, zones, hourly: most };
  if (to < incident.next) return { is: 'kept', incident };
  const updates = incident.updates + 1;
  const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** updates);
  return { is: 'updated', incident: { ...incident, updates, next: new Date(to.getTime() + pause) } };
}

/** The incidents of the subscriptions are in the store: whichever replica has the next slot goes on with them. */
type Services = Pick<ReportServices, 'anchors'>;

async function kept({ anchors }: Services, subscription: number): Promise<Incident | undefined> {
  const anchor = await anchors.read(subscription, ANCHOR);
  return anchor === undefined ? undefined : { ...incidentOf(anchor.content), ts: anchor.ts };
}

/** One whose message is known. */
export async function readIncident(services: Services, subscription: number): Promise<Incident | undefined> {
  const incident = await kept(services, subscription);
  return incident?.ts === '' ? undefined : incident;
}

/** Before its message is sent: whoever finds that message in Slack knows what it is about. */
export function intendIncident(services: Services, subscription: number, incident: Incident): Promise<void> {
  return keepIncident(services, subscription, { ...incident, ts: '' });
}

/** Writes it down as it stands now. */
export function keepIncident(
  { anchors }: Services,
  subscription: number,
  { ts, zones, ...incident }: Incident,
): Promise<void> {
  return anchors.set(subscription, ANCHOR, { ts, content: JSON.stringify({ ...incident, places: zones }) });
}

/** The message of an intended incident was found. */
export async function foundIncident(services: Services, subscription: number, ts: string): Promise<void> {
  const incident = await kept(services, subscription);
  if (incident?.ts === '') await keepIncident(services, subscription, { ...incident, ts });
}

/** It is over, or its message is gone. */
export function endIncident({ anchors }: Services, subscription: number): Promise<void> {
  return anchors.drop(subscription, ANCHOR);
}

/** `places` is the stored name of the zones. */
function incidentOf(content: string): Omit<Incident, 'ts'> {
  const { calm, from, last, next, places, ...rest } = JSON.parse(content);
  return {
    ...rest,
    zones: places,
    calm: new Date(calm),
    from: new Date(from),
    last: new Date(last),
    next: new Date(next),
  };
}
