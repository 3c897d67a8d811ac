import { count } from '../../blocks/format.ts';
import { fields, type Message, message, section } from '../../blocks/message.ts';
import { bold, code, join, mrkdwn } from '../../blocks/mrkdwn.ts';
import { insteadOf, UsageError } from '../../errors.ts';
import { labelOf, PLAN_TYPES } from '../../platform/enums.ts';
import { PlatformError } from '../../platform/errors.ts';
import type { Guardian, GuardianEndpoint } from '../../platform/resources/shield-zones.ts';
import { choice, flagged } from '../arguments/plain.ts';
import { file } from '../arguments/resources/files.ts';
import { type ShieldZoneRef, shieldZone } from '../arguments/resources/shield-zones.ts';
import { type Context, type GivenFile, oncePerContext } from '../context.ts';
import { defineOperation, type State, warningsOf, wordsWith } from '../operation.ts';
import { presentState } from '../unreadable.ts';
import { guardianMessage } from './answer.ts';
import type { DefinitionOutline, OutlinedEndpoint } from './outline.ts';

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

/** `active` is undefined if there is no definition or it cannot be read. If there is none, the state has only nulls. */
const readingOf = oncePerContext(async (context, { zone, file }: DefinitionValues) => {
  const { platform, signal } = context;
  const content = textOfDefinition(file);
  let active: Guardian | undefined;
  const present = await presentState(async () => {
    const reading = platform.shieldZones.guardian(zone.shieldZoneId, { signal });
    active = await reading.catch(insteadOf(saysNone, undefined));
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

interface Known {
  plan: number | undefined;
  active: Guardian | undefined;
}

/** The configuration's own number goes before the plan's. */
function mostEndpoints({ plan, active }: Known): number | undefined {
  // Enterprise has its own number. Source: the product's documentation.
  return active?.configuration.maxEndpoints ?? { 0: 0, 1: 10, 2: 50 }[plan ?? Number.NaN];
}

/** Why the platform will probably refuse it. */
function limitWarnings(outline: DefinitionOutline, known: Known): string[] {
  const { plan } = known;
  if (plan === 0) return ['The plan of this shield zone is Basic, which has no request validation.'];
  const planWords = plan === undefined ? '' : ` of the ${labelOf(PLAN_TYPES, plan)} plan`;
  const most = mostEndpoints(known);
  const { length } = outline.endpoints;
  return warningsOf(
    length === 0 && 'The definition has no endpoints.',
    most !== undefined &&
      length > most &&
      `Endpoints: ${count(length)}, and the limit${planWords} is ${count(most)}. The platform will probably refuse it.`,
  );
}

const named = ({ method, path }: OutlinedEndpoint) => `${method} ${path}`;

const activeEndpoint = ({ requestMethod = '', requestPath = '' }: GuardianEndpoint): OutlinedEndpoint => ({
  // Only a method: a secret would not be recognised in capitals.
  method: /^[a-z]+$/i.test(requestMethod) ? requestMethod.toUpperCase() : requestMethod,
  path: requestPath,
});

function missing(from: readonly OutlinedEndpoint[], other: readonly OutlinedEndpoint[]): OutlinedEndpoint[] {
  const names = new Set(other.map(named));
  return from.filter((endpoint) => !names.has(named(endpoint)));
}

function listed(title: string, endpoints: readonly OutlinedEndpoint[]) {
  if (endpoints.length === 0) return undefined;
  const more = endpoints.length - 10;
  const lines = endpoints.slice(0, 10).map((endpoint) => mrkdwn`• ${code(named(endpoint))}`);
  const head = bold(`${title} (${count(endpoints.length)})`);
  return section(join([head, ...lines, ...(more > 0 ? [`and ${count(more)} more`] : [])], '\n'));
}

function assessmentMessage(outline: DefinitionOutline, known: Known): Message {
  const { plan, active } = known;
  const most = mostEndpoints(known);
  const now = active?.endpoints.map(activeEndpoint);
  const added = now === undefined ? [] : missing(outline.endpoints, now);
  const removed = now === undefined ? [] : missing(now, outline.endpoints);
  const isSame = now !== undefined && added.length + removed.length === 0;
  return message(
    fields([
      ['Plan', plan === undefined ? undefined : labelOf(PLAN_TYPES, plan)],
      ['Endpoints', `${count(outline.endpoints.length)}${most === undefined ? '' : ` of ${count(most)}`}`],
    ]),
    active === undefined && plan === undefined && 'The plan and its limits are not shown by the platform.',
    isSame && 'It has the endpoints that are active now.',
    listed('Added', added),
    listed('Removed', removed),
  );
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
