import { commandButton } from '../../blocks/buttons.ts';
import { dayAndTimeOf, yesNo } from '../../blocks/format.ts';
import { actions, codeBlock, extraFields, fields, message, note, section } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { hostname, type KnownHostname } from '../arguments/resources/hostnames.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { hostnameOnNetwork } from '../arguments/resources/zones.ts';
import { defineOperation, warningsOf, wordsWith } from '../operation.ts';

export function hostnameWarnings(given: KnownHostname): string[] {
  if (given.IsSystemHostname)
    return ['This hostname belongs to the platform’s own domain: only the platform can create its TXT record.'];
  if (given.known) return [];
  return given.unread === undefined
    ? ['No pull zone lists this hostname: the platform will probably refuse it.']
    : [`I could not look up whether a pull zone has this hostname: ${given.unread.replace(/\.$/, '')}.`];
}

/** RFC 8555, 8.4. A wildcard uses the record of its parent. */
const challengeName = (hostname: string) => `_acme-challenge.${hostnameOnNetwork(hostname).replace(/^\*\./, '')}`;

/** `POST /pullzone/requestExternalDnsCertificate` */
export const requestCertificate = defineOperation({
  name: 'certificate request',
  summary: 'Request a certificate that a DNS record verifies',
  synonyms: { verbs: 'new, order, get, issue, ask, need, want', nouns: 'cert, tls certificate, ssl certificate' },
  effect: 'write',
  args: { hostname: hostname() },
  examples: ['certificate request cdn.example.com', 'certificate request *.example.com'],

  words: ({ target }) => wordsWith('Request', 'requested', mrkdwn`a certificate for ${code(target)}`),

  preview: ({ hostname }) => ({
    unread: 'the platform does not show which requests are under way',
    after: { Verification: `a TXT record at ${challengeName(hostname.Value)}` },
    warnings: warningsOf(
      ...hostnameWarnings(hostname),
      hostname.HasCertificate && 'This hostname already has a certificate.',
    ),
    details: message(
      fields([
        ['Pull zone', hostname.zone === undefined ? undefined : nameWithId(hostname.zone)],
        ['Certificate now', yesNo(hostname.HasCertificate)],
      ]),
      section(
        'You create that record yourself. Its name and value come with the answer. A new request replaces an earlier one.',
      ),
      note(
        mrkdwn`A CNAME at ${code(challengeName(hostname.Value))} would hide the TXT record: if there is one, remove it before you complete.`,
      ),
    ),
  }),

  run: ({ hostname }, { platform, signal }) =>
    platform.pullZones.requestExternalDnsCertificate({ Hostname: hostname.Value }, { signal }),

  render({ answer, extra }, { hostname }, reader) {
    const { TxtRecordName: name, TxtRecordValue: value, ExpiresAt: expires } = answer ?? {};
    const record = name !== undefined || value !== undefined;
    return message(
      record && 'Create this TXT record, then press Complete.',
      name !== undefined && section(mrkdwn`*Name*`),
      name !== undefined && codeBlock(name),
      value !== undefined && section(mrkdwn`*Value*`),
      value !== undefined && codeBlock(value),
      expires !== undefined && fields([['Valid until', dayAndTimeOf(expires, reader)]]),
      extraFields(extra),
      !record &&
        Object.keys(extra).length === 0 &&
        'The platform’s answer says nothing more: look in its dashboard for the TXT record to create.',
      record &&
        note(
          mrkdwn`The record can take a while to spread. A CNAME at ${code(name ?? challengeName(hostname.Value))} would hide it: if there is one, remove it.`,
        ),
      actions(commandButton('Complete', `certificate complete ${hostname.Value}`)),
    );
  },

  completedBy: 'certificate complete',

  whenUnknown: ({ hostname = '' }) =>
    message(
      note('Requesting it again does no harm: a new request replaces an earlier one, and its answer shows the record.'),
      actions(commandButton('Request it again', `certificate request ${hostname}`)),
    ),
});
