import { clock, count, duration, percent, type Reading } from '../../blocks/format.ts';
import { bold, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import type { ZoneFinding } from './watch.ts';

const share = (part: number, reading: Reading) => percent(100 * part, reading);
const times = (value: number, reading: Reading) => duration(Math.round(value), reading);

/** What is wrong, beside the usual. */
function causeOf({ measure, now, usual, since, until, to, detail }: ZoneFinding, reading: Reading): string {
  const length = duration((until ?? to) - since, reading);
  const besides = detail === undefined ? '' : `, ${detail}`;
  switch (measure) {
    case 'traffic':
      return now === 0
        ? `no requests for ${length} (usually ${count(Math.round(usual), reading)} in that time)`
        : `requests fell to ${share(now / usual, reading)}: ${count(now, reading)} in ${length} (usually ${count(Math.round(usual), reading)})${besides}; look at its certificate and DNS`;
    case '4xx': {
      const isGivenUp = detail?.startsWith('499') === true;
      const mostly = detail === undefined ? '' : `, mostly ${detail}`;
      return `${share(now, reading)} of the requests ${isGivenUp ? 'are given up by visitors' : 'are refused with 4xx'} (usually ${share(usual, reading)})${mostly}`;
    }
    case '5xx':
      return `${share(now, reading)} of the requests fail with 5xx (usually ${share(usual, reading)})`;
    case 'hits':
      return `cache hit rate ${share(now, reading)} (usually ${share(usual, reading)})`;
    case 'response':
      return `origin is slow: it answers in ${times(now, reading)} (usually ${times(usual, reading)})`;
  }
}

/** `🔴 blog: no requests for 25 min (usually 310 in that time), since 2:05 PM` */
export function findingInWords(finding: ZoneFinding, reading: Reading): Words {
  const { measure, name, since, until } = finding;
  const mark = until !== undefined ? '🟢' : measure === 'traffic' || measure === '5xx' ? '🔴' : '🟠';
  const from = clock(new Date(since), reading);
  const when = until === undefined ? `since ${from}` : `from ${from}; over since ${clock(new Date(until), reading)}`;
  return mrkdwn`${mark} ${bold(name)}: ${causeOf(finding, reading)}, ${when}`;
}
