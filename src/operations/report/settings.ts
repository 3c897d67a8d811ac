import { dayAndTime } from '../../blocks/format.ts';
import { type Message, message, note } from '../../blocks/message.ts';
import { table } from '../../blocks/table.ts';
import { nextSlots } from '../../schedule/cron.ts';
import type { SubscriptionSettings, ThreadMode } from '../../store/subscriptions.ts';
import type { Reader } from '../context.ts';
import type { ListedSubscription } from '../reports-view.ts';

export const MODES: readonly { value: ThreadMode; label: string }[] = [
  { value: 'messages', label: 'New messages' },
  { value: 'thread', label: 'Replies in one thread' },
];

/** In its own time zone and in the reader's. */
export function nextRuns(settings: Pick<SubscriptionSettings, 'cron' | 'timezone' | 'quiet'>, reader: Reader): Message {
  const { cron, timezone, quiet } = settings;
  const slots = nextSlots(cron, timezone, reader.now.getTime(), 5);
  const there = { locale: reader.locale, timezone };
  const isSame = timezone === reader.timezone;
  return message(
    table({
      caption: `The next ${slots.length} runs`,
      columns: [`In ${timezone}`, ...(isSame ? [] : [`For you, in ${reader.timezone}`])],
      rows: slots.map((slot) => {
        const at = new Date(slot);
        return [dayAndTime(at, there), ...(isSame ? [] : [dayAndTime(at, reader)])];
      }),
    }),
    quiet !== undefined &&
      note(`Nothing is posted in the quiet hours ${quiet}, not even an outage; it comes at their end, as one.`),
  );
}

/** Empty: none. */
export function conditionsOf(settings: SubscriptionSettings): string {
  const { targets, include, exclude, thresholds, mode, quiet, perHour } = settings;
  return [
    targets.length > 0 && `zones ${targets.join(', ')}`,
    include.length > 0 && `only ${include.join(', ')}`,
    exclude.length > 0 && `without ${exclude.join(', ')}`,
    ...Object.entries(thresholds).map(([name, number]) => `${name} ${number}`),
    mode === 'thread' && 'in one thread',
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
