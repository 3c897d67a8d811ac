import { createHash } from 'node:crypto';
import type { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import { fetch } from 'undici';
import { UsageError } from '../../errors.ts';
import { routes } from '../../network.ts';
import type { GivenFile } from '../../operations/context.ts';
import { retry } from '../../retry.ts';
import type { Secret } from '../../secret.ts';
import { isSlacks, type SlackHosts } from '../hosts.ts';
import { inTime } from '../out/send.ts';
import { isGone, usageErrorOf } from '../refusals.ts';
import type { IncomingEvent } from './payloads.ts';

interface Fetching {
  client: webApi.WebClient;
  /** Sent only to Slack’s hosts. */
  token: Secret;
  hosts: SlackHosts;
  wait(milliseconds: number): Promise<void>;
}

/** The same answer for every file that the person may not use, whether it exists or not. */
const noSuchFile = () =>
  new UsageError('Slack has no such file for you here.', {
    hint: 'Give it again, in the form or in this conversation.',
  });

/** The file may be used, but Slack does not let the bot read it. */
const notGiven = () =>
  new UsageError('Slack does not let me read the file.', {
    hint: 'Invite me to the channel where it was shared, or attach it in the form. If that fails, ask whoever runs Edgewise to check the scope files:read.',
  });

/** Slack has a fault. */
class FaultError extends UsageError {
  constructor(what: string) {
    super(`Slack could not give the file: ${what}.`, { hint: 'The file may be fine: try again in a moment.' });
  }
}

/**
 * Fetches a file that the person gave or that is in their conversation. Throws UsageError for any other file, and for one that
 * is too large, is not on Slack’s file hosts, or is not sent by Slack.
 */
export async function fetchFile(
  { client, token, hosts, wait }: Fetching,
  id: string,
  maxBytes: number,
  by: { users: readonly string[]; channel: string },
): Promise<GivenFile> {
  const { file } = await inTime({ wait }, () => client.files.info({ file: id })).catch((error: unknown) => {
    throw isGone(error, 'file') ? noSuchFile() : (usageErrorOf(error) ?? error);
  });
  const { user = '', channels = [], groups = [], ims = [] } = file ?? {};
  const isTheirs = by.users.includes(user) || [...channels, ...groups, ...ims].includes(by.channel);
  if (file === undefined || !isTheirs) throw noSuchFile();
  const address = file.url_private_download ?? file.url_private;
  if (address === undefined) throw notGiven();
  if ((file.size ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (!isSlacks(hosts, 'files', address))
    throw new UsageError('The file is not stored on Slack, and I don’t fetch files from elsewhere.');
  const content = await retry(
    () => download(address, token, maxBytes),
    wait,
    (error, attempt) => (error instanceof FaultError ? [1_000, 3_000][attempt - 1] : undefined),
  );
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { id, name: file.name ?? id, size: content.length, content, sha256 };
}

const tooLarge = (maxBytes: number) =>
  new UsageError(`The file is too large: at most ${Math.floor(maxBytes / 1_000_000)} MB.`);

async function download(address: string, token: Secret, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    const response = await fetch(address, {
      dispatcher: routes(),
      headers: { authorization: `Bearer ${token.reveal()}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(20_000),
    });
    const { status, headers, body } = response;
    if (status === 429 || status >= 500) throw new FaultError(`its answer was ${status}`);
    // The sign-in page, or a redirect to it.
    if (!response.ok || body === null || /^text\/html/i.test(headers.get('content-type') ?? '')) throw notGiven();
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof UsageError ? error : new FaultError('its answer broke off, or there was none');
  }
  const content = Buffer.concat(chunks);
  if (/^\s*<(!doctype html|html)\b/i.test(content.toString('latin1', 0, 200))) throw notGiven();
  return content;
}

/** Ids of the files of a message, else of its thread, newest first. */
export async function fileIdsOf(
  { client, log }: { client: webApi.WebClient; log: Logger },
  came: IncomingEvent,
): Promise<string[]> {
  if (came.files !== undefined && came.files.length > 0) return came.files.map((file) => file.id);
  if (came.thread_ts === undefined || came.channel === undefined) return [];
  try {
    const { messages = [] } = await client.conversations.replies({
      channel: came.channel,
      ts: came.thread_ts,
      limit: 100,
    });
    return messages
      .flatMap((one) => one.files ?? [])
      .flatMap((file) => (file.id === undefined ? [] : [file.id]))
      .reverse();
  } catch (error) {
    log.info({ err: error }, 'the thread’s files could not be read');
    return [];
  }
}
