import { count, type Reading, share } from '../../blocks/format.ts';
import { shorten } from '../../blocks/limits.ts';
import { code, join, moment, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { type Counted, failureOf, type LogSummary } from '../../logs/summary.ts';
import { HOUR } from '../../time.ts';
import { type Filters, keptAddress } from './filters.ts';

/** With fewer requests, nothing dominates. */
const FEWEST = 10;
const LONGEST = 80;

type Given = Pick<Filters, 'status' | 'country' | 'ip' | 'url' | 'agent'>;

/** Says what fails, then who asks for most of it. Does not repeat filters. */
export function sentencesOf(summary: LogSummary, filters: Given, reading: Reading): Words[] {
  return [failureSentence(summary, filters, reading), whoSentence(summary, filters, reading)].flatMap(
    (said) => said ?? [],
  );
}

function ofClass({ statuses }: LogSummary, first: string): { all: number; most: Counted | undefined } {
  const found = Object.entries(statuses)
    .filter(([status]) => status.startsWith(first))
    .map(([value, requests]): Counted => ({ value, requests, bytes: 0 }))
    .sort((a, b) => b.requests - a.requests);
  return { all: found.reduce((sum, { requests }) => sum + requests, 0), most: found[0] };
}

const atLeast = ({ requests, error = 0 }: Counted): number => requests - error;

/** The most frequent value if it certainly has two thirds of all. */
const dominant = (most: Counted | undefined, all: number): Counted | undefined =>
  most !== undefined && atLeast(most) >= (2 / 3) * all ? most : undefined;

function failureSentence(summary: LogSummary, { status: asked }: Given, reading: Reading): Words | undefined {
  const isAsked = (first: string) => asked === undefined || asked.some((one) => one.startsWith(first));
  const { requests, hours, topErrors, topMissing } = summary;
  const failed = ofClass(summary, '5');
  const none = failed.all === 0 && isAsked('5') ? 'No request failed' : undefined;
  const [all, the] = none === undefined ? ['All', 'The'] : ['all', 'the'];
  /** `80 of 1,000 requests failed (8%)`, or `All 80 requests failed`. */
  const said = (part: number, did: string) => {
    if (part < requests)
      return `${count(part, reading)} of ${count(requests, reading)} requests ${did} (${share(part, requests, reading)}): `;
    if (asked !== undefined) return part === 1 ? 'It is ' : 'Of these, ';
    return `${part === 1 ? `${the} one request` : `${all} ${count(part, reading)} requests`} ${did}: `;
  };
  if (failed.all > 0) {
    const one = worstOf(summary);
    const both = dominant(one.both, failed.all);
    const what = both
      ? onPath(failed.all, `${one.status} `, both, reading)
      : either(failed.all, failed.most, topErrors[0], reading);
    const when = stretchOf(hours, both ? one.hours : hours, both ? '' : failed.all === 1 ? '' : 'all ');
    return mrkdwn`${said(failed.all, 'failed')}${what}${when === undefined ? '' : mrkdwn`, ${when}`}.`;
  }
  const refused = ofClass(summary, '4');
  if (refused.all === 0) return none && `${none}.`;
  // The summary counts paths of refused requests only for 404.
  const missing = dominant(refused.most?.value === '404' ? topMissing[0] : undefined, refused.all);
  const what = missing
    ? onPath(refused.all, '404 ', missing, reading)
    : either(refused.all, refused.most, undefined, reading);
  return mrkdwn`${none === undefined ? '' : `${none}; `}${said(refused.all, refused.all === 1 ? 'was refused' : 'were refused')}${what}.`;
}

/** The worst pair of status and path, and its hours. */
function worstOf({ failures, floors, hours }: LogSummary) {
  // The list had to forget some, so the numbers may be larger.
  const missing = floors.failures > 0 ? { error: 0 } : {};
  const pairs = new Map<string, { status: string; both: Counted; byHour: Map<number, number> }>();
  for (const one of failures) {
    const { status, hour, path } = failureOf(one.value);
    const id = `${status} ${path}`;
    const pair = pairs.get(id) ?? {
      status,
      both: { value: path, requests: 0, bytes: 0, ...missing },
      byHour: new Map(),
    };
    pairs.set(id, pair);
    const sure = atLeast(one);
    pair.both.requests += sure;
    pair.byHour.set(hour, sure);
  }
  const [worst] = [...pairs.values()].sort((a, b) => b.both.requests - a.both.requests);
  return {
    status: worst?.status ?? '',
    both: worst?.both,
    hours: hours.map((hour) => ({ ...hour, errors: worst?.byHour.get(hour.start) ?? 0 })),
  };
}

/** `all are`, `80 of them are`, or nothing for one alone */
function are(all: number, of: Counted, reading: Reading): string {
  const part = atLeast(of);
  if (part === all) return all === 1 ? '' : 'all are ';
  return `${of.error === undefined ? '' : 'at least '}${count(part, reading)} of them are `;
}

/** `80 of them are 504 on /api/orders` */
const onPath = (all: number, status: string, path: Counted, reading: Reading) =>
  mrkdwn`${are(all, path, reading)}${status}on ${code(shorten(path.value, LONGEST))}`;

/** `84 of them are 504, 80 of them are on /api/orders` */
function either(all: number, status: Counted | undefined, path: Counted | undefined, reading: Reading): Words {
  const [one, other] = [dominant(status, all), dominant(path, all)];
  const said = [one && mrkdwn`${are(all, one, reading)}${one.value}`, other && onPath(all, '', other, reading)].filter(
    (part) => part !== undefined,
  );
  return said.length === 0 ? 'mixed statuses and paths' : join(said, ', ');
}

/** `from 14:00 UTC`, if that is less than half of the time with requests. */
function stretchOf(hours: LogSummary['hours'], failed: LogSummary['hours'], whole: string): Words | undefined {
  const inside = failed.filter(({ errors }) => errors > 0);
  const [opening, closing, first, last] = [hours[0], hours.at(-1), inside[0], inside.at(-1)];
  if (first === undefined || last === undefined || opening === undefined || closing === undefined) return undefined;
  const [from, to] = [first.start, last.start + HOUR];
  if (to - from > (closing.start + HOUR - opening.start) / 2) return undefined;
  const clock = (at: number) => moment(new Date(at), '{time}');
  // The failures may go on after the log's last hour.
  return last.start === closing.start
    ? mrkdwn`${whole}from ${clock(from)}`
    : mrkdwn`${whole}from ${clock(from)} to ${clock(to)}`;
}

function whoSentence(summary: LogSummary, given: Given, reading: Reading): Words | undefined {
  const { requests, topClients, topPaths, topAgents, topCountries } = summary;
  const client = topClients[0];
  const address = keptAddress(client?.value ?? '');
  // The log keeps no addresses.
  const filters = address === undefined ? { ...given, ip: '-' } : given;
  const known = (given: unknown, [most]: readonly Counted[], words: string): Words | undefined => {
    const isSaid = given === undefined && requests >= FEWEST && most?.value !== '-';
    const found = isSaid ? dominant(most, requests) : undefined;
    if (found === undefined) return undefined;
    const part = atLeast(found);
    return mrkdwn`${count(part, reading)} requests (${share(part, requests, reading)}) ${words} ${code(shorten(found.value, LONGEST))}.`;
  };
  return (
    known(
      filters.ip,
      client && address ? [{ ...client, value: address }] : [],
      address === client?.value ? 'came from the address' : 'came from the network',
    ) ??
    known(filters.url, topPaths, 'were for') ??
    known(filters.agent, topAgents, 'came with the user agent') ??
    known(filters.country, topCountries, 'came from the country')
  );
}
