import { type Directory, isChannelId, isGroupId } from '../policy/names.ts';
import { MINUTE } from '../time.ts';
import { type Asking, pagesOf } from './clients.ts';
import { membershipOf } from './membership.ts';
import { isGone, refusalOf } from './refusals.ts';

/** In milliseconds. How often groups are read for what is only shown, and a failed read is repeated. */
const OFTEN = MINUTE;
/** In milliseconds. */
const SELDOM = 10 * MINUTE;
/** A page has a thousand channels. */
const MOST_PAGES = 50;

export interface References {
  people: readonly string[];
  groups: readonly string[];
  channels: readonly string[];
}

export const NO_REFERENCES: References = { people: [], groups: [], channels: [] };

export interface SlackDirectory extends Directory {
  /** Never throws. `problems` has the failures. */
  refresh(): Promise<void>;
  /** For somebody who asks: waits for what is outdated, and refreshes the rest in the background. Never throws. */
  catchUp(): Promise<void>;
  /** Throws errors of Slack. */
  askGroups(): Promise<void>;
  members(): string[];
  /** Names that cannot be found or read, and so match nobody. */
  problems(): string[];
}

interface Looking extends Asking {
  teamId: string;
  references: References;
  idOf?: Directory['person'];
  /** By the monotonic clock. */
  wait(milliseconds: number): Promise<unknown>;
}

interface Group {
  id: string;
  handle: string;
  members: readonly string[];
}

interface Lost {
  people: string[];
  channels: string[];
}

interface Reading<T> {
  readonly what: string;
  readonly every: number;
  readonly read: (services: Looking) => Promise<T>;
  known?: { at: number; value: T };
  triedAt?: number;
  asking?: Promise<void> | undefined;
  failure?: string | undefined;
}

/** Reads user groups and channels only if the policy names some. */
export function createDirectory(services: Looking): SlackDirectory {
  const { references } = services;
  const groups: Reading<Group[]> = { what: 'the user groups', every: OFTEN, read: readGroups };
  const channels: Reading<Map<string, string>> = { what: 'the channels', every: SELDOM, read: readChannels };
  const lost: Reading<Lost> = { what: 'the people and channels', every: SELDOM, read: readLost };
  const believed = <T>(reading: Reading<T>) =>
    // While Slack is away, an old reading counts for so long. After that groups and channel names match nothing.
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
          .map(
            (id) =>
              `${id} (deleted, or private and I’m not in it; its rules apply wherever Slack doesn’t tell me the channel)`,
          ),
      ];
      return [...failures, ...missing.map((name) => `not found: ${name}`)];
    },
  };
}

const ageOf = ({ known }: Reading<unknown>, now: Date): number =>
  known === undefined ? Number.POSITIVE_INFINITY : now.getTime() - known.at;

function isDue(reading: Reading<unknown>, now: Date): boolean {
  const { every, failure, triedAt = 0 } = reading;
  return failure === undefined ? ageOf(reading, now) >= every : now.getTime() - triedAt >= OFTEN;
}

async function refresh(services: Looking, reading: Reading<unknown>): Promise<void> {
  if (reading.asking === undefined && !isDue(reading, services.now())) return;
  await readNow(services, reading).catch(() => undefined);
}

function readNow(services: Looking, reading: Reading<unknown>): Promise<void> {
  reading.asking ??= readOnce(services, reading).finally(() => {
    reading.asking = undefined;
  });
  return reading.asking;
}

async function readOnce(services: Looking, reading: Reading<unknown>): Promise<void> {
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

async function readGroups({ client, references }: Looking): Promise<Group[]> {
  if (references.groups.length === 0) return [];
  const { usergroups = [] } = await client.usergroups.list({ include_users: true });
  return usergroups.flatMap(({ id, handle, users = [] }) =>
    id === undefined || handle === undefined ? [] : [{ id, handle, members: users }],
  );
}

async function readChannels({ client, references }: Looking): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  if (!references.channels.some((name) => name.startsWith('#'))) return names;
  const listed = { types: 'public_channel,private_channel', exclude_archived: true, limit: 1000 };
  const pages = pagesOf(MOST_PAGES, (more) => client.conversations.list({ ...listed, ...more }));
  for await (const { channels = [], response_metadata } of pages) {
    for (const { id, name } of channels) if (id !== undefined && name !== undefined) names.set(id, name);
    if (!response_metadata?.next_cursor) return names;
  }
  throw new Error(`there are more than ${MOST_PAGES * 1000}; name them by their ids`);
}

/** Read one by one, because a list of all people can be endless. */
async function readLost(services: Looking): Promise<Lost> {
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

async function exists(look: () => Promise<boolean>): Promise<boolean> {
  try {
    return await look();
  } catch (error) {
    if (isGone(error, 'person', 'channel')) return false;
    throw error;
  }
}

function reasonOf(error: unknown): string {
  const refusal = refusalOf(error);
  if (refusal === undefined) return error instanceof Error ? error.message : String(error);
  const { code, meaning } = refusal;
  return meaning.kind === 'mistake' ? code : `${meaning.why}: ${meaning.next} (${code})`;
}
