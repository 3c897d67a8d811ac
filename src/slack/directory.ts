import type { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import { type Directory, isChannelId, isGroupId } from '../policy/names.ts';
import { MINUTE } from '../time.ts';
import { membershipOf } from './membership.ts';
import { isGone, refusalOf } from './refusals.ts';

/** How old groups may be for what is only shown, in milliseconds; and how soon a reading that failed is tried again. */
const OFTEN = MINUTE;
/** People and channels change seldom, in milliseconds. */
const SELDOM = 10 * MINUTE;
/** Most pages of channels that are read, of a thousand each. */
const MOST_PAGES = 50;

/** The people, groups and channels that a policy names, as it writes them. */
export interface References {
  people: readonly string[];
  groups: readonly string[];
  channels: readonly string[];
}

/** A policy that names nobody. */
export const NO_REFERENCES: References = { people: [], groups: [], channels: [] };

/** The people, groups and channels that the policy names, as Slack has them. */
export interface SlackDirectory extends Directory {
  /** Reads again what is old. Never throws: failures are in `problems`. */
  refresh(): Promise<void>;
  /**
   * For somebody who asks: waits for what is too old to go by, and has the rest read meanwhile, so that Slack is asked nothing while
   * nobody asks for anything. Never throws.
   */
  catchUp(): Promise<void>;
  /** Reads the groups now, where the policy names any. Throws what Slack throws. */
  askGroups(): Promise<void>;
  /** The ids of everybody in the groups that the policy names. */
  members(): string[];
  /** In words: everything that cannot be found or read, and so matches nobody. */
  problems(): string[];
}

interface DirectoryServices {
  client: webApi.WebClient;
  /** The bot's home workspace: nobody else counts. */
  teamId: string;
  references: References;
  /** The one id of somebody who may have two. */
  idOf?: Directory['person'];
  /** The present id of a channel. */
  channelOf?: (id: string) => string;
  now: () => Date;
  /** Waits, by a clock that nobody sets. */
  wait(milliseconds: number): Promise<unknown>;
  log: Logger;
}

interface Group {
  id: string;
  handle: string;
  members: readonly string[];
}

/** The ids of the policy that Slack does not know. */
interface Lost {
  people: string[];
  channels: string[];
}

/** Something that is read from Slack every now and then. */
interface Reading<T> {
  readonly what: string;
  /** In milliseconds. */
  readonly every: number;
  readonly read: (services: DirectoryServices) => Promise<T>;
  known?: { at: number; value: T };
  /** When it was tried last. */
  triedAt?: number;
  /** The try that is under way. */
  asking?: Promise<void> | undefined;
  /** Why the last try failed. */
  failure?: string | undefined;
}

/** Reads nothing that the policy does not name: user groups only when it names one, channels only when it names one. */
export function createDirectory(services: DirectoryServices): SlackDirectory {
  const { references } = services;
  const groups: Reading<Group[]> = { what: 'the user groups', every: OFTEN, read: readGroups };
  const channels: Reading<Map<string, string>> = { what: 'the channels', every: SELDOM, read: readChannels };
  const lost: Reading<Lost> = { what: 'the people and channels', every: SELDOM, read: readLost };
  const believed = <T>(reading: Reading<T>) =>
    // How long a reading is believed while Slack does not answer, in milliseconds. After that nobody is found.
    ageOf(reading, services.now()) < 15 * MINUTE ? reading.known?.value : undefined;
  const group = (reference: string) => membersOf(believed(groups), reference);
  const channelOf = services.channelOf ?? ((id: string) => id);
  const channel = (reference: string) => {
    if (!isChannelId(reference)) return channelIdOf(believed(channels), reference);
    const id = channelOf(reference);
    return lost.known?.value.channels.includes(id) === true ? undefined : id;
  };
  const refreshAll = () => Promise.all([groups, channels, lost].map((one: Reading<unknown>) => refresh(services, one)));
  return {
    group,
    channel,
    person: services.idOf ?? ((id) => id),
    members: () => references.groups.flatMap((name) => group(name) ?? []),
    askGroups: () => readNow(services, groups),
    knows: (id) => believed(channels)?.has(id) === true,
    async refresh() {
      await refreshAll();
    },
    async catchUp() {
      void refreshAll();
      const isBelieved = believed(groups) !== undefined && believed(channels) !== undefined;
      if (!isBelieved) await Promise.all([refresh(services, groups), refresh(services, channels)]);
      // How long somebody waits for what was read before and is read again, in milliseconds.
      else if (groups.asking !== undefined) await Promise.race([refresh(services, groups), services.wait(2_000)]);
    },
    problems() {
      const failures = [groups, channels, lost].flatMap(({ failure }) => failure ?? []);
      const missing = [
        ...(believed(groups) === undefined ? [] : references.groups.filter((name) => group(name) === undefined)),
        ...(believed(channels) === undefined
          ? []
          : references.channels.filter((name) => !isChannelId(name) && channel(name) === undefined)),
        ...(lost.known?.value.people ?? []),
        ...references.channels
          .filter((name) => isChannelId(name) && channel(name) === undefined)
          .map((id) => `${id} (gone, or private without me; its rules hold for any place that Slack does not name)`),
      ];
      return [...failures, ...missing.map((name) => `not found: ${name}`)];
    },
  };
}

const ageOf = ({ known }: Reading<unknown>, now: Date): number =>
  known === undefined ? Number.POSITIVE_INFINITY : now.getTime() - known.at;

/** It is old, or could not be read the last time, which was not just now. */
function isDue(reading: Reading<unknown>, now: Date): boolean {
  const { every, failure, triedAt = 0 } = reading;
  return failure === undefined ? ageOf(reading, now) >= every : now.getTime() - triedAt >= OFTEN;
}

/** Reads it again when it is due, or waits for whoever does. */
async function refresh(services: DirectoryServices, reading: Reading<unknown>): Promise<void> {
  if (reading.asking === undefined && !isDue(reading, services.now())) return;
  // The failure is kept, and said.
  await readNow(services, reading).catch(() => undefined);
}

/** Reads it, or waits for whoever reads it already. */
function readNow(services: DirectoryServices, reading: Reading<unknown>): Promise<void> {
  reading.asking ??= readOnce(services, reading).finally(() => {
    reading.asking = undefined;
  });
  return reading.asking;
}

async function readOnce(services: DirectoryServices, reading: Reading<unknown>): Promise<void> {
  const { now, log } = services;
  const { what, read } = reading;
  try {
    reading.triedAt = now().getTime();
    reading.known = { at: now().getTime(), value: await read(services) };
    reading.failure = undefined;
  } catch (error) {
    reading.failure = `${what} cannot be read: ${reasonOf(error)}`;
    log.warn({ err: error }, `${what} cannot be read`);
    throw error;
  }
}

function membersOf(groups: readonly Group[] | undefined, reference: string): readonly string[] | undefined {
  return groups?.find(({ id, handle }) => (isGroupId(reference) ? id === reference : `@${handle}` === reference))
    ?.members;
}

function channelIdOf(names: ReadonlyMap<string, string> | undefined, reference: string): string | undefined {
  return [...(names ?? [])].find(([, name]) => `#${name}` === reference)?.[0];
}

async function readGroups({ client, references }: DirectoryServices): Promise<Group[]> {
  if (references.groups.length === 0) return [];
  const { usergroups = [] } = await client.usergroups.list({ include_users: true });
  return usergroups.flatMap(({ id, handle, users = [] }) =>
    id === undefined || handle === undefined ? [] : [{ id, handle, members: users }],
  );
}

/** The names of all channels that the bot sees, by their ids. */
async function readChannels({ client, references }: DirectoryServices): Promise<Map<string, string>> {
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
}

/** Ids that Slack does not know. They are read one by one, since a list of everybody can be endless. */
async function readLost(services: DirectoryServices): Promise<Lost> {
  const { client, references, teamId, log, channelOf = (id) => id } = services;
  const missing: Lost = { people: [], channels: [] };
  for (const user of references.people) {
    const counts = async () => membershipOf((await client.users.info({ user })).user, teamId) !== 'stranger';
    if (!(await exists(counts))) missing.people.push(user);
  }
  for (const channel of references.channels.filter(isChannelId).map(channelOf)) {
    const seen = await exists(async () => (await client.conversations.info({ channel })).channel !== undefined);
    if (!seen) missing.channels.push(channel);
  }
  if (missing.people.length + missing.channels.length > 0)
    log.error(missing, 'the policy names people or channels that Slack does not know');
  return missing;
}

/** False when Slack says that there is no such person or channel; any other failure is thrown. */
async function exists(look: () => Promise<boolean>): Promise<boolean> {
  try {
    return await look();
  } catch (error) {
    if (isGone(error, 'person', 'channel')) return false;
    throw error;
  }
}

/** With the next step, where Slack said no. */
function reasonOf(error: unknown): string {
  const refusal = refusalOf(error);
  if (refusal === undefined) return error instanceof Error ? error.message : String(error);
  const { code, meaning } = refusal;
  return meaning.kind === 'mistake' ? code : `${meaning.why}: ${meaning.next} (${code})`;
}
