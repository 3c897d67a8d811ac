import type { ShieldZone } from '../account/account.ts';
import { type Answer, problem } from '../answers.ts';
import { objectIn } from '../requests.ts';
import type { Incoming } from '../server.ts';
import { type Definition, DefinitionError, type GuardianLimits, parseDefinition } from './openapi.ts';

/** The largest definition, bytes (platform facts 3.3). */
const LARGEST = 2 * 1024 * 1024;

/** The limits of each plan; Basic has no API Guardian. */
const LIMITS: Record<number, GuardianLimits> = {
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

/** `error` of an envelope that carries data. */
export const SUCCESS = { statusCode: 200, success: true, message: '', errorKey: '' };

/** The content types of row 2 (spec 2.2). */
const JSON_TYPES = /^(application\/json|text\/json|application\/[\w.-]+\+json)\s*(;.*)?$/i;

/**
 * Row 2: stores a definition, `replace`: the PATCH that updates one. Refused with problem details whose `errorKey` says
 * why; `api_guardian.specification.already_exists` (409) when there is one to update.
 */
export function storeDefinition(zone: ShieldZone, request: Incoming, replace: boolean, now: Date): Answer {
  const refuse = (status: number, detail: string, errorKey: string) => problem(status, detail, request.path, errorKey);
  if (!JSON_TYPES.test(request.headers['content-type'] ?? '')) {
    return refuse(
      415,
      'The content type must be application/json, text/json or application/*+json.',
      'unsupported_media_type',
    );
  }
  const body = objectIn(request, refuse(400, 'The request body is not a JSON object.', 'invalid_body'));
  const { content, enforceAuthorizationValidation = replace ? undefined : true } = body;
  if (typeof content !== 'string' || content.trim() === '') {
    return refuse(400, 'The content field is required.', 'invalid_body');
  }
  if (enforceAuthorizationValidation !== undefined && typeof enforceAuthorizationValidation !== 'boolean') {
    return refuse(400, 'The enforceAuthorizationValidation field must be true or false.', 'invalid_body');
  }
  const limits = LIMITS[zone.planType];
  if (!limits) {
    const detail = 'API Guardian is not available on the Basic tier. Please upgrade to Advanced.';
    return refuse(403, detail, 'invalid_plan_type.api_guardian');
  }
  if (!replace && zone.guardian) {
    const detail = 'An API Guardian specification already exists for this shield zone. Update it instead.';
    return refuse(409, detail, 'api_guardian.specification.already_exists');
  }
  if (replace && !zone.guardian) {
    const detail = 'No API Guardian configuration found for this shield zone.';
    return refuse(404, detail, 'api_guardian.get_api_guardian.no_configuration');
  }
  if (Buffer.byteLength(content) > LARGEST) {
    return refuse(400, 'The definition is larger than 2 MB.', 'api_guardian.limit.size');
  }
  try {
    const definition = parseDefinition(content, limits);
    zone.guardian = guardianOf(zone, definition, limits, enforceAuthorizationValidation, now);
    return { status: 200, body: { data: zone.guardian, error: SUCCESS } };
  } catch (error) {
    if (error instanceof DefinitionError) {
      return refuse(400, error.message, error.errorKey);
    }
    throw error;
  }
}

/** The guardian of a zone whose definition is known to fit its plan; for seeding. */
export function firstGuardian(zone: ShieldZone, content: string, now: Date): NonNullable<ShieldZone['guardian']> {
  const limits = LIMITS[zone.planType];
  if (!limits) {
    throw new RangeError('The plan has no API Guardian.');
  }
  return guardianOf(zone, parseDefinition(content, limits), limits, true, now);
}

function guardianOf(
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
