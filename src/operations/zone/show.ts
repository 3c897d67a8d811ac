import { bytes, onOff } from '../../blocks/format.ts';
import { actions, fields, heading, message } from '../../blocks/message.ts';
import { code } from '../../blocks/mrkdwn.ts';
import { table } from '../../blocks/table.ts';
import { UsageError } from '../../errors.ts';
import { toType } from '../../own-name.ts';
import { labelOf } from '../../platform/enums.ts';
import { PlatformError } from '../../platform/errors.ts';
import { pullZone } from '../arguments/resources/zones.ts';
import { lookedAt, troubleOf } from '../now.ts';
import { defineOperation } from '../operation.ts';
import { shown } from '../unreadable.ts';
import { zoneButtons, zoneState } from './list.ts';

/** Cannot show the zone’s keys, because the parser drops them. */
export const showZone = defineOperation({
  name: 'zone show',
  summary: 'Show a pull zone with its hostnames and switches',
  synonyms: {
    verbs: 'status of, details, configuration, configured, settings, config, info',
    nouns:
      'zones, pull zone, pullzone, hostnames, site, https, force, origin address, origin url, domains, certificate, cert, expired, expire, expires',
  },
  effect: 'read',
  args: { zone: pullZone() },
  examples: ['zone show shop'],

  async run({ zone: { Id } }, context) {
    const { platform, signal } = context;
    const hint = `${toType('zone list')} lists them.`;
    const zone = await shown('pull zones', hint, () =>
      platform.pullZones.get(Id, { signal }).catch((error: unknown) => {
        const isNone = error instanceof PlatformError && error.status === 404 && error.key !== undefined;
        throw isNone ? new UsageError(`There is no pull zone with the id ${Id}.`, { hint }) : error;
      }),
    );
    const { parts: trouble } = await troubleOf({ zone: [[String(Id)]] }, context);
    return { zone, trouble: trouble.length > 0 ? trouble : await lookedAt(zone, context) };
  },

  render({ zone, trouble }, _, reader) {
    // Source: docs/platform.md, Certificate provision types.
    const provisioning = { 0: 'unknown', 1: 'HTTP-01', 2: 'DNS-01', 3: 'custom', 4: 'managed' };
    const switches: [string, boolean | undefined][] = [
      [zone.EnableExtendedLogging ? 'extended logging' : 'logging', zone.EnableLogging],
      ['origin shield', zone.EnableOriginShield],
      ['SafeHop', zone.EnableSafeHop],
      ['Optimizer', zone.OptimizerEnabled],
    ];
    const switched = (isOn: boolean) =>
      switches.flatMap(([name, value]) => (value === isOn ? name : [])).join(', ') || undefined;
    return message(
      heading(zone.Name ?? `Pull zone ${zone.Id}`),
      ...trouble,
      fields([
        ['Id', code(zone.Id)],
        ['State', zoneState(zone)],
        // An edge script on its own (4) has an address that nobody asks.
        ['Origin', zone.OriginUrl && zone.OriginType !== 4 ? code(zone.OriginUrl) : undefined],
        [
          'Traffic this month',
          zone.MonthlyBandwidthUsed === undefined ? undefined : bytes(zone.MonthlyBandwidthUsed, reader),
        ],
        ['On', switched(true)],
        ['Off', switched(false)],
        [
          'Edge script',
          zone.EdgeScriptId === undefined || zone.EdgeScriptId <= 0 ? undefined : code(zone.EdgeScriptId),
        ],
        ['Application', zone.MagicContainersAppId === undefined ? undefined : code(zone.MagicContainersAppId)],
      ]),
      table({
        caption: 'Hostnames',
        columns: ['Hostname', 'Certificate', 'Force HTTPS', 'Kind'],
        rows: zone.Hostnames.map((hostname) => [
          hostname.Value,
          hostname.HasCertificate === undefined
            ? '–'
            : hostname.HasCertificate
              ? ['yes', hostname.CertificateProvisionType]
                  .map((part) => (typeof part === 'number' ? labelOf(provisioning, part) : part))
                  .filter((part) => part !== undefined && part !== 'unknown')
                  .join(', ')
              : 'no',
          onOff(hostname.ForceSSL),
          hostname.IsSystemHostname ? 'the platform’s' : hostname.IsManagedHostname ? 'managed' : 'own',
        ]),
      }),
      actions(...zoneButtons(zone)),
    );
  },
});
