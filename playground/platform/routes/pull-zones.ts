import { domainToASCII } from 'node:url';
import type { Hostname, PullZone } from '../account/account.ts';
import { type Answer, coreError } from '../answers.ts';
import { booleanIn, integerIn, objectIn, pageOf } from '../requests.ts';
import type { Route } from '../server.ts';
import { type Simulation, zoneOf } from '../simulation.ts';
import { createCertificates } from './certificates.ts';

const NOT_FOUND = coreError(404, 'pullZone.not_found', 'PullZone', 'The requested Pull Zone was not found');
const NOT_JSON = coreError(400, 'validation_error', '', 'The request body is not a JSON object.');

const asciiOf = (hostname: string): string =>
  hostname.startsWith('*.') ? `*.${domainToASCII(hostname.slice(2))}` : domainToASCII(hostname);

/** The hostname among those of the zones, compared as DNS does; international names in either form. */
export function findHostname(zones: readonly PullZone[], value: string): Hostname | undefined {
  const wanted = asciiOf(value.trim());
  return wanted === ''
    ? undefined
    : zones.flatMap((zone) => zone.Hostnames).find((hostname) => asciiOf(hostname.Value) === wanted);
}

/** Rows 5 and 6, and what shows pull zones (platform facts, parts 5 and 6). */
export function pullZoneRoutes(simulation: Simulation): Route[] {
  const { account } = simulation;
  const certificates = createCertificates(simulation);
  const shown = (zone: PullZone, withCertificates: boolean): object => ({
    ...zone,
    Hostnames: zone.Hostnames.map((hostname) =>
      withCertificates ? hostname : { ...hostname, Certificate: null, CertificateKey: null },
    ),
  });
  const named = (body: Record<string, unknown>): string | Answer => {
    const { Hostname } = body;
    return typeof Hostname === 'string' && Hostname.trim() !== ''
      ? Hostname
      : coreError(400, 'validation_error', 'Hostname', 'The Hostname field is required.');
  };

  return [
    {
      method: 'POST',
      path: '/pullzone/requestExternalDnsCertificate',
      spec: true,
      answer(request) {
        const hostname = named(objectIn(request, NOT_JSON));
        return typeof hostname === 'string' ? certificates.request(hostname) : hostname;
      },
    },
    {
      method: 'POST',
      path: '/pullzone/completeExternalDnsCertificate',
      answer(request) {
        const hostname = named(objectIn(request, NOT_JSON));
        return typeof hostname === 'string'
          ? certificates.complete(hostname, request.faults.has('unverified'))
          : hostname;
      },
    },
    {
      method: 'POST',
      path: '/pullzone/{id}/setForceSSL',
      spec: true,
      answer(request) {
        const zone = zoneOf(account, request.params.id);
        if (!zone) {
          return NOT_FOUND;
        }
        const body = objectIn(request, NOT_JSON);
        const hostname = named(body);
        if (typeof hostname !== 'string') {
          return hostname;
        }
        if (typeof body.ForceSSL !== 'boolean') {
          return coreError(400, 'validation_error', 'ForceSSL', 'The ForceSSL field must be true or false.');
        }
        const found = findHostname([zone], hostname);
        if (!found) {
          const message = 'Failed to configure Force SSL: the hostname is not linked to this Pull Zone.';
          return coreError(400, 'pullzone.hostname_not_found', 'Hostname', message);
        }
        found.ForceSSL = body.ForceSSL;
        return { status: 204 };
      },
    },
    {
      method: 'GET',
      path: '/pullzone',
      answer({ query }) {
        const refuse = (name: string, message: string) => coreError(400, 'validation_error', name, message);
        const page = integerIn(query, 'page', { low: 0, high: 2_147_483_647, default: 0 }, refuse);
        const perPage = integerIn(query, 'perPage', { low: 5, high: 1000, default: 1000 }, refuse);
        const search = query.get('search')?.toLowerCase() ?? '';
        const zones = account.zones
          .filter(
            (zone) =>
              zone.Name.toLowerCase().includes(search) ||
              zone.Hostnames.some((hostname) => hostname.Value.toLowerCase().includes(search)),
          )
          .map((zone) => shown(zone, booleanIn(query, 'includeCertificate')));
        return { status: 200, body: page === 0 ? zones : pageOf(zones, page, perPage) };
      },
    },
    { method: 'GET', path: '/pullzone/count', answer: () => ({ status: 200, body: { Count: account.zones.length } }) },
    {
      method: 'GET',
      path: '/pullzone/{id}',
      answer({ params, query }) {
        const zone = zoneOf(account, params.id);
        return zone ? { status: 200, body: shown(zone, booleanIn(query, 'includeCertificate')) } : NOT_FOUND;
      },
    },
  ];
}
