import { isDeepStrictEqual } from 'node:util';
import type { Button } from '@slack/types';
import { duration } from '../blocks/format.ts';
import { bold, moment, mrkdwn, plain, user, type Words } from '../blocks/mrkdwn.ts';
import type { Changed } from '../changed.ts';
import { refusalNow } from '../changes/permission.ts';
import type { Services } from '../changes/services.ts';
import { BY_ITSELF, wordsOf } from '../changes/words.ts';
import { nameWithId } from '../operations/arguments/resources/look-up.ts';
import { backTo, isRunning, releaseBefore, releaseName } from '../operations/arguments/resources/releases.ts';
import { auditList } from '../operations/audit/list.ts';
import { scriptsOn } from '../operations/linked-scripts.ts';
import { publishedAt } from '../platform/resources/edge-scripts.ts';
import { attemptId } from '../store/confirmations.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { HOUR, MINUTE } from '../time.ts';
import type { ChangesAround } from './services.ts';

/** Changes in the two hours before the zones failed (`since`, Unix milliseconds) and after it. Undefined: the channel may not see them. */
export async function changesAround(
  services: Services,
  subscription: Subscription,
  zones: Readonly<Record<string, { since: number }>>,
): Promise<ChangesAround | undefined> {
  try {
    const { owner, team, channel, isOfSettings } = subscription;
    const { external } = await services.seePlace({ channelId: channel });
    const asked = { actor: { id: owner, teamId: team }, place: { channelId: channel }, operation: auditList.name };
    // Subscriptions of the settings were made by whoever runs the bot.
    if (external !== false || (!isOfSettings && (await refusalNow(services, asked)) !== undefined)) return undefined;
    const begun = Math.min(...Object.values(zones).map(({ since }) => since));
    const changes: Changed[] = [];
    const causes: Awaited<ReturnType<typeof causesOf>> = [];
    for (const [zone, { since }] of Object.entries(zones).slice(0, 5)) {
      const line = await services.timeLine({ zone: Number(zone), from: new Date(begun - 2 * HOUR) });
      changes.push(...line.changes);
      causes.push(...(await causesOf(services, Number(zone), since, line.changes)));
    }
    const others = changes.filter((one) => !causes.some(({ is }) => is(one)));
    others.sort((one, other) => other.at.getTime() - one.at.getTime());
    const isUndone = (one: Changed) => others.some((other) => isUndoOf(other, one));
    // A change and its undo are one.
    const told = others.filter((one) => !others.some((other) => isUndoOf(one, other)));
    const linesOf = (some: readonly Changed[]) =>
      few(some.map((one) => mrkdwn`${lineOf(services, one)}${isUndone(one) ? ', undone' : ''}`));
    return {
      began: few(causes.map(({ began }) => began)),
      back: causes.find(({ back }) => back !== undefined)?.back,
      // A change of the same minute may have begun it.
      before: linesOf(told.filter(({ at }) => at.getTime() < begun + MINUTE)),
      after: linesOf(told.filter(({ at }) => at.getTime() >= begun + MINUTE)),
    };
  } catch (error) {
    services.log.info({ err: error, subscription: subscription.id }, 'changes around an incident could not be read');
    return undefined;
  }
}

const idOf = (one: Changed) => (one.by === 'bot' ? one.entry.confirmation : undefined);
const isUndoOf = (one: Changed, other: Changed) => idOf(one)?.startsWith(attemptId(idOf(other) ?? '?', 1)) === true;

/** The same change may be found for several zones. */
const few = (lines: readonly Words[]): Words[] =>
  [...new Map(lines.map((line) => [plain(line), line])).values()].slice(0, 3);

/** The last mark before a zone failed, and the last release of each script on it, with the way back. */
async function causesOf({ catalogue }: Services, zone: number, since: number, changes: readonly Changed[]) {
  // Its beginning is known to the minute.
  const isThen = (at = new Date(0)) => at.getTime() >= since - HOUR && at.getTime() < since + MINUTE;
  const causes: { began: Words; back?: Button | undefined; is(one: Changed): boolean }[] = [];
  const last = changes.find((one) => one.by === 'mark' && isThen(one.at));
  if (last?.by === 'mark')
    causes.push({ began: beganAfter(since, last.at, last.words), is: (one) => isDeepStrictEqual(one, last) });
  for (const script of (await scriptsOn(zone, catalogue)).slice(0, 3)) {
    const { items } = await catalogue.releases(script.Id);
    const release = items.find((one) => isThen(publishedAt(one)));
    if (release === undefined) continue;
    const at = publishedAt(release)!;
    const before = isRunning(release) ? releaseBefore(items) : undefined;
    causes.push({
      began: beganAfter(since, at, mrkdwn`release ${releaseName(release)} of ${nameWithId(script)}`),
      back: before && backTo(before, script),
      is: (one) =>
        Math.abs(at.getTime() - one.at.getTime()) < 5 * MINUTE &&
        JSON.stringify(one).includes(release.Uuid.slice(0, 8)),
    });
  }
  return causes;
}

/** When the zone’s cache was last emptied, with the bot or elsewhere, in Unix milliseconds. */
export async function lastEmptied(
  { operations, timeLine }: Pick<Services, 'operations' | 'timeLine'>,
  zone: number,
  since: Date,
) {
  const { changes } = await timeLine({ zone, from: since });
  const commandOf = (one: Changed) =>
    one.by === 'bot' ? one.entry.operation : one.by === 'mark' ? undefined : one.operation;
  const last = changes.find((one) => operations.find(({ name }) => name === commandOf(one))?.emptiesCache);
  return last?.at.getTime();
}

/** `Began 3 min after deploy 4f2a of checkout` */
function beganAfter(since: number, at: Date, what: Words): Words {
  const time = since - at.getTime();
  const began = time < 2 * MINUTE ? 'Began within minutes of' : `Began ${duration(time)} after`;
  return mrkdwn`${bold(began)} ${what}`;
}

function lineOf(services: Services, one: Changed): Words {
  if (one.by === 'mark') return mrkdwn`${one.words}, ${moment(one.at)}`;
  if (one.by !== 'bot') return mrkdwn`${one.actor} ${one.done}, ${moment(one.at)}`;
  const { operation, target, given, preview = { after: {} }, actor, detail } = one.entry;
  const { done } = wordsOf(services, { operation, target, given, preview });
  const [who, asked] = detail?.startsWith(BY_ITSELF)
    ? ['Edgewise', mrkdwn`, as ${user(actor)} asked`]
    : [user(actor), ''];
  return mrkdwn`${who} ${done}${asked}, ${moment(one.at)}`;
}
