import type { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import { UsageError } from '../errors.ts';
import type { ChannelRef, Channels } from '../operations/reports-view.ts';
import { MINUTE } from '../time.ts';
import { isGone, lackOf, meansOf, usageErrorOf } from './refusals.ts';

/** How long what Slack says of a channel is believed, in milliseconds. */
const FRESH = MINUTE;
const MOST_KNOWN = 2_000;
/** Most pages of channels that are read for one name, of a thousand each. */
const MOST_PAGES = 20;

interface ChannelServices {
  client: webApi.WebClient;
  now: () => Date;
  log: Logger;
}

/** Asks Slack, and believes the answer for a minute. */
export function createChannels(services: ChannelServices): Channels {
  const known = new Map<string, { at: number; channel: ChannelRef | undefined }>();

  async function find(text: string): Promise<ChannelRef | undefined> {
    const mention = /^<#([CGD][A-Z0-9]+)(?:\|[^>]*)?>$/.exec(text)?.[1];
    const key = mention ?? text.replace(/^#/, '');
    const entry = known.get(key);
    if (entry !== undefined && services.now().getTime() - entry.at < FRESH) return entry.channel;
    const isId = mention !== undefined || /^[CGD][A-Z0-9]{6,}$/.test(key);
    const channel = isId ? await readById(services, key) : await readByName(services, key.toLowerCase());
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, { at: services.now().getTime(), channel });
    return channel;
  }

  return {
    find,
    nameOf: async (id) => (await find(id).catch(() => undefined))?.name ?? id,
  };
}

async function readById({ client, log }: ChannelServices, id: string): Promise<ChannelRef | undefined> {
  try {
    const { channel, response_metadata } = await client.conversations.info({ channel: id });
    return refOf({ ...channel, id }, response_metadata?.scopes);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (isGone(error, 'channel')) return undefined;
    const meaning = meansOf(error);
    if (meaning === undefined || (meaning.kind === 'pass' && meaning.unsure === true)) throw error;
    // Nothing is promised for a kind of conversation that the app was not given: whoever asks is told which scope it lacks.
    if (meaning.kind === 'permission') throw usageErrorOf(error) ?? error;
    // Too often: the id alone is known.
    log.info({ err: error, channel: id }, 'Slack does not describe a channel');
    return { id, name: id };
  }
}

async function readByName({ client }: ChannelServices, name: string): Promise<ChannelRef | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { channels = [], response_metadata } = await client.conversations.list({
      types: 'public_channel,private_channel',
      limit: 1000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const found = channels.find((channel) => channel.name === name);
    if (found?.id !== undefined) return refOf({ ...found, id: found.id }, response_metadata?.scopes);
    cursor = response_metadata?.next_cursor;
    if (cursor === undefined || cursor === '') return undefined;
  }
  return undefined;
}

interface DescribedChannel {
  id: string;
  name?: string | undefined;
  is_im?: boolean | undefined;
  is_mpim?: boolean | undefined;
  is_private?: boolean | undefined;
  is_member?: boolean | undefined;
  is_archived?: boolean | undefined;
  is_ext_shared?: boolean | undefined;
  is_pending_ext_shared?: boolean | undefined;
}

/** Throws UsageError where Slack says that the app may not read what it has posted there: it could not keep its promises. */
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
    ...(channel.is_ext_shared === true || channel.is_pending_ext_shared === true ? { external: true } : {}),
  };
}
