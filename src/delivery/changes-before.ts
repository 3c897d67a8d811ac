import { duration } from '../blocks/format.ts';
import { markInWords } from '../blocks/mark.ts';
import { bold, moment, mrkdwn, plain, user, type Words } from '../blocks/mrkdwn.ts';
import type { Changed } from '../changed.ts';
import { operationNamed } from '../changes/context.ts';
import type { Services } from '../changes/services.ts';
import { wordsFor } from '../changes/words.ts';
import { auditList } from '../operations/audit/list.ts';
import type { State } from '../operations/operation.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { HOUR, MINUTE } from '../time.ts';
import type { Released, Releases } from './releases-before.ts';
import type { ChangesAround } from './services.ts';

const MOST = 3;
/** In milliseconds before an incident. */
const BEFORE = 2 * HOUR;
/** In milliseconds before an incident: what was done then may be its reason. */
const SOON = HOUR;
/** In milliseconds: when it began is known only to within minutes. */
const ABOUT = 5 * MINUTE;

/** Changes in the two hours before the zones failed (`since`, Unix milliseconds) and after it. Undefined: the channel may not see them. */
export async function changesAround(
  services: Services & { releases: Pick<Releases, 'last'> },
  subscription: Subscription,
  zones: Readonly<Record<string, { since: number }>>,
): Promise<ChangesAround | undefined> {
  try {
    if (!(await mayRead(services, subscription))) return undefined;
    const begun = Math.min(...Object.values(zones).map(({ since }) => since));
    const from = new Date(begun - BEFORE);
    const ids = Object.keys(zones).slice(0, 5);
    const found = await Promise.all(
      ids.map(async (id) => {
        const zone = Number(id);
        const { since } = zones[id]!;
        const [{ changes }, released] = await Promise.all([
          services.timeLine({ zone, from }),
          releaseOf(services, zone, since),
        ]);
        const marked = changes.find((one) => one.by === 'mark' && isReason(one.at, since));
        return { since, changes, marked, released };
      }),
    );
    const all = [...new Map(found.flatMap(({ changes }) => changes.map((one) => [keyOf(one), one]))).values()];
    const isBefore = ({ at }: Changed) => at.getTime() < begun + ABOUT;
    const linesOf = (some: Changed[]) =>
      some
        .sort((a, b) => b.at.getTime() - a.at.getTime())
        .slice(0, MOST)
        .map((one) => lineOf(services, one));
    const told = new Set(found.map(({ marked }) => marked && keyOf(marked)));
    const began = found.flatMap(({ since, marked, released }) => [
      ...(marked?.by === 'mark' ? [beganAfter(since, marked.at, markInWords(marked.mark))] : []),
      ...(released === undefined ? [] : [beganAfter(since, released.at, released.words)]),
    ]);
    return {
      began: [...new Map(began.map((line) => [plain(line), line])).values()].slice(0, MOST),
      back: found.find(({ released }) => released?.back !== undefined)?.released?.back,
      before: linesOf(all.filter((one) => isBefore(one) && !told.has(keyOf(one)))),
      after: linesOf(all.filter((one) => !isBefore(one) && !told.has(keyOf(one)))),
    };
  } catch (error) {
    services.log.info({ err: error, subscription: subscription.id }, 'changes around an incident could not be read');
    return undefined;
  }
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

/** The same change may be found for several zones. */
function keyOf(one: Changed): number | string {
  if (one.by === 'mark') return `${one.at.getTime()} ${one.mark.text}`;
  return one.by === 'bot' ? one.entry.number : one.key;
}

/** What cannot be read is left out: the rest of the message does not wait for it. */
async function releaseOf(
  { releases, log }: Pick<Services, 'log'> & { releases: Pick<Releases, 'last'> },
  zone: number,
  since: number,
): Promise<Released | undefined> {
  try {
    return await releases.last(zone, new Date(since - SOON), new Date(since + ABOUT));
  } catch (error) {
    log.info({ err: error }, 'releases before an incident could not be read');
    return undefined;
  }
}

const isReason = (at: Date, since: number): boolean => at.getTime() >= since - SOON && at.getTime() <= since + ABOUT;

/** `Began 3 min after deploy 4f2a of checkout` */
function beganAfter(since: number, at: Date, what: Words): Words {
  const time = since - at.getTime();
  const began = time < 2 * MINUTE ? 'Began within minutes of' : `Began ${duration(time)} after`;
  return mrkdwn`${bold(began)} ${what}`;
}

function lineOf(services: Services, one: Changed): Words {
  if (one.by === 'mark') return mrkdwn`${markInWords(one.mark)}, ${moment(one.at)}`;
  if (one.by !== 'bot') return mrkdwn`${one.actor} ${one.done}, ${moment(one.at)}`;
  const { operation: name, target, given, preview, actor, at } = one.entry;
  const operation = operationNamed(services, name);
  const { before, after } = (preview ?? { after: {} }) as { before?: State; after: State };
  const done =
    operation === undefined
      ? mrkdwn`ran ${name} on ${target}`
      : wordsFor(operation, { target, given, before, after }).done;
  return mrkdwn`${user(actor)} ${done}, ${moment(at)}`;
}
