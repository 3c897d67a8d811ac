import { extraFields, message, section } from '../../blocks/message.ts';
import { bold, code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { choice, flagged, forAWhile } from '../arguments/plain.ts';
import { hostnameForPeople, zoneHostname } from '../arguments/resources/hostnames.ts';
import { pullZone, zoneName } from '../arguments/resources/zones.ts';
import { defineOperation } from '../operation.ts';

/** `POST /pullzone/{id}/setForceSSL`. `--zone` is for a hostname that the list does not have, or when there is no list. */
export const forceSsl = defineOperation({
  name: 'ssl force',
  summary: 'Switch forced HTTPS on or off for a hostname',
  synonyms: {
    verbs: 'enforce, enable, disable, activate, deactivate, turn on, turn off, switch on, switch off, stop',
    nouns: 'https, tls, http, redirect, force',
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
        ],
      },
      {
        value: 'off',
        also: ['turn off', 'switch off', 'disable', 'deactivate', 'stop', 'stop force', 'unforce', 'no longer force'],
      },
    ]),
    zone: flagged(pullZone()),
    for: forAWhile(),
  },
  examples: [
    'ssl force cdn.example.com on',
    'ssl force cdn.example.com off --for 30m',
    'ssl force cdn.example.com off --zone 1001',
  ],
  title: 'SSL force',
  toTry: 'Force HTTPS for a hostname',

  target: ({ hostname }) => `${hostnameForPeople(hostname.Value)} on ${zoneName(hostname.zone)}`,

  preview({ hostname, state }) {
    const { ForceSSL, HasCertificate, known, unread } = hostname;
    const on = state === 'on';
    return {
      ...(ForceSSL === undefined
        ? { unread: unread ?? (known ? 'the platform does not show it' : 'the zone does not list this hostname') }
        : { before: { ForceSSL } }),
      after: { ForceSSL: on },
      warnings: [
        ...(on && HasCertificate === false ? ['This hostname has no certificate: visitors would see an error.'] : []),
        ...(!known && unread === undefined
          ? ['The zone does not list this hostname: the platform will probably refuse it.']
          : []),
        ...(ForceSSL === on ? [`Forced HTTPS is ${state} already.`] : []),
      ],
    };
  },

  run: ({ hostname, state }, { platform, signal }) =>
    platform.pullZones.setForceSSL(
      hostname.zone.Id,
      { Hostname: hostname.Value, ForceSSL: state === 'on' },
      { signal },
    ),

  render: ({ extra }, { hostname, state }) =>
    message(section(mrkdwn`Force SSL is ${bold(state)} for ${code(hostname.Value)}.`), extraFields(extra)),

  undo: ({ before }) => ({ state: before.ForceSSL === true ? 'on' : 'off' }),
});
