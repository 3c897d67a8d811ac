import { STATUS_CODES } from 'node:http';
import { isIP } from 'node:net';
import { unescaped } from '../blocks/mrkdwn.ts';
import { parseHostname } from '../operations/arguments/resources/hostnames.ts';
import type { MessagePart } from '../operations/operation.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import { isoDay } from '../time.ts';

export interface ShownMessage {
  ts?: string | undefined;
  files?: readonly { id: string; name?: string | undefined }[] | undefined;
  readonly [field: string]: unknown;
}

/** What a message names, each once and in its order. */
export interface MessageParts {
  /** Hostnames of the platform first. Others only if they are part of an address. */
  hosts: { host: string; path?: string | undefined }[];
  others: Partial<Record<Exclude<MessagePart, 'host' | 'path'>, string>>;
  files: { id: string; name: string }[];
}

const ADDRESS = /https?:\/\/[^\s<>|"'`()[\]{}]+/gi;

/** Leaves out queries of addresses, because they may hold secrets. */
export function partsOf(message: ShownMessage, zones: readonly PullZone[]): MessageParts {
  const text = unescaped(writtenIn(message).join('\n').slice(0, 20_000));
  const addresses = (text.match(ADDRESS) ?? []).flatMap(hostAndPath);
  // A zone may be called like a part of a path.
  const without = text.replace(ADDRESS, ' ').replace(/(?<![\p{L}\p{N}])\/\S+/gu, ' ');
  const known = knownNames(zones);
  const words = new Set(without.match(/[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?/gu));
  const named = [...words].flatMap((word) => known.get(word.toLowerCase()) ?? []);
  // Hostnames first, because a zone may have any word as its name.
  const hosts = [
    ...addresses,
    ...[...named.filter(({ host }) => host.includes('.')), ...named.filter(({ host }) => !host.includes('.'))],
  ];
  const thingOf = ({ host }: { host: string }) => known.get(host.toLowerCase())?.zone ?? host;
  const byThing = new Map<string | number, (typeof hosts)[number]>();
  for (const one of hosts) if (!byThing.has(thingOf(one))) byThing.set(thingOf(one), one);
  const firsts = [...byThing.values()];
  const isKnown = ({ host }: { host: string }) => known.has(host.toLowerCase());
  // A number counts as a status only with such words beside it.
  const asStatus =
    /\b(?:status|http|code|errors?|returns?|returned|got|gives?|gave|with|an?)[\s:=]{1,3}([45](?:\d\d|xx))\b|\b([45](?:\d\d|xx))\s+(?:errors?|responses?|bad|not|internal|service|gateway|forbidden|unauthori[sz]ed)\b/i;
  const status = asStatus.exec(without);
  const at = Number(message.ts) * 1000;
  return {
    hosts: [...firsts.filter(isKnown), ...firsts.filter((one) => !isKnown(one))].map(({ host, path }) => ({
      host,
      path,
    })),
    others: present({
      status: status?.[1]?.toLowerCase() ?? statusNamed(status?.[2]),
      'request id': /\b[0-9a-f]{32}\b/i.exec(text)?.[0],
      'IP address': without.match(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g)?.find((one) => isIP(one) !== 0),
      day: Number.isFinite(at) && at > 0 ? isoDay(new Date(at)) : undefined,
    }),
    files: (message.files ?? []).map(({ id, name = id }) => ({ id, name })),
  };
}

/** In *596 errors* the number is a count. */
const statusNamed = (text = ''): string | undefined =>
  STATUS_CODES[text] === undefined && !/xx$/i.test(text) ? undefined : text.toLowerCase();

/** What people and apps fill with text. */
function writtenIn(given: unknown, depth = 0): string[] {
  if (typeof given !== 'object' || given === null || depth > 12) return [];
  return Object.entries(given).flatMap(([field, value]) =>
    typeof value === 'string'
      ? /^(?:text|fallback|pretext|title|title_link|value|url)$/.test(field)
        ? [value]
        : []
      : writtenIn(value, depth + 1),
  );
}

function hostAndPath(address: string): { host: string; path: string | undefined }[] {
  try {
    // Punctuation after an address belongs to the sentence.
    const { hostname, pathname } = new URL(address.replace(/(?<![.,;:!?*_~])[.,;:!?*_~]+$/, ''));
    // A link to a message in Slack.
    if (hostname.endsWith('.slack.com')) return [];
    return [{ host: parseHostname(hostname), path: pathname === '/' ? undefined : pathname }];
  } catch {
    return [];
  }
}

function knownNames(zones: readonly PullZone[]): Map<string, { host: string; zone: number; path?: undefined }> {
  return new Map(
    zones.flatMap(({ Id: zone, Name, Hostnames }) =>
      [Name ?? '', ...Hostnames.map(({ Value }) => Value)]
        .filter((host) => host !== '')
        .map((host) => [host.toLowerCase(), { host, zone }] as const),
    ),
  );
}

const present = <K extends string>(given: Record<K, string | undefined>) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<Record<K, string>>;
