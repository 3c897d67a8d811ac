/** Messages as the workspace keeps them: posted, changed, removed, and looked at for what Slack would refuse. */

import { randomUUID } from 'node:crypto';
import type { Complaint } from './block-kit/shapes.ts';
import { validateMessage } from './block-kit/validate.ts';
import { emit } from './changes.ts';
import { nextTs, withIds } from './ids.ts';
import type { Slack } from './slack.ts';
import type { UiBlock } from './ui-types.ts';
import type { Message, Revision } from './workspace.ts';

/** The parts of a new message that somebody chose; the rest is filled in. Without `user` it is the bot's. */
export interface MessageDraft {
  channel: string;
  user?: string;
  botId?: string | undefined;
  text: string;
  blocks?: UiBlock[];
  attachments?: unknown[];
  /** Blocks that a person's client made. */
  typed?: UiBlock[];
  threadTs?: string | undefined;
  broadcast?: boolean;
  ephemeralTo?: string | undefined;
  files?: string[];
  metadata?: unknown;
}

/** Posts a message. */
export function postMessage(slack: Slack, draft: MessageDraft): Message {
  const { text, blocks = [], attachments = [] } = draft;
  const message: Message = {
    channel: draft.channel,
    ts: nextTs(slack),
    user: draft.user ?? slack.app.userId,
    botId: draft.user === undefined ? slack.app.botId : draft.botId,
    threadTs: draft.threadTs,
    broadcast: draft.broadcast ?? false,
    ephemeralTo: draft.ephemeralTo,
    isLost: draft.ephemeralTo !== undefined && slack.away.has(draft.ephemeralTo),
    files: draft.files ?? [],
    typed: draft.typed ?? [],
    clientMsgId: draft.user === undefined ? undefined : randomUUID(),
    metadata: draft.metadata,
    reactions: [],
    revisions: [{ text, blocks: withIds(slack, blocks), attachments }],
    edited: undefined,
    isDeleted: false,
  };
  const list = slack.workspace.messages.get(draft.channel) ?? [];
  list.push(message);
  slack.workspace.messages.set(draft.channel, list);
  emit(slack, { type: 'message', message, isNew: true });
  return message;
}

/** Gives a message a new revision. */
export function changeMessage(slack: Slack, message: Message, revision: Revision): void {
  message.revisions.push({ ...revision, blocks: withIds(slack, revision.blocks) });
  // Slack names the bot by its other id, and counts whole seconds.
  message.edited = { user: message.botId ?? message.user, ts: `${nextTs(slack).split('.')[0]}.000000` };
  emit(slack, { type: 'message', message, isNew: false });
}

/** Takes a message out of its channel. */
export function removeMessage(slack: Slack, message: Message): void {
  message.isDeleted = true;
  const { messages } = slack.workspace;
  const others = (messages.get(message.channel) ?? []).filter((other) => other !== message);
  messages.set(message.channel, others);
  emit(slack, { type: 'removed', message });
}

const NATIVE = /^(data_table|data_visualization)$/;

/** Complaints about a message in this workspace: its blocks, those that the workspace does not know, and its pictures. */
export function messageComplaints(
  { workspace, options }: Pick<Slack, 'workspace' | 'options'>,
  message: { text?: unknown; blocks?: unknown; attachments?: unknown },
): Complaint[] {
  const complaints = validateMessage(message);
  if (!Array.isArray(message.blocks)) return complaints;
  for (const [index, block] of (message.blocks as { type?: unknown; slack_file?: { id?: unknown } }[]).entries()) {
    const pointer = `/blocks/${index}`;
    if (options.plainBlocksOnly === true && NATIVE.test(String(block?.type)))
      complaints.push({ pointer, code: 'unsupported', message: `unsupported type: ${String(block.type)}` });
    const id = block?.slack_file?.id;
    if (id !== undefined && workspace.files.get(String(id))?.isLookedAt !== true)
      complaints.push({ pointer: `${pointer}/slack_file`, code: 'invalid_file', message: 'invalid slack file' });
  }
  return complaints;
}
