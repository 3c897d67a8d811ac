import { MINUTE_MS } from '../model/calendar.ts';
import { mix, unit } from '../model/random.ts';

export type ServiceName = 'statistics' | 'logs' | 'origin' | 'zones';

interface Where {
  service: ServiceName;
  /** Id of the one zone that it is about; without it all. */
  zone?: number;
  /** Milliseconds on the virtual clock; without them from the beginning and from now on. */
  from?: number;
  to?: number;
}

/** What goes wrong, on demand. */
export type Fault = Where &
  (
    | { kind: 'late'; minutes: number /** Of the records so many are late; without it all. */; share?: number }
    | { kind: 'sampled'; oneIn: number }
    | { kind: 'doubled' }
    | { kind: 'unordered' }
    | { kind: 'status'; status: number; retryAfter?: number }
    | {
        kind: 'day late';
        /** `yyyy-mm-dd` in UTC: until `hours` after its end only the first `shown` of it is counted. */
        day: string;
        hours: number;
        shown: number;
      }
  );

/** How a service looks for one zone at one moment. */
export interface View {
  /** What happened from here on is not there yet. */
  until: number;
  /** Of what happened from here on a share is not there yet. */
  heldFrom: number;
  heldShare: number;
  oneIn: number;
  isDoubled: boolean;
  isUnordered: boolean;
  refusal?: { status: number; retryAfter?: number };
  lateDays: readonly { start: number; end: number; until: number }[];
}

export type Lags = Readonly<Record<ServiceName, number>>;

const isOn = (fault: Fault, service: ServiceName, zone: number | undefined, now: number): boolean =>
  fault.service === service &&
  (fault.zone === undefined || fault.zone === zone) &&
  now >= (fault.from ?? Number.NEGATIVE_INFINITY) &&
  now < (fault.to ?? Number.POSITIVE_INFINITY);

const DAY_MS = 24 * 60 * MINUTE_MS;

export function viewOf(
  faults: readonly Fault[],
  lags: Lags,
  asked: { service: ServiceName; zone?: number | undefined; now: number },
): View {
  const { service, zone, now } = asked;
  const view: View = {
    until: now - lags[service] * MINUTE_MS,
    heldFrom: Number.POSITIVE_INFINITY,
    heldShare: 0,
    oneIn: 1,
    isDoubled: false,
    isUnordered: false,
    lateDays: [],
  };
  for (const fault of faults.filter((one) => isOn(one, service, zone, now))) {
    if (fault.kind === 'late' && (fault.share ?? 1) >= 1) {
      view.until = Math.min(view.until, now - fault.minutes * MINUTE_MS);
    } else if (fault.kind === 'late') {
      view.heldFrom = now - fault.minutes * MINUTE_MS;
      view.heldShare = fault.share!;
    } else if (fault.kind === 'sampled') view.oneIn = Math.max(view.oneIn, fault.oneIn);
    else if (fault.kind === 'doubled') view.isDoubled = true;
    else if (fault.kind === 'unordered') view.isUnordered = true;
    else if (fault.kind === 'status') {
      const { status, retryAfter } = fault;
      view.refusal = retryAfter === undefined ? { status } : { status, retryAfter };
    } else if (fault.kind === 'day late') {
      const start = Date.parse(`${fault.day}T00:00:00Z`);
      const isStillLate = now < start + DAY_MS + fault.hours * 60 * MINUTE_MS;
      const late = { start, end: start + DAY_MS, until: start + fault.shown * DAY_MS };
      if (isStillLate) view.lateDays = [...view.lateDays, late];
    }
  }
  return view;
}

/** Whether a record is among those that the log gives out. The same records every time: a sample is no dice. */
export function isGiven(view: View, record: { at: number; hash: number }): boolean {
  if (view.oneIn > 1 && mix(record.hash, 501) % view.oneIn !== 0) return false;
  return record.at < view.heldFrom || unit(record.hash, 502) >= view.heldShare;
}

/** Where a record stands in an answer that is out of order: up to five minutes from its place. */
export const shuffledPlace = (at: number, hash: number): number => at + (unit(hash, 503) - 0.5) * 10 * MINUTE_MS;

/** The latest moment that statistics have counted, of the stretch from `from` to `to`. */
export function countedUntil(view: View, from: number, to: number): number {
  const late = view.lateDays.find((day) => from < day.end && to > day.start);
  return Math.min(to, view.until, late?.until ?? Number.POSITIVE_INFINITY);
}
