import { message } from '../../blocks/message.ts';
import { code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { PlatformError } from '../../platform/errors.ts';
import type { Guardian } from '../../platform/resources/shield-zones.ts';
import { choice, flagged } from '../arguments/plain.ts';
import { file } from '../arguments/resources/files.ts';
import { type ShieldZoneRef, shieldZone } from '../arguments/resources/shield-zones.ts';
import { type Context, type GivenFile, oncePerContext } from '../context.ts';
import { defineOperation, type State, warningsOf, wordsWith } from '../operation.ts';
import { presentState } from '../unreadable.ts';
import { guardianMessage } from './answer.ts';
import { assessmentMessage, limitWarnings } from './assessment.ts';

/** Throws UsageError for what is not UTF-8. */
export function textOfDefinition({ name, content }: Pick<GivenFile, 'name' | 'content'>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw new UsageError(`The file ${name} is no OpenAPI definition: it is not text in UTF-8.`, {
      hint: 'Give a JSON or YAML file that begins with its openapi version.',
      argument: 'file',
    });
  }
}

interface DefinitionValues {
  zone: ShieldZoneRef;
  file: GivenFile;
}

/** No definition so far. Source of the key: docs/platform.md, A failure inside a success. */
export const saysNone = (error: unknown) => error instanceof PlatformError && /no_configuration/.test(error.key ?? '');

/** `active`: none, or unreadable, where undefined. The state is all null where there is none. */
const readingOf = oncePerContext(async (context, { zone, file }: DefinitionValues) => {
  const { platform, signal } = context;
  const content = textOfDefinition(file);
  let active: Guardian | undefined;
  const present = await presentState(async () => {
    try {
      active = await platform.shieldZones.guardian(zone.shieldZoneId, { signal });
    } catch (error) {
      if (!saysNone(error)) throw error;
    }
    const { title, version, updatedAt, createdAt } = active?.configuration ?? {};
    return {
      title: title ?? null,
      version: version ?? null,
      endpoints: active?.endpoints.length ?? null,
      updatedAt: updatedAt ?? createdAt ?? null,
    };
  });
  return { outline: await context.outlineDefinition(content), content, active, present };
});

const isThere = (state: State | undefined) =>
  state !== undefined && Object.values(state).some((value) => value !== null);

/** Undefined where the platform does not tell. */
async function planOf({ zone }: DefinitionValues, { platform, signal }: Context): Promise<number | undefined> {
  const zoneId = zone.zone?.Id;
  if (zoneId === undefined) return undefined;
  const { before } = await presentState(async () => ({
    planType: (await platform.shieldZones.getByPullZone(zoneId, { signal }))?.planType,
  }));
  return typeof before?.planType === 'number' ? before.planType : undefined;
}

/** `POST /shield/shield-zone/{shieldZoneId}/api-guardian/spec`, or `PATCH` where the preview shows a definition. */
export const uploadGuardian = defineOperation({
  name: 'guardian upload',
  summary: 'Upload an OpenAPI definition for request validation',
  synonyms: {
    verbs: 'put, add, enforce, install, send, use',
    nouns: 'openapi, open api, definition, spec, schema, api, swagger, request validation, api guardian',
  },
  effect: 'write',
  args: {
    zone: shieldZone(),
    // Source of the size: the product's documentation.
    file: file('OpenAPI definition', { extensions: ['json', 'yaml', 'yml', 'txt'], maxBytes: 2 * 1024 * 1024 }),
    enforceAuthorization: flagged(
      choice(
        'Enforce authorization',
        [
          { value: 'on', also: ['enforce authorization', 'with authorization', 'with authorization enforced'] },
          {
            value: 'off',
            also: [
              'without enforce authorization',
              'not enforce authorization',
              'dont enforce authorization',
              'no authorization',
              'without authorization',
              'no enforcement',
            ],
          },
        ],
        {
          hint: 'Check the security that the definition asks for; on by default',
        },
      ),
    ),
  },
  examples: ['guardian upload shop', 'guardian upload shop --enforce-authorization off'],

  words: ({ target, before }) =>
    isThere(before)
      ? wordsWith('Replace', 'replaced', mrkdwn`the OpenAPI definition of ${code(target)}`)
      : wordsWith('Upload', 'uploaded', mrkdwn`an OpenAPI definition for ${code(target)}`),

  async preview(values, context) {
    const { zone, file, enforceAuthorization } = values;
    const { outline, present } = await readingOf(context, values);
    return {
      ...present,
      after: {
        title: outline.title ?? null,
        version: outline.version ?? null,
        endpoints: outline.endpoints.length,
        // Never equal to what the platform shows, which will change.
        updatedAt: 'now',
        openapi: outline.openapi,
        enforceAuthorizationValidation: enforceAuthorization !== 'off',
        file: file.name,
        bytes: file.size,
        sha256: file.sha256,
      },
      warnings: warningsOf(
        zone.assumed,
        // Source: the product's documentation.
        !/^3\.0(\.|$)/.test(outline.openapi) &&
          `The platform is known to read OpenAPI 3.0.x; this definition says ${outline.openapi}.`,
        isThere(present.before) && 'There is already a definition: this one replaces it.',
      ),
    };
  },

  async preflight(values, context) {
    const { outline, active } = await readingOf(context, values);
    const known = { plan: await planOf(values, context), active };
    return {
      warnings: [...outline.warnings, ...limitWarnings(outline, known)],
      details: assessmentMessage(outline, known),
    };
  },

  async run(values, context) {
    const { shieldZones } = context.platform;
    const { content, present } = await readingOf(context, values);
    const send = isThere(present.before) ? shieldZones.updateSpec : shieldZones.uploadSpec;
    // Enforced unless told not to.
    const enforceAuthorizationValidation = values.enforceAuthorization !== 'off';
    const { shieldZoneId } = values.zone;
    return send(shieldZoneId, { content, enforceAuthorizationValidation }, { signal: context.signal });
  },

  /** The platform may accept an upload without a word. */
  render({ answer }, { file }, reader) {
    const title = mrkdwn`It is in the file ${code(file.name)}.`;
    return answer === undefined ? message(title) : guardianMessage(title, answer, reader);
  },
});
