import { domainToASCII } from 'node:url';
import { UsageError } from '../../../errors.ts';
import type { PullZone } from '../../../platform/resources/pull-zones.ts';
import type { ArgumentKind } from '../../argument.ts';
import type { ResolveContext } from '../../context.ts';
import {
  checkReference,
  type Entry,
  hostOf,
  lookUpNumbered,
  NotFoundError,
  type Nouns,
  nameOrId,
  nameWithId,
  nameWord,
  parseNumericId,
  theirs,
  wordsFor,
} from './look-up.ts';

/** Only the id where no list has it. */
export interface ZoneRef {
  Id: number;
  Name?: string;
  zone?: PullZone;
}

const ZONES: Nouns = { one: 'pull zone', many: 'pull zones', subject: 'zone', command: 'zone list' };

export function zoneRefOf(zone: PullZone): ZoneRef {
  return { Id: zone.Id, ...(zone.Name === undefined ? {} : { Name: zone.Name }), zone };
}

export function zoneName(zone: ZoneRef): string {
  return nameWithId(zone.Name, zone.Id);
}

export function zoneEntry(zone: PullZone): Entry<PullZone> {
  const own = zone.Hostnames.find((hostname) => !hostname.IsSystemHostname) ?? zone.Hostnames[0];
  return {
    id: String(zone.Id),
    name: zone.Name,
    also: zone.Hostnames.map((hostname) => hostname.Value),
    description: own?.Value,
    names: { zone: [zoneWords(zone)] },
    thing: zone,
  };
}

export function zoneWords(zone: { Id: number; Name?: string | undefined }): string[] {
  return wordsFor(zone.Id, zone.Name);
}

export function checkZone(text: string): void {
  checkReference(text, 'zone');
  parseNumericId(text, ZONES.one);
}

/** A policy's word. With a dot it would be a hostname: a zone of such a name goes by id. Throws UsageError. */
export function zoneWord(word: string): string {
  const name = nameWord(word, checkZone);
  if (name.includes('.'))
    throw new UsageError('write the id or the name of the zone; `hostname` is what means a hostname');
  return name;
}

/** People and the platform write it in any case, in Unicode, with a trailing dot. */
export function hostnameOnNetwork(written: string): string {
  // A zone may have 18,000 of them, nearly all written so.
  if (/^[a-z0-9.*_-]+$/.test(written) && !written.endsWith('.')) return written;
  const [, wildcard = '', rest = ''] = /^(\*\.)?(.*?)\.?$/s.exec(written.trim()) ?? [];
  return wildcard + (domainToASCII(rest) || rest.toLowerCase());
}

/** `tenants`: a wildcard counts for each name that it stands for. */
export function isHostnameFor(listed: string, typed: string, tenants = false): boolean {
  const [have, wanted] = [hostnameOnNetwork(listed), hostnameOnNetwork(typed)];
  return have === (tenants ? wanted.replace(/^[^.*]+\./, '*.') : wanted);
}

/** With `tenants` a hostname behind a wildcard names its zone: enough to read it, not to change it. Throws UsageError. */
export async function resolveZone(text: string, context: ResolveContext, tenants = false): Promise<ZoneRef> {
  try {
    const found = await lookUpNumbered(text, context.catalogue.zones, zoneEntry, ZONES, context);
    return 'Hostnames' in found ? zoneRefOf(found) : found;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const host = hostOf(text.trim());
    const { items } = await context.catalogue.zones();
    const zones = theirs(items, (zone) => zoneEntry(zone).names, context);
    const has = (wild: boolean) =>
      zones.filter(({ Hostnames }) => Hostnames.some(({ Value }) => isHostnameFor(Value, host, wild)));
    const same = has(false);
    const [zone, ...more] = same.length > 0 || !tenants ? same : has(true);
    if (zone === undefined) throw error;
    if (more.length === 0) return zoneRefOf(zone);
    const names = [zone, ...more].map((one) => zoneName(zoneRefOf(one)));
    throw new UsageError(`${host} is on several zones: ${names.join(', ')}.`, { hint: 'Give the id.' });
  }
}

/** For reads: by name, id, or any hostname that it serves. */
export const pullZone = (): ArgumentKind<ZoneRef> => zoneBy(true);

/** For changes: by name, id, or one of its own hostnames. */
export const exactPullZone = (): ArgumentKind<ZoneRef> => zoneBy(false);

const zoneBy = (tenants: boolean): ArgumentKind<ZoneRef> =>
  nameOrId<ZoneRef, PullZone>({
    label: 'Zone',
    hint: 'Name or id of a pull zone',
    subject: 'zone',
    fromMessage: 'host',
    check: checkZone,
    policyWord: zoneWord,
    resolve: (text, context) => resolveZone(text, context, tenants),
    textOf: (zone) => String(zone.Id),
    words: zoneWords,
    entries: async ({ catalogue }) => (await catalogue.zones()).items.map(zoneEntry),
  });
