import { setImmediate } from 'node:timers/promises';
import { webApi } from '@slack/bolt';
import type { AnyBlock, View } from '@slack/types';
import type { Logger } from 'pino';
import { request } from 'undici';
import { isChart } from '../../blocks/chart.ts';
import { fallbackOf } from '../../blocks/fallback.ts';
import { type AttachedFile, type Message, note } from '../../blocks/message.ts';
import { createChartImages } from './chart-images.ts';
import { fitMessage, fitView } from './fit.ts';
import type { SecretFilter } from './secrets.ts';

const TIMEOUT = 10_000;
/** How often Slack is asked again after it said that it was too fast, and how long that is waited for at the most, in seconds. */
const TURNS = 4;
const LONGEST_TURN = 15;

/** A file is looked through in so many bytes at a time, and cut at the end of a line. */
const PIECE = 128 * 1024;
const NEWLINE = 0x0a;

/** Pages of a channel's messages that are looked through. */
const MOST_PAGES = 20;

/** Where something for one person goes: the response URL while it works, else the Web API, else a direct message. */
export interface PersonalPlace {
  user: string;
  channel?: string | undefined;
  thread?: string | undefined;
  responseUrl?: string | undefined;
}

/** What goes with a message unseen: by `slot` it is known again. */
export interface MessageMetadata {
  event_type: string;
  event_payload: Record<string, string>;
}

/**
 * The one way out. Everything that leaves for Slack is brought within Slack's limits and freed of secrets here; the one
 * exception is `reveal`, the view that shows a new token to the one who made it.
 */
export interface Outgoing {
  /** For one person's eyes. `replace` takes the place of the message whose button was pressed. */
  toPerson(place: PersonalPlace, message: Message, options?: { replace?: boolean }): Promise<void>;
  /** For everybody in the channel; a direct message to `user` where the bot is not a member. */
  toChannel(
    place: { channel: string; thread?: string | undefined; user: string },
    message: Message,
  ): Promise<{ channel: string; ts: string; direct: boolean }>;
  /** To somebody directly, in a message that can be brought up to date. */
  toDirect(user: string, message: Message): Promise<{ channel: string; ts: string }>;
  /** For what the bot says unasked: its own client, so that it never holds up an answer. */
  post(
    channel: string,
    message: Message,
    metadata?: MessageMetadata,
    options?: { thread?: string | undefined },
  ): Promise<{ ts: string }>;
  update(channel: string, ts: string, message: Message, metadata?: MessageMetadata): Promise<void>;
  /**
   * The message that was posted with this slot in its metadata, among those since a moment in the channel, or in one of its
   * threads.
   */
  findPost(
    channel: string,
    slot: string,
    options: { since: Date; thread?: string | undefined },
  ): Promise<{ ts: string } | undefined>;
  openView(triggerId: string, view: View): Promise<string>;
  updateView(viewId: string, view: View): Promise<void>;
  publishHome(user: string, blocks: AnyBlock[]): Promise<void>;
  /** The named exit: a view with a secret in it, in place of a view that its reader has open already. */
  reveal(viewId: string, view: View): Promise<void>;
}

export interface OutgoingServices {
  interactive: webApi.WebClient;
  background: webApi.WebClient;
  secrets: SecretFilter;
  log: Logger;
  /** Hosts that response URLs may name: Slack's, or the emulator's. */
  responseHosts: readonly string[];
  wait(milliseconds: number): Promise<void>;
}

export function createOutgoing(services: OutgoingServices): Outgoing {
  const { interactive, background, secrets, log, responseHosts, wait } = services;
  const viewOf = (view: View): View => fitView(secrets.hideIn(view));

  const images = createChartImages({ client: interactive, wait, log });

  /** A call that Slack refused for coming too soon was not carried out, so it may be made again when it says. */
  async function inTurn<T>(call: () => Promise<T>): Promise<T> {
    for (let turn = 1; ; turn += 1) {
      try {
        return await call();
      } catch (error) {
        const isEarly = error instanceof webApi.WebAPIRateLimitedError;
        if (!isEarly || turn === TURNS || error.retryAfter > LONGEST_TURN) throw error;
        await wait(error.retryAfter * 1000);
      }
    }
  }

  /**
   * Sends with native blocks, and where Slack does not know them yet with pictures and text, or with text alone. Answers
   * with what was sent.
   */
  async function withFallback<T>(
    given: Message,
    send: (message: Message) => Promise<T>,
  ): Promise<{ answer: T; files: readonly AttachedFile[] }> {
    // Secrets first: one that a cut goes through would not be known any more.
    const message = secrets.hideIn(given);
    const attempt = async (fitted: Message) => ({ answer: await send(fitted), files: fitted.files ?? [] });
    try {
      return await attempt(fitMessage(message));
    } catch (error) {
      const plain = fallbackOf(message);
      if (!isInvalidBlocks(error) || plain === message) throw error;
      log.info('Slack refused native blocks: sent as pictures and text');
      if (message.blocks.some(isChart)) {
        const drawn = fallbackOf({ ...message, blocks: await images.inPlaceOfCharts(message.blocks) });
        try {
          return await attempt(fitMessage(drawn));
        } catch (second) {
          if (!isInvalidBlocks(second)) throw second;
        }
      }
      return attempt(fitMessage(plain));
    }
  }

  /** A view cannot have native charts: it gets pictures. */
  async function drawnView(view: View): Promise<View> {
    if (!view.blocks.some(isChart)) return view;
    const hidden = secrets.hideIn(view);
    return { ...hidden, blocks: await images.inPlaceOfCharts(hidden.blocks) };
  }

  async function direct(user: string): Promise<string> {
    const { channel } = await inTurn(() => interactive.conversations.open({ users: user }));
    if (channel?.id === undefined) throw new Error('Slack opened no direct message');
    return channel.id;
  }

  /** A file as it stands, without its secrets: piece by piece, so that a long one holds nothing up. */
  async function hiddenInBytes(content: Buffer): Promise<Buffer> {
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

  async function upload(channel: string, thread: string | undefined, files: readonly AttachedFile[]): Promise<void> {
    for (const { name, title, content } of files) {
      const file = typeof content === 'string' ? Buffer.from(content) : await hiddenInBytes(content);
      const said = { channel_id: channel, file, filename: name, title: title ?? name };
      await interactive.filesUploadV2(thread === undefined ? said : { ...said, thread_ts: thread });
    }
  }

  async function respond(url: string, body: Record<string, unknown>): Promise<void> {
    const { host } = new URL(url);
    if (!responseHosts.includes(host)) throw new Error('a response URL that is not Slack’s');
    // Follows no redirect: it would carry the answer to somebody else.
    const { statusCode, body: answer } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const text = await answer.text();
    if (statusCode >= 300 || /"ok"\s*:\s*false/.test(text)) throw new ResponseUrlError(statusCode, text.slice(0, 300));
  }

  async function ephemeral(place: PersonalPlace, message: Message, replace: boolean): Promise<void> {
    const { text, blocks } = message;
    if (place.responseUrl !== undefined) {
      try {
        await respond(place.responseUrl, {
          text,
          blocks,
          ...(replace ? { replace_original: true } : { response_type: 'ephemeral', replace_original: false }),
          ...(replace ? {} : threadOf(place.thread)),
        });
        return;
      } catch (error) {
        if (isInvalidBlocks(error)) throw error;
        log.info({ err: error }, 'a response URL did not work: the Web API is used');
      }
    }
    if (place.channel !== undefined) {
      try {
        const { channel, user, thread } = place;
        await inTurn(() => interactive.chat.postEphemeral({ channel, user, text, blocks, ...threadOf(thread) }));
        return;
      } catch (error) {
        if (!isNotThere(error)) throw error;
      }
    }
    await posted(await direct(place.user), message);
  }

  /** For everybody in the channel, and where it is then. */
  async function posted(
    channel: string,
    { text, blocks }: Pick<Message, 'text' | 'blocks'>,
    thread?: string,
  ): Promise<{ channel: string; ts: string }> {
    const said = { channel, text, blocks, ...NO_PREVIEWS, ...threadOf(thread) };
    const { ts = '' } = await inTurn(() => interactive.chat.postMessage(said));
    return { channel, ts };
  }

  const withMetadata = (metadata: MessageMetadata | undefined) =>
    metadata === undefined ? {} : { metadata: secrets.hideIn(metadata) };

  return {
    async toPerson(place, message, { replace = false } = {}) {
      const { files } = await withFallback(message, (sent) => {
        const said = sent.files === undefined ? sent : { ...sent, blocks: [...sent.blocks, ...IN_DIRECT_MESSAGE] };
        return ephemeral(place, said, replace);
      });
      if (files.length > 0) await upload(await direct(place.user), undefined, files);
    },
    async toDirect(user, message) {
      const { answer, files } = await withFallback(message, async (sent) => posted(await direct(user), sent));
      await upload(answer.channel, answer.ts, files);
      return answer;
    },
    async toChannel({ channel, thread, user }, message) {
      const { answer, files } = await withFallback(message, async (sent) => {
        try {
          return { ...(await posted(channel, sent, thread)), direct: false };
        } catch (error) {
          if (!isNotThere(error)) throw error;
          return { ...(await posted(await direct(user), sent)), direct: true };
        }
      });
      // Not in what is tried again: the message is there already.
      await upload(answer.channel, answer.direct ? answer.ts : (thread ?? answer.ts), files);
      return answer;
    },
    async post(channel, message, metadata, { thread } = {}) {
      const { answer, files } = await withFallback(message, async ({ text, blocks }) => {
        const { ts = '' } = await background.chat.postMessage({
          channel,
          text,
          blocks,
          ...NO_PREVIEWS,
          ...withMetadata(metadata),
          ...threadOf(thread),
        });
        return { ts };
      });
      await upload(channel, thread ?? answer.ts, files);
      return answer;
    },
    async update(channel, ts, message, metadata) {
      const { files } = await withFallback(message, ({ text, blocks }) =>
        background.chat.update({ channel, ts, text, blocks, ...withMetadata(metadata) }),
      );
      await upload(channel, ts, files);
    },
    async findPost(channel, slot, { since, thread }) {
      let cursor: string | undefined;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const which = {
          channel,
          oldest: String(since.getTime() / 1000),
          limit: 200,
          include_all_metadata: true,
          ...(cursor === undefined ? {} : { cursor }),
        };
        const answer = await inTurn(() =>
          thread === undefined
            ? background.conversations.history(which)
            : background.conversations.replies({ ...which, ts: thread }),
        );
        const found = answer.messages?.find((one) => slotOf(one) === slot);
        if (found?.ts !== undefined) return { ts: found.ts };
        cursor = answer.response_metadata?.next_cursor;
        if (cursor === undefined || cursor === '') return undefined;
      }
      return undefined;
    },
    async openView(triggerId, view) {
      const opened = await interactive.views.open({ trigger_id: triggerId, view: viewOf(view) });
      if (opened.view?.id === undefined) throw new Error('Slack opened no view');
      return opened.view.id;
    },
    async updateView(viewId, view) {
      const drawn = viewOf(await drawnView(view));
      await inTurn(() => interactive.views.update({ view_id: viewId, view: drawn }));
    },
    async publishHome(user, blocks) {
      await interactive.views.publish({ user_id: user, view: viewOf({ type: 'home', blocks }) });
    },
    async reveal(viewId, view) {
      await inTurn(() => interactive.views.update({ view_id: viewId, view: fitView(secrets.hideSettingsIn(view)) }));
    },
  };
}

/** Slack shows no previews of addresses: nobody asked for them, and they would be fetched. */
const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false } as const;

const threadOf = (thread: string | undefined) => (thread === undefined ? {} : { thread_ts: thread });

function slotOf(message: object): unknown {
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
  return ['invalid_blocks', 'invalid_arguments', 'msg_blocks_too_long'].includes(codeOf(error));
}

/** The bot cannot post there: not a member, no such channel, archived, or a direct message between other people. */
function isNotThere(error: unknown): boolean {
  const code = codeOf(error);
  return (
    code.startsWith('restricted_action') ||
    ['not_in_channel', 'channel_not_found', 'is_archived', 'user_not_in_channel', 'cannot_reply_to_message'].includes(
      code,
    )
  );
}

/** Slack's word for what is wrong. */
function codeOf(error: unknown): string {
  return error instanceof webApi.WebAPIPlatformError ? error.data.error : '';
}
