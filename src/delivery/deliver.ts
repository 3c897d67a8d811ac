import { countOf } from '../blocks/format.ts';
import { type Message, message, note } from '../blocks/message.ts';
import { isGone } from '../reports/post.ts';
import type { Claim, Settlement } from '../store/report-ledger.ts';
import type { Subscription } from '../store/subscriptions.ts';
import { HOUR } from '../time.ts';
import type { News } from './collect.ts';
import type { ReportServices } from './services.ts';

export interface ClaimedSlot {
  subscription: Subscription;
  claim: Claim;
  signal: AbortSignal;
  isLate: boolean;
}

export interface Delivery extends ClaimedSlot {
  news: News;
  /** Renders the last message again, with this slot added. Used where a new message is not allowed. */
  withLast(last: { slot: Date; from: Date; ts: string }): Promise<News | undefined>;
}

/** How a slot ended. */
export type Delivered = Settlement & { ts: string };

/** Another replica has the slot, so nothing is sent. */
export class LostClaimError extends Error {
  override name = 'LostClaimError';
}

/** Throws LostClaimError unless the slot is still ours. Called right before a message leaves. */
async function fence({ ledger, elapsed }: ReportServices, claim: Claim): Promise<void> {
  for (;;) {
    const begun = elapsed();
    if (!(await ledger.sending(claim))) throw new LostClaimError('another replica has this slot by now');
    claim.sending = true;
    // A slow yes may be outdated: whoever took over meanwhile looks at once for what was sent.
    if (elapsed() - begun < 5_000) return;
  }
}

/** The key by which a slot’s message is found in Slack. */
export function slotKey({ subscription, slot }: Pick<Claim, 'subscription' | 'slot'>): string {
  return `${subscription}:${slot.toISOString()}`;
}

/** Anchor: a reply that Slack did not take. */
const REPLY = 'reply';
type LeftReply = Pick<Message, 'text' | 'blocks'> & {
  thread?: string | undefined;
  key: string;
  isBroadcast?: boolean | undefined;
};

/** Posts a report, with the tables in the thread of a new message. */
export async function deliver(services: ReportServices, delivery: Delivery): Promise<Delivered> {
  const { perHour } = delivery.subscription;
  const edited = perHour === undefined ? undefined : await editLast(services, delivery, perHour);
  if (edited !== undefined) return edited;
  const { message: text, details } = delivery.news;
  const { ts } = await send(services, delivery, text);
  if (details !== undefined) await replyBeside(services, delivery, details, { thread: ts, key: 'details' });
  return { state: 'posted', ts };
}

/**
 * Adds a reply to a message. If that is gone, what everybody has to read is posted by itself. A failure does not undo
 * the delivery.
 */
export async function replyBeside(
  services: ReportServices,
  claimed: ClaimedSlot,
  reply: Message,
  { thread, key, isBroadcast }: { thread?: string | undefined; key: string; isBroadcast?: boolean },
): Promise<void> {
  const { id } = claimed.subscription;
  const whole = `${slotKey(claimed.claim)}:${key}`;
  try {
    await send(services, claimed, reply, { thread, key: whole, isBroadcast });
  } catch (error) {
    if (error instanceof LostClaimError) throw error;
    services.log.warn({ err: error, subscription: id, key }, 'a report lacks a reply');
    if (isGone(error)) return isBroadcast ? replyBeside(services, claimed, reply, { key }) : undefined;
    const { text, blocks } = reply;
    await services.anchors.set(id, REPLY, { thread, key: whole, isBroadcast, text, blocks } satisfies LeftReply);
  }
}

/** Tries a reply of an earlier slot once more, unless Slack has it after all. */
export async function replyAgain(services: ReportServices, claimed: ClaimedSlot): Promise<void> {
  const { id, channel } = claimed.subscription;
  const left = await services.anchors.read<LeftReply>(id, REPLY);
  if (left === undefined) return;
  // Dropped first, so that it is tried only once.
  await services.anchors.drop(id, REPLY);
  const { thread, key, isBroadcast, ...reply } = left;
  try {
    const found = await services.poster.find({ channel, thread }, key);
    if (found === undefined) await send(services, claimed, reply, { thread, key, isBroadcast });
  } catch (error) {
    services.log.warn({ err: error, subscription: id, key }, 'a report lacks a reply, which was tried twice');
  }
}

/** Edits a posted message. Returns false if it is gone. */
export async function updateMessage(
  services: ReportServices,
  { subscription: { channel }, claim, signal }: ClaimedSlot,
  message: Message,
  ts: string,
): Promise<boolean> {
  try {
    await services.poster.update({ channel, ts, message, ready: () => fence(services, claim), signal });
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Finds the message of this slot that a dead process sent and did not store. */
export async function findDelivered(
  { poster }: ReportServices,
  { subscription: { channel }, claim }: ClaimedSlot,
): Promise<Delivered | undefined> {
  const found = await poster.find({ channel }, slotKey(claim));
  return found && { ...found, state: 'posted' };
}

function send(
  services: ReportServices,
  { subscription: { channel }, claim, signal }: ClaimedSlot,
  message: Message,
  {
    key = slotKey(claim),
    ...where
  }: { key?: string; thread?: string | undefined; isBroadcast?: boolean | undefined } = {},
): Promise<{ ts: string }> {
  return services.poster.post({ channel, message, key, ready: () => fence(services, claim), signal, ...where });
}

/** The hour’s messages are used up, so the last one is edited. Undefined: it cannot be edited. */
async function editLast(services: ReportServices, delivery: Delivery, most: number): Promise<Delivered | undefined> {
  const { subscription, claim, news } = delivery;
  const recent = await services.ledger.posted(subscription.id, new Date(claim.slot.getTime() - HOUR));
  const [last] = recent.length < most ? [] : recent;
  if (last?.ts === undefined) return undefined;
  const { slot, from, ts } = last;
  const whole = from === undefined ? news : ((await delivery.withLast({ slot, from, ts })) ?? news);
  const kept = `I updated this message instead of posting a new one, because the limit of ${countOf(most, 'message')} an hour is reached.`;
  const text = message(whole.message, note(kept));
  if (!(await updateMessage(services, delivery, text, ts))) return undefined;
  return { state: 'updated', ts };
}
