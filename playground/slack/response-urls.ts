/** Response URLs: five posts in thirty minutes, to where the person acted, without a token. */

import { randomBytes } from 'node:crypto';
import { recordOf } from './apps.ts';
import { LIMITS } from './block-kit/limits.ts';
import { invalidBlocks, textLengthOf } from './block-kit/validate.ts';
import { addProblem } from './changes.ts';
import { changeMessage, messageComplaints, postMessage, removeMessage } from './messages.ts';
import { type Slack, SlackError } from './slack.ts';
import type { UiBlock } from './ui-types.ts';
import type { Message } from './workspace.ts';

const USES = 5;
const LIFETIME_MS = 30 * 60_000;

/** A post to a response URL, or the answer to a slash command. */
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

/** A new response URL; `source` is the message whose button was pressed. */
export function issueResponseUrl(slack: Slack, channel: string, user: string, source?: Message): string {
  const path = `response/${slack.workspace.team.id}/${randomBytes(16).toString('hex')}`;
  slack.responseUrls.set(path, {
    app: slack.app,
    channel,
    user,
    source,
    expires: slack.now().getTime() + LIFETIME_MS,
    uses: 0,
  });
  return `${slack.url}${path}`;
}

/** Does what the bot posted to the URL's path; throws Slack's refusal. */
export function postToResponseUrl(any: Slack, path: string, response: Response): void {
  const url = any.responseUrls.get(path);
  const slack = recordOf(any, url?.app);
  if (!url || slack.now().getTime() > url.expires) throw refusalOf(slack, 'expired_url');
  if (url.uses >= USES) throw refusalOf(slack, 'used_url');
  url.uses += 1;
  applyResponse(slack, response, url);
}

function refusalOf(slack: Slack, error: string): SlackError {
  addProblem(slack, `response_url: ${error}`);
  return new SlackError(error, {}, { status: 404 });
}

/** Puts the response where the person acted. */
export function applyResponse(
  slack: Slack,
  response: Response,
  { channel, user, source }: { channel: string; user: string; source?: Message | undefined },
): void {
  if (response.delete_original) {
    if (source && !source.isDeleted) removeMessage(slack, source);
    if (response.text === undefined && response.blocks === undefined) return;
  }
  const content = { text: response.text ?? '', blocks: response.blocks ?? [], attachments: response.attachments ?? [] };
  checkContent(slack, content);
  if (response.replace_original && source && !source.isDeleted) {
    changeMessage(slack, source, content);
    return;
  }
  postMessage(slack, {
    channel,
    ...content,
    threadTs: response.thread_ts,
    metadata: response.metadata,
    ephemeralTo: response.response_type === 'in_channel' ? undefined : user,
  });
}

function checkContent(slack: Slack, content: { text: string; blocks: UiBlock[]; attachments: unknown[] }): void {
  const { text, blocks, attachments } = content;
  if (text === '' && blocks.length === 0 && attachments.length === 0) {
    throw new SlackError('no_text', {}, { status: 400 });
  }
  const complaints = messageComplaints(slack, content);
  if (complaints.length > 0) {
    addProblem(slack, `response_url: ${complaints.map((each) => `${each.message} [${each.pointer}]`).join('; ')}`);
    throw new SlackError('invalid_blocks', invalidBlocks(complaints), { status: 400 });
  }
  if (text.length > LIMITS.messageText || textLengthOf(blocks) > LIMITS.blockTextTotal) {
    const error = text.length > LIMITS.messageText ? 'msg_too_long' : 'msg_blocks_too_long';
    addProblem(slack, `response_url: ${error}`);
    throw new SlackError(error, {}, { status: 400 });
  }
}
