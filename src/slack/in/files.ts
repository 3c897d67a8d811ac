import { createHash } from 'node:crypto';
import type { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import { fetch } from 'undici';
import { UsageError } from '../../errors.ts';
import { routes } from '../../network.ts';
import type { GivenFile } from '../../operations/context.ts';
import type { Secret } from '../../secret.ts';
import { isSlacks, type SlackHosts } from '../hosts.ts';
import { usageErrorOf } from '../refusals.ts';
import type { IncomingEvent } from './payloads.ts';

/** How long Slack may take to give a file, in milliseconds. */
const TIMEOUT = 20_000;

/** Fetches a file that somebody gave. Throws UsageError when it is gone, too large, or not on one of Slack's file hosts. */
export async function fetchFile(
  services: {
    client: webApi.WebClient;
    /** Goes to Slack's hosts alone. */
    token: Secret;
    hosts: SlackHosts;
  },
  id: string,
  maxBytes: number,
): Promise<GivenFile> {
  const { client, token, hosts } = services;
  const { file } = await client.files.info({ file: id }).catch((error: unknown) => {
    throw usageErrorOf(error) ?? error;
  });
  const address = file?.url_private_download ?? file?.url_private;
  if (file === undefined || address === undefined)
    throw new UsageError('Slack has no such file any more.', { hint: 'Give it again.' });
  const tooLarge = () => new UsageError(`The file is too large: at most ${Math.floor(maxBytes / 1_000_000)} MB.`);
  if ((file.size ?? 0) > maxBytes) throw tooLarge();
  if (!isSlacks(hosts, 'files', address))
    throw new UsageError('The file is not on Slack: it is not fetched from elsewhere.');
  const response = await fetch(address, {
    dispatcher: routes(),
    headers: { authorization: `Bearer ${token.reveal()}` },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
  });
  if (!response.ok || response.body === null)
    throw new UsageError(`Slack does not give the file (status ${response.status}).`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  const content = Buffer.concat(chunks);
  return { id, name: file.name ?? id, size, content, sha256: createHash('sha256').update(content).digest('hex') };
}

/** The ids of the files of a message itself, else of its thread, newest first. */
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
