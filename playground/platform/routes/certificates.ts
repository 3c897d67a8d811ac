import { type Answer, coreError } from '../answers.ts';
import { DAY } from '../clock.ts';
import { createRandom } from '../random.ts';
import type { Incoming } from '../server.ts';
import type { Simulation, SimulationRoute } from '../simulation.ts';
import { findHostname, hostnameIn } from './hostnames.ts';

/** Requests for one hostname that pass before 429, and the time they count for. */
const MOST = 5;
const WINDOW_MS = 10 * 60_000;
/** How long the TXT record is waited for. */
const VALID_MS = 7 * DAY;

/** Certificates that are verified by DNS: requested, and completed when the TXT record is there. */
export const certificateRoutes: SimulationRoute[] = [
  { method: 'POST', path: '/pullzone/requestExternalDnsCertificate', spec: true, answer: requestCertificate },
  { method: 'POST', path: '/pullzone/completeExternalDnsCertificate', answer: completeCertificate },
];

/** `POST /pullzone/requestExternalDnsCertificate`: a new request for a hostname replaces the one before. */
function requestCertificate({ account, certificates, seed, now }: Simulation, request: Incoming): Answer {
  const named = hostnameIn(request);
  if ('refusal' in named) {
    return named.refusal;
  }
  const found = findHostname(account.zones, named.hostname);
  if (!found) {
    return unknownHostname(named.hostname);
  }
  if (found.IsSystemHostname) {
    const message = 'System hostnames already have a certificate.';
    return coreError(400, 'pullzone.system_hostname', 'Hostname', message);
  }
  const present = now().getTime();
  const times = (certificates.asked.get(found.Value) ?? []).filter((time) => time > present - WINDOW_MS);
  certificates.asked.set(found.Value, times);
  const oldest = times[0];
  if (times.length >= MOST && oldest !== undefined) {
    const message = 'Too many certificate requests for this hostname. Try again later.';
    const seconds = Math.ceil((oldest + WINDOW_MS - present) / 1000);
    const refusal = coreError(429, 'certificate.rate_limited', 'Hostname', message);
    return { ...refusal, headers: { 'retry-after': String(seconds) } };
  }
  times.push(present);
  const ExpiresAt = present + VALID_MS;
  certificates.pending.set(found.Value, ExpiresAt);
  return {
    status: 200,
    body: {
      TxtRecordName: `_acme-challenge.${found.Value.replace(/^\*\./, '')}`,
      TxtRecordValue: createRandom(seed, 'txt', found.Value, present).text(43),
      ExpiresAt: new Date(ExpiresAt).toISOString(),
    },
  };
}

/** `POST /pullzone/completeExternalDnsCertificate` */
function completeCertificate({ account, certificates, now }: Simulation, request: Incoming): Answer {
  const named = hostnameIn(request);
  if ('refusal' in named) {
    return named.refusal;
  }
  const found = findHostname(account.zones, named.hostname);
  if (!found) {
    return unknownHostname(named.hostname);
  }
  const expires = certificates.pending.get(found.Value);
  if (expires === undefined || expires < now().getTime()) {
    const message = 'No certificate request is pending for this hostname.';
    return coreError(400, 'certificate.not_requested', 'Hostname', message);
  }
  if (request.faults.has('unverified')) {
    const message = 'Verification failed: the TXT record was not found.';
    return coreError(400, 'certificate.verification_failed', 'Hostname', message);
  }
  certificates.pending.delete(found.Value);
  found.HasCertificate = true;
  found.CertificateProvisionType = 2;
  return { status: 200 };
}

function unknownHostname(hostname: string): Answer {
  const message = `The hostname ${hostname} was not found on any Pull Zone of this account.`;
  return coreError(404, 'pullzone.hostname_not_found', 'Hostname', message);
}
