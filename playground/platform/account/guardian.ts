import type { ShieldZone } from './account.ts';
import { type Definition, type GuardianLimits, parseDefinition } from './openapi.ts';

/** The limits of API Guardian by plan; Basic has none. */
export const GUARDIAN_LIMITS: Record<number, GuardianLimits> = {
  1: {
    maxEndpoints: 10,
    maxFieldsPerType: 50,
    maxNestingDepth: 5,
    maxTotalSchemaNodes: 500,
    maxTotalRegexLength: 2_000,
  },
  2: {
    maxEndpoints: 50,
    maxFieldsPerType: 100,
    maxNestingDepth: 8,
    maxTotalSchemaNodes: 2_500,
    maxTotalRegexLength: 10_000,
  },
  3: {
    maxEndpoints: 500,
    maxFieldsPerType: 250,
    maxNestingDepth: 12,
    maxTotalSchemaNodes: 20_000,
    maxTotalRegexLength: 50_000,
  },
};

/** The guardian of a zone whose definition is known to fit its plan; for seeding. */
export function firstGuardian(zone: ShieldZone, content: string, now: Date): NonNullable<ShieldZone['guardian']> {
  const limits = GUARDIAN_LIMITS[zone.planType];
  if (!limits) {
    throw new RangeError('The plan has no API Guardian.');
  }
  return guardianOf(zone, parseDefinition(content, limits), limits, true, now);
}

/** The guardian that stores this definition; endpoints that were there before keep their ids. */
export function guardianOf(
  zone: ShieldZone,
  definition: Definition,
  limits: GuardianLimits,
  enforce: boolean | undefined,
  now: Date,
): NonNullable<ShieldZone['guardian']> {
  const { shieldZoneId } = zone;
  const before = zone.guardian;
  const createdAt = before?.configuration.createdAt ?? now.toISOString();
  const updatedAt = now.toISOString();
  const taken = before?.endpoints.map((endpoint) => Number(endpoint.apiGuardianEndpointId)) ?? [];
  let lastId = Math.max(shieldZoneId * 1000, ...taken);
  return {
    configuration: {
      shieldZoneId,
      isEnabled: true,
      executionMode: 0,
      bodyLimitAction: 1,
      unmatchedPathAction: 2,
      ...before?.configuration,
      title: definition.title,
      version: definition.version,
      ...limits,
      createdAt,
      updatedAt,
    },
    endpoints: definition.endpoints.map((endpoint) => {
      const { requestMethod, requestPath } = endpoint;
      const kept = before?.endpoints.find(
        (other) => other.requestMethod === requestMethod && other.requestPath === requestPath,
      );
      const validateAuthorization = enforce ?? kept?.validateAuthorization ?? false;
      return {
        apiGuardianEndpointId: kept?.apiGuardianEndpointId ?? ++lastId,
        shieldZoneId,
        ...endpoint,
        validateRequestBodySchema: endpoint.requestBodySchemaYaml !== null,
        validateResponseBodySchema: false,
        validateAuthorization: validateAuthorization === true && endpoint.authSchemes.length > 0,
        isEnabled: true,
        injectionDetectionParameters: { Path: [], Query: endpoint.availableParameters.Query, Header: [], Cookie: [] },
        detectParameterXss: true,
        detectParameterSqli: true,
        rateLimitingEnabled: requestMethod !== 'GET',
        rateLimitingType: 'Global',
        rateLimitingRequestCount: 100,
        rateLimitingTimeframe: 60,
        createdAt: kept?.createdAt ?? updatedAt,
        updatedAt,
      };
    }),
  };
}
