import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { shieldZoneName } from '../arguments/resources/shield-zones.ts';
import { defineOperation, wordsWith } from '../operation.ts';
import { uploadMessage } from './answer.ts';
import { definitionArguments, preflightDefinition, previewDefinition, uploadOf } from './definition.ts';

/** `PATCH /shield/shield-zone/{shieldZoneId}/api-guardian/spec`: only from a refused upload. */
export const replaceGuardian = defineOperation({
  name: 'guardian replace',
  summary: 'Replace the OpenAPI definition for request validation',
  effect: 'write',
  args: definitionArguments,
  offeredBy: 'guardian upload',

  target: ({ zone }) => shieldZoneName(zone),

  words: ({ target }) => wordsWith('Replace', 'replaced', mrkdwn`the OpenAPI definition of ${code(target)}`),

  preview: previewDefinition,

  preflight: preflightDefinition,

  run: (values, { platform, signal }) =>
    platform.shieldZones.updateSpec(values.zone.shieldZoneId, uploadOf(values), { signal }),

  render: (done, { file }, reader) => uploadMessage(mrkdwn`It is in the file ${code(file.name)}.`, done, reader),
});
