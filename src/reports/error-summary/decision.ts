import { HOUR, MINUTE } from '../../time.ts';
import type { ZoneFinding } from '../statistics-watch/watch.ts';
import { ACCOUNT } from '../zone-hours.ts';
import type { UnhealthyZone } from './zone-look.ts';

/* Would somebody get out of bed for this? Whatever fails these tests waits for the morning report. */

/** Fewer requests beyond the usual in ten seconds are a blip, however long the zone is looked at. */
const BLIP = 1 / 6;
/** One request in a hundred. In the model 0.8% was an ordinary bad hour of a middling zone. */
const HARDLY_ANY = 0.01;
/** So many looks in a row have to hurt a few people. Bursts of up to twelve minutes are over by then. */
const LOOKS = 4;
/** Two looks at statistics. */
const TWO_LOOKS = 20 * MINUTE;
/** What is this far beyond its usual needs no second look. */
const NEARLY_ALL = 0.5;
/** Refusals on top of as many good answers as usual hurt no ordinary visitor. */
const ON_TOP = HOUR;
/** In the model crawlers added 5% to zones that nobody would look at. */
const MANY = 0.1;
const AS_USUAL = 0.75;
/** An address that no longer answers takes a good part of its zone. */
const INSTEAD = 0.2;
/** If more visitors than this remain, it may be a quiet day: ordinary afternoons lose a quarter. */
const SOME = 0.7;
/** How long a cache takes to fill after it was cleared. */
export const FILLS = 3 * HOUR;

/** Whether failures in the logs are worth a message. `least`: the threshold of the subscription. */
export function isFailing(zone: UnhealthyZone, least: number): boolean {
  const { failures, requests = 0, usual, share = 1, since, to, isQuiet, looks } = zone;
  // A blip that is over, or fewer than one request in a hundred.
  if (isQuiet || share < HARDLY_ANY) return false;
  const hurt = failures - usual * requests * ((to - since) / MINUTE);
  return hurt >= Math.max(looks < LOOKS ? 2 * least : least, BLIP * requests);
}

/** Whether a finding of the statistics is worth a message. `clearedAt`: when the bot last cleared the zone’s cache. */
export function isWorthTelling(finding: ZoneFinding, least: number, clearedAt = 0): boolean {
  const { zone, measure, since, to, now, usual, window, detail = '', isOfFew = false } = finding;
  const isLong = to - since >= TWO_LOOKS;
  if (window === undefined) return true;
  const { requests } = window.counts;
  switch (measure) {
    case 'requests':
    case 'bandwidth':
      return true;
    case 'traffic':
      // Most zones at once.
      if (zone === ACCOUNT) return true;
      return usual - now >= 2 * least && now <= SOME * usual;
    case 'hits':
      return to - clearedAt > FILLS && (usual - now) * requests >= 2 * least && (isLong || usual - now >= NEARLY_ALL);
    case 'response':
      return window.counts.pulls >= 2 * least && (isLong || now >= 2 * usual);
    default: {
      const hurt = (now - usual) * requests;
      if (hurt < Math.max(least, (BLIP * requests * MINUTE) / (window.to - window.from))) return false;
      // Without a log `detail` is empty: who is refused is unknown, and counts as 403.
      if (measure === '4xx' && (isOfFew || /^(?:403|404|429|$)/.test(detail)) && !isInstead(finding))
        return !isOfFew && now - usual >= MANY && to - since >= ON_TOP;
      return isLong || now - usual >= NEARLY_ALL || hurt >= 4 * least;
    }
  }
}

/** Whether the refusals replace good answers, rather than add to them. */
function isInstead({ window, now, usual }: ZoneFinding): boolean {
  const { counts, usual: hour } = window!;
  const good = counts.requests - counts.errors4xx - counts.errors5xx;
  return now - usual >= INSTEAD && good < AS_USUAL * hour.requests * (1 - hour['4xx'] - hour['5xx']);
}
