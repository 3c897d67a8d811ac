import { type Cause, causeIn } from './causes.ts';
import { messageTemplate, pathTemplate, templateId } from './template.ts';

export interface ErrorEvent {
  /** `origin`: between edge and origin. `edge`: what a visitor got. */
  source: 'origin' | 'edge';
  /** Unix milliseconds. */
  time: number;
  zone: string;
  zoneId: number;
  code: string | undefined;
  status: number | undefined;
  message: string | undefined;
  /** Path or URL, with its query. */
  address: string | undefined;
  region: string | undefined;
}

export interface ErrorGroup {
  /** Stable over days. */
  id: string;
  source: ErrorEvent['source'];
  /** The most frequent one. */
  code: string | undefined;
  status: number | undefined;
  /** Found by message or code. */
  cause: Cause | undefined;
  /** The words of the cause, else what the messages share, with variable parts masked. */
  words: string | undefined;
  /** Undefined: the cause is known, or there is no path, or too many kinds of paths. */
  path: string | undefined;
  /** Kinds of paths, the most frequent first. */
  paths: [template: string, requests: number][];
  requests: number;
  first: number;
  last: number;
  /** Most first. */
  zones: [name: string, requests: number][];
  regions: [name: string, requests: number][];
  /** The zone with the most errors. */
  worst: number;
}

type Wrong = Pick<ErrorGroup, 'source' | 'cause' | 'code' | 'status' | 'words'>;

interface Gathering {
  wrong: Wrong;
  byPath: Map<string | undefined, ErrorEvent[]>;
}

/** A known cause is one group, whatever the code, status and path. */
const idOf = ({ source, cause, code, status, words }: Wrong, path: string | undefined) =>
  cause === undefined ? templateId(source, code, status, words, path) : templateId(source, cause.id);

/** Cached, because the same few texts come often. */
function once<T>(make: (text: string) => T): (text: string | undefined) => T | undefined {
  const made = new Map<string, T>();
  return (text) => {
    if (text === undefined) return undefined;
    if (!made.has(text)) made.set(text, make(text));
    return made.get(text);
  };
}

function gather(events: readonly ErrorEvent[]): Gathering[] {
  const [causeOf, templateOf, pathOf] = [once(causeIn), once(messageTemplate), once(pathTemplate)];
  const gatherings = new Map<string, Gathering>();
  for (const event of events) {
    const { source, code, status, message, address } = event;
    const cause = causeOf(message) ?? causeOf(code);
    const words = cause?.means ?? templateOf(message);
    const wrong = { source, cause, code, status, words };
    const path = pathOf(address);
    const id = idOf(wrong, undefined);
    const gathering = gatherings.get(id) ?? { wrong, byPath: new Map<string | undefined, ErrorEvent[]>() };
    gatherings.set(id, gathering);
    const same = gathering.byPath.get(path);
    if (same === undefined) gathering.byPath.set(path, [event]);
    else same.push(event);
  }
  return [...gatherings.values()];
}

/** Groups by cause, else by code, status and templates of message and path. `byPath: false` ignores paths. The largest group first. */
export function groupErrors(events: readonly ErrorEvent[], { byPath: isByPath = true } = {}): ErrorGroup[] {
  return gather(events)
    .flatMap(({ wrong, byPath }) => {
      const several = [...byPath].map(([path, some]) => groupOf(wrong, path, [[path, some]]));
      // With more kinds of paths, the path does not explain the error.
      return wrong.cause !== undefined || byPath.size > 4 || (!isByPath && byPath.size > 1)
        ? [groupOf(wrong, undefined, [...byPath])]
        : several;
    })
    .sort((a, b) => b.requests - a.requests || (a.id < b.id ? -1 : 1));
}

export function kindIdOf(group: ErrorGroup): string {
  return idOf(group, undefined);
}

function groupOf(
  wrong: Wrong,
  path: string | undefined,
  byPath: readonly [string | undefined, readonly ErrorEvent[]][],
): ErrorGroup {
  const events = byPath.flatMap(([, some]) => some);
  const [zones, regions, paths] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  const add = (counts: Map<string, number>, name: string, requests = 1) =>
    counts.set(name, (counts.get(name) ?? 0) + requests);
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const event of events) {
    first = Math.min(first, event.time);
    last = Math.max(last, event.time);
    add(zones, event.zone);
    if (event.region !== undefined) add(regions, event.region);
  }
  for (const [template, some] of byPath) if (template !== undefined) add(paths, template, some.length);
  return {
    id: idOf(wrong, path),
    ...wrong,
    code: mostOf(events.map(({ code }) => code)),
    status: mostOf(events.map(({ status }) => status)),
    path,
    paths: mostFirst(paths),
    requests: events.length,
    first,
    last,
    zones: mostFirst(zones),
    regions: mostFirst(regions),
    worst: mostOf(events.map(({ zoneId }) => zoneId)) ?? 0,
  };
}

function mostOf<T>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return mostFirst(counts)[0]?.[0];
}

function mostFirst<T>(counts: Map<T, number>): [T, number][] {
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
}
