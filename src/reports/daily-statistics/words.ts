import { bytes, clock, count, dayAndTime, duration, percent, type Reading, time } from '../../blocks/format.ts';
import { MINUTE } from '../../time.ts';
import type { ToldIncident } from '../report.ts';
import type { Change } from './changes.ts';
import type { ReportDay } from './days.ts';

/** `5xx +0.8 points to 1% of the requests (usually 0.2%)`. */
export function changeInWords({ measure, now, usual }: Change, reading: Reading): string {
  switch (measure) {
    case '5xx':
    case '4xx':
      return `${measure} ${pointsWords(now, usual, reading)} to ${percent(now, reading)} of the requests (usually ${percent(usual, reading)})`;
    case 'hit rate':
      return `cache hit rate ${pointsWords(now, usual, reading)} to ${percent(now, reading)} (usually ${percent(usual, reading)})`;
    case 'response time':
      return `origin response time ${changeWords(now, usual, reading)} to ${duration(now, reading)} (usually ${duration(usual, reading)})`;
    case 'requests':
      return now === 0
        ? `no requests (usually ${count(Math.round(usual), reading)})`
        : `requests ${changeWords(now, usual, reading)} to ${count(now, reading)} (usually ${count(Math.round(usual), reading)})`;
    case 'bandwidth':
      return `bandwidth ${changeWords(now, usual, reading)} to ${bytes(now, reading)} (usually ${bytes(usual, reading)})`;
  }
}

/** `isFine`: its zone did not break again. `isMinor`: it is not worth waking somebody now. */
export type PastIncident = ToldIncident & { isFine: boolean; isMinor?: boolean | undefined };

/** `🟡 shop: origin refuses connections (502), from 9:00 PM to 11:30 PM UTC, fine since`. */
export function incidentInWords(
  { words, from, to, isOver, quiet, isFine, isMinor = false, isAbout = false }: PastIncident,
  { now, day }: { now: Date; day: ReportDay },
  reading: Reading,
): string {
  const isToday = from >= day.to.getTime();
  const isThatDay = (moment: number) => isToday || (moment >= day.from.getTime() && moment < day.to.getTime());
  const at = (moment: number, show = time) => (isThatDay(moment) ? show : dayAndTime)(new Date(moment), reading);
  const mark = isToday ? `${isFine ? '✅' : '🟡'} Today:` : '🟡';
  if (isOver)
    return `${mark} ${words.join('; ')}, from ${at(from, isThatDay(to) ? clock : time)} to ${at(to)}${isFine ? ', fine since' : ''}`;
  // Nothing is looked at in quiet hours, or while the report is muted.
  const isSeen = now.getTime() - to <= 20 * MINUTE;
  const since = `since ${isAbout ? 'about ' : ''}${at(from)}`;
  if (isSeen && quiet !== undefined) return `🟡 ${words.join('; ')}, ${since}, quiet since ${at(quiet)}, being watched`;
  return `${isMinor ? '🟠' : '🔴'} ${words.join('; ')}, ${since}, ${isSeen ? 'still going on' : `last seen at ${at(to)}`}`;
}

/** `+12.5%`, or a dash if there is nothing to compare with. */
export function changeWords(now: number | undefined, then: number | undefined, reading: Reading): string {
  if (now === undefined || then === undefined || then === 0) return '–';
  const change = (100 * (now - then)) / then;
  const words = percent(Math.abs(change), reading);
  if (words === percent(0, reading)) return '±0';
  return `${change > 0 ? '+' : '−'}${words}`;
}

/** `+0.8 points`, with hundredths below a tenth. */
export function pointsWords(now: number | undefined, then: number | undefined, reading: Reading): string {
  if (now === undefined || then === undefined) return '–';
  const digits = Math.abs(now - then) < 0.1 ? 100 : 10;
  const change = Math.round(digits * (now - then)) / digits;
  if (change === 0) return '±0';
  const shown = count(Math.abs(change), reading);
  return `${change > 0 ? '+' : '−'}${shown} ${shown === '1' ? 'point' : 'points'}`;
}
