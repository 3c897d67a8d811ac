import type { Button } from '@slack/types';
import { commandButton } from '../../blocks/buttons.ts';
import { bytes, count, countOf, duration, percent, type Reading } from '../../blocks/format.ts';
import { bold, clockOf, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { HOUR, MINUTE } from '../../time.ts';
import { placesInWords } from '../places.ts';
import { isGrave } from '../report.ts';
import { isAmount, RATES } from '../usual.ts';
import { ACCOUNT } from '../zone-hours.ts';
import { isNothingMissing, isOpen, type JudgedWindow } from './findings.ts';
import type { ZoneFinding } from './watch.ts';

const MOST_SHOWN = 8;

const share = (part: number, reading: Reading) => percent(100 * part, reading);
const timesAs = (now: number, usual: number, what: string, reading: Reading) =>
  `${count(Math.round((10 * now) / Math.max(1, usual)) / 10, reading)} times the usual ${what}`;
const times = (value: number, reading: Reading) => duration(Math.round(value), reading);

function causeOf(
  { measure, now, usual, since, until, to, detail, isPlainHttp = false }: ZoneFinding,
  reading: Reading,
): string {
  const length = duration((until ?? to) - since, reading);
  const besides = isPlainHttp ? ', what still arrives is mostly plain HTTP' : detail === undefined ? '' : `, ${detail}`;
  const mostly = detail === undefined ? '' : `, mostly ${detail}`;
  switch (measure) {
    case 'traffic':
      return now === 0
        ? `no requests for ${length} (usually ${count(Math.round(usual), reading)} in that time)${besides}`
        : `requests fell to ${share(now / usual, reading)} of usual: ${count(now, reading)} in ${length} (usually ${count(Math.round(usual), reading)})${besides}`;
    case 'requests':
      return `${timesAs(now, usual, 'requests', reading)}: ${count(Math.round(now), reading)} a minute (usually ${count(Math.round(usual), reading)})${mostly}`;
    case 'bandwidth':
      return `${timesAs(now, usual, 'bandwidth', reading)}: ${bytes(now, reading)} a minute (usually ${bytes(usual, reading)})`;
    case 'shielded':
      return `its shield saw an attack of ${count(Math.round(now), reading)} requests a minute (usually ${count(Math.round(usual), reading)})`;
    case '4xx':
      return `${share(now, reading)} of the requests ${detail?.startsWith('499') ? 'are abandoned by visitors' : 'are refused with 4xx'} (usually ${share(usual, reading)})${mostly}`;
    case '5xx':
      return `${share(now, reading)} of the requests fail with 5xx (usually ${share(usual, reading)})${besides}`;
    case 'hits':
      return `cache hit rate ${share(now, reading)} (usually ${share(usual, reading)})`;
    case 'response':
      return `origin is slow: it answers in ${times(now, reading)} (usually ${times(usual, reading)})`;
  }
}

const isGivenUp = ({ measure, detail = '' }: ZoneFinding): boolean => measure === '4xx' && detail.startsWith('499');

/** Where it is, and what else its figures show. */
function extentOf(finding: ZoneFinding, reading: Reading): string {
  const { measure, where = {}, detail = '', window } = finding;
  // The cause names the path of what is refused.
  const lost = measure === 'hits' ? 'lost hits' : 'lost requests';
  const what = measure === '4xx' && !isGivenUp(finding) ? 'refusals' : lost;
  const place = placesInWords(detail.includes('on /') ? { regions: where.regions } : where, what);
  const figures = () => {
    const { counts, usual: hour } = window!;
    const rates = (rate: '4xx' | 'response', words: typeof share) =>
      `${words(RATES[rate](counts), reading)} (usually ${words(hour[rate], reading)})`;
    if (measure === 'hits')
      return `The origin gets ${timesAs(counts.pulls, hour.requests * (1 - hour.hits), 'requests', reading)}`;
    if (isGivenUp(finding))
      return RATES.response(counts) > 0 && hour.response > 0 ? `The origin answers in ${rates('response', times)}` : '';
    if (measure === 'response') {
      const isRefused = RATES['4xx'](counts) > 1.5 * hour['4xx'] + 0.02;
      return `${share(counts.pulls / counts.requests, reading)} of requests wait for the origin; the cache serves the rest${isRefused ? `. Refused or abandoned: ${rates('4xx', share)}` : ''}`;
    }
    if (finding.isInstead) return 'About as many good responses are missing on these pages';
    return measure === '4xx' && isNothingMissing(finding.windows ?? [window!])
      ? 'Few good responses are missing; these requests are extra'
      : '';
  };
  return [place, window === undefined ? '' : figures()].filter(Boolean).join('. ');
}

function lookOf(finding: ZoneFinding): string {
  const { zone, measure, detail = '', isPlainHttp = false } = finding;
  // Plain HTTP arrives, so the name resolves.
  if (isPlainHttp) return 'is its certificate valid?';
  if (zone === ACCOUNT && measure === 'traffic')
    return 'what does the status page of the platform say? Does its DNS answer?';
  const status = isGivenUp(finding) ? 'response' : detail.slice(0, 3);
  const look =
    measure === '4xx' && detail !== '' ? 'did the origin change, or what sends these requests?' : LOOKS[measure];
  return LOOKS[status] ?? look ?? 'who is sending so many requests: a campaign, a crawler, an attack?';
}

const LOOKS: Readonly<Record<string, string>> = {
  traffic: 'does its name resolve? Is its certificate valid?',
  hits: 'was the cache purged, or a cache rule changed? If not, look at Cache-Control and Set-Cookie of a page that misses (curl -I)',
  response:
    'are only some pages slow? Look at their queries. If all are, look at the origin’s CPU, workers and database',
  401: 'did a key, a password or the login change?',
  403: 'was an address, a country or a token blocked, at the edge or by the origin’s firewall?',
  404: 'were pages moved or removed? If not, is a crawler or a scanner asking for pages that never existed?',
  429: 'who asks so often? Raise the limit for a customer, and leave it for a robot',
  '4xx': 'which pages are refused, for whom, and with which status?',
  '5xx': 'is the origin up, and does it answer? What does its error log say?',
};

const TITLES: Record<ZoneFinding['measure'], string> = {
  traffic: 'fewer requests',
  requests: 'many requests',
  bandwidth: 'high bandwidth',
  shielded: 'an attack',
  '4xx': 'more 4xx',
  '5xx': 'more 5xx',
  hits: 'fewer cache hits',
  response: 'slow origin',
};

const DOWN = 0.5;

function markOf({ measure, now, usual, until }: ZoneFinding): string {
  if (until !== undefined) return '🟢';
  if (!isGrave(undefined, measure)) return '🟠 Look ·';
  return (measure === '5xx' ? now >= DOWN : now < DOWN * usual) ? '🔴 Down ·' : '🔴 Degraded ·';
}

/** It is nearly over. */
export function isNearUsual({ measure, now, usual, until, window }: ZoneFinding): boolean {
  if (until !== undefined) return false;
  if (measure === 'traffic') return window !== undefined && areBack(now / Math.max(1, usual), window);
  return measure === 'hits' ? now > 0.9 * usual : now < (isAmount(measure) ? 1.5 : 1.25) * usual;
}

/** At least half of those who are missing, beyond chance. `share`: who came since it began. */
function areBack(share: number, { counts: { requests }, usual: { requests: all } }: JudgedWindow): boolean {
  const more = requests - share * all;
  return 2 * more >= (1 - share) * all && more > 3 * Math.sqrt(all);
}

/** `blog: no requests for 25 min (usually 310 in that time)`, where the reader is not known. */
export const findingBriefly = (finding: ZoneFinding): string =>
  `${finding.name}: ${isNearUsual(finding) ? TITLES[finding.measure] : causeOf(finding, { locale: 'en-US', timezone: 'UTC' })}`;

/** `🔴 Down · blog: no requests for 25 min (usually 310 in that time), since about 2:05 PM UTC`, and what to check. */
export function findingInWords(finding: ZoneFinding, reading: Reading, now = finding.to): Words {
  const { name, since, until, to, isExact = false, isEarlier = false, measure, window } = finding;
  const at = (moment: number) => clockOf(new Date(moment), reading, new Date(to));
  const begun = mrkdwn`since ${isExact ? '' : isEarlier ? 'before ' : 'about '}${at(since)}`;
  const asOf = now - to >= 5 * MINUTE ? mrkdwn`, as of ${at(to)}` : '';
  if (isNearUsual(finding)) {
    const back =
      measure === 'traffic'
        ? `${countOf(window!.counts.requests, 'request', reading)} in the last ${duration(window!.to - window!.from, reading)} (usually ${count(Math.round(window!.usual.requests), reading)})`
        : 'now back near normal';
    return mrkdwn`🟡 Getting better · ${bold(name)}: ${TITLES[measure]} ${begun}, ${back}${asOf}. Watching.`;
  }
  const line = mrkdwn`${markOf(finding)} ${bold(name)}: ${causeOf(finding, reading)}`;
  if (until !== undefined) return mrkdwn`${line}, from ${at(since)} until ${at(until)}`;
  const extent = extentOf(finding, reading);
  return mrkdwn`${line}, ${begun}${asOf}${extent && `\n${extent}`}\n${bold('Check first:')} ${lookOf(finding)}`;
}

export function findingsInWords(findings: readonly ZoneFinding[], reading: Reading, now: number): Words[] {
  // Visitors give up because the origin is slow: one line says both.
  const said = findings.filter((one) => isOpen(one) && isGivenUp(one) && !isNearUsual(one)).map(({ zone }) => zone);
  const isSaid = (one: ZoneFinding) => one.measure === 'response' && isOpen(one) && said.includes(one.zone);
  const shown = sorted(findings.filter((one) => !isSaid(one)));
  const more = shown.length - MOST_SHOWN;
  const lines = shown.slice(0, MOST_SHOWN).map((finding) => findingInWords(finding, reading, now));
  return more > 0 ? [...lines, mrkdwn`and ${more} more`] : lines;
}

interface Led {
  zone: number;
  name: string;
  since: number;
  measure: string;
  isUnlogged?: boolean | undefined;
}

/** To what shows it. By the hour nobody sees that visitors stopped coming, but the log’s last lines show it. */
export function leadTo({ zone, name, since, measure, isUnlogged = false }: Led): Button {
  const from = `--from ${new Date(since - 2 * HOUR).toISOString()}`;
  if (zone === ACCOUNT) return commandButton('Statistics', `stats show ${from} --hourly`);
  if (measure === 'traffic' && !isUnlogged)
    return commandButton(`Last requests of ${name}`, `log search ${zone} ${from}`);
  if (measure === '4xx' && !isUnlogged)
    return commandButton(`Refused requests of ${name}`, `log search ${zone} --status 4xx ${from}`);
  return commandButton(`Statistics of ${name}`, `stats show ${zone} ${from} --hourly`);
}

/** For the worst open findings, which are alike. Empty: there are none. */
export function lookButtons(findings: readonly ZoneFinding[]): Button[] {
  const [found, ...others] = sorted(findings).filter(isOpen);
  if (found === undefined) return [];
  const { measure, zone, now, usual } = found;
  const alike = [found, ...others.filter((one) => one.measure === measure)];
  // More than a good day.
  const isFlood = measure === 'shielded' || (measure === 'requests' && now > 3 * usual);
  return [
    ...(isFlood ? [commandButton('Who is flooding it', `security summary ${zone}`)] : []),
    ...(isFlood ? [commandButton('Attack mode', `attack on ${zone} --for 1h`)] : []),
    ...alike.slice(0, 3).map(leadTo),
  ];
}

function sorted(findings: readonly ZoneFinding[]): ZoneFinding[] {
  const weight = (finding: ZoneFinding) => Number(isOpen(finding)) * (finding.measure === 'traffic' ? 2 : 1);
  return [...findings].sort((a, b) => weight(b) - weight(a));
}
