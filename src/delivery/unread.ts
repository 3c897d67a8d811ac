import { message, note } from '../blocks/message.ts';
import { bold, mrkdwn } from '../blocks/mrkdwn.ts';
import { tellOrAdmins } from '../reports/stand-ins.ts';
import type { SlotOutcome } from '../store/report-ledger.ts';
import type { Subscription } from '../store/subscriptions.ts';
import type { ReportServices } from './services.ts';

/** Slots in a row without a message. */
const SLOTS = 3;
const MOST_LINES = 5;

/** The row among the anchors of a subscription with the number of those slots. */
const ANCHOR = 'unread';

/**
 * Nobody takes silence for health: the owner is told once when some slots in a row had something that could not be read, and no
 * message that says so.
 */
export async function sayUnread(
  services: Pick<ReportServices, 'anchors' | 'poster' | 'policy' | 'log'>,
  { id, report, channel, owner }: Subscription,
  unread: readonly string[],
  outcome: SlotOutcome,
): Promise<void> {
  const { anchors } = services;
  const slots = Number((await anchors.read(id, ANCHOR))?.content ?? 0);
  // A message in between has said it: what follows is counted anew.
  const isEnded = unread.length === 0 || (outcome !== 'quiet' && slots < SLOTS);
  if (isEnded && slots > 0) await anchors.drop(id, ANCHOR);
  if (isEnded || slots >= SLOTS) return;
  if (slots + 1 === SLOTS) {
    const more = unread.length - MOST_LINES;
    await tellOrAdmins(
      services,
      owner,
      message(
        mrkdwn`${bold(report)} for <#${channel}> (subscription ${id}) could not read everything, ${SLOTS} times in a row. Its silence does not mean that all is well.`,
        ...unread.slice(0, MOST_LINES).map((line) => note(line)),
        more > 0 && note(`And ${more} more.`),
        note('It is tried again at its next times. This is said once, until all can be read.'),
      ),
    );
  }
  await anchors.set(id, ANCHOR, { ts: '', content: String(slots + 1) });
}
