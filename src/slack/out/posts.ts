import type { Logger } from 'pino';
import { isGone, type Post, type Poster, PostRefusedError, type Refused } from '../../reports/post.ts';
import { retry } from '../../retry.ts';
import type { ChannelPace } from '../../store/channel-pace.ts';
import { DAY } from '../../time.ts';
import type { Meaning } from '../errors.ts';
import { refusalOf, secondsToWait } from '../refusals.ts';
import type { Outgoing } from './outgoing.ts';

interface Posting {
  outgoing: Outgoing;
  pace: ChannelPace;
  now: () => Date;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  log: Logger;
}

type Waiting = Pick<Post, 'ready' | 'signal'>;

/** All replicas together post to a channel once a second. Answers to people do not wait for posts. */
export function createPosts(services: Posting): Poster {
  const { outgoing, now } = services;
  const metadataOf = (key: string) => ({ event_type: 'edgewise_report', event_payload: { slot: key } });
  return {
    post: ({ channel, message, key, thread, isBroadcast, ...waiting }) =>
      paced(services, channel, waiting, () =>
        outgoing.post({ channel, thread, isBroadcast }, message, metadataOf(key)),
      ),
    update: ({ channel, ts, message, ...waiting }) =>
      paced(services, channel, waiting, () => outgoing.update(channel, ts, message)),
    find: ({ channel, thread }, key) =>
      outgoing.findPost({ channel, thread }, key, new Date(now().getTime() - 2 * DAY)).catch((error: unknown) => {
        const refused = refusedPost(error);
        // A missing thread has no messages.
        if (thread !== undefined && isGone(refused)) return undefined;
        throw refused;
      }),
    async tell(user, message) {
      await outgoing.toDirect(user, message).catch((error: unknown) => {
        throw refusedPost(error);
      });
    },
  };
}

/** Tries again after “too soon”, because Slack did nothing then. */
function paced<T>(services: Posting, channel: string, waiting: Waiting, call: () => Promise<T>): Promise<T> {
  const { pace, wait, log } = services;
  const once = async () => {
    // Source: docs.slack.dev, rate limits of chat.postMessage.
    const away = await pace.reserve(channel, 1_000);
    if (away > 0) await wait(away, waiting.signal);
    waiting.signal?.throwIfAborted();
    await waiting.ready?.();
    return call();
  };
  return retry(
    once,
    (pause) => pace.hold(channel, pause),
    (error, attempt) => {
      const seconds = secondsToWait(error);
      if (seconds === undefined || attempt === 6) throw refusedPost(error);
      log.info({ channel, retryAfter: seconds }, 'Slack wants a post later');
      return seconds * 1000;
    },
  );
}

/** An error of Slack becomes PostRefusedError, which means that nothing was posted. Others are unsure, and stay as they are. */
export function refusedPost(error: unknown): unknown {
  const refusal = refusalOf(error);
  // After a fault of its own Slack may have posted it.
  if (refusal === undefined || (refusal.meaning.kind === 'pass' && refusal.meaning.unsure === true)) return error;
  const { code, meaning } = refusal;
  return new PostRefusedError(
    code,
    refusedAs(meaning),
    meaning.kind === 'mistake' ? undefined : `${meaning.why}: ${meaning.next}`,
  );
}

function refusedAs(meaning: Meaning): Refused {
  if (meaning.kind === 'pass') return 'later';
  // A hidden message or channel may come back.
  if (meaning.kind !== 'gone' || meaning.hidden === true) return 'no';
  const { gone } = meaning;
  return gone === 'message' || gone === 'channel' || gone === 'person' ? `${gone} gone` : 'no';
}
