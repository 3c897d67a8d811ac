import type { AnyBlock, View } from '@slack/types';
import { request } from 'undici';
import { LIMITS } from '../../blocks/limits.ts';
import { type AttachedFile, type Message, message, note } from '../../blocks/message.ts';
import { code, mrkdwn, mrkdwnOfPlain, shortenToBytes } from '../../blocks/mrkdwn.ts';
import { logged, UsageError } from '../../errors.ts';
import { currentInteraction, opened } from '../../interaction.ts';
import { routes } from '../../network.ts';
import type { Observe } from '../../observe.ts';
import { problemOf } from '../../problem.ts';
import type { Post } from '../../reports/post.ts';
import type { Approvals } from '../../store/approvals.ts';
import type { Jobs } from '../../store/jobs.ts';
import { pagesOf, TIMEOUT, timedCall } from '../clients.ts';
import { isSlacks, type SlackHosts } from '../hosts.ts';
import { keepUntilTaken } from '../later.ts';
import { expired, isGone, isOnlyHere, ResponseUrlError, threadGone, usageErrorOf } from '../refusals.ts';
import { fitView } from './fit.ts';
import { hiddenInBytes, type SecretFilter } from './secrets.ts';
import { type Sending as Fitting, inTime, sendFitting, untilReached, untilShown } from './send.ts';

export interface Where {
  channel: string;
  thread?: string | undefined;
}

interface Recipient extends Where {
  user: string;
  responseUrl?: string | undefined;
}

export interface Telling extends Copying {
  replace?: boolean;
  passing?: boolean;
  /** Called if it is an ordinary message, which can be edited. */
  posted?: (where: Posted) => Promise<void>;
}

/** If the message is an ordinary one, it counts as a copy of that change’s card and is updated with it. */
export interface Copying {
  copyOf?: { id: string; isOwn?: boolean } | undefined;
}

export const HELD = 'held';

/** A message that Slack refused for now, without secrets. */
type Held = ({ recipient: Recipient; replace: boolean } | { user: string }) & { message: Message } & Copying;

interface MessageMetadata {
  event_type: string;
  event_payload: Record<string, string>;
}

/** `thread`: the one it is in, or begins. */
export interface Posted {
  channel: string;
  ts: string;
  thread: string;
}

export interface Outward extends Omit<Fitting, 'natives'> {
  /** The bot’s own. */
  userId: string;
  secrets: SecretFilter;
  observe?: Observe | undefined;
  /** Response URLs have to be on these hosts. */
  hosts: SlackHosts;
  store: { jobs: Pick<Jobs, 'add' | 'arm'>; approvals: Pick<Approvals, 'copied'> };
  now: () => Date;
}

type Sending = Outward & Fitting;

/** Everything sent to Slack goes through here: within Slack’s limits and, except by `reveal`, without secrets. */
export type Outgoing = ReturnType<typeof createOutgoing>;

export function createOutgoing(given: Outward) {
  const services: Sending = { ...given, natives: new Map() };
  const { interactive, background, secrets, log } = services;
  return {
    /** By response URL, ephemeral message or direct message, whichever works. Retries for a minute unless `passing`. */
    async toPerson(
      recipient: Recipient,
      given: Message,
      { replace = false, passing = false, posted, copyOf }: Telling = {},
    ) {
      const message = hiddenIn(secrets, given);
      const send = () => answer(services, recipient, message, replace);
      const sent = await (passing ? send() : orHold(services, { recipient, replace, message, copyOf }, send));
      if (sent !== undefined) await posted?.(sent);
    },
    /** Returns false if Slack does not remove it. */
    async remove({ responseUrl }: Recipient) {
      if (responseUrl === undefined) return false;
      try {
        await untilReached(services, () => respond(services, responseUrl, { delete_original: true }));
        return true;
      } catch (error) {
        log.info({ err: error }, 'a message could not be taken away');
        return false;
      }
    },
    /** Undefined: Slack takes it later, and it is kept until then. */
    toDirect(user: string, given: Message, { copyOf }: Copying = {}) {
      const message = hiddenIn(secrets, given);
      return orHold(services, { user, message, copyOf }, () => sendToDirect(services, user, message));
    },
    /** The channel of direct messages with this person. */
    direct: (user: string) => openDirect(services, user),
    sendHeld: (body: Readonly<Record<string, unknown>>) => sendHeld(services, body as unknown as Held),
    /** Sends a direct message to `user` if there is no channel, or the bot is not in it. */
    async toChannel({ channel, thread, user }: Partial<Where> & { user: string }, given: Message) {
      const message = hiddenIn(secrets, given);
      if (channel !== undefined)
        try {
          return { ...(await sendWithFiles(services, { channel, thread }, message)), direct: false };
        } catch (error) {
          if (!isOnlyHere(error)) throw error;
        }
      return { ...(await sendToDirect(services, user, message)), direct: true };
    },
    /** By the background client. Throws if the thread is gone. */
    async post(
      { channel, thread, isBroadcast }: Where & Pick<Post, 'isBroadcast'>,
      message: Message,
      metadata?: MessageMetadata,
    ) {
      const unseen = metadata && { metadata: secrets.hideIn(metadata) };
      const reply = isBroadcast === true && thread !== undefined;
      const where = reply ? { thread_ts: thread, reply_broadcast: true as const } : threadOf(thread);
      const { sent, files } = await sendFitting(services, 'message', hiddenIn(secrets, message), (fitted) =>
        background.chat.postMessage({ channel, ...posted(fitted), ...NO_PREVIEWS, ...unseen, ...where }),
      );
      const { ts = '' } = sent;
      if (thread !== undefined && sent.message !== undefined && sent.message.thread_ts === undefined) {
        // Slack posts a reply into the channel if its thread is gone.
        await background.chat
          .delete({ channel, ts })
          .catch(logged(log, 'warn', 'a reply that went astray could not be deleted', { channel }));
        throw threadGone();
      }
      await upload(services, { channel, thread: thread ?? ts }, files);
      return { ts };
    },
    async update(channel: string, ts: string, message: Message) {
      const { files } = await sendFitting(services, 'message', hiddenIn(secrets, message), (fitted) => {
        const { text, blocks } = elsewhere(fitted);
        return background.chat.update({ channel, ts, text: shortenToBytes(text, LIMITS.updateText), blocks });
      });
      await upload(services, { channel, thread: ts }, files);
    },
    erase: async ({ channel, ts }: Pick<Posted, 'channel' | 'ts'>) =>
      void (await background.chat.delete({ channel, ts })),
    findPost: (where: Where, key: string, since: Date) => findPost(services, where, key, since),
    openView: (triggerId: string, view: View) => openView(services, triggerId, view),
    async updateView(viewId: string, view: View, { passing = false }: { passing?: boolean } = {}) {
      const send = () =>
        sendView(services, view, (fitted) => interactive.views.update({ view_id: viewId, view: fitted }));
      await (passing ? inTime(services, send) : untilShown(services, send));
    },
    async publishHome(user: string, blocks: AnyBlock[]) {
      const publish = (fitted: View) =>
        inTime(services, () => interactive.views.publish({ user_id: user, view: fitted }));
      await untilReached(services, () => sendView(services, { type: 'home', blocks }, publish));
    },
    /** Fills an open view. The only one with a secret. */
    async reveal(viewId: string, given: View) {
      const view = fitView(secrets.hideSettingsIn(given));
      await untilShown(services, () => interactive.views.update({ view_id: viewId, view }));
    },
  };
}

/** Undefined: Slack named a time for another try, and the message is kept until then. */
async function orHold(
  services: Sending,
  held: Held,
  send: () => Promise<Posted | undefined>,
): Promise<Posted | undefined> {
  try {
    const sent = await untilReached(services, send);
    if (sent !== undefined && held.copyOf !== undefined) await copied(services, held.copyOf, sent);
    return sent;
  } catch (error) {
    await keepUntilTaken(services, error, { kind: HELD, body: await storable(services.secrets, held) });
    return undefined;
  }
}

const copied = ({ store }: Sending, { id, isOwn }: NonNullable<Copying['copyOf']>, { channel, ts }: Posted) =>
  store.approvals.copied(id, { channel, ts, ...(isOwn === undefined ? {} : { isOwn }) });

/** Files as base64. */
async function storable(secrets: SecretFilter, { message, ...held }: Held): Promise<object> {
  const kept = message.files?.map(async (file) => ({
    ...file,
    content: (await hiddenInBytes(secrets, bytesOf(file.content))).toString('base64'),
  }));
  return { ...held, message: kept === undefined ? message : { ...message, files: await Promise.all(kept) } };
}

async function sendHeld(services: Sending, held: Held): Promise<void> {
  const { files, ...rest } = held.message;
  const restored = files?.map((file) => ({ ...file, content: Buffer.from(String(file.content), 'base64') }));
  const message = restored === undefined ? rest : { ...rest, files: restored };
  const sent = await untilReached(services, () =>
    'user' in held
      ? sendToDirect(services, held.user, message)
      : answer(services, held.recipient, message, held.replace),
  );
  if (sent !== undefined && held.copyOf !== undefined) await copied(services, held.copyOf, sent);
}

/** Hides secrets. Files lose theirs at the upload, piece by piece. */
function hiddenIn(secrets: SecretFilter, message: Message): Message {
  if (message.files === undefined) return secrets.hideIn(message);
  return secrets.hideIn({
    ...message,
    files: message.files.map((file) => ({ ...file, content: bytesOf(file.content) })),
  });
}

const bytesOf = (content: string | Buffer): Buffer => (typeof content === 'string' ? Buffer.from(content) : content);

async function findPost(
  services: Sending,
  { channel, thread }: Where,
  key: string,
  since: Date,
): Promise<{ ts: string } | undefined> {
  const { background, userId } = services;
  const which = { channel, oldest: String(since.getTime() / 1000), limit: 200, include_all_metadata: true };
  const pages = pagesOf(20, (more) =>
    inTime(services, () =>
      thread === undefined
        ? background.conversations.history({ ...which, ...more })
        : background.conversations.replies({ ...which, ...more, ts: thread }),
    ),
  );
  for await (const { messages } of pages) {
    const found = messages?.find(
      (one: { ts?: string; user?: string; metadata?: { event_payload?: { slot?: unknown } } }) =>
        // Another app may say the same.
        one.user === userId && one.metadata?.event_payload?.slot === key,
    );
    if (found?.ts !== undefined) return { ts: found.ts };
  }
  return undefined;
}

/** Returns the message if it is an ordinary one. */
async function answer(
  services: Sending,
  recipient: Recipient,
  message: Message,
  replace: boolean,
): Promise<Posted | undefined> {
  // The Home tab has no conversation.
  if (isHome(recipient.channel)) return sendToDirect(services, recipient.user, message);
  if (isDirect(recipient.channel) && !(replace && recipient.responseUrl !== undefined)) {
    try {
      return await sendWithFiles(services, recipient, message);
    } catch (error) {
      // It is a direct message between other people.
      if (!isOnlyHere(error)) throw error;
    }
  }
  const { files } = await sendToPerson(services, recipient, message, replace);
  if (files.length > 0) await upload(services, { channel: await openDirect(services, recipient.user) }, files);
  return undefined;
}

async function sendToPerson(
  services: Sending,
  { user, channel, thread, responseUrl }: Recipient,
  message: Message,
  replace: boolean,
): Promise<{ files: readonly AttachedFile[] }> {
  if (responseUrl !== undefined) {
    const how = replace
      ? { replace_original: true }
      : { response_type: 'ephemeral', replace_original: false, ...threadOf(thread) };
    try {
      return await sendFitting(services, 'response url', message, (fitted) =>
        respond(services, responseUrl, { ...elsewhere(shown(fitted)), ...how }),
      );
    } catch (error) {
      services.log.info({ err: error }, 'a response URL did not work: the Web API is used');
    }
  }
  try {
    return await sendFitting(services, 'ephemeral', message, (fitted) =>
      inTime(services, () =>
        services.interactive.chat.postEphemeral({ channel, user, ...elsewhere(shown(fitted)), ...threadOf(thread) }),
      ),
    );
  } catch (error) {
    if (!isOnlyHere(error)) throw error;
  }
  const direct = { channel: await openDirect(services, user) };
  return sendFitting(services, 'message', message, (fitted) => postMessage(services, direct, shown(fitted)));
}

type TextAndBlocks = Pick<Message, 'text' | 'blocks'>;

/** For methods that read `text` as mrkdwn. */
const elsewhere = ({ text, blocks }: TextAndBlocks) => ({ text: mrkdwnOfPlain(text), blocks });

/** For chat.postMessage, which can be told that the text beside blocks is plain. */
const posted = ({ text, blocks }: TextAndBlocks) =>
  blocks.length === 0 ? elsewhere({ text, blocks }) : { text, blocks, mrkdwn: false };

const shown = ({ text, blocks, files }: Message): TextAndBlocks => {
  const where = 'The attached file is in your direct messages with me: files cannot be shown to one person only.';
  return { text, blocks: files === undefined ? blocks : [...blocks, ...note(where).blocks] };
};

function respond({ observe, hosts }: Sending, url: string, message: Record<string, unknown>): Promise<void> {
  return timedCall(observe, 'response_url', async () => {
    if (!isSlacks(hosts, 'responses', url)) throw new Error('a response URL that is not Slack’s');
    // No redirects: one would carry the message to somebody else.
    const { statusCode, body } = await request(url, {
      dispatcher: routes(),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const text = await body.text();
    if (statusCode >= 300 || /"ok"\s*:\s*false/.test(text)) throw new ResponseUrlError(statusCode, text.slice(0, 300));
  });
}

const sendToDirect = async (services: Sending, user: string, message: Message): Promise<Posted> =>
  sendWithFiles(services, { channel: await openDirect(services, user) }, message);

async function sendWithFiles(services: Sending, where: Where, message: Message): Promise<Posted> {
  const { sent, files } = await sendFitting(services, 'message', message, (fitted) =>
    postMessage(services, where, fitted),
  );
  await upload(services, { channel: where.channel, thread: where.thread ?? sent.ts }, files);
  return sent;
}

async function postMessage(services: Sending, { channel, thread }: Where, given: TextAndBlocks): Promise<Posted> {
  const said = { channel, ...posted(given), ...NO_PREVIEWS, ...threadOf(thread) };
  const { ts = '', message: made } = await inTime(services, () => services.interactive.chat.postMessage(said));
  return { channel, ts, thread: (made === undefined ? thread : made.thread_ts) ?? ts };
}

async function openDirect(services: Sending, user: string): Promise<string> {
  const { channel } = await inTime(services, () => services.interactive.conversations.open({ users: user }));
  if (channel?.id === undefined) throw new Error('Slack opened no direct message');
  return channel.id;
}

/** Uploads files into the message’s thread. Never throws: a refused file is named there. */
async function upload(services: Sending, where: Where, files: readonly AttachedFile[]): Promise<void> {
  const { interactive, secrets, log } = services;
  const { channel, thread } = where;
  for (const { name, title = name, content } of files) {
    try {
      const file = await hiddenInBytes(secrets, bytesOf(content));
      const given = { channel_id: channel, file, filename: name, title };
      await inTime(services, () =>
        interactive.filesUploadV2(thread === undefined ? given : { ...given, thread_ts: thread }),
      );
    } catch (error) {
      log.warn({ err: error, channel, file: name }, 'Slack did not take a file');
      const reason = usageErrorOf(error) ?? new UsageError('Slack did not take it.', { hint: 'Try again later.' });
      const said = message(mrkdwn`The attached file ${code(name)} could not be sent.`, problemOf(reason).message);
      await postMessage(services, where, said).catch(logged(log, 'warn', 'could not report that a file is missing'));
    }
  }
}

/** Slack would fetch the addresses in a message for previews. */
const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false } as const;

/** The Home tab’s channel is the id of its person. */
export const isHome = (channel: string): boolean => /^[UW]/.test(channel);

/** Also for direct messages of two people. */
export const isDirect = (channel: string): boolean => channel.startsWith('D');

const threadOf = (thread: string | undefined) => (thread === undefined ? {} : { thread_ts: thread });

async function openView(services: Sending, triggerId: string, view: View): Promise<string> {
  const { interactive } = services;
  // The external id lets another process find the view.
  const named = (fitted: View) => ({ trigger_id: triggerId, view: { ...fitted, external_id: triggerId } });
  const id =
    (await openedBefore(services, triggerId, view)) ??
    (await sendView(services, view, (fitted) => interactive.views.open(named(fitted)))).view?.id;
  if (id === undefined) throw new Error('Slack opened no view');
  opened(id);
  return id;
}

async function openedBefore(services: Sending, triggerId: string, view: View): Promise<string | undefined> {
  const interaction = currentInteraction();
  if (interaction?.isAgain !== true) return undefined;
  const which = interaction.view === undefined ? { external_id: triggerId } : { view_id: interaction.view };
  const update = (fitted: View) => services.interactive.views.update({ ...which, view: fitted });
  return untilShown(services, () => sendView(services, view, update)).then(
    (updated) => updated.view?.id,
    (error: unknown) => {
      // The view was closed, so nobody waits in it.
      if (!isGone(error, 'view') || interaction.view !== undefined) throw error;
      if (performance.now() - interaction.since > 3_000) throw expired();
      return undefined;
    },
  );
}

/** Views have no native tables and charts. */
function sendView<T>({ secrets }: Sending, given: View, send: (view: View) => Promise<T>): Promise<T> {
  return send(fitView(secrets.hideIn(given)));
}
