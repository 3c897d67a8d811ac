import { commandButton } from '../../blocks/buttons.ts';
import { count, dayAndTime, duration, percent, type Reading, time } from '../../blocks/format.ts';
import { actions, type Part, section } from '../../blocks/message.ts';
import { bold, join, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { DAY } from '../../time.ts';
import { isOpen } from './findings.ts';
import type { ZoneFinding } from './watch.ts';

/** Findings in words; the rest is counted. */
const MOST_SHOWN = 8;

const share = (part: number, reading: Reading) => percent(100 * part, reading);
const times = (value: number, reading: Reading) => duration(Math.round(value), reading);

/** The cause, beside the usual. */
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
      return `${share(now, reading)} of the requests fail with 5xx (usually ${share(usual, reading)})${besides}`;
    case 'hits':
      return `cache hit rate ${share(now, reading)} (usually ${share(usual, reading)})`;
    case 'response':
      return `origin is slow: it answers in ${times(now, reading)} (usually ${times(usual, reading)})`;
  }
}

const TITLES: Record<ZoneFinding['measure'], string> = {
  traffic: 'requests stay away',
  '4xx': 'more 4xx',
  '5xx': 'more 5xx',
  hits: 'fewer cache hits',
  response: 'slow origin',
};

/** The trouble in two or three words, without figures. */
export const findingTitle = ({ measure }: Pick<ZoneFinding, 'measure'>): string => TITLES[measure];

/** `🔴 blog: no requests for 25 min (usually 310 in that time), since 2:05 PM UTC` */
export function findingInWords(finding: ZoneFinding, reading: Reading): Words {
  const { measure, name, since, until, to } = finding;
  const mark = until !== undefined ? '🟢' : measure === 'traffic' || measure === '5xx' ? '🔴' : '🟠';
  // Half a day ago may be another day.
  const at = (moment: number) => (to - moment < DAY / 2 ? time : dayAndTime)(new Date(moment), reading);
  const when = until === undefined ? `since ${at(since)}` : `from ${at(since)}; over since ${at(until)}`;
  return mrkdwn`${mark} ${bold(name)}: ${causeOf(finding, reading)}, ${when}`;
}

/** The findings in words, the worst first, and where to look further. Nothing for no findings. */
export function findingParts(findings: readonly ZoneFinding[], reading: Reading): (Words | Part)[] {
  const weight = (finding: ZoneFinding) => Number(isOpen(finding)) * (finding.measure === 'traffic' ? 2 : 1);
  const shown = [...findings].sort((a, b) => weight(b) - weight(a));
  const [first, ...others] = shown.slice(0, MOST_SHOWN).map((finding) => findingInWords(finding, reading));
  if (first === undefined) return [];
  const more = shown.length - MOST_SHOWN;
  const lines = [...others, ...(more > 0 ? [mrkdwn`and ${more} more`] : [])];
  const [open] = shown.filter((finding) => isOpen(finding) && finding.zone !== 0);
  return [
    first,
    ...(lines.length > 0 ? [section(join(lines, '\n'))] : []),
    ...(open === undefined ? [] : [actions(lookButton(open))]),
  ];
}

function lookButton({ measure, zone, since }: ZoneFinding) {
  return measure === '4xx'
    ? commandButton(
        'Show the refused requests',
        `log search ${zone} --status 4xx --from ${new Date(since).toISOString()}`,
      )
    : commandButton('Show statistics', `stats show ${zone} --from yesterday --hourly`);
}
