import * as z from 'zod';
import { insteadOf } from '../../errors.ts';
import type { BotAction } from '../enums.ts';
import { PlatformError } from '../errors.ts';
import {
  listOf,
  maybe,
  maybeBoolean,
  maybeDocument,
  maybeNumber,
  maybeString,
  numericId,
  recordsOf,
  shortText,
} from '../shapes.ts';
import { type CallOptions, endpoint, forOne, type Transport } from '../transport.ts';

const parameters = z.object({
  Path: listOf(shortText),
  Query: listOf(shortText),
  Header: listOf(shortText),
  Cookie: listOf(shortText),
});

const authScheme = z.object({
  schemeName: maybeString,
  schemeType: maybeString,
  location: maybeString,
  credentialName: maybeString,
  httpScheme: maybeString,
});

const guardianEndpoint = z.object({
  apiGuardianEndpointId: maybeNumber,
  requestMethod: maybeString,
  requestPath: maybeString,
  validateRequestBodySchema: maybeBoolean,
  validateResponseBodySchema: maybeBoolean,
  validateAuthorization: maybeBoolean,
  isEnabled: maybeBoolean,
  authSchemes: listOf(authScheme),
  requestBodySchemaYaml: maybeDocument,
  responseBodySchemasYaml: maybe(z.record(z.string(), z.unknown())),
  availableParameters: maybe(parameters),
  injectionDetectionParameters: maybe(parameters),
  detectParameterXss: maybeBoolean,
  detectParameterSqli: maybeBoolean,
  rateLimitingEnabled: maybeBoolean,
  rateLimitingType: maybeString,
  rateLimitingRequestCount: maybeNumber,
  rateLimitingTimeframe: maybeNumber,
});

const configuration = z.object({
  shieldZoneId: maybeNumber,
  isEnabled: maybeBoolean,
  executionMode: maybeNumber,
  bodyLimitAction: maybeNumber,
  unmatchedPathAction: maybeNumber,
  title: maybeString,
  version: maybeString,
  maxEndpoints: maybeNumber,
  maxFieldsPerType: maybeNumber,
  maxNestingDepth: maybeNumber,
  maxTotalSchemaNodes: maybeNumber,
  maxTotalRegexLength: maybeNumber,
  createdAt: maybeString,
  updatedAt: maybeString,
});

const guardian = z.object({ configuration, endpoints: listOf(guardianEndpoint) });
const guardianAnswer = z.object({ data: guardian }).transform(({ data }) => data);

const categoryAction = z.object({ category: z.number(), action: z.number() });
const categoryAnswer = z.object({ data: categoryAction }).transform(({ data }) => data);

const bot = z.object({
  botId: z.number(),
  userAgentMatch: maybeString,
  category: maybeNumber,
  action: maybeNumber,
});
const botCategory = z.object({ category: z.number(), categoryAction: maybeNumber, bots: listOf(bot) });
const botCategories = z.object({ categories: recordsOf(botCategory) }).transform(({ categories }) => categories);
const botCategoriesAnswer = z.union([botCategories, z.object({ data: botCategories }).transform(({ data }) => data)]);

const mapping = z.object({ shieldZoneId: z.number(), pullZoneId: z.number().nullish() });
// A shield zone without a pull zone has no name.
const mappingAnswer = z
  .object({ data: recordsOf(mapping) })
  .transform(({ data }) =>
    data.flatMap(({ pullZoneId, ...one }) => (pullZoneId == null ? [] : [{ ...one, pullZoneId }])),
  );

const shieldZone = z.object({
  shieldZoneId: z.number(),
  pullZoneId: maybeNumber,
  planType: maybeNumber,
  dDoSShieldSensitivity: maybeNumber,
});
const shieldZoneAnswer = z.object({ data: shieldZone.nullish() }).transform(({ data }) => data ?? undefined);

export type ShieldZoneMapping = z.output<typeof mappingAnswer>[number];
export type Guardian = z.output<typeof guardian>;
export type GuardianEndpoint = z.output<typeof guardianEndpoint>;
export type GuardianParameters = z.output<typeof parameters>;
/** The action may differ from the requested one. */
export type BotCategoryAction = z.output<typeof categoryAction>;
export type BotCategory = z.output<typeof botCategory>;

export interface SpecificationUpload {
  content: string;
  enforceAuthorizationValidation: boolean;
}

const shieldZoneId = (id: number) => numericId(id, 'shield zone');

export function createShieldZones(transport: Transport) {
  const one = forOne(transport, shieldZoneId);
  return {
    mapping: (options?: CallOptions) =>
      transport.read(endpoint('GET /shield/shield-zones/pullzone-mapping'), mappingAnswer, options),

    /** `undefined`: the pull zone has no shield zone. */
    async getByPullZone(pullZoneId: number, options?: CallOptions) {
      const zone = numericId(pullZoneId, 'pull zone');
      const asked = endpoint('GET /shield/shield-zone/get-by-pullzone/{pullZoneId}', zone);
      // Only with this key does a 404 say that there is no shield zone. Without it, there is no such endpoint.
      const isNone = (error: unknown) => error instanceof PlatformError && error.key?.startsWith('not_found') === true;
      return transport.read(asked, shieldZoneAnswer, options).catch(insteadOf(isNone, undefined));
    },

    /** The platform refuses this when a definition exists. */
    uploadSpec: one.send<SpecificationUpload, Guardian>(
      'POST /shield/shield-zone/{shieldZoneId}/api-guardian/spec',
      guardianAnswer,
    ),
    updateSpec: one.send<SpecificationUpload, Guardian>(
      'PATCH /shield/shield-zone/{shieldZoneId}/api-guardian/spec',
      guardianAnswer,
    ),
    guardian: one.read('GET /shield/shield-zone/{shieldZoneId}/api-guardian', guardianAnswer),
    botCategories: one.read('GET /shield/shield-zone/{shieldZoneId}/bot-categorization', botCategoriesAnswer),

    /** Compare the answer's action with the requested one. */
    async setBotCategoryAction(id: number, category: number, action: BotAction, options?: CallOptions) {
      const asked = endpoint(
        'PUT /shield/shield-zone/{shieldZoneId}/bot-categorization/categories/{category}',
        shieldZoneId(id),
        String(category),
      );
      // The name `action` is an extension.
      return transport.write({ ...asked, body: { action } }, categoryAnswer, options);
    },
  };
}
