import { withoutQuery } from '../logs/record.ts';
import { messageTemplate, pathTemplate, withoutQueries } from '../logs/template.ts';

/** One error, from either log. */
export interface ErrorEvent {
  /** `origin`: between the edge and the origin (row 14); `edge`: what a visitor got (row 15). */
  source: 'origin' | 'edge';
  /** Unix milliseconds. */
  time: number;
  zone: string;
  code: string | undefined;
  status: number | undefined;
  message: string | undefined;
  /** Path or URL, with its query. */
  address: string | undefined;
  region: string | undefined;
}

/** One of a group, freed of what may be secret. */
export interface ErrorSample {
  time: number;
  zone: string;
  region: string | undefined;
  address: string | undefined;
  message: string | undefined;
}

/** Errors that have the same thing wrong. */
export interface ErrorGroup {
  source: ErrorEvent['source'];
  code: string | undefined;
  status: number | undefined;
  /** With what varies masked. */
  message: string | undefined;
  path: string | undefined;
  requests: number;
  first: number;
  last: number;
  /** With their counts, most first. */
  zones: [name: string, requests: number][];
  regions: [name: string, requests: number][];
  /** Requests in equal parts of the stretch, oldest first. */
  course: number[];
  /** The earliest, and the latest of another address where there is one. */
  samples: ErrorSample[];
}

/** Parts of the stretch in a sparkline. */
const PARTS = 12;

interface Gathering {
  group: Omit<ErrorGroup, 'zones' | 'regions' | 'samples'>;
  zones: Map<string, number>;
  regions: Map<string, number>;
  earliest: ErrorEvent;
  other: ErrorEvent | undefined;
}

/** Groups errors by code, status and the templates of message and path; most requests first. The order of events does not matter. */
export function groupErrors(events: readonly ErrorEvent[], from: Date, to: Date): ErrorGroup[] {
  const groups = new Map<string, Gathering>();
  const span = Math.max(1, to.getTime() - from.getTime());
  for (const event of [...events].sort((a, b) => a.time - b.time)) {
    const message = event.message === undefined ? undefined : messageTemplate(event.message);
    const path = event.address === undefined ? undefined : pathTemplate(event.address);
    const key = JSON.stringify([event.source, event.code ?? null, event.status ?? null, message ?? null, path ?? null]);
    let gathering = groups.get(key);
    if (gathering === undefined) {
      const { source, code, status, time } = event;
      const course = new Array<number>(PARTS).fill(0);
      const group = { source, code, status, message, path, requests: 0, first: time, last: time, course };
      gathering = { group, zones: new Map(), regions: new Map(), earliest: event, other: undefined };
      groups.set(key, gathering);
    }
    const { group, zones, regions, earliest } = gathering;
    group.requests += 1;
    group.last = event.time;
    const part = Math.floor((PARTS * (event.time - from.getTime())) / span);
    group.course[Math.min(PARTS - 1, Math.max(0, part))]! += 1;
    zones.set(event.zone, (zones.get(event.zone) ?? 0) + 1);
    if (event.region !== undefined) regions.set(event.region, (regions.get(event.region) ?? 0) + 1);
    if (event.address !== earliest.address || gathering.other === undefined) gathering.other = event;
  }
  return [...groups]
    .sort(([a, one], [b, other]) => other.group.requests - one.group.requests || (a < b ? -1 : 1))
    .map(([, { group, zones, regions, earliest, other }]) => ({
      ...group,
      zones: mostFirst(zones),
      regions: mostFirst(regions),
      samples: [earliest, ...(other === undefined || other === earliest ? [] : [other])].map(sampleOf),
    }));
}

function mostFirst(counts: Map<string, number>): [string, number][] {
  return [...counts].sort(([a, one], [b, other]) => other - one || a.localeCompare(b));
}

function sampleOf({ time, zone, region, address, message }: ErrorEvent): ErrorSample {
  return {
    time,
    zone,
    region,
    address: address === undefined ? undefined : withoutQuery(address),
    message: message === undefined ? undefined : withoutQueries(message),
  };
}
