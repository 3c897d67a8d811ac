import type { PullZone } from '../account/account.ts';
import { type Answer, coreError } from '../answers.ts';
import { booleanIn, integerIn, objectIn, pageOf } from '../requests.ts';
import type { Incoming } from '../server.ts';
import { type Simulation, type SimulationRoute, zoneOf } from '../simulation.ts';
import { certificateRoutes } from './certificates.ts';
import { findHostname, hostnameIn } from './hostnames.ts';

const NOT_FOUND = coreError(404, 'pullZone.not_found', 'PullZone', 'The requested Pull Zone was not found');

/** The routes of pull zones, their hostnames and certificates. */
export const pullZoneRoutes: SimulationRoute[] = [
  ...certificateRoutes,
  { method: 'POST', path: '/pullzone/{id}/setForceSSL', spec: true, answer: setForceSsl },
  { method: 'POST', path: '/pullzone/{id}/purgeCache', answer: purgeCache },
  { method: 'POST', path: '/purge', answer: purge },
  { method: 'GET', path: '/pullzone', answer: listZones },
  {
    method: 'GET',
    path: '/pullzone/count',
    answer: ({ account }) => ({ status: 200, body: { Count: account.zones.length } }),
  },
  { method: 'GET', path: '/pullzone/{id}', answer: showZone },
];

/** `POST /pullzone/{id}/setForceSSL` */
function setForceSsl({ account }: Simulation, request: Incoming): Answer {
  const zone = zoneOf(account, request.params.id);
  if (!zone) {
    return NOT_FOUND;
  }
  const named = hostnameIn(request);
  if ('refusal' in named) {
    return named.refusal;
  }
  const { body, hostname } = named;
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
}

/** `POST /pullzone/{id}/purgeCache`: the traffic goes on as it was. */
function purgeCache({ account }: Simulation, request: Incoming): Answer {
  if (!zoneOf(account, request.params.id)) {
    return NOT_FOUND;
  }
  const refusal = coreError(400, 'validation_error', 'CacheTag', 'The CacheTag field must be a text.');
  const { CacheTag } = request.body.length === 0 ? {} : objectIn(request, refusal);
  return CacheTag === undefined || typeof CacheTag === 'string' ? { status: 204 } : refusal;
}

/** `POST /purge`: an address of any zone, of this account or not, as the platform takes it. */
function purge(_: Simulation, { query }: Incoming): Answer {
  const url = query.get('url') ?? '';
  return /^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')
    ? { status: 200 }
    : coreError(400, 'validation_error', 'url', 'The url field must be an absolute address.');
}

/** `GET /pullzone`: page 0 is a plain list of all, a higher one a page in the core's shape. */
function listZones({ account }: Simulation, { query }: Incoming): Answer {
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
    .map((zone) => zoneObject(zone, booleanIn(query, 'includeCertificate')));
  return { status: 200, body: page === 0 ? zones : pageOf(zones, page, perPage) };
}

/** `GET /pullzone/{id}` */
function showZone({ account }: Simulation, { params, query }: Incoming): Answer {
  const zone = zoneOf(account, params.id);
  return zone ? { status: 200, body: zoneObject(zone, booleanIn(query, 'includeCertificate')) } : NOT_FOUND;
}

function zoneObject(zone: PullZone, withCertificates: boolean): object {
  return {
    ...zone,
    Hostnames: zone.Hostnames.map((hostname) =>
      withCertificates ? hostname : { ...hostname, Certificate: null, CertificateKey: null },
    ),
  };
}
