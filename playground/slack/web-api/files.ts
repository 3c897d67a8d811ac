/** files.*: the three steps of an upload, and look-ups. */

import { SlackError } from '../core.ts';
import { fileObject, storeFile } from '../files.ts';
import type { Slack } from '../slack.ts';
import type { UiBlock } from '../ui-types.ts';
import { BOT_USER_ID, type StoredFile } from '../workspace.ts';
import { type Call, invalidArguments, type Methods } from './call.ts';

export interface Uploads {
  methods: Methods;
  /** Takes the bytes that were sent to an upload URL; false when nobody asked for that URL. */
  receive(id: string, bytes: Buffer): boolean;
}

export function createUploads(slack: Slack): Uploads {
  const { core } = slack;
  /** Files whose bytes or completion are still to come. */
  const pending = new Map<string, { file: StoredFile; length: number; isReceived: boolean }>();

  const complete = (call: Call): Record<string, unknown> => {
    const listed = call.json('files');
    if (!Array.isArray(listed) || listed.length === 0) throw invalidArguments('missing required field: files');
    const files = (listed as { id?: string; title?: string }[]).map(({ id, title }) => {
      const upload = pending.get(id ?? '');
      if (!upload?.isReceived) throw new SlackError('file_not_found');
      if (title !== undefined && title !== '') upload.file.title = title;
      return upload.file;
    });
    const wanted = [call.text('channel_id'), ...(call.text('channels')?.split(',') ?? [])].filter(
      (id) => id !== undefined,
    );
    const channels = wanted.map((id) => {
      const channel = core.workspace.findChannel(id);
      if (!channel) throw new SlackError('channel_not_found');
      if (!channel.members.has(BOT_USER_ID)) throw new SlackError('not_in_channel');
      return channel;
    });
    const thread = call.text('thread_ts');
    for (const channel of channels) {
      if (thread !== undefined && !core.workspace.message(channel.id, thread)) throw new SlackError('thread_not_found');
    }
    for (const file of files) pending.delete(file.id);
    for (const channel of channels) {
      for (const file of files) file.shares.add(channel.id);
      core.post({
        channel: channel.id,
        text: call.text('initial_comment') ?? '',
        blocks: (call.json('blocks') as UiBlock[] | undefined) ?? [],
        threadTs: thread,
        files: files.map((file) => file.id),
      });
    }
    return { files: files.map((file) => fileObject(core, file)) };
  };

  return {
    methods: {
      'files.getUploadURLExternal': {
        scope: 'files:write',
        run(call) {
          const length = Number(call.need('length'));
          if (!Number.isInteger(length) || length <= 0) throw invalidArguments('length must be greater than 0');
          const file = storeFile(core, BOT_USER_ID, call.need('filename'), Buffer.alloc(0));
          pending.set(file.id, { file, length, isReceived: false });
          return { upload_url: `${core.url}upload/v1/${file.id}`, file_id: file.id };
        },
      },
      'files.completeUploadExternal': { scope: 'files:write', run: complete },
      'files.info': {
        scope: 'files:read',
        run(call) {
          const file = core.workspace.files.get(call.need('file', 'file_not_found'));
          if (!file || pending.has(file.id)) throw new SlackError('file_not_found');
          const shown = fileObject(core, file);
          // Of what the bot uploads for its blocks, Slack knows the kind only some time after the upload.
          const isNew = file.shares.size === 0 && file.user === BOT_USER_ID && file.isLookedAt !== true;
          file.isLookedAt = true;
          if (isNew) shown.mimetype = '';
          return { file: shown, comments: [], response_metadata: { next_cursor: '' } };
        },
      },
    },

    receive(id, bytes) {
      const upload = pending.get(id);
      if (!upload) return false;
      upload.file.bytes = bytes;
      upload.isReceived = true;
      core.record('upload', bytes.toString('utf8'));
      if (bytes.length !== upload.length) {
        core.problem(`upload: ${bytes.length} bytes came where ${upload.length} were announced`);
      }
      return true;
    },
  };
}
