import type { Button } from '@slack/types';
import { commandButton, formButton, menu } from '../../blocks/buttons.ts';
import { bytes, countOf, onOff } from '../../blocks/format.ts';
import { shorten } from '../../blocks/limits.ts';
import { actions, message, note, sectionWith } from '../../blocks/message.ts';
import { bold, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import { UsageError } from '../../errors.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { byName } from '../arguments/resources/look-up.ts';
import type { Reader } from '../context.ts';
import { defineOperation } from '../operation.ts';

/** How many zones, by traffic, get a row with a menu. A table has no buttons. */
const MOST_ROWS = 5;

/** `active`, or why it does not serve. */
export function zoneState(zone: PullZone): string {
  if (zone.Suspended === true) return 'suspended';
  if (zone.Enabled === undefined) return '–';
  return zone.Enabled ? 'active' : 'disabled';
}

export const listZones = defineOperation({
  name: 'zone list',
  summary: 'List the pull zones with their hostnames',
  synonyms: { verbs: 'all, show', nouns: 'zones, pull zones, pullzones, pullzone, hostnames, sites' },
  effect: 'read',
  args: {},
  toTry: 'Show the zones',

  target: () => 'pull zones',

  async run(_, { catalogue }) {
    const { missing, ...listed } = await catalogue.zones({ fresh: true });
    if (missing === undefined) return listed;
    throw new UsageError(`The pull zones cannot be listed: ${missing}.`, {
      hint: 'Zones can still be given by their ids.',
    });
  },

  render({ items, partial }, _, reader) {
    const cut = partial && note('There are more than these.');
    const zones = [...items].sort((a, b) => byName(a.Name ?? '', b.Name ?? ''));
    const isMore = zones.length > MOST_ROWS;
    const traffic = ({ MonthlyBandwidthUsed: used = 0 }: PullZone) => used;
    const first = isMore ? zones.toSorted((a, b) => traffic(b) - traffic(a)).slice(0, MOST_ROWS) : zones;
    const title = bold(
      `${countOf(zones.length, 'pull zone', reader)}, with this month’s traffic${isMore ? `; the ${MOST_ROWS} with the most first` : ''}`,
    );
    const rows = first.map((zone) =>
      sectionWith(zoneWords(zone, reader), menu(commandButton('Show', `zone show ${zone.Id}`), ...zoneButtons(zone))),
    );
    if (!isMore) return message(title, ...rows, cut);
    return message(
      title,
      ...rows,
      table({
        caption: 'All by name',
        columns: ['Name', right('Id'), 'State', 'Hostnames', 'Logging', right('Traffic this month')],
        rows: zones.map((zone) => [
          zone.Name,
          numberCell(zone.Id),
          zoneState(zone),
          zone.Hostnames.map(({ Value }) => Value).join(', '),
          onOff(zone.EnableLogging),
          numberCell(zone.MonthlyBandwidthUsed, bytes, reader),
        ]),
      }),
      cut,
      actions(formButton('Look at one …', 'zone show')),
    );
  },
});

/** The first hostname that is not the platform’s, and how many more there are. */
function hostnameWords({ Hostnames: all }: PullZone): string {
  const first = all.find(({ IsSystemHostname }) => IsSystemHostname !== true) ?? all[0];
  if (first === undefined) return '';
  return `${shorten(first.Value, 60)}${all.length > 1 ? ` and ${all.length - 1} more` : ''}`;
}

/** Two lines, with anything unusual. */
function zoneWords(zone: PullZone, reader: Reader): Words {
  const state = zoneState(zone);
  const traffic = zone.MonthlyBandwidthUsed;
  const rest = [
    hostnameWords(zone),
    traffic === undefined ? '' : bytes(traffic, reader),
    zone.EnableLogging === false ? 'logging off' : '',
  ].filter((part) => part !== '');
  const head = mrkdwn`${bold(zone.Name ?? '–')} ${zone.Id}${state === 'active' || state === '–' ? '' : mrkdwn` · ${bold(state)}`}`;
  return rest.length === 0 ? head : mrkdwn`${head}\n${rest.join(' · ')}`;
}

/** The same wherever a zone is shown. */
export const zoneButtons = (zone: PullZone): Button[] => [
  commandButton('Statistics', `stats show ${zone.Id}`),
  commandButton('Origin errors', `errors show ${zone.Id}`),
  ...(zone.EnableLogging === true ? [commandButton('Log summary', `log summary ${zone.Id}`)] : []),
];
