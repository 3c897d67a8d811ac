import { UsageError } from '../../errors.ts';
import { PlatformError } from '../../platform/errors.ts';
import { type Guardian, MAX_SPECIFICATION_BYTES } from '../../platform/resources/shield-zones.ts';
import { choice, flagged } from '../arguments/plain.ts';
import { file } from '../arguments/resources/files.ts';
import { type ShieldZoneRef, shieldZone } from '../arguments/resources/shield-zones.ts';
import { type Context, type GivenFile, oncePerContext } from '../context.ts';
import { type Preflight, type Preview, type State, warningsOf } from '../operation.ts';
import { presentState } from '../unreadable.ts';
import { assessmentMessage, limitWarnings } from './assessment.ts';

export const definitionArguments = {
  zone: shieldZone(),
  file: file('OpenAPI definition', { extensions: ['json', 'yaml', 'yml', 'txt'], maxBytes: MAX_SPECIFICATION_BYTES }),
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
        hint: 'Check the security that the definition asks for; on unless told',
      },
    ),
  ),
};

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

export interface DefinitionValues {
  zone: ShieldZoneRef;
  file: GivenFile;
  enforceAuthorization: 'on' | 'off' | undefined;
}

/** Authorization is enforced unless told not to. */
export function uploadOf({ file, enforceAuthorization }: DefinitionValues) {
  return { content: textOfDefinition(file), enforceAuthorizationValidation: enforceAuthorization !== 'off' };
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
  return { outline: await context.outlineDefinition(content), active, present };
});

export const isThere = (state: State | undefined) =>
  state !== undefined && Object.values(state).some((value) => value !== null);

export async function previewDefinition(values: DefinitionValues, context: Context): Promise<Preview> {
  const { zone, file } = values;
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
      enforceAuthorizationValidation: values.enforceAuthorization !== 'off',
      file: file.name,
      bytes: file.size,
      sha256: file.sha256,
    },
    warnings: warningsOf(
      zone.assumed,
      // Source: the product's documentation.
      !/^3\.0(\.|$)/.test(outline.openapi) &&
        `The platform is known to read OpenAPI 3.0.x; this definition says ${outline.openapi}.`,
    ),
  };
}

export async function preflightDefinition(values: DefinitionValues, context: Context): Promise<Preflight> {
  const { outline, active } = await readingOf(context, values);
  const known = { plan: await planOf(values, context), active };
  return {
    warnings: [...outline.warnings, ...limitWarnings(outline, known)],
    details: assessmentMessage(outline, known),
  };
}

/** Undefined where the platform does not tell. */
async function planOf({ zone }: DefinitionValues, { platform, signal }: Context): Promise<number | undefined> {
  const zoneId = zone.zone?.Id;
  if (zoneId === undefined) return undefined;
  const { before } = await presentState(async () => ({
    planType: (await platform.shieldZones.getByPullZone(zoneId, { signal }))?.planType,
  }));
  return typeof before?.planType === 'number' ? before.planType : undefined;
}
