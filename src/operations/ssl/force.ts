import { bold, code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { choice, flagged, forAWhile } from '../arguments/plain.ts';
import { hostnameOnZone, zoneHostname } from '../arguments/resources/hostnames.ts';
import { exactPullZone } from '../arguments/resources/zones.ts';
import { troublesOf } from '../now.ts';
import { defineOperation, fromTo, warningsOf } from '../operation.ts';

/** `POST /pullzone/{id}/setForceSSL`. `--zone` is for a hostname that no zone lists. */
export const forceSsl = defineOperation({
  name: 'ssl force',
  summary: 'Switch force HTTPS on or off for a hostname',
  synonyms: {
    verbs:
      'enforce, enable, disable, activate, deactivate, turn on, turn off, switch on, switch off, start forcing, stop',
    nouns: 'https, tls, http, ssl, redirect, force, https only',
  },
  effect: 'write',
  args: {
    hostname: zoneHostname({ zoneIn: 'zone' }),
    state: choice('State', [
      {
        value: 'on',
        also: [
          'force',
          'enforce',
          'redirect http',
          'redirect to https',
          'turn on',
          'switch on',
          'enable',
          'activate',
          'require',
          'always',
          'make sure',
          'ensure',
          'https only',
          'only https',
        ],
      },
      {
        value: 'off',
        also: [
          'turn off',
          'switch off',
          'disable',
          'deactivate',
          'stop',
          'allow http',
          'insecure',
          'stop force',
          'unforce',
          'no longer force',
        ],
      },
    ]),
    zone: flagged(exactPullZone()),
    for: forAWhile(),
  },
  examples: [
    'ssl force cdn.example.com on',
    'ssl force cdn.example.com off --for 30m',
    'ssl force cdn.example.com off --zone 1001',
  ],
  title: 'Force HTTPS',
  toTry: 'Force HTTPS for a hostname',

  words({ target, given: { state = '' }, before: { ForceSSL: was } = {} }) {
    const from = typeof was === 'boolean' ? (was ? 'on' : 'off') : undefined;
    return {
      button: `Switch ${state}`,
      title: mrkdwn`Switch force HTTPS ${bold(state)} for ${code(target)}`,
      done: mrkdwn`switched force HTTPS ${fromTo(from, state)} for ${code(target)}`,
    };
  },

  preview({ hostname, state }) {
    const { ForceSSL, HasCertificate, known, unread } = hostname;
    const on = state === 'on';
    return {
      ...(ForceSSL === undefined
        ? { unread: unread ?? (known ? 'the platform does not show it' : 'the zone does not list this hostname') }
        : { before: { ForceSSL } }),
      after: { ForceSSL: on },
      worsens:
        on && HasCertificate === false ? 'This hostname has no certificate: visitors would see an error.' : undefined,
      warnings: warningsOf(
        !known && unread === undefined && 'The zone does not list this hostname: the platform will probably refuse it.',
      ),
    };
  },

  preflight: async ({ hostname: { zone }, state }, context) => {
    const { told } = await troublesOf({ zone: state === 'on' ? [[String(zone.Id)]] : [] }, context);
    return told.some(({ troubles }) => troubles.some(({ isPlainHttp }) => isPlainHttp))
      ? { worsens: 'Most of what still arrives is plain HTTP: forcing HTTPS would turn that away too.' }
      : {};
  },

  run: ({ hostname, state }, { platform, signal }) =>
    platform.pullZones.setForceSSL(
      hostname.zone.Id,
      { Hostname: hostname.Value, ForceSSL: state === 'on' },
      { signal },
    ),

  elsewhere({ zones: [zone], field }) {
    const { before, after } = field(/(?:^|\.)ForceSSL$/i) ?? {};
    const own = zone?.Hostnames.filter(({ IsSystemHostname }) => !IsSystemHostname) ?? [];
    const Value = field(/(?:^|\.)Host_?name$/i)?.after ?? (own.length === 1 ? own[0]!.Value : undefined);
    if (zone === undefined || Value === undefined || (after !== 'true' && after !== 'false')) return undefined;
    return {
      target: hostnameOnZone({ Value, zone }),
      given: { hostname: Value, state: after === 'true' ? 'on' : 'off', zone: String(zone.Id) },
      before: before === 'true' || before === 'false' ? { ForceSSL: before === 'true' } : undefined,
      after: { ForceSSL: after === 'true' },
    };
  },

  undo: ({ before }) => ({ state: before.ForceSSL === true ? 'on' : 'off' }),
});
