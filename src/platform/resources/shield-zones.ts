import { z } from 'zod';
import type { BotAction } from '../enums.ts';
import { PlatformError } from '../errors.ts';
import {
  type Done,
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
import type { CallOptions, Transport } from '../transport.ts';

/** The largest OpenAPI definition that is taken, in bytes. Source: the product's documentation. */
export const MAX_SPECIFICATION_BYTES = 2 * 1024 * 1024;

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

const endpoint = z.object({
  apiGuardianEndpointId: maybeNumber,
  shieldZoneId: maybeNumber,
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
  createdAt: maybeString,
  updatedAt: maybeString,
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

const guardian = z.object({ configuration, endpoints: listOf(endpoint) });
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
// A shield zone without a pull zone has no name to be found by.
const mappingAnswer = z
  .object({ data: recordsOf(mapping) })
  .transform(({ data }) =>
    data.flatMap(({ pullZoneId, ...one }) => (pullZoneId == null ? [] : [{ ...one, pullZoneId }])),
  );

const shieldZone = z.object({ shieldZoneId: z.number(), pullZoneId: maybeNumber, planType: maybeNumber });
const shieldZoneAnswer = z.object({ data: shieldZone.nullish() }).transform(({ data }) => data ?? undefined);

/** The shield zone that protects a pull zone. */
export type ShieldZoneMapping = z.output<typeof mappingAnswer>[number];
/** A shield zone as far as the bot needs it; it has no name of its own. */
type ShieldZone = z.output<typeof shieldZone>;
/** The configuration and the endpoints of API Guardian. */
export type Guardian = z.output<typeof guardian>;
/** The configuration, with the limits that it carries. */
export type GuardianConfiguration = z.output<typeof configuration>;
/** An endpoint with its checks. */
export type GuardianEndpoint = z.output<typeof endpoint>;
/** The parameters of an endpoint by where they are. */
export type GuardianParameters = z.output<typeof parameters>;
/** A category and its action: the platform's word, which may differ from the request's. */
export type BotCategoryAction = z.output<typeof categoryAction>;
/** A category with its action and its single bots. */
export type BotCategory = z.output<typeof botCategory>;

/** `content` is the OpenAPI definition's text; `enforceAuthorizationValidation` is always sent. */
export interface SpecificationUpload {
  content: string;
  enforceAuthorizationValidation: boolean;
}

/** The shield zones: request validation and bots. */
export interface ShieldZones {
  /** `GET /shield/shield-zones/pullzone-mapping`: for pickers. */
  mapping(options?: CallOptions): Promise<ShieldZoneMapping[]>;
  /** `GET /shield/shield-zone/get-by-pullzone/{pullZoneId}`; `undefined` when the pull zone has no shield zone. */
  getByPullZone(pullZoneId: number, options?: CallOptions): Promise<ShieldZone | undefined>;
  /** `POST /shield/shield-zone/{shieldZoneId}/api-guardian/spec`. Refused when a definition exists. */
  uploadSpec(id: number, upload: SpecificationUpload, options?: CallOptions): Promise<Done<Guardian>>;
  /** `PATCH /shield/shield-zone/{shieldZoneId}/api-guardian/spec`: replaces an existing definition. */
  updateSpec(id: number, upload: SpecificationUpload, options?: CallOptions): Promise<Done<Guardian>>;
  /** `GET /shield/shield-zone/{shieldZoneId}/api-guardian`: the present configuration and endpoints. */
  guardian(id: number, options?: CallOptions): Promise<Guardian>;
  /** `GET /shield/shield-zone/{shieldZoneId}/bot-categorization`: every category with its present action. */
  botCategories(id: number, options?: CallOptions): Promise<BotCategory[]>;
  /**
   * `PUT /shield/shield-zone/{shieldZoneId}/bot-categorization/categories/{category}`. The answer's action may differ from the
   * one asked for: compare.
   */
  setBotCategoryAction(
    id: number,
    category: number,
    action: BotAction,
    options?: CallOptions,
  ): Promise<Done<BotCategoryAction>>;
}

const zonePath = (id: number) => `/shield/shield-zone/${numericId(id, 'shield zone')}`;

/** Shield zones over a transport. */
export function createShieldZones(transport: Transport): ShieldZones {
  const read = <T>(path: string, schema: z.ZodType<T>, options?: CallOptions) =>
    transport.read({ service: 'shield', method: 'GET', path }, schema, options);
  return {
    mapping: (options) => read('/shield/shield-zones/pullzone-mapping', mappingAnswer, options),

    async getByPullZone(pullZoneId, options) {
      const path = `/shield/shield-zone/get-by-pullzone/${numericId(pullZoneId, 'pull zone')}`;
      try {
        return await read(path, shieldZoneAnswer, options);
      } catch (error) {
        // A bare 404 means that the endpoint is missing; only the key says that there is no such shield zone.
        if (error instanceof PlatformError && error.key?.startsWith('not_found')) return undefined;
        throw error;
      }
    },

    uploadSpec: (id, upload, options) => sendSpec(transport, 'POST', id, upload, options),

    updateSpec: (id, upload, options) => sendSpec(transport, 'PATCH', id, upload, options),

    guardian: async (id, options) => read(`${zonePath(id)}/api-guardian`, guardianAnswer, options),

    botCategories: async (id, options) => read(`${zonePath(id)}/bot-categorization`, botCategoriesAnswer, options),

    async setBotCategoryAction(id, category, action, options) {
      const path = `${zonePath(id)}/bot-categorization/categories/${category}`;
      // The property's name is an extension.
      return transport.write({ service: 'shield', method: 'PUT', path, body: { action } }, categoryAnswer, options);
    },
  };
}

async function sendSpec(
  transport: Transport,
  method: 'POST' | 'PATCH',
  id: number,
  body: SpecificationUpload,
  options?: CallOptions,
): Promise<Done<Guardian>> {
  const path = `${zonePath(id)}/api-guardian/spec`;
  return transport.write({ service: 'shield', method, path, body }, guardianAnswer, options);
}
