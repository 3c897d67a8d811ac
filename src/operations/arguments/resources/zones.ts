import type { PullZone } from '../../../platform/resources/pull-zones.ts';
import type { ArgumentKind } from '../../argument.ts';
import type { ResolveContext } from '../../context.ts';
import {
  checkReference,
  type Entry,
  lookUpNumbered,
  type Nouns,
  nameWithId,
  parseNumericId,
  suggestEntries,
  typedOption,
  wordsFor,
} from './look-up.ts';

/** A pull zone as far as it is known: only its id while the platform lists none (or not this one). */
export interface ZoneRef {
  Id: number;
  Name?: string;
  zone?: PullZone;
}

const ZONES: Nouns = { one: 'pull zone', many: 'pull zones', subject: 'zone', command: 'zone list' };

/** A listed zone as what operations get. */
export function zoneRefOf(zone: PullZone): ZoneRef {
  return { Id: zone.Id, ...(zone.Name === undefined ? {} : { Name: zone.Name }), zone };
}

/** `shop-assets (1001)`, or `1001` while only the id is known. */
export function zoneName(zone: ZoneRef): string {
  return nameWithId(zone.Name, zone.Id);
}

/** A zone as people refer to it: by id, name or one of its hostnames. */
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

/** Id and name of a zone, for a policy. */
export function zoneWords(zone: { Id: number; Name?: string | undefined }): string[] {
  return wordsFor(zone.Id, zone.Name);
}

/** Refuses what can be no zone. Throws UsageError. */
export function checkZone(text: string): void {
  checkReference(text, 'zone');
  parseNumericId(text, ZONES.one);
}

/** Text → zone. Ids work without any list, and without being on one. Throws UsageError. */
export async function resolveZone(text: string, context: ResolveContext): Promise<ZoneRef> {
  const found = await lookUpNumbered(text, context.catalogue.zones, zoneEntry, ZONES, context);
  return 'Hostnames' in found ? zoneRefOf(found) : found;
}

/** A pull zone by name, hostname or id. */
export function pullZone(label = 'Zone'): ArgumentKind<ZoneRef> {
  return {
    label,
    hint: 'Name or id of a pull zone',
    shape: 'word',
    required: true,
    field: { type: 'suggest', placeholder: 'Name or id' },
    fromMessage: 'host',
    check: checkZone,
    resolve: (text, context) => resolveZone(text ?? '', context),
    textOf: (zone) => String(zone.Id),
    names: { of: ['zone'], read: (zone: ZoneRef) => ({ zone: [zoneWords(zone)] }) },
    async suggest(query, context) {
      const { items } = await context.catalogue.zones();
      return suggestEntries(query, items.map(zoneEntry), context, (typed) => typedOption(typed, checkZone));
    },
  };
}
