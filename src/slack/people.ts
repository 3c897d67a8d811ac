import { UsageError } from '../errors.ts';
import type { Actor, Reader } from '../operations/context.ts';
import type { Described } from '../policy/policy.ts';
import { isTimezone } from '../schedule/offsets.ts';
import { MINUTE } from '../time.ts';
import type { Asking } from './clients.ts';
import type { SlackDirectory } from './directory.ts';
import { isDescribed, membershipOf } from './membership.ts';
import { refusedPost } from './out/posts.ts';
import { isGone, meansOf, usageErrorOf } from './refusals.ts';

/** How long what Slack says of a person is believed, in milliseconds. */
const FRESH = 5 * MINUTE;
const MOST_KNOWN = 5_000;

/** A person, as far as the bot needs to know: what they may be, and in which language and zone they read. */
interface Person {
  actor: Actor;
  /** The name after the @. */
  handle?: string | undefined;
  locale: string;
  /** Undefined: Slack says none that exists. */
  timezone?: string | undefined;
  /** They belong to an organisation on Enterprise Grid, where somebody may have two ids. */
  isOnGrid?: boolean;
  /** Why Slack did not say who this is: they are treated as a stranger until it does. */
  unanswered?: unknown;
}

/** The people of the workspace. */
export interface People {
  /** Never throws: a person whom Slack does not describe is a stranger, and strangers may do nothing. `fresh` asks Slack now. */
  find(id: string, teamId: string, options?: { fresh: boolean }): Promise<Person>;
  /** The one id of somebody: on Grid they may have another one, which groups and payloads name. */
  idOf(id: string): string;
  /** All ids of somebody that are known. */
  idsOf(id: string): string[];
}

interface Knowing extends Asking {
  /** The workspace's own: whoever is of another one is a stranger. */
  teamId: string;
  /** The ids that the policy names, with those of its groups: on Grid it is asked whose they are. */
  named?: () => readonly string[];
}

/** Asks Slack, and believes the answer for five minutes. */
export function createPeople(services: Knowing): People {
  const known = new Map<string, { at: number; person: Promise<Person> }>();
  /** Each id of somebody → their one id, which stays. */
  const same = new Map<string, string>();
  function ask(id: string, teamId: string, fresh: boolean): Promise<Person> {
    const now = services.now().getTime();
    const entry = known.get(id);
    if (!fresh && entry !== undefined && now - entry.at < FRESH) return entry.person;
    if (known.size >= MOST_KNOWN) known.clear();
    const person = read(services, id, teamId).catch((error: unknown): Person => {
      services.log.warn({ err: error, user: id }, 'Slack does not say who this is: treated as a stranger');
      known.delete(id);
      const stranger = strangerOf(id, teamId);
      return isGone(error, 'person') ? stranger : { ...stranger, unanswered: error };
    });
    known.set(id, { at: now, person });
    return person;
  }
  async function find(id: string, teamId: string, { fresh } = { fresh: false }): Promise<Person> {
    const person = await ask(id, teamId, fresh);
    if (!person.isOnGrid) return person;
    same.set(id, person.actor.id);
    // A few at a time: Slack counts how often it is asked.
    const others = (services.named?.() ?? []).filter((other) => !same.has(other));
    for (let at = 0; at < others.length; at += 10) {
      await Promise.all(
        others.slice(at, at + 10).map(async (other) => {
          const { actor, unanswered } = await ask(other, teamId, false);
          if (unanswered === undefined) same.set(other, actor.id);
        }),
      );
    }
    return person;
  }
  const idOf = (id: string) => same.get(id) ?? id;
  return {
    find,
    idOf,
    idsOf: (id) => [...new Set([id, idOf(id), ...[...same.keys()].filter((other) => idOf(other) === idOf(id))])],
  };
}

/** What Slack says of somebody; undefined where it does not answer. */
export const describedIn =
  (people: People, teamId: string): Described<Actor> =>
  async (id) => {
    const { actor, unanswered } = await people.find(id, teamId);
    return unanswered === undefined ? actor : undefined;
  };

/** Somebody whom Slack names: what they are to the policy, whose groups are read where they are old, and how they read. Throws UsageError where Slack does not say. */
export async function whoIs(
  { people, directory, now }: { people: People; directory: Pick<SlackDirectory, 'catchUp'>; now: () => Date },
  { userId, teamId }: { userId: string; teamId: string },
): Promise<{ actor: Actor; reader: Reader }> {
  const [{ actor, locale, timezone, unanswered }] = await Promise.all([
    people.find(userId, teamId),
    directory.catchUp(),
  ]);
  if (unanswered !== undefined) {
    throw new UsageError('Slack did not say who you are, so I did nothing.', { hint: nextAfter(unanswered) });
  }
  const isUnknown = timezone === undefined;
  const reader = {
    locale,
    timezone: timezone ?? 'UTC',
    ...(isUnknown ? { hasNoTimezone: isUnknown } : {}),
    now: now(),
  };
  return { actor, reader };
}

/** The next step after a question that Slack did not answer: it has changed nothing that would have to be looked at. */
function nextAfter(error: unknown): string {
  const meaning = meansOf(error);
  const isUnsure = meaning?.kind === 'pass' && meaning.unsure === true;
  return (isUnsure ? undefined : usageErrorOf(error)?.hint) ?? 'Try again in a moment.';
}

/** Somebody as Slack has them at this moment, with the groups that the policy names. Throws UsageError where Slack does not say. */
export async function actorNow(
  { people, directory }: { people: People; directory: Pick<SlackDirectory, 'askGroups' | 'catchUp'> },
  { id, teamId }: Pick<Actor, 'id' | 'teamId'>,
): Promise<Actor> {
  const failed = (error: unknown) => ({ error });
  const [groups] = await Promise.all([directory.askGroups().catch(failed), directory.catchUp()]);
  const { actor, unanswered } = await people.find(id, teamId, { fresh: true });
  const error = groups?.error ?? unanswered;
  if (error === undefined) return actor;
  const hint = nextAfter(error);
  const unsaid = new UsageError('Slack did not say who may do this now. Nothing was done.', { hint });
  unsaid.cause = refusedPost(error);
  throw unsaid;
}

const strangerOf = (id: string, teamId: string): Person => ({
  actor: { id, teamId, kind: 'stranger' },
  locale: 'en-US',
});

async function read({ client, teamId: home }: Knowing, id: string, teamId: string): Promise<Person> {
  const { user } = await client.users.info({ user: id, include_locale: true });
  if (user === undefined || !isDescribed(user)) throw new Error('users.info does not say who this is');
  const kind = membershipOf({ ...user, id }, home);
  const name = user.profile?.display_name || user.real_name || user.name;
  const oneId = kind === 'stranger' ? undefined : user.enterprise_user?.id;
  return {
    actor: {
      id: oneId || id,
      // On Grid those who belong here have one fixed workspace of many: what is theirs belongs to this one.
      teamId: kind === 'stranger' ? (user.team_id ?? teamId) : home,
      kind,
      ...(name === undefined ? {} : { name }),
    },
    ...(oneId ? { isOnGrid: true } : {}),
    handle: user.name,
    locale: user.locale ?? 'en-US',
    timezone: isTimezone(user.tz ?? '') ? user.tz : undefined,
  };
}
