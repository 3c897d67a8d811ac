import { setImmediate } from 'node:timers/promises';
import type { AnyBlock, View } from '@slack/types';
import type { Logger } from 'pino';
import { request } from 'undici';
import { isChart } from '../../blocks/chart.ts';
import { fallbackOf } from '../../blocks/fallback.ts';
import { type AttachedFile, type Message, note } from '../../blocks/message.ts';
import { type Clients, codeOf, isTooSoon, TIMEOUT } from '../clients.ts';
import { withPictures } from './chart-images.ts';
import { fitMessage, fitView } from './fit.ts';
import type { SecretFilter } from './secrets.ts';

/** How often a call is made that comes too soon, and the longest wait before it is made again, in seconds. */
const ATTEMPTS = 4;
const LONGEST_WAIT = 15;

/** A file is looked through in so many bytes at a time, and cut at the end of a line. */
const PIECE = 128 * 1024;
const NEWLINE = 0x0a;

/** Pages of a channel's messages that are looked through. */
const MOST_PAGES = 20;

/** Where something for one person goes: the response URL while it works, else the Web API, else a direct message. */
export interface Recipient {
  user: string;
  channel?: string | undefined;
  thread?: string | undefined;
  responseUrl?: string | undefined;
}

/** Goes with a message unseen: by `slot` the message is known again. */
export interface MessageMetadata {
  event_type: string;
  event_payload: Record<string, string>;
}

/** A message in Slack. */
export interface Posted {
  channel: string;
  ts: string;
}

/**
 * The one way out. Everything that leaves for Slack is brought within Slack's limits and freed of secrets here; the one
 * exception is `reveal`, the view that shows a new token to the one who made it.
 */
export interface Outgoing {
  /** For one person's eyes. `replace` takes the place of the message whose button was pressed. */
  toPerson(recipient: Recipient, message: Message, options?: { replace?: boolean }): Promise<void>;
  /** For everybody in the channel; a direct message to `user` where the bot is not a member. */
  toChannel(
    where: { channel: string; thread?: string | undefined; user: string },
    message: Message,
  ): Promise<Posted & { direct: boolean }>;
  /** To somebody directly, in a message that can be brought up to date. */
  toDirect(user: string, message: Message): Promise<Posted>;
  /** For messages that nobody waits for: by a client of their own, so that they never hold up an answer. */
  post(
    channel: string,
    message: Message,
    metadata?: MessageMetadata,
    options?: { thread?: string | undefined },
  ): Promise<{ ts: string }>;
  update(channel: string, ts: string, message: Message, metadata?: MessageMetadata): Promise<void>;
  /** The message whose metadata has this key, among those since a moment in the channel, or in one of its threads. */
  findPost(
    channel: string,
    key: string,
    options: { since: Date; thread?: string | undefined },
  ): Promise<{ ts: string } | undefined>;
  openView(triggerId: string, view: View): Promise<string>;
  updateView(viewId: string, view: View): Promise<void>;
  publishHome(user: string, blocks: AnyBlock[]): Promise<void>;
  /** The named exit: a view with a secret in it, in place of a view that its reader has open already. */
  reveal(viewId: string, view: View): Promise<void>;
}

/** Everything that messages are sent with. */
export interface OutgoingServices extends Clients {
  secrets: SecretFilter;
  log: Logger;
  /** Hosts that response URLs may name: Slack's, or the emulator's. */
  responseHosts: readonly string[];
  wait(milliseconds: number): Promise<void>;
}

/** The way out to Slack's Web API and its response URLs. */
export function createOutgoing(services: OutgoingServices): Outgoing {
  const { interactive, background, secrets } = services;
  return {
    async toPerson(recipient, message, { replace = false } = {}) {
      const { files } = await withFallback(services, message, (fitted) => {
        const said = fitted.files === undefined ? [] : IN_DIRECT_MESSAGE;
        return postEphemeral(services, recipient, { ...fitted, blocks: [...fitted.blocks, ...said] }, replace);
      });
      if (files.length > 0) await upload(services, await openDirect(services, recipient.user), undefined, files);
    },
    async toDirect(user, message) {
      const { sent, files } = await withFallback(services, message, async (fitted) =>
        postMessage(services, await openDirect(services, user), fitted),
      );
      await upload(services, sent.channel, sent.ts, files);
      return sent;
    },
    async toChannel({ channel, thread, user }, message) {
      const { sent, files } = await withFallback(services, message, async (fitted) => {
        try {
          return { ...(await postMessage(services, channel, fitted, thread)), direct: false };
        } catch (error) {
          if (!isNotThere(error)) throw error;
          return { ...(await postMessage(services, await openDirect(services, user), fitted)), direct: true };
        }
      });
      // Not in what is tried again: the message is there already.
      await upload(services, sent.channel, sent.direct ? sent.ts : (thread ?? sent.ts), files);
      return sent;
    },
    async post(channel, message, metadata, { thread } = {}) {
      const unseen = withMetadata(secrets, metadata);
      const { sent, files } = await withFallback(services, message, ({ text, blocks }) =>
        background.chat.postMessage({ channel, text, blocks, ...NO_PREVIEWS, ...unseen, ...threadOf(thread) }),
      );
      const { ts = '' } = sent;
      await upload(services, channel, thread ?? ts, files);
      return { ts };
    },
    async update(channel, ts, message, metadata) {
      const unseen = withMetadata(secrets, metadata);
      const { files } = await withFallback(services, message, ({ text, blocks }) =>
        background.chat.update({ channel, ts, text, blocks, ...unseen }),
      );
      await upload(services, channel, ts, files);
    },
    findPost: (channel, key, options) => findPost(services, channel, key, options),
    async openView(triggerId, view) {
      const opened = await interactive.views.open({ trigger_id: triggerId, view: fitView(secrets.hideIn(view)) });
      if (opened.view?.id === undefined) throw new Error('Slack opened no view');
      return opened.view.id;
    },
    async updateView(viewId, given) {
      const hidden = secrets.hideIn(given);
      // A view cannot have native charts.
      const view = fitView({ ...hidden, blocks: await withPictures(services, hidden.blocks) });
      await inTime(services, () => interactive.views.update({ view_id: viewId, view }));
    },
    async publishHome(user, blocks) {
      const view = fitView(secrets.hideIn({ type: 'home', blocks }));
      await interactive.views.publish({ user_id: user, view });
    },
    async reveal(viewId, given) {
      const view = fitView(secrets.hideSettingsIn(given));
      await inTime(services, () => interactive.views.update({ view_id: viewId, view }));
    },
  };
}

/** Looks through a channel or a thread, the newest page first. */
async function findPost(
  services: OutgoingServices,
  channel: string,
  key: string,
  { since, thread }: { since: Date; thread?: string | undefined },
): Promise<{ ts: string } | undefined> {
  const { background } = services;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const which = {
      channel,
      oldest: String(since.getTime() / 1000),
      limit: 200,
      include_all_metadata: true,
      ...(cursor === undefined ? {} : { cursor }),
    };
    const { messages, response_metadata } = await inTime(services, () =>
      thread === undefined
        ? background.conversations.history(which)
        : background.conversations.replies({ ...which, ts: thread }),
    );
    const found = messages?.find((one) => keyOf(one) === key);
    if (found?.ts !== undefined) return { ts: found.ts };
    cursor = response_metadata?.next_cursor;
    if (cursor === undefined || cursor === '') return undefined;
  }
  return undefined;
}

/** A call that Slack refused for coming too soon was not carried out, so it may be made again when it says. */
async function inTime<T>({ wait }: OutgoingServices, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isTooSoon(error) || attempt === ATTEMPTS || error.retryAfter > LONGEST_WAIT) throw error;
      await wait(error.retryAfter * 1000);
    }
  }
}

/**
 * Sends with native blocks, and where Slack does not know them yet with pictures and text, or with text alone. The files are
 * those of what was sent.
 */
async function withFallback<T>(
  services: OutgoingServices,
  given: Message,
  send: (message: Message) => Promise<T>,
): Promise<{ sent: T; files: readonly AttachedFile[] }> {
  const { secrets, log } = services;
  // Secrets first: one that a cut goes through would not be known any more.
  const message = secrets.hideIn(given);
  const attempt = async (fitted: Message) => ({ sent: await send(fitted), files: fitted.files ?? [] });
  try {
    return await attempt(fitMessage(message));
  } catch (error) {
    const plain = fallbackOf(message);
    if (!isInvalidBlocks(error) || plain === message) throw error;
    log.info('Slack refused native blocks: sent as pictures and text');
    if (message.blocks.some(isChart)) {
      const drawn = fallbackOf({ ...message, blocks: await withPictures(services, message.blocks) });
      try {
        return await attempt(fitMessage(drawn));
      } catch (second) {
        if (!isInvalidBlocks(second)) throw second;
      }
    }
    return attempt(fitMessage(plain));
  }
}

/** For one person's eyes, by whichever way works. */
async function postEphemeral(
  services: OutgoingServices,
  { user, channel, thread, responseUrl }: Recipient,
  { text, blocks }: Message,
  replace: boolean,
): Promise<void> {
  if (responseUrl !== undefined) {
    try {
      await respond(services, responseUrl, {
        text,
        blocks,
        ...(replace ? { replace_original: true } : { response_type: 'ephemeral', replace_original: false }),
        ...(replace ? {} : threadOf(thread)),
      });
      return;
    } catch (error) {
      if (isInvalidBlocks(error)) throw error;
      services.log.info({ err: error }, 'a response URL did not work: the Web API is used');
    }
  }
  if (channel !== undefined) {
    try {
      const said = { channel, user, text, blocks, ...threadOf(thread) };
      await inTime(services, () => services.interactive.chat.postEphemeral(said));
      return;
    } catch (error) {
      if (!isNotThere(error)) throw error;
    }
  }
  await postMessage(services, await openDirect(services, user), { text, blocks });
}

async function respond(
  { responseHosts }: OutgoingServices,
  url: string,
  message: Record<string, unknown>,
): Promise<void> {
  if (!responseHosts.includes(new URL(url).host)) throw new Error('a response URL that is not Slack’s');
  // Follows no redirect: it would carry the message to somebody else.
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const text = await body.text();
  if (statusCode >= 300 || /"ok"\s*:\s*false/.test(text)) throw new ResponseUrlError(statusCode, text.slice(0, 300));
}

/** For everybody in the channel. */
async function postMessage(
  services: OutgoingServices,
  channel: string,
  { text, blocks }: Pick<Message, 'text' | 'blocks'>,
  thread?: string,
): Promise<Posted> {
  const { interactive } = services;
  const said = { channel, text, blocks, ...NO_PREVIEWS, ...threadOf(thread) };
  const { ts = '' } = await inTime(services, () => interactive.chat.postMessage(said));
  return { channel, ts };
}

/** The direct messages with somebody. */
async function openDirect(services: OutgoingServices, user: string): Promise<string> {
  const { channel } = await inTime(services, () => services.interactive.conversations.open({ users: user }));
  if (channel?.id === undefined) throw new Error('Slack opened no direct message');
  return channel.id;
}

async function upload(
  { interactive, secrets }: OutgoingServices,
  channel: string,
  thread: string | undefined,
  files: readonly AttachedFile[],
): Promise<void> {
  for (const { name, title, content } of files) {
    const file = typeof content === 'string' ? Buffer.from(content) : await hiddenInBytes(secrets, content);
    const said = { channel_id: channel, file, filename: name, title: title ?? name };
    await interactive.filesUploadV2(thread === undefined ? said : { ...said, thread_ts: thread });
  }
}

/** A file as it stands, without its secrets: piece by piece, so that a long one holds nothing up. */
async function hiddenInBytes(secrets: SecretFilter, content: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let from = 0; from < content.length; ) {
    const newline = content.indexOf(NEWLINE, from + PIECE);
    const end = newline < 0 || newline > from + 2 * PIECE ? Math.min(from + 2 * PIECE, content.length) : newline + 1;
    // Byte for byte, whatever they are.
    pieces.push(Buffer.from(secrets.hide(content.toString('latin1', from, end)), 'latin1'));
    from = end;
    await setImmediate();
  }
  return Buffer.concat(pieces);
}

/** Slack shows no previews of addresses: nobody asked for them, and they would be fetched. */
const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false } as const;

const threadOf = (thread: string | undefined) => (thread === undefined ? {} : { thread_ts: thread });

const withMetadata = (secrets: SecretFilter, metadata: MessageMetadata | undefined) =>
  metadata === undefined ? {} : { metadata: secrets.hideIn(metadata) };

function keyOf(message: object): unknown {
  const { metadata } = message as { metadata?: { event_payload?: Record<string, unknown> } };
  return metadata?.event_payload?.slot;
}

/** The response URL said no. */
class ResponseUrlError extends Error {
  override name = 'ResponseUrlError';
  readonly answer: string;

  constructor(status: number, answer: string) {
    super(`Slack answered ${status} to a response URL`);
    this.answer = answer;
  }
}

const IN_DIRECT_MESSAGE = note(
  'The attached file is in your direct messages with me: files cannot be shown to one person only.',
).blocks;

function isInvalidBlocks(error: unknown): boolean {
  if (error instanceof ResponseUrlError) return /invalid_(blocks|attachments|payload)/.test(error.answer);
  return ['invalid_blocks', 'invalid_arguments', 'msg_blocks_too_long'].includes(codeOf(error) ?? '');
}

/** The bot cannot post there: not a member, no such channel, archived, or a direct message between other people. */
function isNotThere(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return (
    code.startsWith('restricted_action') ||
    ['not_in_channel', 'channel_not_found', 'is_archived', 'user_not_in_channel', 'cannot_reply_to_message'].includes(
      code,
    )
  );
}
