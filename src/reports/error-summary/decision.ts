import { HOUR, MINUTE } from '../../time.ts';
import { isNothingMissing, isOnTop } from '../statistics-watch/findings.ts';
import type { ZoneFinding } from '../statistics-watch/watch.ts';
import { ACCOUNT } from '../zone-hours.ts';
import type { UnhealthyZone } from './zone-look.ts';

/* Would somebody get out of bed for this? Whatever fails these tests waits for the morning report. */

/** Fewer requests beyond the usual in ten seconds are a blip, however long the zone is looked at. */
const BLIP = 1 / 6;
/** A difference from the usual that is this large needs no second look. */
const NEARLY_ALL = 0.5;
/** How long a cache takes to fill after it was cleared. */
export const FILLS = 3 * HOUR;

/** Whether failures in the logs are worth a message. `least`: the threshold of the subscription. */
export function isFailing(zone: UnhealthyZone, least: number): boolean {
  const { failures, requests = 0, usual, planned, share = 1, since, to, isQuiet, looks, isAgain } = zone;
  // A blip that is over, or fewer than one request in a hundred: in the model 0.8% was an ordinary bad hour of a middling
  // zone, but not where one region or page had nearly all of it.
  const isInOne = zone.where?.regions?.length === 1 || zone.where?.paths?.length === 1;
  if (isQuiet || share < (isInOne ? 0.005 : 0.01)) return false;
  // Failures of a third of all requests are not excused as those of a job.
  const minutes = Math.max(share < 0.3 ? planned : 0, (usual * (to - since)) / MINUTE);
  const hurt = failures - requests * minutes;
  // Four looks have to hurt a few people: bursts of up to twelve minutes are over by then. A third of all requests is
  // not a burst, nor is what comes back.
  return hurt >= Math.max(looks < (share >= 0.3 || isAgain ? 2 : 4) ? 2 * least : least, BLIP * requests);
}

/** Refusals of scanners and robots; and those on top of as many good answers as usual, unless they are a tenth for an hour. */
function isHarmless({ since, to, now, usual, window, windows, detail = '', isOfFew, isInstead }: ZoneFinding): boolean {
  // Without a log `detail` is empty: who is refused is unknown, and counts as 403.
  const isMinor = /^(?:403|404|429|$)/.test(detail);
  // A page that no longer answers would be a larger share.
  const isExtra = now - usual < 0.2 || isOnTop(windows ?? [window!]);
  if (isOfFew) return isExtra || (isMinor && now - usual < NEARLY_ALL);
  // In the model crawlers added 5% to zones that nobody would look at. A limit that refuses only what is extra does its work.
  const isAtWork = detail.startsWith('429') && isNothingMissing(windows ?? [window!]);
  return isMinor && isExtra && !isInstead && (now - usual < 0.1 || to - since < HOUR || isAtWork);
}

/** Whether a finding of the statistics is worth a message. `clearedAt`: when somebody last cleared the zone’s cache. */
export function isWorthTelling(finding: ZoneFinding, least: number, clearedAt = 0): boolean {
  const { zone, measure, since, to, now, usual, window, isFilling } = finding;
  // Longer than one look at statistics, a quarter of an hour.
  const isLong = to - since >= 20 * MINUTE;
  if (window === undefined) return true;
  const { requests } = window.counts;
  switch (measure) {
    case 'requests':
    case 'bandwidth':
    case 'shielded':
      return true;
    case 'traffic':
      // Most zones at once. If more visitors than this remain in one, it may be a quiet day: ordinary afternoons lose a quarter.
      return zone === ACCOUNT || (usual - now >= 2 * least && now <= 0.7 * usual);
    case 'hits':
      if (isFilling || to - clearedAt <= FILLS) return false;
      // For a small zone, all lost hits since it began count.
      if ((usual - now) * requests * Math.max(1, (to - since) / (window.to - window.from)) < 2 * least) return false;
      return isLong || usual - now >= NEARLY_ALL;
    case 'response':
      return window.counts.pulls >= 2 * least && (isLong || now >= 2 * usual);
    default: {
      const hurt = (now - usual) * requests;
      if (hurt < Math.max(least, (BLIP * requests * MINUTE) / (window.to - window.from))) return false;
      if (measure === '4xx' && isHarmless(finding)) return false;
      return isLong || now - usual >= NEARLY_ALL || hurt >= 4 * least;
    }
  }
}
