import type { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Actor, Reader } from '../operations/context.ts';
import type { SlackUser } from './origin.ts';

/** How long what Slack says of a person is believed, in milliseconds. */
const FRESH = 5 * 60_000;
const MOST = 5_000;

/** A person, as far as the bot needs to know: what they may be, and in which language and zone they read. */
export interface Person {
  actor: Actor;
  /** What comes after the @. */
  handle?: string | undefined;
  locale: string;
  timezone: string;
}

export interface People {
  /** Never throws: a person whom Slack does not describe is a stranger, and strangers may nothing. */
  find(id: string, teamId: string): Promise<Person>;
  readerOf(person: Person, now: Date): Reader;
}

/** Who somebody is that Slack names, and how they read. */
export type WhoIs = (person: SlackUser) => Promise<{ actor: Actor; reader: Reader }>;

export function createPeople(options: {
  client: webApi.WebClient;
  teamId: string;
  now: () => Date;
  log: Logger;
}): People {
  const { client, teamId: home, now, log } = options;
  const known = new Map<string, { at: number; person: Promise<Person> }>();

  async function ask(id: string, teamId: string): Promise<Person> {
    const stranger: Person = { actor: { id, teamId, kind: 'stranger' }, locale: 'en-US', timezone: 'UTC' };
    try {
      const { user } = await client.users.info({ user: id, include_locale: true });
      if (user === undefined || user.is_bot === true || user.deleted === true) return stranger;
      const foreign = user.is_stranger === true || (user.team_id !== undefined && user.team_id !== home);
      const guest = user.is_restricted === true || user.is_ultra_restricted === true;
      const name = user.profile?.display_name || user.real_name || user.name;
      return {
        actor: {
          id,
          teamId: user.team_id ?? teamId,
          kind: foreign ? 'stranger' : guest ? 'guest' : 'member',
          ...(name === undefined ? {} : { name }),
        },
        handle: user.name,
        locale: user.locale ?? 'en-US',
        timezone: user.tz ?? 'UTC',
      };
    } catch (error) {
      log.warn({ err: error, user: id }, 'Slack does not say who this is: treated as a stranger');
      known.delete(id);
      return stranger;
    }
  }

  return {
    find(id, teamId) {
      const entry = known.get(id);
      if (entry !== undefined && now().getTime() - entry.at < FRESH) return entry.person;
      if (known.size >= MOST) known.clear();
      const person = ask(id, teamId);
      known.set(id, { at: now().getTime(), person });
      return person;
    },
    readerOf: ({ locale, timezone }, at) => ({ locale, timezone, now: at }),
  };
}
