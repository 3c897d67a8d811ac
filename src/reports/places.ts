import type { ErrorEvent } from '../logs/error-groups.ts';
import { pathTemplate } from '../logs/template.ts';
import type { AccessLogRecord } from '../platform/resources/access-logs.ts';
import { dominant } from './dominant.ts';

export type Placed = Pick<ErrorEvent, 'region' | 'address'>;
type Read = (one: Placed) => string | undefined;

export const placedOf = ({ edgeLocation: region, path, url }: AccessLogRecord): Placed => ({
  region,
  address: path ?? url,
});

/** Empty: all of them. Undefined: too few failures show it. */
export interface Places {
  regions?: readonly string[] | undefined;
  paths?: readonly string[] | undefined;
}

/** Up to three places with most failures, where requests fail at more than twice the rate of elsewhere. */
function fewOf(failed: readonly Placed[], requests: readonly Placed[], read: Read): string[] | undefined {
  const few: string[] = [];
  const elsewhere = (all: readonly Placed[]) => all.filter((one) => !few.includes(read(one) ?? ''));
  while (few.length < 3) {
    const next = dominant(elsewhere(failed), read, 0);
    if (next === undefined) break;
    few.push(next);
    // The places are chosen by their failures, so a few requests elsewhere show nothing. A place where nearly all
    // requests go shows nothing either.
    const fail = (elsewhere(failed).length + 3) / (failed.length + 3);
    const ask = elsewhere(requests).length / requests.length;
    if (fail < 0.3 && ask >= 0.2 && (1 - fail) * ask > 2 * fail * (1 - ask)) return few;
  }
  const isElsewhere = (one: Placed) => read(one) !== few[0];
  const isSpread = !requests.some(isElsewhere) || failed.filter(isElsewhere).length >= 3;
  return few.length > 0 && isSpread && failed.length >= 50 ? [] : undefined;
}

export function placesOf(
  failed: readonly Placed[] | ((read: Read) => readonly Placed[]),
  requests: readonly Placed[],
): Places | undefined {
  const by = (read: Read) => fewOf(typeof failed === 'function' ? failed(read) : failed, requests, read);
  const regions = by(({ region }) => region);
  const sections = by(sectionOf);
  const paths = [by(placeOf), sections, by(rootOf)].find((few) => few?.length) ?? sections;
  return regions?.length || paths?.length || (regions && paths) ? { regions, paths } : undefined;
}

/** What of `before` is not `left`. */
export const lostOf = (before: readonly Placed[], left: readonly Placed[]) => (read: Read) => {
  const there = left.map(read);
  const isLeft = (one: Placed) => there.includes(read(one)) && there.splice(there.indexOf(read(one)), 1);
  return before.filter((one) => !isLeft(one));
};

/** Most of `some` are in places of the others, each for one of them. */
export const isThere = (some: readonly Placed[], others: (read: Read) => readonly Placed[]): boolean =>
  [placeOf, sectionOf, rootOf].some((read) => 2 * lostOf(some, others(read))(read).length < some.length);

/** `/api/v2/items/7` → `/api/v2`. */
const placeOf: Read = ({ address }) => /^(?:https?:\/\/[^/]+)?(\/[^/?#]+(?:\/[^/?#]+)?)/.exec(address ?? '')?.[1];

/** `/items/7` → `/items`. */
const sectionOf: Read = ({ address = '' }) => /^\/[^/<]+(?:\/[^/<]+)?/.exec(pathTemplate(address))?.[0];

/** `/items/7` → `/items/…`, where its pages have names. */
const rootOf: Read = (one) => placeOf(one)?.replace(/^(\/[^/]+)\/.*/, '$1/…');

/** `Nearly all of the failures are on /cart, in all regions`, or *Everywhere*. */
export function placesInWords({ regions, paths }: Places, what: string): string {
  if (regions?.length === 0 && paths?.length === 0) return 'Everywhere: all regions, all pages';
  const said = (names: readonly string[] | undefined, word: string, all: string) =>
    names === undefined ? [] : `${word} ${names.length === 0 ? `all ${all}` : names.join(', ')}`;
  const [inside, on] = [said(regions, 'in', 'regions'), said(paths, 'on', 'pages')];
  const line = (regions?.length === 0 ? [on, inside] : [inside, on]).flat().join(', ');
  const nearly = regions?.length || paths?.length ? `nearly all of the ${what} are ` : '';
  return `${nearly}${line}`.replace(/^./, (letter) => letter.toUpperCase());
}
