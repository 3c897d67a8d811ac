import { type Message, message, note } from '../blocks/message.ts';
import { bold, code, mrkdwn } from '../blocks/mrkdwn.ts';
import { isGone } from '../reports/post.ts';
import type { Claim, Settlement } from '../store/report-ledger.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { HOUR } from '../time.ts';
import type { News } from './collect.ts';
import type { ReportServices } from './services.ts';

/** A message that is ready to be sent, with its slot. */
export interface Delivery {
  subscription: Subscription;
  claim: Claim;
  news: News;
  /** The end of the window that it tells. */
  to: Date;
  signal: AbortSignal;
  /** What the last message tells since then, with this slot's: for when there may be no new message. */
  withLast(last: { from: Date; ts: string }): Promise<News | undefined>;
}

/** How a slot ended; `thread` where there is a new message: its details belong there. */
export type Delivered = Settlement & { ts: string; thread?: string };

/** Somebody else has the slot by now: nothing is sent, and nothing more is to be done. */
export class LostClaimError extends Error {
  override name = 'LostClaimError';
}

/** Right before a message leaves: throws LostClaimError when the slot is no longer ours. */
async function fence({ ledger, elapsed }: ReportServices, claim: Claim): Promise<void> {
  for (;;) {
    const begun = elapsed();
    if (!(await ledger.sending(claim))) throw new LostClaimError('another replica has this slot by now');
    claim.sending = true;
    // An old yes is none: whoever takes over meanwhile looks for what was sent at once.
    if (elapsed() - begun < 5_000) return;
  }
}

/** The key by which the message of a slot is known in Slack. */
export function slotKey({ subscription, slot }: Pick<Claim, 'subscription' | 'slot'>): string {
  return `${subscription}:${slot.toISOString()}`;
}

/** The anchor of the thread in thread mode. */
const THREAD = 'thread';
/** The anchor of a reply that is not there yet. */
const REPLY = 'reply';

/** Puts a report where its subscription wants it, its tables in the thread, and says how the slot ended. */
export async function deliver(services: ReportServices, delivery: Delivery): Promise<Delivered> {
  const delivered = await deliverMessage(services, delivery);
  const { details } = delivery.news;
  if (details !== undefined && delivered.thread !== undefined)
    await replyBeside(services, delivery, details, { thread: delivered.thread, key: 'details' });
  return delivered;
}

/** A reply beside a message that has arrived. The message counts: without the reply it is whole all the same. */
export async function replyBeside(
  services: ReportServices,
  delivery: Pick<Delivery, 'subscription' | 'claim' | 'signal'>,
  reply: Message,
  { thread, key, isBroadcast }: { thread: string; key: string; isBroadcast?: boolean },
): Promise<void> {
  const { id } = delivery.subscription;
  const whole = `${slotKey(delivery.claim)}:${key}`;
  try {
    await send(services, delivery, reply, { thread, key: whole, isBroadcast });
  } catch (error) {
    services.log.warn({ err: error, subscription: id, key }, 'a report lacks a reply');
    if (isGone(error)) return;
    const { text, blocks } = reply;
    await services.anchors.set(id, REPLY, {
      ts: thread,
      content: JSON.stringify({ key: whole, isBroadcast, text, blocks }),
    });
  }
}

/** A reply that Slack did not take in the slot before is tried once more, unless it came all the same. */
export async function replyAgain(
  services: ReportServices,
  delivery: Pick<Delivery, 'subscription' | 'claim' | 'signal'>,
): Promise<void> {
  const { id, channel } = delivery.subscription;
  const left = await services.anchors.read(id, REPLY);
  if (left === undefined) return;
  // Before it is tried: it is tried once, whatever becomes of it.
  await services.anchors.drop(id, REPLY);
  const { key, isBroadcast, ...reply } = JSON.parse(left.content) as Message & { key: string; isBroadcast?: boolean };
  try {
    const found = await services.poster.find({ channel, thread: left.ts }, key);
    if (found === undefined) await send(services, delivery, reply, { thread: left.ts, key, isBroadcast });
  } catch (error) {
    services.log.warn({ err: error, subscription: id, key }, 'a report lacks a reply, which was tried twice');
  }
}

async function deliverMessage(services: ReportServices, delivery: Delivery): Promise<Delivered> {
  const { subscription } = delivery;
  const { mode, perHour } = subscription;
  if (mode === 'thread') {
    const opening = mrkdwn`${bold(subscription.report)}, ${code(subscription.schedule)}: each report is a reply in this thread.`;
    const { ts, thread } = await reply(services, delivery, message(opening));
    return { state: 'replied', ts, thread };
  }
  if (perHour !== undefined) {
    const settlement = await fold(services, delivery, perHour);
    if (settlement !== undefined) return settlement;
  }
  const { ts } = await send(services, delivery, delivery.news.message);
  return { state: 'posted', ts, thread: ts };
}

/** Puts other words in the place of a message that was posted. False: it is gone. */
export async function updateMessage(
  services: ReportServices,
  { subscription: { channel }, claim, signal }: Pick<Delivery, 'subscription' | 'claim' | 'signal'>,
  message: Message,
  { ts, key }: { ts: string; key?: string },
): Promise<boolean> {
  try {
    await services.poster.update({ channel, ts, message, key, ready: () => fence(services, claim), signal });
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Looks for a message of this slot that somebody sent without writing it down. */
export async function findDelivered(
  { anchors, poster }: ReportServices,
  { id, channel }: Subscription,
  claim: Claim,
): Promise<Delivered | undefined> {
  const key = slotKey(claim);
  const found = await poster.find({ channel }, key);
  if (found !== undefined) return { ...found, state: 'posted' };
  const anchor = await anchors.read(id, THREAD);
  const reply = anchor && (await poster.find({ channel, thread: anchor.ts }, key));
  return reply && { ...reply, state: 'replied' };
}

function send(
  services: ReportServices,
  { subscription: { channel }, claim, signal }: Pick<Delivery, 'subscription' | 'claim' | 'signal'>,
  message: Message,
  { key = slotKey(claim), ...where }: { key?: string; thread?: string; isBroadcast?: boolean | undefined } = {},
): Promise<{ ts: string }> {
  return services.poster.post({ channel, message, key, ready: () => fence(services, claim), signal, ...where });
}

/** The first message of the thread is there already when somebody posted it and could not write that down. */
async function threadOf(services: ReportServices, delivery: Delivery, opening: Message): Promise<string> {
  const { id, channel } = delivery.subscription;
  const known = await services.anchors.read(id, THREAD);
  if (known !== undefined) return known.ts;
  const key = `${id}:${THREAD}`;
  const found = delivery.claim.epoch > 1 ? await services.poster.find({ channel }, key) : undefined;
  const { ts } = found ?? (await send(services, delivery, opening, { key }));
  await services.anchors.set(id, THREAD, { ts, content: '' });
  return ts;
}

/** In the thread, which is made when it is not there, or not there any more. */
async function reply(
  services: ReportServices,
  delivery: Delivery,
  opening: Message,
): Promise<{ ts: string; thread: string }> {
  const { message: text } = delivery.news;
  const thread = await threadOf(services, delivery, opening);
  try {
    return { ...(await send(services, delivery, text, { thread })), thread };
  } catch (error) {
    if (!isGone(error)) throw error;
    await services.anchors.drop(delivery.subscription.id, THREAD);
    const another = await threadOf(services, delivery, opening);
    return { ...(await send(services, delivery, text, { thread: another })), thread: another };
  }
}

/** An hour's messages are used up: the last one tells this too. Undefined: it cannot be changed any more. */
async function fold(services: ReportServices, delivery: Delivery, most: number): Promise<Delivered | undefined> {
  const { subscription, claim, to, news } = delivery;
  const recent = await services.ledger.posted(subscription.id, new Date(claim.slot.getTime() - HOUR));
  const [last] = recent.length < most ? [] : recent;
  if (last?.ts === undefined) return undefined;
  const { from, ts } = last;
  const whole = from === undefined ? news : ((await delivery.withLast({ from, ts })) ?? news);
  const kept = `I updated this message instead of posting a new one: the limit is ${most} an hour.`;
  const text = message(whole.message, note(kept));
  if (!(await updateMessage(services, delivery, text, { ts }))) return undefined;
  await services.ledger.extend(subscription.id, last.slot, to);
  return { state: 'updated', ts };
}
