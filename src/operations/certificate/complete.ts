import { message, note } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { hostname } from '../arguments/resources/hostnames.ts';
import { defineOperation, wordsWith } from '../operation.ts';
import { hostnameWarnings } from './request.ts';

/** `POST /pullzone/completeExternalDnsCertificate` */
export const completeCertificate = defineOperation({
  name: 'certificate complete',
  summary: 'Have the DNS record verified and the certificate issued',
  synonyms: { verbs: 'finish, verify, validate, issue, finalize, check, activate', nouns: 'cert, txt record, txt' },
  effect: 'write',
  args: { hostname: hostname() },
  examples: ['certificate complete cdn.example.com'],

  words: ({ target }) => wordsWith('Complete', 'completed', mrkdwn`the certificate for ${code(target)}`),

  preview({ hostname }) {
    const { HasCertificate: has, unread = 'no listed pull zone has this hostname' } = hostname;
    const another = 'the hostname has a certificate; the platform does not show whether another is on its way';
    return {
      ...(has === false ? { before: { certificate: 'none' } } : { unread: has ? another : unread }),
      after: { certificate: has ? 'a new one' : 'issued' },
      warnings: hostnameWarnings(hostname),
      details: message(note('The TXT record from your request must be in DNS.')),
    };
  },

  run: ({ hostname }, { platform, signal }) =>
    platform.pullZones.completeExternalDnsCertificate({ Hostname: hostname.Value }, { signal }),
});
