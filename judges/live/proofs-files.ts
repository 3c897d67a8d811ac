import { setTimeout as sleep } from 'node:timers/promises';
import { hostsOf } from '../../src/slack/hosts.ts';
import { fetchFile } from '../../src/slack/in/files.ts';
import { type Live, Otherwise, type Proof } from './proof.ts';

const CONTENT = 'A file of Edgewise’s doctor: ä & < >\n';

/** Sent as the bot attaches files, and read as it reads those that people give. */
async function sendFile(live: Live): Promise<string> {
  const { client, channel, root, call, undo, config, settings } = live;
  const uploaded = await call(() =>
    client.filesUploadV2({
      channel_id: channel,
      thread_ts: root,
      file: Buffer.from(CONTENT),
      filename: 'doctor.txt',
      title: 'doctor.txt',
    }),
  );
  const id = (uploaded.files as { files?: { id?: string }[] }[])[0]?.files?.[0]?.id;
  if (id === undefined) throw new Otherwise('Slack took it, and names no file.');
  undo.push(['a file in the thread', () => client.files.delete({ file: id })]);
  const { content } = await fetchFile(
    {
      client,
      token: config.SLACK_BOT_TOKEN,
      hosts: hostsOf(settings.apiUrl),
      wait: async (pause) => void (await sleep(pause)),
    },
    id,
    10_000,
    { users: [], channel },
  );
  if (content.toString() !== CONTENT) throw new Otherwise('Slack gives something else back.');
  return 'goes up, and comes down byte by byte';
}

/** Files. */
export const FILE_PROOFS: readonly Proof[] = [
  {
    what: 'a file',
    prove: sendFile,
    otherwise: 'Attached files do not arrive as they should; please send this line to whoever keeps Edgewise.',
  },
];
