/** files.*: the three steps of an upload, and look-ups. */

import { addProblem, record } from '../changes.ts';
import { fileObject, textOf as shownTextOf, storeFile } from '../files.ts';
import { postMessage, removeMessage } from '../messages.ts';
import { type Slack, SlackError } from '../slack.ts';
import type { UiBlock } from '../ui-types.ts';
import { type Channel, currentOf } from '../workspace.ts';
import { type Call, invalidArguments, jsonOf, type Methods, need, textOf } from './call.ts';

/** Files: uploaded and looked up. */
export const fileMethods: Methods = {
  'files.getUploadURLExternal': { scope: 'files:write', run: answerGetUploadUrl },
  'files.completeUploadExternal': { scope: 'files:write', run: answerCompleteUpload },
  'files.delete': { scope: 'files:write', run: answerDelete },
  'files.info': { scope: 'files:read', run: answerInfo },
};

function answerGetUploadUrl(call: Call): Record<string, unknown> {
  const { slack } = call;
  const length = Number(need(call, 'length'));
  if (!Number.isInteger(length) || length <= 0) throw invalidArguments('length must be greater than 0');
  const file = storeFile(slack, slack.app.userId, need(call, 'filename'), Buffer.alloc(0));
  file.altText = textOf(call, 'alt_txt') ?? '';
  slack.uploads.set(file.id, { file, length, isReceived: false });
  return { upload_url: `${slack.url}upload/v1/${file.id}`, file_id: file.id };
}

/** Takes the bytes that were sent to an upload URL; false when nobody asked for that URL. */
export function receiveUpload(slack: Slack, id: string, bytes: Buffer): boolean {
  const upload = slack.uploads.get(id);
  if (!upload) return false;
  upload.file.bytes = bytes;
  upload.isReceived = true;
  record(slack, 'upload', bytes.toString('utf8'));
  if (bytes.length !== upload.length) {
    addProblem(slack, `upload: ${bytes.length} bytes came where ${upload.length} were announced`);
  }
  return true;
}

function answerCompleteUpload(call: Call): Record<string, unknown> {
  const { slack } = call;
  const listed = jsonOf(call, 'files');
  if (!Array.isArray(listed) || listed.length === 0) throw invalidArguments('missing required field: files');
  const files = (listed as { id?: string; title?: string }[]).map(({ id, title }) => {
    const upload = slack.uploads.get(id ?? '');
    if (!upload?.isReceived) throw new SlackError('file_not_found');
    if (title !== undefined && title !== '') upload.file.title = title;
    return upload.file;
  });
  const channels = channelsOf(call);
  const thread = textOf(call, 'thread_ts');
  for (const channel of channels) {
    if (thread !== undefined && !slack.workspace.message(channel.id, thread)) throw new SlackError('thread_not_found');
  }
  for (const file of files) slack.uploads.delete(file.id);
  for (const channel of channels) {
    for (const file of files) file.shares.add(channel.id);
    postMessage(slack, {
      channel: channel.id,
      text: textOf(call, 'initial_comment') ?? '',
      blocks: (jsonOf(call, 'blocks') as UiBlock[] | undefined) ?? [],
      threadTs: thread,
      files: files.map((file) => file.id),
    });
  }
  return { files: files.map((file) => fileObject(slack, file)) };
}

/** The channels that an upload is shared in. */
function channelsOf(call: Call): Channel[] {
  const ids = [textOf(call, 'channel_id'), ...(textOf(call, 'channels')?.split(',') ?? [])];
  return ids
    .filter((id) => id !== undefined)
    .map((id) => {
      const channel = call.slack.workspace.findChannel(id);
      if (!channel) throw new SlackError('channel_not_found');
      if (!channel.members.has(call.slack.app.userId)) throw new SlackError('not_in_channel');
      return channel;
    });
}

/** A message that was about the file alone goes with it. */
function answerDelete(call: Call): Record<string, unknown> {
  const { slack } = call;
  const { files, messages } = slack.workspace;
  const file = files.get(need(call, 'file', 'file_not_found'));
  if (!file) throw new SlackError('file_not_found');
  if (file.user !== slack.app.userId) throw new SlackError('cant_delete_file');
  files.delete(file.id);
  for (const message of [...messages.values()].flat()) {
    if (!message.files.includes(file.id)) continue;
    message.files = message.files.filter((id) => id !== file.id);
    const { text, blocks } = currentOf(message);
    if (message.files.length === 0 && text === '' && blocks.length === 0) removeMessage(slack, message);
  }
  return {};
}

function answerInfo(call: Call): Record<string, unknown> {
  const { slack } = call;
  const file = slack.workspace.files.get(need(call, 'file', 'file_not_found'));
  if (!file || slack.uploads.has(file.id)) throw new SlackError('file_not_found');
  const shown = fileObject(slack, file);
  // Of what the bot uploads for its blocks, Slack knows the kind only some time after the upload.
  const isNew = file.shares.size === 0 && file.user === slack.app.userId && file.isLookedAt !== true;
  file.isLookedAt = true;
  if (isNew) shown.mimetype = '';
  const paging = { count: 100, total: 0, page: 1, pages: 0 };
  const text = shownTextOf(file);
  const content =
    text === undefined
      ? {}
      : {
          content: text,
          is_truncated: false,
          content_highlight_html: shown.preview_highlight,
          content_highlight_html_truncated: false,
          content_highlight_css: '',
        };
  return { file: shown, comments: [], paging, ...content, response_metadata: { next_cursor: '' } };
}
