import { time } from '../blocks/format.ts';
import { type Message, message, note } from '../blocks/message.ts';
import { bold, code, join, mrkdwn } from '../blocks/mrkdwn.ts';
import { isGone, type Post, type Poster } from '../reports/post.ts';
import { offsetAt } from '../schedule/offsets.ts';
import type { Claim, ReportLedger, Settlement } from '../store/report-ledger.ts';
import type { Subscription } from '../store/subscriptions.ts';
import type { News } from './collect.ts';

const DAY = 86_400_000;
/** Lines of a digest; older ones are in its thread all the same. */
const MOST_LINES = 20;

/** Somebody else has the slot by now: nothing is sent, and nothing more is to be done. */
export class LostClaimError extends Error {
  override name = 'LostClaimError';
}

/** What is known when a message is ready to be sent. */
export interface Delivery {
  subscription: Subscription;
  claim: Claim;
  news: News;
  /** The stretch of time that it tells. */
  from: Date;
  to: Date;
  signal: AbortSignal;
  /** The whole stretch that the last message tells, with this slot's: for when there may be no new message. */
  since(from: Date): Promise<News | undefined>;
}

/** How a slot ended; `since` is set when its message tells of more than the slot's own stretch. */
export type Delivered = Settlement & { ts: string; since?: Date | undefined };

export interface DeliveryServices {
  ledger: ReportLedger;
  poster: Poster;
  /** Right before a message leaves: throws LostClaimError when the slot is no longer ours. */
  fence(claim: Claim): Promise<void>;
}

/** By which the message of a slot is known in Slack. */
export function slotKey({ subscription, slot }: Pick<Claim, 'subscription' | 'slot'>): string {
  return `${subscription}:${slot.toISOString()}`;
}

/** The message that a thread mode or the day's digest hangs on. */
const THREAD = 'thread';
const IN_PLACE = 'message';
export const digestOf = (day: string) => `digest:${day}`;

/** Puts a report where its subscription wants it, and says how the slot ended. */
export function createDelivery({ ledger, poster, fence }: DeliveryServices) {
  const send = (
    { subscription, claim, signal }: Delivery,
    text: Message,
    options: { key?: string; thread?: string } = {},
  ): Promise<{ ts: string }> => {
    const post: Post = {
      channel: subscription.channel,
      message: text,
      key: options.key ?? slotKey(claim),
      ready: () => fence(claim),
      signal,
      thread: options.thread,
    };
    return poster.post(post);
  };

  /** Puts other words in the place of a message that was posted. False: it is gone. */
  async function update(
    { subscription, claim, signal }: Pick<Delivery, 'subscription' | 'claim' | 'signal'>,
    ts: string,
    text: Message,
  ): Promise<boolean> {
    try {
      const { channel } = subscription;
      await poster.update({ channel, ts, message: text, ready: () => fence(claim), signal });
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  /** Its message is there already when somebody posted it and could not write that down. */
  async function placeOf(delivery: Delivery, name: string, opening: Message) {
    const { subscription, claim } = delivery;
    const known = await ledger.place(subscription.id, name);
    if (known !== undefined) return known;
    const key = `${subscription.id}:${name}`;
    const found = claim.epoch > 1 ? await poster.find({ channel: subscription.channel }, key) : undefined;
    const { ts } = found ?? (await send(delivery, opening, { key }));
    const place = { ts, content: '' };
    await ledger.setPlace(subscription.id, name, place);
    return place;
  }

  /** In the thread of a message that is made when it is not there, or not there any more. */
  async function reply(delivery: Delivery, name: string, opening: Message) {
    const { message: text } = delivery.news;
    const root = await placeOf(delivery, name, opening);
    try {
      return { ...(await send(delivery, text, { thread: root.ts })), root };
    } catch (error) {
      if (!isGone(error)) throw error;
      await ledger.dropPlace(delivery.subscription.id, name);
      const another = await placeOf(delivery, name, opening);
      return { ...(await send(delivery, text, { thread: another.ts })), root: another };
    }
  }

  async function inPlace(delivery: Delivery): Promise<Delivered> {
    const { subscription, claim, news, signal } = delivery;
    const known = await ledger.place(subscription.id, IN_PLACE);
    if (known !== undefined) {
      try {
        const { channel } = subscription;
        await poster.update({
          channel,
          ts: known.ts,
          message: news.message,
          key: slotKey(claim),
          ready: () => fence(claim),
          signal,
        });
        return { state: 'updated', ts: known.ts };
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    }
    const { ts } = await send(delivery, news.message);
    await ledger.setPlace(subscription.id, IN_PLACE, { ts, content: '' });
    return { state: 'posted', ts };
  }

  /** The day's messages are used up: one more that lists what else there was, with each in its thread. */
  async function digested(delivery: Delivery, day: string, most: number): Promise<Delivered> {
    const { subscription, claim, news } = delivery;
    const reading = { locale: subscription.locale, timezone: subscription.timezone };
    const title = mrkdwn`${bold('Digest')} of ${subscription.report}, ${day}: there are at most ${most} messages a day.`;
    const { ts, root } = await reply(
      delivery,
      digestOf(day),
      message(title, note('The reports themselves are in the thread.')),
    );
    const lines: string[] = root.content === '' ? [] : JSON.parse(root.content);
    const first = news.message.text.split('\n', 1)[0]!;
    lines.push(`${time(claim.slot, reading)}: ${first.slice(0, 200)}`);
    const shown = lines.slice(-MOST_LINES);
    await ledger.setPlace(subscription.id, digestOf(day), { ts: root.ts, content: JSON.stringify(shown) });
    const text = message(
      title,
      join(
        shown.map((line) => mrkdwn`• ${line}`),
        '\n',
      ),
      note('The reports themselves are in the thread.'),
    );
    try {
      await poster.update({ channel: subscription.channel, ts: root.ts, message: text });
    } catch (error) {
      // The report is in the thread; the list follows with the next one.
      if (!isGone(error)) throw error;
    }
    return { state: 'digested', ts };
  }

  /** An hour's messages are used up: the last one tells this too. Undefined: it cannot be changed any more. */
  async function folded(delivery: Delivery, most: number): Promise<Delivered | undefined> {
    const { subscription, claim, to, news, signal } = delivery;
    const recent = await ledger.posted(subscription.id, new Date(claim.slot.getTime() - 60 * 60_000));
    const [last] = recent.length < most ? [] : recent;
    if (last?.ts === undefined) return undefined;
    const whole = last.from === undefined ? news : ((await delivery.since(last.from)) ?? news);
    const kept = `Brought up to date instead of a new message: there are at most ${most} an hour.`;
    const text = message(whole.message, note(kept));
    if (!(await update({ subscription, claim, signal }, last.ts, text))) return undefined;
    await ledger.extend(subscription.id, last.slot, to);
    return { state: 'updated', ts: last.ts, since: last.from };
  }

  /** Where a message of this slot may be that somebody sent without writing it down. */
  async function recognised(subscription: Subscription, claim: Claim): Promise<Delivered | undefined> {
    const { channel } = subscription;
    const key = slotKey(claim);
    const found = await poster.find({ channel }, key);
    if (found !== undefined) return { ...found, state: 'posted' };
    const day = dayOf(claim.slot, subscription.timezone);
    for (const [name, state] of [
      [THREAD, 'replied'],
      [digestOf(day), 'digested'],
    ] as const) {
      const place = await ledger.place(subscription.id, name);
      const reply = place === undefined ? undefined : await poster.find({ channel, thread: place.ts }, key);
      if (reply !== undefined) return { ...reply, state };
    }
    return undefined;
  }

  return {
    recognised,
    update,
    async deliver(delivery: Delivery): Promise<Delivered> {
      const { subscription, claim } = delivery;
      const { mode, perHour, perDay } = subscription;
      if (mode === 'edit') return inPlace(delivery);
      if (mode === 'thread') {
        const opening = mrkdwn`${bold(subscription.report)}, ${code(subscription.schedule)}: each report is a reply in this thread.`;
        return { state: 'replied', ts: (await reply(delivery, THREAD, message(opening))).ts };
      }
      if (perHour !== undefined) {
        const settlement = await folded(delivery, perHour);
        if (settlement !== undefined) return settlement;
      }
      if (perDay !== undefined) {
        const day = dayOf(claim.slot, subscription.timezone);
        const today = (await ledger.posted(subscription.id, new Date(claim.slot.getTime() - 2 * DAY))).filter(
          ({ slot }) => dayOf(slot, subscription.timezone) === day,
        );
        if (today.length >= perDay) return digested(delivery, day, perDay);
      }
      return { state: 'posted', ts: (await send(delivery, delivery.news.message)).ts };
    },
  };
}

/** `2026-11-21`: the day of a moment in a time zone. */
export function dayOf(at: Date, timezone: string): string {
  return new Date(at.getTime() + offsetAt(timezone, at.getTime())).toISOString().slice(0, 10);
}
