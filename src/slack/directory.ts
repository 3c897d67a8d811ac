import { insteadOf } from '../errors.ts';
import type { referencesOf } from '../policy/document.ts';
import { type Directory, isChannelId, isGroupId } from '../policy/names.ts';
import { MINUTE } from '../time.ts';
import { type Asking, pagesOf } from './clients.ts';
import { membershipOf } from './membership.ts';
import { isGone, refusalOf } from './refusals.ts';

export type References = ReturnType<typeof referencesOf>;

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

/** Reads user groups and channels only if the policy names some. */
export function createDirectory(services: Looking): SlackDirectory {
  const { references, channelOf = (id) => id } = services;
  const groups = createReading(services, 'the user groups', MINUTE, readGroups);
  const channels = createReading(services, 'the channels', 10 * MINUTE, readChannels);
  const lost = createReading(services, 'the people and channels', 10 * MINUTE, readLost);
  const group = (reference: string) =>
    groups.believed()?.find(({ id, handle }) => (isGroupId(reference) ? id === reference : `@${handle}` === reference))
      ?.members;
  const channel = (reference: string) => {
    if (!isChannelId(reference))
      return [...(channels.believed() ?? [])].find(([, name]) => `#${name}` === reference)?.[0];
    const id = channelOf(reference);
    return lost.last()?.channels.includes(id) === true ? undefined : id;
  };
  const refreshAll = () => Promise.all([groups, channels, lost].map((one) => one.refresh()));
  return {
    group,
    channel,
    person: services.idOf ?? ((id) => id),
    members: () => references.groups.flatMap((name) => group(name) ?? []),
    askGroups: groups.ask,
    knows: (id) => channels.believed()?.has(id) === true,
    async refresh() {
      await refreshAll();
    },
    async catchUp() {
      void refreshAll();
      const isBelieved = groups.believed() !== undefined && channels.believed() !== undefined;
      if (!isBelieved) await Promise.all([groups.refresh(), channels.refresh()]);
      else if (groups.isAsked()) await Promise.race([groups.refresh(), services.wait(2_000)]);
    },
    problems() {
      const missing = [
        ...(groups.believed() === undefined ? [] : references.groups.filter((name) => group(name) === undefined)),
        ...(channels.believed() === undefined
          ? []
          : references.channels.filter((name) => !isChannelId(name) && channel(name) === undefined)),
        ...(lost.last()?.people ?? []),
        ...references.channels
          .filter((name) => isChannelId(name) && channel(name) === undefined)
          .map(
            (id) =>
              `${id} (deleted, or private and I’m not in it; its rules apply wherever Slack doesn’t tell me the channel)`,
          ),
      ];
      const failures = [groups, channels, lost].flatMap((one) => one.failure() ?? []);
      return [...failures, ...missing.map((name) => `not found: ${name}`)];
    },
  };
}

/** Reads something of Slack again when it is old. `every`: in milliseconds. */
function createReading<T>(services: Looking, what: string, every: number, read: (services: Looking) => Promise<T>) {
  const { now, log } = services;
  let known: { at: number; value: T } | undefined;
  let triedAt = 0;
  let asking: Promise<void> | undefined;
  let failure: string | undefined;
  const age = () => (known === undefined ? Number.POSITIVE_INFINITY : now().getTime() - known.at);
  const askOnce = async () => {
    try {
      triedAt = now().getTime();
      known = { at: triedAt, value: await read(services) };
      failure = undefined;
    } catch (error) {
      failure = `${what} cannot be read: ${reasonOf(error)}`;
      log.warn({ err: error }, `${what} cannot be read`);
      throw error;
    }
  };
  /** Throws errors of Slack. */
  const ask = (): Promise<void> => {
    asking ??= askOnce().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  return {
    ask,
    isAsked: () => asking !== undefined,
    last: () => known?.value,
    /**
     * While Slack is away, an old reading counts for a quarter of an hour. After that groups and channel names match
     * nothing.
     */
    believed: () => (age() < 15 * MINUTE ? known?.value : undefined),
    failure: () => failure,
    async refresh() {
      const isDue = failure === undefined ? age() >= every : now().getTime() - triedAt >= MINUTE;
      if (asking !== undefined || isDue) await ask().catch(() => undefined);
    },
  };
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
  // A page has a thousand channels.
  const pages = pagesOf(50, (more) => client.conversations.list({ ...listed, ...more }));
  for await (const { channels = [], response_metadata } of pages) {
    for (const { id, name } of channels) if (id !== undefined && name !== undefined) names.set(id, name);
    if (!response_metadata?.next_cursor) return names;
  }
  throw new Error('there are more than 50000; name them by their ids');
}

/** Read one by one, because a list of all people can be endless. */
async function readLost(services: Looking): Promise<Lost> {
  const { client, references, teamId, log, channelOf = (id) => id } = services;
  const missing: Lost = { people: [], channels: [] };
  const unknown = insteadOf((error) => isGone(error, 'person', 'channel'), false);
  for (const user of references.people) {
    const counts = async () => membershipOf((await client.users.info({ user })).user, teamId) !== 'stranger';
    if (!(await counts().catch(unknown))) missing.people.push(user);
  }
  for (const channel of references.channels.filter(isChannelId).map(channelOf)) {
    const seen = client.conversations.info({ channel }).then((answer) => answer.channel !== undefined);
    if (!(await seen.catch(unknown))) missing.channels.push(channel);
  }
  if (missing.people.length + missing.channels.length > 0)
    log.error(missing, 'the policy names people or channels that Slack does not know');
  return missing;
}

function reasonOf(error: unknown): string {
  const refusal = refusalOf(error);
  if (refusal === undefined) return error instanceof Error ? error.message : String(error);
  const { code, meaning } = refusal;
  return meaning.kind === 'mistake' ? code : `${meaning.why}: ${meaning.next} (${code})`;
}
