import { bytes, count, onOff } from '../../blocks/format.ts';
import { message, note } from '../../blocks/message.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import { UsageError } from '../../errors.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { byName } from '../arguments/resources/look-up.ts';
import { defineOperation } from '../operation.ts';

/** `active`, or what keeps a zone from serving. */
export function zoneState(zone: PullZone): string {
  if (zone.Suspended === true) return 'suspended';
  if (zone.Enabled === undefined) return '–';
  return zone.Enabled ? 'active' : 'disabled';
}

/** The pull zones, for those who need a name or an id. */
export const listZones = defineOperation({
  name: 'zone list',
  summary: 'List the pull zones with their hostnames',
  synonyms: { verbs: 'all', nouns: 'zones, pull zones, pullzones, pullzone, hostnames, sites' },
  effect: 'read',
  args: {},
  toTry: 'Show the zones',

  target: () => 'pull zones',

  async run(_, { catalogue }) {
    const { items, missing } = await catalogue.zones({ fresh: true });
    if (missing === undefined) return items;
    throw new UsageError(`The pull zones cannot be listed: ${missing}.`, {
      hint: 'Zones can still be given by their ids.',
    });
  },

  render(zones, _, reader) {
    return message(
      table({
        caption: 'Pull zones',
        columns: ['Name', right('Id'), 'State', 'Hostnames', 'Logging', right('Traffic this month')],
        rows: [...zones]
          .sort((a, b) => byName(a.Name ?? '', b.Name ?? ''))
          .map((zone) => [
            zone.Name,
            numberCell(zone.Id),
            zoneState(zone),
            zone.Hostnames.map((hostname) => hostname.Value).join(', '),
            onOff(zone.EnableLogging),
            numberCell(zone.MonthlyBandwidthUsed, bytes, reader),
          ]),
      }),
      note(`${count(zones.length, reader)} pull zones`),
    );
  },
});
