import type { Message } from '../blocks/message.ts';

/** In milliseconds: after that a post has arrived or never will. */
export const POST_TIMEOUT = 30_000;

export interface Post {
  channel: string;
  message: Message;
  /** In the message's metadata: by it the message is found again. */
  key: string;
  thread?: string | undefined;
  /** A reply that the channel sees too. */
  isBroadcast?: boolean | undefined;
  /** Aborted: it need not be posted any more, if its turn has not come. */
  signal?: AbortSignal | undefined;
  /** Called right before it leaves; what it throws keeps the message here. */
  ready?: (() => Promise<void>) | undefined;
}

/** One message a second and channel, behind everything that people wait for. */
export interface Poster {
  /** Throws PostRefusedError when Slack said no; anything else: nobody knows whether it arrived. */
  post(post: Post): Promise<{ ts: string }>;
  /** Throws PostRefusedError. */
  update(post: Omit<Post, 'thread' | 'key'> & { ts: string; key?: string | undefined }): Promise<void>;
  /** Of the last day, in the channel or one of its threads. */
  find(where: { channel: string; thread?: string | undefined }, key: string): Promise<{ ts: string } | undefined>;
  tell(user: string, message: Message): Promise<void>;
}

/** `later`: it may go later. `no`: neither that nor something that is gone. */
export type Refused = 'later' | 'message gone' | 'channel gone' | 'person gone' | 'no';

/** Slack said no: the message did not arrive. */
export class PostRefusedError extends Error {
  override name = 'PostRefusedError';
  readonly code: string;
  readonly means: Refused;
  /** For people, with the next step and without a full stop. */
  readonly reason: string;

  constructor(code: string, means: Refused = 'no', reason = `Slack refuses it: ${code}`) {
    super(reason);
    this.code = code;
    this.means = means;
    this.reason = reason;
  }
}

/** The thread or the message that something should go into. */
export function isGone(error: unknown): boolean {
  return error instanceof PostRefusedError && error.means === 'message gone';
}
