import { createHash } from 'node:crypto';
import type { webApi } from '@slack/bolt';
import { fetch } from 'undici';
import { UsageError } from '../../errors.ts';
import type { GivenFile } from '../../operations/context.ts';
import type { Secret } from '../../platform/secret.ts';

const TIMEOUT = 20_000;

/** Fetches files that people gave. The bot's token goes to Slack's file hosts only. */
export function createFileSource(options: {
  client: webApi.WebClient;
  token: Secret;
  /** Hosts that may serve files: Slack's, or the emulator's. */
  hosts: readonly string[];
}): (id: string, maxBytes: number) => Promise<GivenFile> {
  const { client, token, hosts } = options;
  return async (id, maxBytes) => {
    const { file } = await client.files.info({ file: id });
    const address = file?.url_private_download ?? file?.url_private;
    if (file === undefined || address === undefined)
      throw new UsageError('Slack has no such file any more.', { hint: 'Give it again.' });
    const tooLarge = () => new UsageError(`The file is too large: at most ${Math.floor(maxBytes / 1_000_000)} MB.`);
    if ((file.size ?? 0) > maxBytes) throw tooLarge();
    if (!hosts.includes(new URL(address).host))
      throw new UsageError('The file is not on Slack: it is not fetched from elsewhere.');
    const response = await fetch(address, {
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
  };
}
