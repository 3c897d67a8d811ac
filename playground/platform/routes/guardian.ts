import type { ShieldZone } from '../account/account.ts';
import { GUARDIAN_LIMITS, guardianOf } from '../account/guardian.ts';
import { DefinitionError, parseDefinition } from '../account/openapi.ts';
import { type Answer, problem } from '../answers.ts';
import { objectIn } from '../requests.ts';
import type { Incoming } from '../server.ts';

/** The largest definition, bytes. */
const LARGEST = 2 * 1024 * 1024;

/** `error` of an envelope that carries data. */
export const SUCCESS = { statusCode: 200, success: true, message: '', errorKey: '' };

/** The content types of `POST /shield/shield-zone/{zone}/api-guardian/spec`. */
const JSON_TYPES = /^(application\/json|text\/json|application\/[\w.-]+\+json)\s*(;.*)?$/i;

/**
 * Stores a definition: `POST /shield/shield-zone/{zone}/api-guardian/spec`, or with `isUpdate` its `PATCH`. Refused with
 * problem details whose `errorKey` says why; `api_guardian.specification.already_exists` (409) when there is one to update.
 */
export function storeDefinition(zone: ShieldZone, request: Incoming, isUpdate: boolean, now: Date): Answer {
  const refuse = (status: number, detail: string, errorKey: string) => problem(status, detail, request.path, errorKey);
  if (!JSON_TYPES.test(request.headers['content-type'] ?? '')) {
    return refuse(
      415,
      'The content type must be application/json, text/json or application/*+json.',
      'unsupported_media_type',
    );
  }
  const body = objectIn(request, refuse(400, 'The request body is not a JSON object.', 'invalid_body'));
  const { content, enforceAuthorizationValidation = isUpdate ? undefined : true } = body;
  if (typeof content !== 'string' || content.trim() === '') {
    return refuse(400, 'The content field is required.', 'invalid_body');
  }
  if (enforceAuthorizationValidation !== undefined && typeof enforceAuthorizationValidation !== 'boolean') {
    return refuse(400, 'The enforceAuthorizationValidation field must be true or false.', 'invalid_body');
  }
  const limits = GUARDIAN_LIMITS[zone.planType];
  if (!limits) {
    const detail = 'API Guardian is not available on the Basic tier. Please upgrade to Advanced.';
    return refuse(403, detail, 'invalid_plan_type.api_guardian');
  }
  if (!isUpdate && zone.guardian) {
    const detail = 'An API Guardian specification already exists for this shield zone. Update it instead.';
    return refuse(409, detail, 'api_guardian.specification.already_exists');
  }
  if (isUpdate && !zone.guardian) {
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
