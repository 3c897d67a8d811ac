/** Response URLs: five posts in thirty minutes, to where the person acted, without a token. */

import { randomBytes } from 'node:crypto';
import { LIMITS } from './block-kit/limits.ts';
import { invalidBlocks, textLengthOf } from './block-kit/validate.ts';
import { type Core, SlackError } from './core.ts';
import { messageComplaints } from './message-complaints.ts';
import type { UiBlock } from './ui-types.ts';
import type { Message } from './workspace.ts';

const USES = 5;
const LIFETIME_MS = 30 * 60_000;

interface ResponseUrl {
  channel: string;
  user: string;
  /** The message whose button was pressed. */
  source: Message | undefined;
  expires: number;
  uses: number;
}

/** What a bot may post to a response URL, and in the answer to a slash command. */
export interface Response {
  text?: string;
  blocks?: UiBlock[];
  attachments?: unknown[];
  response_type?: string;
  replace_original?: boolean;
  delete_original?: boolean;
  thread_ts?: string;
  metadata?: unknown;
}

export interface ResponseUrls {
  issue(channel: string, user: string, source?: Message): string;
  /** Does what the bot posted to the URL's path; throws what Slack refuses with. */
  post(path: string, response: Response): void;
  /** Puts the response where the person acted. */
  apply(response: Response, to: { channel: string; user: string; source?: Message | undefined }): void;
}

export function createResponseUrls(core: Core): ResponseUrls {
  const urls = new Map<string, ResponseUrl>();

  const apply: ResponseUrls['apply'] = (response, { channel, user, source }) => {
    if (response.delete_original) {
      if (source && !source.isDeleted) core.remove(source);
      if (response.text === undefined && response.blocks === undefined) return;
    }
    const blocks = response.blocks ?? [];
    const attachments = response.attachments ?? [];
    if (!response.text && blocks.length === 0 && attachments.length === 0) {
      throw new SlackError('no_text', {}, { status: 400 });
    }
    const complaints = messageComplaints(core, { text: response.text, blocks, attachments });
    if (complaints.length > 0) {
      core.problem(`response_url: ${complaints.map((each) => `${each.message} [${each.pointer}]`).join('; ')}`);
      throw new SlackError('invalid_blocks', invalidBlocks(complaints), { status: 400 });
    }
    const text = response.text ?? '';
    if (text.length > LIMITS.messageText || textLengthOf(blocks) > LIMITS.blockTextTotal) {
      const error = text.length > LIMITS.messageText ? 'msg_too_long' : 'msg_blocks_too_long';
      core.problem(`response_url: ${error}`);
      throw new SlackError(error, {}, { status: 400 });
    }
    if (response.replace_original && source && !source.isDeleted) {
      core.change(source, { text, blocks, attachments });
      return;
    }
    core.post({
      channel,
      text,
      blocks,
      attachments,
      threadTs: response.thread_ts,
      metadata: response.metadata,
      ephemeralTo: response.response_type === 'in_channel' ? undefined : user,
    });
  };

  return {
    apply,
    issue(channel, user, source) {
      const path = `response/${core.workspace.team.id}/${randomBytes(16).toString('hex')}`;
      urls.set(path, { channel, user, source, expires: core.now().getTime() + LIFETIME_MS, uses: 0 });
      return `${core.url}${path}`;
    },
    post(path, response) {
      const url = urls.get(path);
      const refuse = (error: string): never => {
        core.problem(`response_url: ${error}`);
        throw new SlackError(error, {}, { status: 404 });
      };
      if (!url) return refuse('expired_url');
      if (core.now().getTime() > url.expires) return refuse('expired_url');
      if (url.uses >= USES) return refuse('used_url');
      url.uses += 1;
      apply(response, url);
    },
  };
}
