import { UsageError } from '../../../errors.ts';
import type { PullZone } from '../../../platform/resources/pull-zones.ts';
import type { ShieldZoneMapping } from '../../../platform/resources/shield-zones.ts';
import { UNKNOWN } from '../../../policy/names.ts';
import type { ResolveContext } from '../../context.ts';
import type { ArgumentKind } from '../../operation.ts';
import { WORD } from '../plain.ts';
import {
  checkReference,
  type Entry,
  namesUnknown,
  nameWithId,
  nameWord,
  parseNumericId,
  suggestEntries,
  theirs,
  wordsFor,
} from './look-up.ts';
import { resolveZone, ZONES, type ZoneRef, zoneWord } from './zones.ts';

export interface ShieldZoneRef {
  shieldZoneId: number;
  zone?: ZoneRef;
  /** A warning for the preview: how a number was understood, if nobody confirmed it. */
  assumed?: string;
}

/** `shop-assets (shield zone 12)`, or `shield zone 12`. */
export function shieldZoneName(shield: ShieldZoneRef): string {
  const own = `shield zone ${shield.shieldZoneId}`;
  return shield.zone === undefined ? own : `${nameWithId(shield.zone)}, ${own}`;
}

const shieldWords = ({ shieldZoneId, zone }: Pick<ShieldZoneRef, 'shieldZoneId' | 'zone'>): string[] => [
  `shield:${shieldZoneId}`,
  ...(zone === undefined ? [UNKNOWN] : wordsFor(zone)),
];

/** `shield:12` and `zone:12` say which kind of id it is. */
function parse(text: string): { kind: 'shield' | 'zone' | 'either'; word: string } {
  const [, prefix, word] = /^(shield|zone):(.*)$/is.exec(text.trim()) ?? [];
  if (prefix === undefined || word === undefined) return { kind: 'either', word: text.trim() };
  return { kind: prefix.toLowerCase() === 'shield' ? 'shield' : 'zone', word: word.trim() };
}

function check(text: string): void {
  const { kind, word } = parse(text);
  if (kind === 'shield' && parseNumericId(word, 'shield zone') === undefined) {
    throw new UsageError(`“${word}” cannot be the id of a shield zone: it is a whole number.`, {
      hint: 'Shield zones have no names: give the name of the pull zone, without shield:.',
    });
  }
  checkReference(word, ZONES);
}

function shieldWord(text: string): string {
  const { kind, word } = parse(text);
  return kind === 'shield' ? nameWord(text, check) : zoneWord(word);
}

interface Lists {
  zones: readonly PullZone[];
  mapping: readonly ShieldZoneMapping[];
  missing: string | undefined;
}

function refOf(shieldZoneId: number, lists: Lists, assumed?: string): ShieldZoneRef {
  const pullZoneId = lists.mapping.find((item) => item.shieldZoneId === shieldZoneId)?.pullZoneId;
  const listed = lists.zones.find((zone) => zone.Id === pullZoneId);
  const zone = listed ?? (pullZoneId === undefined ? undefined : { Id: pullZoneId });
  return { shieldZoneId, ...(zone === undefined ? {} : { zone }), ...(assumed === undefined ? {} : { assumed }) };
}

/** Throws UsageError if the zone has no shield zone, or if that cannot be known. */
function ofPullZone(zone: ZoneRef, lists: Lists): ShieldZoneRef {
  const found = lists.mapping.find((item) => item.pullZoneId === zone.Id);
  if (found !== undefined) return { shieldZoneId: found.shieldZoneId, zone };
  if (lists.missing !== undefined) {
    throw new UsageError(
      `The shield zone of ${nameWithId(zone)} cannot be looked up: the mapping is not available (${lists.missing.replace(/\.$/, '')}).`,
      { hint: 'Give the id of the shield zone: `shield:<id>`' },
    );
  }
  throw new UsageError(`The pull zone ${nameWithId(zone)} has no shield zone.`, {
    hint: 'Switch the shield on for it first, or give another id as `shield:<id>`',
  });
}

async function resolve(text: string, context: ResolveContext, tenants: boolean): Promise<ShieldZoneRef> {
  const { catalogue, fresh } = context;
  const { kind, word } = parse(text);
  const [zones, mapping] = await Promise.all([catalogue.zones({ fresh }), catalogue.shieldZones({ fresh })]);
  const words = (zone: PullZone) => {
    const shield = mapping.items.find(({ pullZoneId }) => pullZoneId === zone.Id);
    return shield === undefined ? wordsFor(zone) : shieldWords({ ...shield, zone });
  };
  const zoneOf = ({ pullZoneId }: ShieldZoneMapping) => zones.items.find(({ Id }) => Id === pullZoneId);
  const namesFor = (one: ShieldZoneMapping) => ({
    zone: [shieldWords({ shieldZoneId: one.shieldZoneId, zone: zoneOf(one) ?? { Id: one.pullZoneId } })],
  });
  const lists: Lists = {
    zones: theirs(zones.items, (zone) => ({ zone: [words(zone)] }), context),
    mapping: theirs(mapping.items, namesFor, context),
    missing: mapping.missing,
  };
  const id = parseNumericId(word, kind === 'zone' ? 'pull zone' : 'shield zone');

  if (id === undefined) {
    if (zones.missing !== undefined) {
      const hint = 'Give the id of the shield zone instead: `shield:<id>`';
      throw namesUnknown(word, zones.missing, 'pull zone', hint);
    }
    return ofPullZone(await resolveZone(word, context, tenants, { ...ZONES, words }), lists);
  }
  if (kind === 'shield') return refOf(id, lists);

  const listed = lists.zones.find((zone) => zone.Id === id);
  const pull = listed ?? { Id: id };
  if (kind === 'zone') return ofPullZone(pull, lists);

  const byPullZone = lists.mapping.find((item) => item.pullZoneId === id);
  const byShield = lists.mapping.find((item) => item.shieldZoneId === id);
  if (byPullZone !== undefined && byShield !== undefined && byPullZone.shieldZoneId !== id) {
    throw new UsageError(`${id} is the id of a pull zone and of a shield zone.`, {
      hint: `Write \`zone:${id}\` for the pull zone or \`shield:${id}\` for the shield zone.`,
    });
  }
  if (byPullZone !== undefined) return ofPullZone(pull, lists);
  if (byShield !== undefined) return refOf(id, lists);
  if (listed !== undefined && lists.missing === undefined) return ofPullZone(pull, lists);
  return refOf(
    id,
    lists,
    lists.missing === undefined
      ? `I read ${id} as the id of a shield zone: no listed pull zone has it.`
      : `I read ${id} as the id of a shield zone, not of a pull zone: I could not read which belongs to which.`,
  );
}

/**
 * A shield zone by the name, hostname or id of its pull zone, or by its own id. `tenants`: also by a hostname that a
 * wildcard matches.
 */
export function shieldZone({ tenants = false } = {}): ArgumentKind<ShieldZoneRef> {
  return {
    ...WORD,
    label: 'Zone',
    hint: 'Name or id of a pull zone with a shield, or shield:<id>',
    field: { type: 'suggest', placeholder: 'Name or id' },
    fromMessage: 'host',
    check,
    resolve: (text, context) => resolve(text ?? '', context, tenants),
    textOf: (shield) => `shield:${shield.shieldZoneId}`,
    called: shieldZoneName,
    names: { of: { zone: shieldWord }, read: (shield: ShieldZoneRef) => ({ zone: [shieldWords(shield)] }) },
    async suggest(query, context) {
      const { catalogue } = context;
      const [zones, mapping] = await Promise.all([catalogue.zones(), catalogue.shieldZones()]);
      const entries = mapping.items.map(({ shieldZoneId, pullZoneId }): Entry<ShieldZoneMapping> => {
        const zone = zones.items.find((item) => item.Id === pullZoneId);
        return {
          id: `shield:${shieldZoneId}`,
          name: zone?.Name ?? `Pull zone ${pullZoneId}`,
          also: [String(pullZoneId), String(shieldZoneId), ...(zone?.Hostnames ?? []).map((item) => item.Value)],
          description: `Pull zone ${pullZoneId}, shield zone ${shieldZoneId}`,
          names: { zone: [shieldWords({ shieldZoneId, zone: zone ?? { Id: pullZoneId } })] },
          thing: { shieldZoneId, pullZoneId },
        };
      });
      return suggestEntries(query, entries, context, check).map((option) =>
        option.description === undefined ? option : { ...option, label: option.label.replace(/ \(shield:\d+\)$/, '') },
      );
    },
  };
}
