import type { SeenGroup } from './group-memory.ts';
import { withoutQuery } from './record.ts';
import { messageTemplate, messageWords, pathTemplate, templateId } from './template.ts';

/** One error, from either log. */
export interface ErrorEvent {
  /** `origin`: between the edge and the origin; `edge`: what a visitor got. */
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

/** Errors that have the same thing wrong. */
export interface ErrorGroup {
  /** The same on all days, whatever else goes wrong. */
  id: string;
  source: ErrorEvent['source'];
  code: string | undefined;
  status: number | undefined;
  /** With what varies masked: what the errors of the group have in common. */
  message: string | undefined;
  /** What most of them say, names and reasons with it: for people. */
  words: string | undefined;
  /** Undefined when the errors have no path, or too many kinds of them for the path to be what is wrong. */
  path: string | undefined;
  /** Kinds of paths, with their counts, most first. */
  paths: [template: string, requests: number][];
  requests: number;
  first: number;
  last: number;
  /** With their counts, most first. */
  zones: [name: string, requests: number][];
  regions: [name: string, requests: number][];
  /** Requests in equal parts of the stretch, oldest first. */
  course: number[];
  /** The zone with most of them. */
  worst: number;
  /** A path as it came, without its query: what to look for. */
  sample: string | undefined;
}

/** Parts of the stretch in a sparkline. */
const PARTS = 12;
/** With more kinds of paths than these, it is not the path that is wrong. */
const MOST_PATHS = 4;

/** Of so many different messages of a group, the most frequent, it is looked what most of them say. */
const LOOKED_AT = 100;

/** What is wrong apart from the path. */
interface Wrong {
  source: ErrorEvent['source'];
  code: string | undefined;
  status: number | undefined;
  message: string | undefined;
}

interface Gathering {
  wrong: Wrong;
  byPath: Map<string | undefined, ErrorEvent[]>;
}

const idOf = ({ source, code, status, message }: Wrong, path: string | undefined) =>
  templateId(source, code, status, message, path);

function gather(events: readonly ErrorEvent[]): Gathering[] {
  const templates = new Map<string, string>();
  const once = (text: string, template: (text: string) => string, kind: string) => {
    const key = kind + text;
    const known = templates.get(key) ?? template(text);
    templates.set(key, known);
    return known;
  };
  const gatherings = new Map<string, Gathering>();
  for (const event of events) {
    const { source, code, status } = event;
    const message = event.message === undefined ? undefined : once(event.message, messageTemplate, 'm');
    const path = event.address === undefined ? undefined : once(event.address, pathTemplate, 'p');
    const wrong: Wrong = { source, code, status, message };
    const id = idOf(wrong, undefined);
    const gathering = gatherings.get(id) ?? { wrong, byPath: new Map<string | undefined, ErrorEvent[]>() };
    gatherings.set(id, gathering);
    const same = gathering.byPath.get(path);
    if (same === undefined) gathering.byPath.set(path, [event]);
    else same.push(event);
  }
  return [...gatherings.values()];
}

/**
 * Groups errors by code, status and the templates of message and path, most requests first. Where the same is wrong with many
 * kinds of paths, as when an origin is down, those are one group. The order of events does not matter.
 */
export function groupErrors(events: readonly ErrorEvent[], from: Date, to: Date): ErrorGroup[] {
  return gather(events)
    .flatMap(({ wrong, byPath }) => {
      const several = [...byPath].map(([path, some]) => groupOf(wrong, path, [[path, some]], from, to));
      return byPath.size > MOST_PATHS ? [groupOf(wrong, undefined, [...byPath], from, to)] : several;
    })
    .sort((a, b) => b.requests - a.requests || (a.id < b.id ? -1 : 1));
}

/**
 * What a memory is to keep: each kind with its path and without, so that a kind is known again whether or not its paths were
 * too many that time.
 */
export function seenIn(events: readonly ErrorEvent[], from: Date, to: Date): SeenGroup[] {
  return gather(events).flatMap(({ wrong, byPath }) => {
    const whole = groupOf(wrong, undefined, [...byPath], from, to);
    const parts = [...byPath].filter(([path]) => path !== undefined);
    const kept = [whole, ...parts.map(([path, some]) => groupOf(wrong, path, [[path, some]], from, to))];
    return kept.map((group) => {
      const { id, requests, first, last } = group;
      return { id, whole: group === whole, requests, first, last, words: kindOf(group) };
    });
  });
}

/** The kind without its path: what is remembered under it, is remembered of all its paths. */
export function kindIdOf(group: ErrorGroup): string {
  return idOf(group, undefined);
}

/** A group in a few words. */
export function kindOf({ code, status, words, path }: Pick<ErrorGroup, 'code' | 'status' | 'words' | 'path'>): string {
  return [code ?? 'failed request', status === undefined ? '' : String(status), words ?? path ?? '']
    .filter((word) => word !== '')
    .join(' · ');
}

function groupOf(
  { source, code, status, message }: Wrong,
  path: string | undefined,
  byPath: readonly [string | undefined, readonly ErrorEvent[]][],
  from: Date,
  to: Date,
): ErrorGroup {
  const wrong: Wrong = { source, code, status, message };
  const events = byPath.flatMap(([, some]) => some);
  const span = Math.max(1, to.getTime() - from.getTime());
  const course = new Array<number>(PARTS).fill(0);
  const [zones, regions, paths, ids] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ];
  const add = (counts: Map<string, number>, name: string, requests = 1) =>
    counts.set(name, (counts.get(name) ?? 0) + requests);
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const event of events) {
    first = Math.min(first, event.time);
    last = Math.max(last, event.time);
    const part = Math.floor((PARTS * (event.time - from.getTime())) / span);
    course[Math.min(PARTS - 1, Math.max(0, part))]! += 1;
    add(zones, event.zone);
    add(ids, String(event.zoneId));
    if (event.region !== undefined) add(regions, event.region);
  }
  for (const [template, some] of byPath) if (template !== undefined) add(paths, template, some.length);
  const samples = events.flatMap(({ address }) => (address === undefined ? [] : [withoutQuery(address)]));
  return {
    id: idOf(wrong, path),
    ...wrong,
    words: wordsOf(events),
    path,
    paths: mostFirst(paths),
    requests: events.length,
    first,
    last,
    zones: mostFirst(zones),
    regions: mostFirst(regions),
    course,
    worst: Number(mostFirst(ids)[0]?.[0] ?? 0),
    sample: samples.reduce<string | undefined>(
      (least, one) => (least === undefined || one < least ? one : least),
      undefined,
    ),
  };
}

function wordsOf(events: readonly ErrorEvent[]): string | undefined {
  const [said, words] = [new Map<string, number>(), new Map<string, number>()];
  for (const { message } of events) if (message !== undefined) said.set(message, (said.get(message) ?? 0) + 1);
  for (const [message, times] of mostFirst(said).slice(0, LOOKED_AT)) {
    const one = messageWords(message);
    words.set(one, (words.get(one) ?? 0) + times);
  }
  return mostFirst(words)[0]?.[0];
}

function mostFirst(counts: Map<string, number>): [string, number][] {
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
}
