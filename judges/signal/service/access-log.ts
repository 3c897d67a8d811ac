import { DAY, MINUTE_MS } from '../model/calendar.ts';
import type { Cell, Group } from '../model/minutes.ts';
import {
  type AccessRecord,
  type Handle,
  handlesOf,
  minuteOfRequestId,
  recordOf,
  requestIdOf,
} from '../model/records.ts';
import type { Model, Zone } from '../model.ts';
import type { LogQuery } from './checks.ts';
import { isGiven, shuffledPlace, type View } from './faults.ts';

type Test = (record: AccessRecord) => boolean;

const has = (text: string | undefined, part: string): boolean =>
  text?.toLowerCase().includes(part.toLowerCase()) === true;

function isOfStatus(wanted: readonly string[], status: number): boolean {
  return wanted.length === 0 || wanted.includes(String(status)) || wanted.includes(`${Math.floor(status / 100)}xx`);
}

const groupTest =
  (query: LogQuery) =>
  (group: Group): boolean =>
    isOfStatus(query.status, group.status) &&
    (query.cacheStatus.length === 0 || query.cacheStatus.includes(group.cache));

/** Filters that need the whole record, and are applied before a page is cut. */
function recordTest(query: LogQuery): Test | undefined {
  const tests: Test[] = [];
  const { edgeLocation, remoteIp, urlContains, userAgentContains, refererContains, requestId } = query;
  if (edgeLocation !== undefined) tests.push((record) => record.edgeLocation === edgeLocation);
  if (remoteIp !== undefined) tests.push((record) => record.remoteIp === remoteIp.replace(/\.\d+$/, '.0'));
  if (urlContains !== undefined) tests.push(({ url }) => has(url, urlContains));
  if (userAgentContains !== undefined) tests.push(({ userAgent }) => has(userAgent, userAgentContains));
  if (refererContains !== undefined) tests.push(({ referer }) => has(referer, refererContains));
  if (requestId !== undefined) tests.push((record) => record.requestId === requestId);
  return tests.length === 0 ? undefined : (record) => tests.every((test) => test(record));
}

/** Country and words are filtered after the page is cut: it may come back short, or empty (platform.md 10.1). */
function pageTest(query: LogQuery): Test {
  return (record) => {
    if (query.country.length > 0 && !query.country.includes(record.countryCode)) return false;
    if (query.search.length === 0) return true;
    const columns = Object.values(record).map((value) => String(value));
    return query.search.some((token) => columns.some((column) => has(column, token)));
  };
}

interface Source {
  model: Model;
  zone: Zone;
  view: View;
}

/** The minutes that a query may touch, in its order. */
function* minutesOf(source: Source, query: LogQuery): Generator<number> {
  const from = Math.max(Math.floor(query.from / MINUTE_MS), source.model.world.exactFrom);
  const to = Math.ceil(Math.min(query.to, source.view.until) / MINUTE_MS);
  if (query.requestId !== undefined) {
    const minute = minuteOfRequestId(source.zone, query.requestId);
    if (minute >= from && minute < to) yield minute;
    return;
  }
  if (query.order === 'asc') for (let minute = from; minute < to; minute++) yield minute;
  else for (let minute = to - 1; minute >= from; minute--) yield minute;
}

const countOf = (cell: Cell, wanted: (group: Group) => boolean): number =>
  cell.groups.reduce((sum, group) => sum + (wanted(group) ? group.count : 0), 0);

/** The page's requests and whether there are more. What is before the page is counted, not made. */
function readPage(source: Source, query: LogQuery): { handles: Handle[]; hasMore: boolean } {
  const { model, zone, view } = source;
  const wanted = groupTest(query);
  const test = recordTest(query);
  const until = Math.min(query.to, view.until);
  const copies = view.isDoubled ? 2 : 1;
  const handles: Handle[] = [];
  let toSkip = query.offset;
  for (const minute of minutesOf(source, query)) {
    const cell = model.minute(zone, minute);
    const isWhole = minute * MINUTE_MS >= query.from && (minute + 1) * MINUTE_MS <= until;
    const isCounted = isWhole && test === undefined && view.oneIn === 1 && view.heldShare === 0;
    const count = countOf(cell, wanted) * copies;
    if (count === 0) continue;
    if (isCounted && count <= toSkip) {
      toSkip -= count;
      continue;
    }
    if (isCounted && handles.length === query.limit) return { handles, hasMore: true };
    const inMinute = handlesOf(cell, wanted);
    if (query.order === 'desc') inMinute.reverse();
    for (const handle of inMinute) {
      if (handle.at < query.from || handle.at >= until || !isGiven(view, handle)) continue;
      if (test !== undefined && !test(recordOf(model.world, zone, handle))) continue;
      for (let copy = 0; copy < copies; copy++) {
        if (toSkip > 0) toSkip--;
        else if (handles.length < query.limit) handles.push(handle);
        else return { handles, hasMore: true };
      }
    }
  }
  return { handles, hasMore: false };
}

const iso = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');

/** the v2 access log's answer. */
export function logAnswer(source: Source, query: LogQuery) {
  const { model, zone, view } = source;
  const { handles, hasMore } = readPage(source, query);
  if (view.isUnordered) handles.sort((a, b) => shuffledPlace(a.at, a.hash) - shuffledPlace(b.at, b.hash));
  const data = handles.map((handle) => recordOf(model.world, zone, handle)).filter(pageTest(query));
  return {
    data,
    pagination: { offset: query.offset, limit: query.limit, returned: data.length, hasMore },
    query: { pullZoneId: zone.id, from: iso(query.from), to: iso(query.to), order: query.order },
  };
}

export interface FileQuery {
  /** Minute of the day's beginning. */
  day: number;
  start: number;
  end: number;
  isDescending: boolean;
  /** First digits of the statuses; empty for all. */
  status: string[];
  search?: string;
}

function line(record: AccessRecord): string {
  const at = Date.parse(record.timestamp);
  const { cacheStatus, statusCode, bytesSent, pullZoneId, remoteIp, referer, url, edgeLocation } = record;
  const last = [edgeLocation, record.userAgent ?? '-', record.requestId, record.countryCode];
  return [cacheStatus, statusCode, at, bytesSent, pullZoneId, remoteIp, referer ?? '-', url, ...last].join('|');
}

/** The lines of the v1 file of one day, made while they are read. */
export function* fileLines(source: Source, query: FileQuery): Generator<string> {
  const { model, zone, view } = source;
  const copies = view.isDoubled ? 2 : 1;
  const wanted = (group: Group) => query.status.length === 0 || query.status.includes(String(group.status)[0]!);
  const from = Math.max(query.day, model.world.exactFrom);
  const to = Math.min(query.day + DAY, Math.ceil(view.until / MINUTE_MS));
  let place = 0;
  for (let i = 0; i < to - from; i++) {
    const inMinute = handlesOf(model.minute(zone, query.isDescending ? to - 1 - i : from + i), wanted);
    if (query.isDescending) inMinute.reverse();
    for (const handle of inMinute) {
      if (handle.at >= view.until || !isGiven(view, handle)) continue;
      const text = line(recordOf(model.world, zone, handle));
      if (query.search !== undefined && !has(text, query.search)) continue;
      for (let copy = 0; copy < copies; copy++) {
        if (place >= query.end) return;
        if (place++ >= query.start) yield text;
      }
    }
  }
}

/** For tests: all ids of a minute. */
export const idsOf = (model: Model, zone: Zone, minute: number): string[] =>
  handlesOf(model.minute(zone, minute), () => true).map((handle) => requestIdOf(zone, handle));
