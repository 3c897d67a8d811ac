import type { Message } from '../blocks/message.ts';

/** How long one post may be under way, in milliseconds: after that it has arrived or never will. */
export const POST_TIMEOUT = 30_000;

/** A message on its way to a channel, unasked. */
export interface Post {
  channel: string;
  message: Message;
  /** By which the message is known again: it is the message's metadata in Slack. */
  key: string;
  /** Posted as a reply there. */
  thread?: string | undefined;
  /** Aborted: it need not be posted any more, if its turn has not come. */
  signal?: AbortSignal | undefined;
  /** Called when it is the message's turn, right before it leaves; what it throws keeps the message here. */
  ready?: (() => Promise<void>) | undefined;
}

/** Sends reports: at most one message a second and channel, behind everything that people wait for. */
export interface Poster {
  /** Throws PostRefusedError when Slack said no, and anything else when it is not known whether the message arrived. */
  post(post: Post): Promise<{ ts: string }>;
  /** Puts another text in the place of a message. Throws PostRefusedError. */
  update(post: Omit<Post, 'thread' | 'key'> & { ts: string; key?: string | undefined }): Promise<void>;
  /** The message with this key, among those of a day in the channel or in one of its threads. */
  find(where: { channel: string; thread?: string | undefined }, key: string): Promise<{ ts: string } | undefined>;
  /** To one person, in their direct messages with the bot. */
  tell(user: string, message: Message): Promise<void>;
}

/** The meaning of a refusal: it may go later, something is gone for good, or neither. */
export type Refused = 'later' | 'message gone' | 'channel gone' | 'person gone' | 'no';

/** Slack said no: the message did not arrive. */
export class PostRefusedError extends Error {
  override name = 'PostRefusedError';
  /** Slack's word for it, such as `not_in_channel`. */
  readonly code: string;
  readonly means: Refused;
  /** One sentence for people, with the next step and without a full stop. */
  readonly reason: string;

  constructor(code: string, means: Refused = 'no', reason = `Slack refuses it: ${code}`) {
    super(reason);
    this.code = code;
    this.means = means;
    this.reason = reason;
  }
}

/** The thread or the message that something should go into is gone. */
export function isGone(error: unknown): boolean {
  return error instanceof PostRefusedError && error.means === 'message gone';
}
