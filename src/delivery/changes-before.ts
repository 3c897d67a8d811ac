import { isDeepStrictEqual } from 'node:util';
import { duration } from '../blocks/format.ts';
import { markInWords } from '../blocks/mark.ts';
import { bold, moment, mrkdwn, plain, user, type Words } from '../blocks/mrkdwn.ts';
import type { Changed } from '../changed.ts';
import type { Services } from '../changes/services.ts';
import { BY_ITSELF, wordsOf } from '../changes/words.ts';
import { nameWithId } from '../operations/arguments/resources/look-up.ts';
import { backTo, isRunning, releaseBefore, releaseName } from '../operations/arguments/resources/releases.ts';
import { auditList } from '../operations/audit/list.ts';
import { scriptsOn } from '../operations/linked-scripts.ts';
import { publishedAt } from '../platform/resources/edge-scripts.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { HOUR, MINUTE } from '../time.ts';
import type { ChangesAround } from './services.ts';

/** In milliseconds: when it began is known only to within minutes. */
const ABOUT = 5 * MINUTE;

/** Changes in the two hours before the zones failed (`since`, Unix milliseconds) and after it. Undefined: the channel may not see them. */
export async function changesAround(
  services: Services,
  subscription: Subscription,
  zones: Readonly<Record<string, { since: number }>>,
): Promise<ChangesAround | undefined> {
  try {
    if (!(await mayRead(services, subscription))) return undefined;
    const begun = Math.min(...Object.values(zones).map(({ since }) => since));
    const found = await Promise.all(
      Object.entries(zones)
        .slice(0, 5)
        .map(([id, { since }]) => changedOn(services, Number(id), since, new Date(begun - 2 * HOUR))),
    );
    const others = found
      .flatMap(({ changes }) => changes)
      .filter((one) => !found.some(({ isCause }) => isCause(one)))
      .sort((one, other) => other.at.getTime() - one.at.getTime());
    const told = withoutUndos(others);
    const linesOf = (some: typeof told) =>
      few(some.map(({ one, isUndone }) => mrkdwn`${lineOf(services, one)}${isUndone ? ', undone' : ''}`));
    return {
      began: few(found.flatMap(({ began }) => began)),
      back: found.find(({ back }) => back !== undefined)?.back,
      before: linesOf(told.filter(({ one }) => one.at.getTime() < begun)),
      after: linesOf(told.filter(({ one }) => one.at.getTime() >= begun)),
    };
  } catch (error) {
    services.log.info({ err: error, subscription: subscription.id }, 'changes around an incident could not be read');
    return undefined;
  }
}

/** A change and its undo are one. Newest first. */
function withoutUndos(changes: readonly Changed[]) {
  const shown: { one: Changed; isUndone: boolean }[] = [];
  for (const one of changes) {
    const undo = shown.find((newer) => !newer.isUndone && isUndoOf(newer.one, one));
    if (undo === undefined) shown.push({ one, isUndone: false });
    else Object.assign(undo, { one, isUndone: true });
  }
  return shown;
}

const isUndoOf = (one: Changed, other: Changed): boolean =>
  one.by === 'bot' &&
  other.by === 'bot' &&
  one.entry.operation === other.entry.operation &&
  one.entry.target === other.entry.target &&
  other.entry.preview?.before !== undefined &&
  isDeepStrictEqual(one.entry.preview?.after, other.entry.preview.before) &&
  isDeepStrictEqual(one.entry.preview?.before, other.entry.preview.after);

/** The same change may be found for several zones. */
const few = (lines: readonly Words[]): Words[] =>
  [...new Map(lines.map((line) => [plain(line), line])).values()].slice(0, 3);

/** What the failure of a zone began after, the way back, and what else was changed on it. */
async function changedOn(services: Services, zone: number, since: number, from: Date) {
  // What was done then may be its reason.
  const [first, last] = [new Date(since - HOUR), new Date(since + ABOUT)];
  const [{ changes }, released] = await Promise.all([
    services.timeLine({ zone, from }),
    lastRelease(services, zone, first, last),
  ]);
  const marked = changes.find((one) => one.by === 'mark' && one.at >= first && one.at <= last);
  const began = marked?.by === 'mark' ? [beganAfter(since, marked.at, markInWords(marked.mark))] : [];
  if (released === undefined) return { changes, began, isCause: (one: Changed) => isDeepStrictEqual(one, marked) };
  const { at, script, release, before } = released;
  return {
    changes,
    began: [...began, beganAfter(since, at, mrkdwn`release ${releaseName(release)} of ${nameWithId(script)}`)],
    back: before && backTo(before, script),
    isCause: (one: Changed) =>
      isDeepStrictEqual(one, marked) ||
      (Math.abs(at.getTime() - one.at.getTime()) < ABOUT && JSON.stringify(one).includes(release.Uuid)),
  };
}

/** The last release of a script on the zone between two moments. `before`: what ran before it, if it still runs. */
async function lastRelease({ catalogue }: Services, zone: number, from: Date, to: Date) {
  const scripts = (await scriptsOn(zone, catalogue)).slice(0, 3);
  const read = scripts.map(async (script) => {
    const { items } = await catalogue.releases(script.Id);
    return items.flatMap((release) => {
      const at = publishedAt(release);
      if (at === undefined || at < from || at > to) return [];
      return [{ at, script, release, before: isRunning(release) ? releaseBefore(items) : undefined }];
    });
  });
  return (await Promise.all(read)).flat().sort((one, other) => other.at.getTime() - one.at.getTime())[0];
}

/** When the bot last emptied the zone’s cache, in Unix milliseconds. */
export async function lastEmptied(
  { operations, store }: Services,
  zone: number,
  since: Date,
): Promise<number | undefined> {
  const changes = operations.filter(({ emptiesCache }) => emptiesCache).map(({ name }) => name);
  const [last] = await store.audit.list({ target: `(${zone})`, changes, since, limit: 1 });
  return last?.at.getTime();
}

async function mayRead(services: Services, subscription: Subscription): Promise<boolean> {
  const { owner, team, channel, isOfSettings } = subscription;
  const place = await services.seePlace({ channelId: channel });
  if (place.external !== false) return false;
  // Made by whoever runs the bot.
  if (isOfSettings) return true;
  const actor = await services.actorNow({ id: owner, teamId: team, kind: 'member' });
  return services.policy.decide(auditList, actor, place).allowed;
}

/** `Began 3 min after deploy 4f2a of checkout` */
function beganAfter(since: number, at: Date, what: Words): Words {
  const time = since - at.getTime();
  const began = time < 2 * MINUTE ? 'Began within minutes of' : `Began ${duration(time)} after`;
  return mrkdwn`${bold(began)} ${what}`;
}

function lineOf(services: Services, one: Changed): Words {
  if (one.by === 'mark') return mrkdwn`${markInWords(one.mark)}, ${moment(one.at)}`;
  if (one.by !== 'bot') return mrkdwn`${one.actor} ${one.done}, ${moment(one.at)}`;
  const { operation, target, given, preview = { after: {} }, actor, detail } = one.entry;
  const { done } = wordsOf(services, { operation, target, given, preview });
  const [who, asked] = detail === BY_ITSELF ? ['Edgewise', mrkdwn`, as ${user(actor)} asked`] : [user(actor), ''];
  return mrkdwn`${who} ${done}${asked}, ${moment(one.at)}`;
}
