import { domainToASCII, domainToUnicode } from 'node:url';
import { UsageError } from '../../../errors.ts';
import { nearest } from '../../../nearest.ts';
import type { Hostname, PullZone } from '../../../platform/resources/pull-zones.ts';
import { type Names, UNKNOWN } from '../../../policy/names.ts';
import type { ResolveContext } from '../../context.ts';
import type { ArgumentKind, Option } from '../../operation.ts';
import { WORD } from '../plain.ts';
import {
  atArgument,
  checkReference,
  clipped,
  type Entry,
  hostOf,
  NotFoundError,
  nameWithId,
  suggestEntries,
  theirs,
  unknownEntry,
  wordsFor,
} from './look-up.ts';
import {
  hostnameKey,
  hostnameOnNetwork,
  isHostnameFor,
  resolveZone,
  ZONES,
  type ZoneRef,
  zonesWith,
  zoneWord,
} from './zones.ts';

/** In the platform’s spelling. `known`: a listed zone has it. `unread`: why the list could not be read. */
export interface KnownHostname {
  Value: string;
  known: boolean;
  zone?: ZoneRef;
  IsSystemHostname?: boolean | undefined;
  HasCertificate?: boolean | undefined;
  unread?: string | undefined;
}

interface ZoneHostname extends KnownHostname {
  zone: ZoneRef;
  ForceSSL?: boolean | undefined;
}

/** ASCII characters and quotes that no hostname has. `domainToASCII` checks the rest. */
const FORBIDDEN = /[\u0000-\u002c\u002f\u003a-\u0040\u005b-\u005e\u0060\u007b-\u007f\p{QMark}]/u;

/** Checks a policy’s word. Throws UsageError. */
function hostnameWord(word: string): string {
  if (!word.includes('*')) return parseHostname(word);
  if (FORBIDDEN.test(word.replaceAll('*', ''))) throw new UsageError('write the hostname alone, such as *.example.com');
  return word;
}

/** Returns lower-case ASCII. Accepts a wildcard as the first label, a page’s address and a final dot. Throws UsageError. */
export function parseHostname(text: string): string {
  const typed = text.trim();
  const wrong = (why: string) =>
    new UsageError(`“${clipped(typed)}” is not a hostname: ${why}.`, { hint: 'Write it like cdn.example.com.' });
  if (typed === '') throw new UsageError('The hostname is empty.', { hint: 'Write it like cdn.example.com.' });
  const bare = hostOf(typed);
  const wildcard = bare.startsWith('*.');
  const rest = (wildcard ? bare.slice(2) : bare).replace(/[.。]$/, '');
  if (rest.includes('*')) throw wrong('a * can only be the whole first part');
  if (/[/?#]/.test(rest)) throw wrong('it has a path');
  if (/:\d+$/.test(rest)) throw wrong('it has a port');
  if (/\s/.test(rest)) throw wrong('it has a space');
  const forbidden = FORBIDDEN.exec(rest)?.[0];
  if (forbidden !== undefined) throw wrong(`it has the character ${forbidden}`);
  const labels = rest.split(/[.。]/);
  if (/^\d+$/.test(labels.at(-1) ?? '')) throw wrong('it ends in a number, as addresses do');
  if (labels.includes('')) throw wrong('it has an empty part');
  if (labels.length < 2) throw wrong('it needs a dot');
  const ascii = domainToASCII(rest);
  const parts = ascii.split('.');
  if (ascii === '' || parts.some(isMisencoded)) throw wrong('it cannot be written in the form that the network uses');
  if (parts.some((part) => part.length === 0 || part.length > 63)) throw wrong('each part has 1 to 63 characters');
  if (parts.some((part) => part.startsWith('-') || part.endsWith('-'))) {
    throw wrong('a part begins or ends with a hyphen');
  }
  const value = wildcard ? `*.${ascii}` : ascii;
  if (value.length > 253) throw wrong('it has more than 253 characters');
  return value;
}

/** Node 24 accepts invalid punycode, which earlier versions refuse. */
const isMisencoded = (part: string): boolean => {
  const wide = part.startsWith('xn--') ? domainToUnicode(part) : '';
  return wide.startsWith('xn--') || (wide !== '' && domainToASCII(wide) !== part);
};

/** `xn--bcher-kva.example (bücher.example)` */
export function hostnameForPeople(value: string): string {
  const wide = international(value);
  return wide === '' || wide === '*.' || wide === value.toLowerCase() ? value : `${value} (${wide})`;
}

export const hostnameOnZone = ({ Value, zone }: { Value: string; zone?: ZoneRef | undefined }): string =>
  `${hostnameForPeople(Value)}${zone === undefined ? '' : ` on ${nameWithId(zone)}`}`;

function international(value: string): string {
  if (!/xn--/i.test(value)) return value.toLowerCase();
  return value.startsWith('*.') ? `*.${domainToUnicode(value.slice(2))}` : domainToUnicode(value);
}

/** Zones with this hostname on which the person may act. `tenants`: also those with a matching wildcard. */
function foundIn(zones: readonly PullZone[], value: string, context: Pick<ResolveContext, 'may'>, tenants = false) {
  const found = zonesWith(zones, value, tenants).map((zone) => {
    const by = (wild: boolean) => zone.Hostnames.find(({ Value }) => isHostnameFor(Value, value, wild));
    return { zone, hostname: by(false) ?? by(true)! };
  });
  return theirs(found, ({ zone }) => namesOf({ Value: value, zone }), context);
}

/** Every spelling of the hostname, and its zone. */
function namesOf({ Value, zone }: { Value: string; zone?: ZoneRef }): Names {
  const ascii = hostnameOnNetwork(Value);
  const spellings = [...new Set([Value, ascii, international(ascii)])].filter((word) => word !== '');
  return { hostname: [spellings], zone: [zone === undefined ? [UNKNOWN] : wordsFor(zone)] };
}

/** A zone may have 18,000 hostnames, so description and names are computed only for those that are shown. */
const entryOf = ({ Value, IsSystemHostname }: Hostname, zone: PullZone, withZone: boolean): Entry<PullZone> => ({
  id: withZone ? `${hostnameKey(Value)}@${zone.Id}` : hostnameKey(Value),
  name: Value,
  isSystem: IsSystemHostname,
  thing: zone,
  get description() {
    return nameWithId(zone);
  },
  get names() {
    return namesOf({ Value, zone });
  },
});

/** Leaves out whole zones on which the person may not act. */
const entriesOf = (zones: readonly PullZone[], withZone: boolean, context: ResolveContext): Entry<PullZone>[] =>
  theirs(zones, (zone) => ({ zone: [wordsFor(zone)] }), context).flatMap((zone) =>
    zone.Hostnames.map((hostname) => entryOf(hostname, zone, withZone)),
  );

async function suggestHostnames(
  query: string,
  context: ResolveContext,
  withZone: boolean,
  check: (text: string) => void,
): Promise<Option[]> {
  const { items } = await context.catalogue.zones();
  const options = suggestEntries(query, entriesOf(items, withZone, context), context, check);
  // The description names the zone, so the label needs only the hostname.
  return options.map((option) => ({ ...option, label: option.label.split(' (')[0]! }));
}

/** Also accepts a hostname that no listed zone has, unless it looks mistyped. */
export function hostname(): ArgumentKind<KnownHostname> {
  return {
    ...WORD,
    label: 'Hostname',
    hint: 'Such as cdn.example.com or *.example.com',
    field: { type: 'suggest', placeholder: 'cdn.example.com' },
    fromMessage: 'host',
    check(text) {
      parseHostname(text);
    },
    resolve: (text, context) => knownHostname(parseHostname(text ?? ''), context),
    textOf: ({ Value }) => Value,
    called: hostnameOnZone,
    names: { of: { hostname: hostnameWord, zone: zoneWord }, read: namesOf },
    suggest: (query, context) => suggestHostnames(query, context, false, (text) => void parseHostname(text)),
  };
}

async function knownHostname(typed: string, context: ResolveContext): Promise<KnownHostname> {
  const { items, missing, partial } = await context.catalogue.zones({ fresh: context.fresh });
  const [found] = foundIn(items, typed, context);
  if (found !== undefined) {
    // The platform compares with its own spelling.
    const { Value, HasCertificate, IsSystemHostname } = found.hostname;
    return { Value, known: true, zone: found.zone, HasCertificate, IsSystemHostname };
  }
  const refusal =
    missing || partial
      ? undefined
      : unlisted(typed, items, context, ['If it is right, add it to a pull zone in the platform’s dashboard first.']);
  if (refusal === undefined || nearest(typed, refusal.instead, () => 2) === undefined)
    return { Value: typed, known: false, unread: missing ?? (partial && 'the platform lists only some of its zones') };
  // It may have been added a moment ago.
  if (!context.fresh) return knownHostname(typed, { ...context, fresh: true });
  throw refusal;
}

/** `host@zone` → both. Without `@`, only the host. */
function split(text: string): { host: string; zone?: string } {
  const bare = hostOf(text.trim());
  const at = bare.lastIndexOf('@');
  return at < 0 ? { host: bare } : { host: bare.slice(0, at), zone: bare.slice(at + 1) };
}

const isListed = (zone: ZoneRef): zone is PullZone => zone.Hostnames !== undefined;

/** A hostname that matches a wildcard keeps its own name. */
function onZone(
  Value: string,
  zone: ZoneRef,
  missing: string | undefined,
  context: ResolveContext,
  tenants: boolean,
): ZoneHostname {
  if (!isListed(zone)) {
    return { Value, zone, known: false, unread: missing ?? 'the zone is not among the listed ones' };
  }
  const listed = foundIn([zone], Value, context, tenants)[0]?.hostname;
  if (listed === undefined) return { Value, zone, known: false };
  const { ForceSSL, HasCertificate } = listed;
  const own = isHostnameFor(listed.Value, Value) ? listed.Value : Value;
  return { Value: own, zone, known: true, ForceSSL, HasCertificate };
}

async function resolveZoneHostname(
  text: string,
  { zoneIn, tenants }: { zoneIn: string; tenants: boolean },
  context: ResolveContext,
): Promise<ZoneHostname> {
  const { host, zone: behind } = split(text);
  const Value = parseHostname(host);
  const flagged = context.given[zoneIn] || undefined;
  if (!behind && flagged === undefined) return findZone(Value, tenants, context);
  const inFlag = flagged === undefined ? undefined : await atArgument(zoneIn, () => resolveZone(flagged, context));
  const zone = behind
    ? await atArgument(
        undefined,
        () => resolveZone(behind, context),
        (meant) => `${host}@${meant}`,
      )
    : inFlag!;
  if (inFlag !== undefined && inFlag.Id !== zone.Id)
    throw new UsageError(`The hostname belongs to the zone ${behind}, but you gave the zone ${flagged}.`);
  return ofZone(Value, zone, behind || flagged!, tenants, context);
}

async function ofZone(
  Value: string,
  zone: ZoneRef,
  wanted: string,
  tenants: boolean,
  context: ResolveContext,
): Promise<ZoneHostname> {
  const { items, missing } = await context.catalogue.zones();
  const result = onZone(Value, zone, missing, context, tenants);
  if (!isListed(zone)) return result;
  const serving = foundIn(items, Value, context, tenants).map((found) => found.zone);
  const [elsewhere] = serving;
  if (elsewhere !== undefined && serving.every(({ Id }) => Id !== zone.Id)) {
    throw new UsageError(`${Value} is a hostname of the zone ${nameWithId(elsewhere)}, not of ${wanted}.`, {
      hint: `Leave \`--zone\` out, or give \`--zone ${elsewhere.Id}\``,
    });
  }
  // It may belong to a zone that the person may not see.
  if (!result.known && !context.may(namesOf({ Value })))
    throw new UsageError(`${Value} is not a hostname of ${wanted}.`);
  return result;
}

/** Reads the zones again before it says that none has the hostname. */
async function findZone(Value: string, tenants: boolean, context: ResolveContext): Promise<ZoneHostname> {
  const { items, missing, partial } = await context.catalogue.zones({ fresh: context.fresh });
  if (missing !== undefined) {
    throw new UsageError(
      `The zone of ${Value} cannot be looked up: the list of zones is not available (${missing.replace(/\.$/, '')}).`,
      { hint: 'Say on which zone it is: `--zone <id>`' },
    );
  }
  const found = foundIn(items, Value, context, tenants);
  if (found.length > 1) {
    const zones = found.map(({ zone }) => nameWithId(zone));
    throw new UsageError(`${Value} is on several zones: ${zones.join(', ')}.`, { hint: 'Say which: `--zone <id>`' });
  }
  if (found[0] !== undefined) return onZone(Value, found[0].zone, missing, context, tenants);
  if (!context.fresh) return findZone(Value, tenants, { ...context, fresh: true });
  if (partial)
    throw new NotFoundError(`None of the first ${items.length} pull zones has the hostname ${Value}. There are more.`, {
      names: namesOf({ Value }),
      hint: 'Say on which zone it is: `--zone <id>`',
    });
  throw unlisted(Value, items, context, ['For a hostname that is not listed, say its zone: `--zone <id>`']);
}

function unlisted(
  Value: string,
  zones: readonly PullZone[],
  context: ResolveContext,
  more: string[] = [],
): NotFoundError {
  const nouns = { one: 'hostname', subject: 'hostname', command: 'zone list' };
  const { hint: near, instead } = unknownEntry(Value, entriesOf(zones, false, context), nouns, context);
  const hint = [near, ...more].filter(Boolean).join(' ');
  return new NotFoundError(`No pull zone has the hostname ${Value}.`, { names: namesOf({ Value }), hint, instead });
}

/** Its zone is found by the hostname, or given after `@` or in the argument `zoneIn`. */
export function zoneHostname({
  zoneIn,
  tenants = false,
}: {
  zoneIn: string;
  tenants?: boolean;
}): ArgumentKind<ZoneHostname> {
  const check = (text: string): void => {
    const { host, zone } = split(text);
    parseHostname(host);
    if (zone !== undefined) checkReference(zone, ZONES);
  };
  return {
    ...WORD,
    label: 'Hostname',
    hint: 'A hostname of a pull zone, such as cdn.example.com',
    field: { type: 'suggest', placeholder: 'cdn.example.com' },
    fromMessage: 'host',
    check,
    resolve: (text, context) => resolveZoneHostname(text ?? '', { zoneIn, tenants }, context),
    textOf: ({ Value, zone }) => `${Value}@${zone.Id}`,
    called: hostnameOnZone,
    names: { of: { hostname: hostnameWord, zone: zoneWord }, read: namesOf },
    suggest: (query, context) => suggestHostnames(query, context, true, check),
  };
}
