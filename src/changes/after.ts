import { count, duration, share } from '../blocks/format.ts';
import { bold, join, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import type { Changed } from '../changed.ts';
import { TOLERANCE } from '../operations/changes/match.ts';
import { zonesOf } from '../operations/now.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import { type Asked, IN_LOG, isUnlogged, type Looked, minutesAfter, type Seen } from '../reports/minutes-after.ts';
import { WATCH_EVERY } from '../store/reversals.ts';
import { MINUTE } from '../time.ts';
import { contextOf, findConfirmation, placeOf, type Resolved, resolve } from './context.ts';
import { namesOf, spokenOf } from './permission.ts';
import type { Services } from './services.ts';

/** In milliseconds. A watched change is looked at once more when its ten minutes are in the log. */
export const WATCH_FOR = IN_LOG + WATCH_EVERY / 2;

/** The zone that is among the things that a change names, or why that cannot be read. Undefined: no list has it. */
export async function zoneOf(services: Services, id: string, signal: AbortSignal) {
  const found = await findConfirmation(services, id);
  if (found === undefined || found.confirmation.unreadable || found.confirmation.emptied) return undefined;
  const { confirmation, operation } = found;
  const place = await services.seePlace(placeOf(confirmation));
  const actor = { ...spokenOf(confirmation).actor, kind: 'member' as const };
  const context = contextOf(services, { actor, place, signal });
  const { values } = await resolve(operation, confirmation.given, context, false);
  const zone = await zoneAmong(services, operation, values);
  if (zone !== undefined) return { confirmation, operation, zone, context };
  const lists = await Promise.all([services.catalogue.zones(), services.catalogue.scripts()]);
  const why = lists.find(({ missing }) => missing !== undefined)?.missing;
  return why === undefined
    ? undefined
    : { confirmation, operation, unread: new Error(`its zone cannot be looked up, because ${why}`) };
}

/** For a script, the busiest of its zones. */
export async function zoneAmong({ catalogue }: Services, operation: AnyOperation, values: Resolved['values']) {
  const ids = await zonesOf(namesOf(operation, values), catalogue);
  if (ids.size === 0) return undefined;
  const zones = (await catalogue.zones()).items.filter(({ Id }) => ids.has(String(Id)));
  const busy = ({ MonthlyBandwidthUsed }: PullZone) => MonthlyBandwidthUsed ?? 0;
  return zones.toSorted((one, other) => busy(other) - busy(one))[0];
}

export function lookAfter(services: Services, operation: AnyOperation, look: Omit<Asked, 'now'>, signal: AbortSignal) {
  const { emptiesCache, keepsOut } = operation;
  return minutesAfter({ ...services, signal }, { ...look, emptiesCache, keepsOut, now: services.now().getTime() });
}

/** Looks at a watched change. If its zone fails more, and nothing else was changed on it since, its undo is due now. */
export async function watchOnce(services: Services, id: string): Promise<void> {
  const { store, now } = services;
  const { state, watchUntil, why } = (await store.reversals.read(id)) ?? {};
  if (state !== 'open' || why !== undefined || watchUntil === undefined || watchUntil <= now()) return;
  const at = watchUntil.getTime() - WATCH_FOR;
  const signal = AbortSignal.timeout(MINUTE / 2);
  const changed = await zoneOf(services, id, signal);
  if (changed?.zone === undefined) return;
  const seen = await lookAfter(services, changed.operation, { zone: changed.zone.Id, at, least: 4 }, signal);
  if ('unread' in seen || !seen.worse.includes('5xx')) return;
  if (await isChangedSince(services, changed.zone.Id, id, at)) return;
  await store.reversals.hasten(id, worseWords(seen));
}

/** Whether anything else was changed on the zone, whoever did it. The platform’s clock may be behind the store’s. */
export async function isChangedSince({ timeLine }: Services, zone: number, id: string, at: number): Promise<boolean> {
  const { changes, isCut, failure } = await timeLine({ zone, from: new Date(at - TOLERANCE) });
  const isOther = (one: Changed) =>
    one.by === 'somebody else' || (one.by === 'bot' && one.at.getTime() >= at && one.entry.confirmation !== id);
  // What cannot be read may have been changed.
  return isCut || failure !== undefined || changes.some(isOther);
}

/** `5xx 0.1% → 12% (usually 0.2%)`. Undefined: nothing shows it. */
function figuresOf({ before, after, response, usual }: Seen) {
  const figure = (name: string, say: (value: number) => string, was: number, is: number, usually?: number) =>
    `${name} ${say(was)} → ${say(is)}${usually === undefined ? '' : ` (usually ${say(usually)})`}`;
  const part = (value: number) => share(value, 1);
  const many = (value: number) => count(Number(value.toPrecision(3)));
  const shares = (name: string, of: keyof Seen['after'], all: keyof Seen['after'], usually?: number) =>
    figure(name, part, before[of] / before[all], after[of] / after[all], usually);
  return {
    '5xx': shares('5xx', 'failed', 'read', usual?.['5xx']),
    hits: before.cacheable + after.cacheable > 0 ? shares('hit rate', 'cached', 'cacheable', usual?.hits) : undefined,
    response: response && figure('origin', duration, response.before, response.after, usual?.response),
    requests: figure('requests', many, before.requests, after.requests, usual?.requests),
    redirects: shares('redirects', 'redirected', 'read'),
    refusals: shares('refused (4xx)', 'refused', 'read'),
  };
}

export const worseWords = (seen: Seen): string => seen.worse.map((figure) => figuresOf(seen)[figure]).join('; ');

/**
 * A share moved by ten points, half the requests or twice the time is not “no clear change”, even if it may be chance.
 */
function farWorse({ before, after, response }: Seen, { keepsOut }: AnyOperation) {
  const grown = (part: keyof Seen['after'], all: keyof Seen['after']) =>
    (after[part] / after[all] || 0) - (before[part] / before[all] || 0);
  const isTurning = !keepsOut && before.read > 0;
  return {
    '5xx': grown('failed', 'read') > 0.1 && 'more failed',
    hits: after.cacheable > 0 && grown('cached', 'cacheable') < -0.1 && 'fewer cache hits',
    response: response && response.after > Math.max(2 * response.before, response.before + 30) && 'slower origin',
    requests: !keepsOut && after.requests < before.requests / 2 && 'fewer requests',
    redirects: isTurning && grown('redirected', 'read') > 0.1 && 'more redirects',
    refusals: isTurning && grown('refused', 'read') > 0.1 && 'more refused',
  };
}

/** The line that a change’s message gets. */
export function afterLine(looked: Looked, operation: AnyOperation, zone: PullZone | undefined): Words {
  if ('unread' in looked) {
    const why = isUnlogged(looked.unread) ? 'this zone keeps no access log' : 'its log could not be read';
    return `I can’t tell what the zone did in the ten minutes after: ${why}.`;
  }
  const { before, after, isFew, worse } = looked;
  if (isFew)
    return `Ten minutes after: too few requests to tell (${count(Math.round(before.requests))} before, ${count(Math.round(after.requests))} after${after.failed === 0 ? '' : `, of which ${after.failed} failed`}).`;
  // Failures that began before the change are not blamed on it, but their increase is mentioned.
  const isMore =
    before.failed >= 3 && after.failed >= 12 && after.failed * before.read > 1.5 * before.failed * after.read;
  const same = operation.keepsOut ? 'no clear change for other visitors' : 'no clear change';
  const far = farWorse(looked, operation);
  const much = Object.values(far).filter(Boolean).join(', ');
  const isFilling = operation.emptiesCache && much === far.hits;
  const why = isFilling ? 'as the cache fills again' : 'which may be chance or ordinary for this zone';
  const some = much === '' ? same : `${much}, ${why}`;
  const fewer = isMore ? 'it was already failing before this change, and is failing more now' : some;
  const verdict = mrkdwn`${zone?.Name ?? String(zone?.Id)}, ten minutes after: ${bold(worse.length === 0 ? fewer : 'worse')}`;
  const { redirects, refusals, ...usual } = figuresOf(looked);
  const turned = [far.redirects && redirects, far.refusals && refusals];
  const figures = [...Object.values(usual), ...turned].flatMap((figure) => figure || []);
  return join([mrkdwn`${worse.length === 0 ? '' : '⚠️ '}${verdict}`, ...figures], ' · ');
}
