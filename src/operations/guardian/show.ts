import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { toType } from '../../own-name.ts';
import { shieldZone, shieldZoneName } from '../arguments/resources/shield-zones.ts';
import { defineOperation } from '../operation.ts';
import { shown } from '../unreadable.ts';
import { guardianMessage } from './answer.ts';
import { saysNone } from './upload.ts';

/** `GET /shield/shield-zone/{shieldZoneId}/api-guardian` */
export const showGuardian = defineOperation({
  name: 'guardian show',
  summary: 'Show the request validation of a zone',
  synonyms: {
    verbs: 'status, state, settings',
    nouns: 'api, request validation, openapi, open api, definition, spec, schema, swagger, api guardian, validation',
  },
  effect: 'read',
  args: { zone: shieldZone({ tenants: true }) },
  examples: ['guardian show shop'],

  async run({ zone }, { platform, signal }) {
    const hint = `Upload one with ${toType('guardian upload')}.`;
    try {
      return await shown('definitions', hint, () => platform.shieldZones.guardian(zone.shieldZoneId, { signal }));
    } catch (error) {
      if (!saysNone(error)) throw error;
      throw new UsageError(`There is no definition for ${shieldZoneName(zone)} yet.`, { hint });
    }
  },

  render: (guardian, { zone }, reader) =>
    guardianMessage(bold(mrkdwn`Request validation of ${shieldZoneName(zone)}`), guardian, reader),
});
