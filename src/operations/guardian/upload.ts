import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { OfferError } from '../../errors.ts';
import { PlatformError } from '../../platform/errors.ts';
import { shieldZoneName } from '../arguments/resources/shield-zones.ts';
import { defineOperation, wordsWith } from '../operation.ts';
import { uploadMessage } from './answer.ts';
import { definitionArguments, isThere, preflightDefinition, previewDefinition, uploadOf } from './definition.ts';

/** A definition exists. Neither status nor key are specified. */
function saysItExists(error: unknown): error is PlatformError {
  if (!(error instanceof PlatformError)) return false;
  const words = [error.key, error.message, error.title, error.detail].join(' ');
  return (
    error.status === 409 || /already[ _.-]?(exist|upload|configured|has)|\bexists\b|conflict|duplicate/i.test(words)
  );
}

/** `POST /shield/shield-zone/{shieldZoneId}/api-guardian/spec`. Its refusal offers to replace the definition. */
export const uploadGuardian = defineOperation({
  name: 'guardian upload',
  summary: 'Upload an OpenAPI definition for request validation',
  synonyms: {
    verbs: 'put, add, enforce, install, send, use',
    nouns: 'openapi, open api, definition, spec, schema, api, swagger, request validation, api guardian',
  },
  effect: 'write',
  args: definitionArguments,
  examples: ['guardian upload shop', 'guardian upload shop --enforce-authorization off'],

  target: ({ zone }) => shieldZoneName(zone),

  words: ({ target }) => wordsWith('Upload', 'uploaded', mrkdwn`an OpenAPI definition for ${code(target)}`),

  async preview(values, context) {
    const preview = await previewDefinition(values, context);
    if (!isThere(preview.before)) return preview;
    const warning = 'There is already a definition: the platform will refuse this one, and you can then replace it.';
    return { ...preview, warnings: [...(preview.warnings ?? []), warning] };
  },

  preflight: preflightDefinition,

  async run(values, { platform, signal }) {
    const { zone, file, enforceAuthorization = 'on' } = values;
    try {
      return await platform.shieldZones.uploadSpec(zone.shieldZoneId, uploadOf(values), { signal });
    } catch (error) {
      if (!saysItExists(error)) throw error;
      throw new OfferError(error, {
        label: 'Replace the definition',
        operation: 'guardian replace',
        given: {
          zone: `shield:${zone.shieldZoneId}`,
          file: `${file.id}:sha256:${file.sha256}`,
          enforceAuthorization,
        },
      });
    }
  },

  render: (done, { file }, reader) => uploadMessage(mrkdwn`It is in the file ${code(file.name)}.`, done, reader),
});
