import { dayAndTime } from '../../blocks/format.ts';
import { type Message, message, note } from '../../blocks/message.ts';
import { join, moment, mrkdwn } from '../../blocks/mrkdwn.ts';
import { nextSlots } from '../../schedule/cron.ts';
import type { SubscriptionSettings } from '../../store/subscriptions.ts';
import type { Reader } from '../context.ts';
import type { ListedSubscription } from '../reports-view.ts';

export function nextRuns(settings: Pick<SubscriptionSettings, 'cron' | 'timezone' | 'quiet'>, reader: Reader): Message {
  const { cron, timezone, quiet } = settings;
  const slots = nextSlots(cron, timezone, reader.now.getTime(), 5).map((slot) => new Date(slot));
  const runs = slots.map((slot) => moment(slot));
  return message(
    note(mrkdwn`Next runs: ${join(runs, ', ')}.`),
    timezone !== reader.timezone &&
      note(`In ${timezone}: ${slots.map((slot) => dayAndTime(slot, { ...reader, timezone })).join('; ')}.`),
    quiet !== undefined &&
      note(
        `Nothing is posted in the quiet hours ${quiet}, not even an outage; it comes when they end, as one message.`,
      ),
  );
}

/** Empty: there are none. */
export function conditionsOf(settings: SubscriptionSettings): string {
  const { targets, include, exclude, thresholds, quiet, perHour } = settings;
  return [
    targets.length > 0 && `zones ${targets.join(', ')}`,
    include.length > 0 && `only ${include.join(', ')}`,
    exclude.length > 0 && `without ${exclude.join(', ')}`,
    ...Object.entries(thresholds).map(([name, number]) => `${name} ${number}`),
    quiet && `quiet ${quiet}`,
    perHour && `at most ${perHour} an hour`,
  ]
    .filter(Boolean)
    .join('; ');
}

/** Working, muted by whom and until when, broken and why. */
export function stateWords(one: ListedSubscription, reader: Reader): string {
  const { state, reason, muted, mutedByName, dismissed } = one;
  const isMuted = muted !== undefined && (muted.until === undefined || muted.until > reader.now);
  const words = [
    state === 'broken' && `broken: ${reason ?? ''}`,
    isMuted &&
      `muted by ${mutedByName ?? muted.by} until ${muted.until === undefined ? 'it changes' : dayAndTime(muted.until, reader)}`,
    dismissed.length > 0 && `not a problem: ${dismissed.join(', ')}`,
  ];
  return words.filter(Boolean).join('; ') || 'on';
}
