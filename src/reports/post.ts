import type { Message } from '../blocks/message.ts';

/** In milliseconds. After that a post has arrived or never will. */
export const POST_TIMEOUT = 30_000;

export interface Post {
  channel: string;
  message: Message;
  /** Part of the message’s metadata, by which it can be found again. */
  key: string;
  thread?: string | undefined;
  /** The channel sees the reply, too. */
  isBroadcast?: boolean | undefined;
  /** Once aborted, the message is not posted if its turn has not come. */
  signal?: AbortSignal | undefined;
  /** Called right before the message leaves. If it throws, the message does not leave. */
  ready?: (() => Promise<void>) | undefined;
}

/** At most one message a second per channel. Answers to people come first. */
export interface Poster {
  /** Throws PostRefusedError if Slack said no. After any other error nobody knows whether it arrived. */
  post(post: Post): Promise<{ ts: string }>;
  /** Throws PostRefusedError. */
  update(post: Omit<Post, 'thread' | 'key'> & { ts: string }): Promise<void>;
  /** Looks at the last two days, in the channel or one of its threads. */
  find(where: { channel: string; thread?: string | undefined }, key: string): Promise<{ ts: string } | undefined>;
  tell(user: string, message: Message): Promise<void>;
}

/** `later`: worth another try. `no`: neither that nor a missing thing. */
export type Refused = 'later' | 'message gone' | 'channel gone' | 'person gone' | 'no';

/** Slack said no, so the message did not arrive. */
export class PostRefusedError extends Error {
  override name = 'PostRefusedError';
  readonly code: string;
  readonly means: Refused;
  /** For people: with the next step and without a full stop. */
  readonly reason: string;

  constructor(code: string, means: Refused = 'no', reason = `Slack refuses it: ${code}`) {
    super(reason);
    this.code = code;
    this.means = means;
    this.reason = reason;
  }
}

/** The thread or the message that it belongs to is gone. */
export function isGone(error: unknown): boolean {
  return error instanceof PostRefusedError && error.means === 'message gone';
}
