import { count, percent } from '../blocks/format.ts';
import { bold, join, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import { isLinked } from '../operations/linked-scripts.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import {
  type Asked,
  isUnlogged,
  LOG_LATE,
  type Looked,
  minutesAfter,
  type Seen,
  TEN,
  type WorseFigure,
} from '../reports/minutes-after.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { WATCH_EVERY } from '../store/reversals.ts';
import { MINUTE } from '../time.ts';
import { contextOf, findConfirmation, placeOf, resolve } from './context.ts';
import { namesOf, subjectsOf } from './permission.ts';
import type { Services } from './services.ts';

/** In milliseconds. Until the ten minutes after a change are in the log. */
export const AFTER = TEN + LOG_LATE;
/** In milliseconds. A watched change is looked at once more behind that. */
export const WATCH_FOR = AFTER + WATCH_EVERY / 2;

/** It changes a zone, and nothing else has to be done before visitors feel it. */
export const changesZone = (operation: AnyOperation): boolean =>
  operation.effect !== 'read' &&
  operation.completedBy === undefined &&
  subjectsOf(operation).some((subject) => subject === 'zone' || subject === 'script');

export interface ChangedZone {
  confirmation: Confirmation;
  operation: AnyOperation;
  zone: PullZone;
}

/** The zone that is among the things that a change names. Undefined: no list has it, or it is not known any more. */
export async function zoneOf(services: Services, id: string, signal: AbortSignal): Promise<ChangedZone | undefined> {
  const { confirmation, operation } = (await findConfirmation(services, id)) ?? {};
  if (confirmation === undefined || confirmation.unreadable === true || confirmation.emptied === true) return undefined;
  if (operation === undefined || !changesZone(operation)) return undefined;
  const place = await services.seePlace(placeOf(confirmation));
  const actor = { id: confirmation.actor, teamId: confirmation.team, kind: 'member' as const };
  const context = contextOf(services, { actor, place, signal });
  const { values } = await resolve(operation, confirmation.given, context, false);
  const zone = await zoneAmong(services, operation, values);
  return zone && { confirmation, operation, zone };
}

/** Of the zones of a script the busiest. */
export async function zoneAmong(
  { catalogue }: Pick<Services, 'catalogue'>,
  operation: AnyOperation,
  values: Readonly<Record<string, unknown>>,
): Promise<PullZone | undefined> {
  const { zone = [], script = [] } = namesOf(operation, values);
  const [zones, scripts] = [new Set(zone.flat()), new Set(script.flat())];
  if (zones.size + scripts.size === 0) return undefined;
  const { items } = await catalogue.zones();
  if (zones.size > 0) return items.find(({ Id }) => zones.has(String(Id)));
  const found = (await catalogue.scripts()).items.find(({ Id }) => scripts.has(String(Id)));
  const busy = ({ MonthlyBandwidthUsed }: PullZone) => MonthlyBandwidthUsed ?? 0;
  return found && items.filter((one) => isLinked(found, one)).toSorted((one, other) => busy(other) - busy(one))[0];
}

export const lookAfter = (
  { platform, hours, now }: Services,
  { operation, zone }: Pick<ChangedZone, 'operation' | 'zone'>,
  look: Omit<Asked, 'zone' | 'now' | 'emptiesCache'>,
  signal: AbortSignal,
): Promise<Looked> =>
  minutesAfter(
    { platform, hours, signal },
    { ...look, zone: zone.Id, now: now().getTime(), emptiesCache: operation.emptiesCache === true },
  );

/** Looks at a watched change. If its zone fails more, and nothing else was changed on it since, its undo is due now. */
export async function watchOnce(services: Services, id: string): Promise<void> {
  const { store, now, timeLine } = services;
  const { state, watchUntil, why } = (await store.reversals.read(id)) ?? {};
  if (state !== 'open' || why !== undefined || watchUntil === undefined || watchUntil <= now()) return;
  const at = watchUntil.getTime() - WATCH_FOR;
  const signal = AbortSignal.timeout(MINUTE / 2);
  const changed = await zoneOf(services, id, signal);
  const seen = changed && (await lookAfter(services, changed, { at, sure: 'undone', isLast: true }, signal));
  if (changed === undefined || seen === undefined || !isSeen(seen) || !seen.worse.includes('5xx')) return;
  if (await isChangedSince({ timeLine, now }, changed, at)) return;
  await store.reversals.hasten(id, shareWords(seen));
}

/** Whether anything else was changed on the zone, whoever did it. */
export async function isChangedSince(
  { timeLine, now }: Pick<Services, 'timeLine' | 'now'>,
  { confirmation: { id }, zone }: ChangedZone,
  at: number,
): Promise<boolean> {
  const { changes, isCut, failure } = await timeLine({ zone: zone.Id, from: new Date(at), to: now() });
  // What cannot be read may have been changed.
  return isCut || failure !== undefined || changes.some((one) => one.by !== 'bot' || one.entry.confirmation !== id);
}

export const isSeen = (looked: Looked): looked is Seen => typeof looked === 'object' && 'worse' in looked;

const shareOf = (part: number, of: number) => percent(of === 0 ? 0 : (100 * part) / of);
const failing = ({ failed, read }: Seen['after']) => shareOf(failed, read);
const hitting = ({ cached, cacheable }: Seen['after']) => shareOf(cached, cacheable);
const shareWords = ({ before, after }: Seen) => `${failing(after)} of requests failed (5xx), ${failing(before)} before`;
const rounded = (amount: number) => count(Number(amount.toPrecision(3)));

/** All figures, each with the usual of that hour. */
function figuresLine({ before, after, response, usual }: Seen): string {
  const ms = (value: number) => `${count(Math.round(value))} ms`;
  const usually = (value: string | undefined) => (value === undefined ? '' : ` (usually ${value})`);
  return [
    `5xx ${failing(before)} → ${failing(after)}${usually(usual && percent(100 * usual['5xx']))}`,
    before.cacheable + after.cacheable > 0 &&
      `hit rate ${hitting(before)} → ${hitting(after)}${usually(usual && percent(100 * usual.hits))}`,
    response !== undefined &&
      `origin ${ms(response.before)} → ${ms(response.after)}${usually(usual && ms(usual.response))}`,
    `requests ${rounded(before.requests)} → ${rounded(after.requests)}${usually(usual && rounded(usual.requests))}`,
  ]
    .filter((part) => part !== false)
    .join(' · ');
}

const WORSE: Readonly<Record<WorseFigure, (seen: Seen) => string>> = {
  '5xx': shareWords,
  response: ({ response }) =>
    `the origin takes ${count(Math.round(response!.after))} ms, ${count(Math.round(response!.before))} ms before`,
  hits: ({ before, after }) => `the cache answers ${hitting(after)}, ${hitting(before)} before`,
  requests: ({ before, after }) =>
    `${rounded(after.requests)} requests came in ten minutes, ${rounded(before.requests)} before`,
  redirects: ({ before, after }) =>
    `${shareOf(after.redirected, after.read)} of answers are redirects, ${shareOf(before.redirected, before.read)} before`,
  refusals: ({ before, after }) =>
    `${shareOf(after.refused, after.read)} of requests are refused (4xx), ${shareOf(before.refused, before.read)} before`,
};

export const worseWords = (seen: Seen): string => seen.worse.map((figure) => WORSE[figure](seen)).join('; ');

/** The line that a change’s message gets. */
export function afterLine(looked: Exclude<Looked, 'late'>, zone: PullZone): Words {
  if (!isSeen(looked)) {
    const why = isUnlogged(looked.unread) ? 'this zone keeps no access log' : 'its log could not be read';
    return `I can’t tell what the zone did in the ten minutes after: ${why}.`;
  }
  const { before, after, isFew, worse } = looked;
  if (isFew)
    return `Ten minutes after: too few requests to tell (${count(Math.round(before.requests))} before, ${count(Math.round(after.requests))} after).`;
  const verdict = worse.length === 0 ? 'no clear change' : 'worse';
  return join(
    [
      mrkdwn`${worse.length === 0 ? '' : '⚠️ '}${zone.Name ?? String(zone.Id)}, ten minutes after: ${bold(verdict)}`,
      figuresLine(looked),
    ],
    ' · ',
  );
}
