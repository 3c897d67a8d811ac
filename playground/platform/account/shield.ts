import { DAY } from '../clock.ts';
import type { ShieldZone } from './account.ts';
import { firstGuardian } from './guardian.ts';

/** The shield zones: the pull zone, and 0 Basic, 1 Advanced, 2 Business or 3 Enterprise. */
const PLANS: readonly (readonly [pullZoneId: number, planType: number])[] = [
  [308001, 2],
  [308002, 1],
  [308004, 2],
  [308005, 0],
  [308006, 0],
  [308012, 3],
];

const ITEMS_API = `openapi: 3.0.3
info: { title: Items API, version: 1.4.0 }
security: [{ apiKey: [] }]
paths:
  /v1/items:
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer } }
      responses:
        '200': { description: Items, content: { application/json: { schema: { type: array, items: { type: object } } } } }
  /v1/items/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer } }
    get:
      responses: { '200': { description: One item } }
    delete:
      responses: { '204': { description: Gone } }
components:
  securitySchemes:
    apiKey: { type: apiKey, in: header, name: X-Api-Key }
`;

/** The shield zones of the seeded account; that of the zone `api` (5103) already has a definition. */
export function seedShieldZones(now: Date): ShieldZone[] {
  return PLANS.map(([pullZoneId, planType], index) => {
    const zone: ShieldZone = {
      shieldZoneId: 5101 + index,
      pullZoneId,
      planType,
      sensitivity: 2,
      accessLists: [],
      rateLimits: [],
      botActions: planType === 0 ? {} : { 1: 2, 2: 1 },
    };
    if (pullZoneId === 308004) {
      zone.guardian = firstGuardian(zone, ITEMS_API, new Date(now.getTime() - 40 * DAY));
    }
    return zone;
  });
}
