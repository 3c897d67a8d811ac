import type { Call, Service } from './transport.ts';

/** Every endpoint that is used, as docs/platform.md writes it: what metrics call a request, without the ids in it. */
export const ENDPOINTS: readonly string[] = [
  'GET /apikey',
  'POST /shield/shield-zone/{shieldZoneId}/api-guardian/spec',
  'PATCH /shield/shield-zone/{shieldZoneId}/api-guardian/spec',
  'GET /shield/shield-zone/{shieldZoneId}/api-guardian',
  'PUT /shield/shield-zone/{shieldZoneId}/bot-categorization/categories/{category}',
  'GET /shield/shield-zone/{shieldZoneId}/bot-categorization',
  'GET /shield/shield-zones/pullzone-mapping',
  'GET /shield/shield-zone/get-by-pullzone/{pullZoneId}',
  'POST /compute/script/{id}/variables/add',
  'GET /compute/script',
  'GET /compute/script/{id}',
  'POST /pullzone/requestExternalDnsCertificate',
  'POST /pullzone/completeExternalDnsCertificate',
  'POST /pullzone/{id}/setForceSSL',
  'POST /pullzone/{id}/purgeCache',
  'POST /purge',
  'GET /pullzone',
  'GET /pullzone/{id}',
  'GET /statistics',
  'GET /pullzone/{pullZoneId}/optimizer/statistics',
  'GET /pullzone/{pullZoneId}/originshield/queuestatistics',
  'GET /pullzone/{pullZoneId}/safehop/statistics',
  'GET /mc/apps',
  'DELETE /mc/apps/{appId}',
  'GET /mc/apps/{appId}/volumes',
  'GET /mc/apps/{appId}/endpoints',
  'GET {origin_logs_url}/{pullZoneId}/{dateTime}',
  'GET {logging_url}/v2/pullzones/{pullZoneId}/logs',
  'GET {logging_url}/{MM}-{DD}-{YY}/{pullZoneId}.log',
  'POST https://<database>/v2/pipeline',
  'GET {database_api_url}/v2/databases',
  'GET {database_api_url}/v2/databases/{db_id}',
  'PUT {database_api_url}/v2/databases/{db_id}/auth/generate',
  'POST {database_api_url}/v2/databases/{db_id}/auth/revoke',
];

/** The page writes this in place of a service's address. */
const ADDRESSES: Partial<Record<Service, string>> = {
  originLogs: '{origin_logs_url}',
  logging: '{logging_url}',
  databaseControl: '{database_api_url}',
  sql: 'https://<database>',
};

const SHAPES = ENDPOINTS.map((endpoint): [string, RegExp] => {
  const [method, path = ''] = endpoint.split(' ');
  const [address = ''] = Object.values(ADDRESSES).filter((one) => path.startsWith(one));
  const shape = path
    .slice(address.length)
    .replace(/[.]/g, '\\.')
    .replace(/\{\w+\}/g, '[^/]+');
  return [endpoint, new RegExp(`^${method} ${address.replace(/[{}]/g, '\\$&')}${shape}$`)];
});

/** The endpoint that a call is of; `other` for one that the page does not have. */
export function endpointOf({ service, method, path }: Pick<Call, 'service' | 'method' | 'path'>): string {
  const asked = `${method} ${ADDRESSES[service] ?? ''}${path}`;
  return SHAPES.find(([, shape]) => shape.test(asked))?.[0] ?? 'other';
}
