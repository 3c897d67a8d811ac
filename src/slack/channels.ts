import type { ConversationsInfoResponse } from '@slack/web-api';
import type { ChannelRef, Channels } from '../operations/reports-view.ts';
import { isChannelId } from '../policy/names.ts';
import { MINUTE } from '../time.ts';
import { type Asking, pagesOf } from './clients.ts';
import type { Meaning } from './errors.ts';
import { isGone, lackOf, meansOf, usageErrorOf } from './refusals.ts';

export interface SlackChannels extends Channels {
  /**
   * Whether people of other organisations are in it. False for direct messages, where nothing is posted for others. A text says
   * why Slack does not tell. Never throws. `fresh` asks Slack now.
   */
  external(id: string, options?: { fresh: boolean }): Promise<boolean | string>;
}

/** Slack’s answer about a channel, or its error. */
type Said = { channel: DescribedChannel; scopes?: readonly string[] | undefined } | { error: unknown };

/** Asks Slack, and uses an answer for a minute. */
export function createChannels(services: Asking): SlackChannels {
  const described = believing(
    services,
    (id) => describe(services, id),
    (said) => 'channel' in said,
  );
  const named = believing(
    services,
    (name) => readByName(services, name),
    () => true,
  );

  async function find(text: string, { fresh } = { fresh: false }): Promise<ChannelRef | undefined> {
    const mention = /^<#([CGD][A-Z0-9]+)(?:\|[^>]*)?>$/.exec(text)?.[1];
    const key = mention ?? text.replace(/^#/, '');
    if (mention === undefined && !/^[CGD][A-Z0-9]{6,}$/.test(key)) return named(key.toLowerCase(), fresh);
    const id = services.channelOf?.(key) ?? key;
    return refIn(id, await described(id, fresh));
  }

  return {
    find,
    nameOf: async (id) => (await find(id).catch(() => undefined))?.name ?? id,
    external: async (id, { fresh } = { fresh: false }) => {
      if (!isChannelId(id)) return false;
      const said = await described(id, fresh);
      return 'error' in said ? whyUnsaid(meansOf(said.error)) : externalOf(said.channel);
    },
  };
}

/** Reads something about a channel, and uses it for a minute. An error is not kept. */
function believing<T>({ now }: Asking, read: (key: string) => Promise<T>, isSaid: (value: T) => boolean) {
  const known = new Map<string, { at: number; value: T }>();
  return async (key: string, fresh: boolean): Promise<T> => {
    const entry = known.get(key);
    if (!fresh && entry !== undefined && now().getTime() - entry.at < MINUTE) return entry.value;
    const value = await read(key);
    if (known.size >= 2_000) known.clear();
    if (isSaid(value)) known.set(key, { at: now().getTime(), value });
    return value;
  };
}

async function describe({ client, log }: Asking, id: string): Promise<Said> {
  try {
    const { channel, response_metadata } = await client.conversations.info({ channel: id });
    return { channel: { ...channel, id }, scopes: response_metadata?.scopes };
  } catch (error) {
    log.info({ err: error, channel: id }, 'Slack does not describe a channel');
    return { error };
  }
}

function refIn(id: string, said: Said): ChannelRef | undefined {
  if ('channel' in said) return refOf(said.channel, said.scopes);
  const { error } = said;
  if (isGone(error, 'channel')) return undefined;
  const meaning = meansOf(error);
  if (meaning === undefined || (meaning.kind === 'pass' && meaning.unsure === true)) throw error;
  // The app lacks the scope for this kind of conversation. The person is told which one.
  if (meaning.kind === 'permission') throw usageErrorOf(error) ?? error;
  // Slack was asked too often, so only the id is known.
  return { id, name: id, external: whyUnsaid(meaning) };
}

async function readByName({ client }: Asking, name: string): Promise<ChannelRef | undefined> {
  const types = 'public_channel,private_channel';
  const pages = pagesOf(20, (more) => client.conversations.list({ types, limit: 1000, ...more }));
  for await (const { channels = [], response_metadata } of pages) {
    const found = channels.find((channel) => channel.name === name);
    if (found?.id !== undefined) return refOf({ ...found, id: found.id }, response_metadata?.scopes);
  }
  return undefined;
}

type DescribedChannel = NonNullable<ConversationsInfoResponse['channel']> & { id: string };

/** Why Slack does not describe a channel, with the next step. */
function whyUnsaid(meaning: Meaning | undefined): string {
  if (meaning === undefined || meaning.kind === 'mistake') return 'Slack does not say it';
  return `${meaning.why}: ${meaning.kind === 'pass' ? 'try again in a moment' : meaning.next}`;
}

/**
 * Shared with another organisation, or about to be. Channels shared within one’s own organisation do not count. Source:
 * docs.slack.dev, the conversation object.
 */
function externalOf(channel: DescribedChannel): boolean {
  const { is_im, is_shared, is_org_shared, is_ext_shared, is_pending_ext_shared } = channel;
  if (is_im === true) return false;
  const teams = [channel.connected_team_ids, channel.pending_shared, channel.pending_connected_team_ids].flat();
  if (is_ext_shared === true || is_pending_ext_shared === true || teams.some((id) => id !== undefined)) return true;
  return is_shared === true && is_org_shared !== true;
}

/** Throws UsageError if the app may not read what it posts there: it could not find its posts again. */
function refOf(channel: DescribedChannel, granted: readonly string[] | undefined): ChannelRef {
  const { id, name, is_im, is_mpim, is_private, is_member, is_archived } = channel;
  const kind = is_im === true ? 'im' : is_mpim === true ? 'mpim' : is_private === true ? 'groups' : 'channels';
  if (granted?.includes(`${kind}:history`) === false) throw lackOf(`${kind}:history`);
  const called = { im: 'direct messages', mpim: 'group direct messages', groups: undefined, channels: undefined }[kind];
  return {
    id,
    name: called ?? (name === undefined || name === '' ? id : `#${name}`),
    ...(is_member === undefined || is_im === true ? {} : { member: is_member }),
    ...(is_archived === undefined ? {} : { archived: is_archived }),
    external: externalOf(channel),
  };
}
