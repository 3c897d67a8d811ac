import type { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import { type Directory, isChannelId, isGroupId } from '../policy/directory.ts';

/** How often groups are read again, in milliseconds: so long somebody who left one keeps its rights. */
export const REFRESH_EVERY = 60_000;
/** People and channels change seldom, in milliseconds. */
const SELDOM = 10 * 60_000;
/** How long what was read is believed while Slack does not answer, in milliseconds. After that nobody is found. */
const BELIEVED = 15 * 60_000;
/** Most pages of channels that are read, of a thousand each. */
const MOST_PAGES = 50;

/** What a policy names of Slack. */
export interface References {
  people: readonly string[];
  groups: readonly string[];
  channels: readonly string[];
}

/** A policy that names nobody. */
export const NO_REFERENCES: References = { people: [], groups: [], channels: [] };

/** The people, groups and channels that the policy names, as Slack has them. */
export interface SlackDirectory extends Directory {
  /** Asks Slack, for what is old enough to be asked for again. Never throws: what fails is in `problems`. */
  refresh(): Promise<void>;
  /** In words, what cannot be found or read; it matches nobody. */
  problems(): string[];
}

interface Group {
  id: string;
  handle: string;
  members: readonly string[];
}

/** Something that was read from Slack, with the reason when the last try failed. */
interface Reading<T> {
  read(): T | undefined;
  refresh(): Promise<void>;
  problem(): string | undefined;
}

/** Reads nothing that the policy does not name: user groups only when it names one, channels only when it names one. */
export function createDirectory({
  client,
  references,
  now,
  log,
}: {
  client: webApi.WebClient;
  references: References;
  now: () => Date;
  log: Logger;
}): SlackDirectory {
  function reading<T>(what: string, every: number, ask: () => Promise<T>): Reading<T> {
    let known: { at: number; value: T } | undefined;
    let failure: string | undefined;
    const age = () => (known === undefined ? Number.POSITIVE_INFINITY : now().getTime() - known.at);
    return {
      read: () => (age() < BELIEVED ? known?.value : undefined),
      problem: () => failure,
      async refresh() {
        if (age() < every && failure === undefined) return;
        try {
          known = { at: now().getTime(), value: await ask() };
          failure = undefined;
        } catch (error) {
          failure = `${what} cannot be read: ${reasonOf(error)}`;
          log.warn({ err: error }, `${what} cannot be read`);
        }
      },
    };
  }

  const groups = reading('the user groups', REFRESH_EVERY, async (): Promise<Group[]> => {
    if (references.groups.length === 0) return [];
    const { usergroups = [] } = await client.usergroups.list({ include_users: true });
    return usergroups.flatMap(({ id, handle, users = [] }) =>
      id === undefined || handle === undefined ? [] : [{ id, handle, members: users }],
    );
  });

  const channels = reading('the channels', SELDOM, async (): Promise<Map<string, string>> => {
    const names = new Map<string, string>();
    if (!references.channels.some((name) => name.startsWith('#'))) return names;
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { channels: listed = [], response_metadata } = await client.conversations.list({
        types: 'public_channel,private_channel',
        exclude_archived: true,
        limit: 1000,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const { id, name } of listed) if (id !== undefined && name !== undefined) names.set(id, name);
      cursor = response_metadata?.next_cursor;
      if (cursor === undefined || cursor === '') return names;
    }
    throw new Error(`there are more than ${MOST_PAGES * 1000}; name them by their ids`);
  });

  /** Ids that Slack does not know. They are asked for one by one, since a list of everybody can be endless. */
  const lost = reading('the people and channels', SELDOM, async (): Promise<string[]> => {
    const missing: string[] = [];
    for (const user of references.people) {
      if (!(await exists(async () => (await client.users.info({ user })).user?.deleted !== true))) missing.push(user);
    }
    for (const channel of references.channels.filter(isChannelId)) {
      const seen = await exists(async () => (await client.conversations.info({ channel })).channel !== undefined);
      if (!seen) missing.push(`${channel} (or I am not a member of it; its rules hold all the same)`);
    }
    return missing;
  });

  const group = (reference: string) =>
    groups.read()?.find(({ id, handle }) => (isGroupId(reference) ? id === reference : `@${handle}` === reference))
      ?.members;

  const channel = (reference: string) => {
    if (isChannelId(reference)) return reference;
    const found = [...(channels.read() ?? [])].find(([, name]) => `#${name}` === reference);
    return found?.[0];
  };

  return {
    group,
    channel,
    knows: (id) => channels.read()?.has(id) === true,
    async refresh() {
      await Promise.all([groups.refresh(), channels.refresh(), lost.refresh()]);
    },
    problems() {
      const failures = [groups, channels, lost].flatMap((one) => one.problem() ?? []);
      const missing = [
        ...(groups.read() === undefined ? [] : references.groups.filter((name) => group(name) === undefined)),
        ...(channels.read() === undefined ? [] : references.channels.filter((name) => channel(name) === undefined)),
        ...(lost.read() ?? []),
      ];
      return [...failures, ...missing.map((name) => `not found: ${name}`)];
    },
  };
}

/** False when Slack says that there is no such person or channel; anything else that goes wrong is thrown. */
async function exists(ask: () => Promise<boolean>): Promise<boolean> {
  try {
    return await ask();
  } catch (error) {
    if (['user_not_found', 'user_not_visible', 'channel_not_found'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

/** Slack's word for what went wrong. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('data' in error)) return undefined;
  const { data } = error;
  return typeof data === 'object' && data !== null && 'error' in data && typeof data.error === 'string'
    ? data.error
    : undefined;
}

function reasonOf(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.message : String(error));
}
