import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { UsageError } from '../../../errors.ts';
import type { PullZone } from '../../../platform/resources/pull-zones.ts';
import type { ResolveContext } from '../../context.ts';
import type { ArgumentKind } from '../../operation.ts';
import {
  checkReference,
  entryOf,
  hostOf,
  type Kind,
  type Lists,
  lookUpNumbered,
  NotFoundError,
  nameOrId,
  nameWithId,
  nameWord,
  theirs,
  wordsFor,
} from './look-up.ts';

/** Only the id if no list has the zone. */
export type ZoneRef = Partial<PullZone> & { Id: number };

export const maySeeZone = (
  zone: { Id: number; Name?: string | undefined },
  { policy }: Pick<ResolveContext, 'policy'>,
) => policy.may('zone show', { zone: [wordsFor(zone)] });

export const ZONES: Kind<PullZone> = {
  label: 'Zone',
  hint: 'Name or id of a pull zone',
  one: 'pull zone',
  subject: 'zone',
  command: 'zone list',
  list: ({ zones }) => zones,
  also: ({ Hostnames }) => Hostnames.map(({ Value }) => Value),
  policyWord: zoneWord,
  description: ({ Hostnames }) => (Hostnames.find((own) => !own.IsSystemHostname) ?? Hostnames[0])?.Value,
};

/** A policy's word for a zone. A word with a dot is a hostname, so such a zone goes by id. Throws UsageError. */
export function zoneWord(word: string): string {
  const name = nameWord(word, (text) => checkReference(text, ZONES));
  if (name.includes('.')) throw new UsageError('write the id or the name of the zone; for a hostname, use `hostname`');
  return name;
}

/** People and the platform write hostnames in any case, in Unicode, or with a trailing dot. */
export function hostnameOnNetwork(written: string): string {
  // A shortcut: a zone may have 18,000 hostnames, nearly all written so.
  if (/^[a-z0-9.*_-]+$/.test(written) && !written.endsWith('.')) return written;
  const [, wildcard = '', rest = ''] = /^(\*\.)?(.*?)\.?$/s.exec(written.trim()) ?? [];
  return wildcard + (domainToASCII(rest) || rest.toLowerCase());
}

/** An option has 150 characters at most. A longer hostname has a name that nobody can own (RFC 6761). */
export const hostnameKey = (value: string): string =>
  value.length < 130 ? value : `${createHash('sha1').update(hostnameOnNetwork(value)).digest('hex')}.invalid`;

/** `tenants`: a wildcard matches each name that it stands for. */
export function isHostnameFor(listed: string, typed: string, tenants = false): boolean {
  const [have, wanted] = [hostnameOnNetwork(listed), hostnameOnNetwork(typed)];
  return have === (tenants ? wanted.replace(/^[^.*]+\./, '*.') : wanted) || hostnameKey(have) === wanted;
}

/** `tenants`: by a wildcard where none has the name itself. */
export function zonesWith(zones: readonly PullZone[], host: string, tenants: boolean): readonly PullZone[] {
  const has = (wild: boolean) =>
    zones.filter(({ Hostnames }) => Hostnames.some(({ Value }) => isHostnameFor(Value, host, wild)));
  const same = has(false);
  return same.length > 0 || !tenants ? same : has(true);
}

/**
 * With `tenants`, a hostname that a wildcard matches names its zone: enough to read, not to change. Throws UsageError.
 */
export async function resolveZone(text: string, context: Lists, tenants = false, kind = ZONES) {
  try {
    return await lookUpNumbered(text, kind, context);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const host = hostOf(text.trim());
    const { items } = await context.catalogue.zones();
    const zones = theirs(items, (zone) => entryOf(kind, zone, context).names, context);
    const [zone, ...more] = zonesWith(zones, host, tenants);
    if (zone === undefined) throw error;
    if (more.length === 0) return zone;
    const all = [zone, ...more].map(nameWithId).join(', ');
    throw new UsageError(`${host} is on several zones: ${all}.`, { hint: 'Give the id.' });
  }
}

const zoneBy = (tenants: boolean): ArgumentKind<ZoneRef> =>
  nameOrId(ZONES, { fromMessage: 'host', resolve: (text, context) => resolveZone(text, context, tenants) });

/** For reads: by name, id, or any hostname that the zone serves. */
export const pullZone = () => zoneBy(true);

/** For changes: by name, id, or one of its own hostnames. */
export const exactPullZone = () => zoneBy(false);
