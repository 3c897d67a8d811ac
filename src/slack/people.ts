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

/** What the bot needs to know of a person: their standing, language and time zone. */
interface Person {
  actor: Actor;
  /** The name after the @. */
  handle?: string | undefined;
  locale: string;
  /** Undefined: Slack gives no valid time zone. */
  timezone?: string | undefined;
  /** Belongs to an organisation on Enterprise Grid, where a person may have two ids. */
  isOnGrid?: boolean;
  /** Why Slack did not describe them. Until it does they count as a stranger. */
  unanswered?: unknown;
}

interface Knowing extends Asking {
  /** The bot’s workspace. People of other workspaces are strangers. */
  teamId: string;
  /** Ids in the policy and its groups. On Grid Slack is asked which person each one is. */
  named?: () => readonly string[];
}

export type People = ReturnType<typeof createPeople>;

/** Asks Slack, and uses an answer for five minutes. */
export function createPeople(services: Knowing) {
  const known = new Map<string, { at: number; person: Promise<Person> }>();
  /** Each id of a person → the one id that is used, which never changes. */
  const same = new Map<string, string>();
  function ask(id: string, teamId: string, fresh: boolean): Promise<Person> {
    const now = services.now().getTime();
    const entry = known.get(id);
    if (!fresh && entry !== undefined && now - entry.at < 5 * MINUTE) return entry.person;
    if (known.size >= 5_000) known.clear();
    const person = read(services, id, teamId).catch((error: unknown): Person => {
      services.log.warn({ err: error, user: id }, 'Slack does not say who this is: treated as a stranger');
      known.delete(id);
      const stranger: Person = { actor: { id, teamId, kind: 'stranger' }, locale: 'en-US' };
      return isGone(error, 'person') ? stranger : { ...stranger, unanswered: error };
    });
    known.set(id, { at: now, person });
    return person;
  }
  async function find(id: string, teamId: string, { fresh } = { fresh: false }): Promise<Person> {
    const person = await ask(id, teamId, fresh);
    if (!person.isOnGrid) return person;
    same.set(id, person.actor.id);
    // A few at a time, because Slack limits calls.
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
    /** Never throws: a person whom Slack does not describe is a stranger. `fresh` asks Slack now. */
    find,
    /** The one id of a person. On Grid groups and payloads may name another one. */
    idOf,
    /** All known ids of a person. */
    idsOf: (id: string) => [
      ...new Set([id, idOf(id), ...[...same.keys()].filter((other) => idOf(other) === idOf(id))]),
    ],
  };
}

/** Slack’s description of a person. Undefined: Slack does not answer. */
export const describedIn =
  (people: People, teamId: string): Described<Actor> =>
  async (id) => {
    const { actor, unanswered } = await people.find(id, teamId);
    return unanswered === undefined ? actor : undefined;
  };

/** The sender of a payload: their standing, language and time zone. Refreshes the policy’s groups if they are old. Throws UsageError. */
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
  const zone = timezone === undefined ? { timezone: 'UTC', hasNoTimezone: true } : { timezone };
  return { actor, reader: { locale, ...zone, now: now() } };
}

/** The next step after Slack did not answer. Nothing was changed. */
function nextAfter(error: unknown): string {
  const meaning = meansOf(error);
  const isUnsure = meaning?.kind === 'pass' && meaning.unsure === true;
  return (isUnsure ? undefined : usageErrorOf(error)?.hint) ?? 'Try again in a moment.';
}

/** A person as Slack describes them now, with the policy’s groups read again. Throws UsageError if Slack does not answer. */
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

async function read({ client, teamId: home }: Knowing, id: string, teamId: string): Promise<Person> {
  const { user } = await client.users.info({ user: id, include_locale: true });
  if (user === undefined || !isDescribed(user)) throw new Error('users.info does not say who this is');
  const kind = membershipOf({ ...user, id }, home);
  const name = user.profile?.display_name || user.real_name || user.name;
  const oneId = kind === 'stranger' ? undefined : user.enterprise_user?.id;
  return {
    actor: {
      id: oneId || id,
      // On Grid Slack names one of a member’s workspaces. For the bot it is always its own.
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
