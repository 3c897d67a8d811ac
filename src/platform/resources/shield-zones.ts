import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import type { BotAction } from '../bots.ts';
import { PlatformError } from '../errors.ts';
import { numericId } from '../ids.ts';
import { arrayOf, type Done, listOf, maybe, maybeBoolean, maybeNumber, maybeString } from '../shapes.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** The largest OpenAPI definition that row 2 takes, in bytes. Source: platform.md 3.3 (the product's documentation). */
export const MAX_SPECIFICATION_BYTES = 2 * 1024 * 1024;

/** The property of row 3's body that holds the action (spec part 4: not shown). Source: platform.md 3.4. */
const ACTION_PROPERTY = 'action';

const parameters = z.object({
  Path: listOf(z.string()),
  Query: listOf(z.string()),
  Header: listOf(z.string()),
  Cookie: listOf(z.string()),
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
  requestBodySchemaYaml: maybeString,
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
  isVerifiable: maybeBoolean,
});
const botCategory = z.object({ category: z.number(), categoryAction: maybeNumber, bots: listOf(bot) });
const botCategories = z.object({ categories: arrayOf(botCategory) }).transform(({ categories }) => categories);
const botCategoriesAnswer = z.union([botCategories, z.object({ data: botCategories }).transform(({ data }) => data)]);

const mapping = z.object({ shieldZoneId: z.number(), pullZoneId: z.number() });
const mappingAnswer = z.object({ data: arrayOf(mapping) }).transform(({ data }) => data);

const shieldZone = z.object({ shieldZoneId: z.number(), pullZoneId: maybeNumber, planType: maybeNumber });
const shieldZoneAnswer = z.object({ data: shieldZone.nullish() }).transform(({ data }) => data ?? undefined);

/** Which shield zone protects which pull zone. */
export type ShieldZoneMapping = z.output<typeof mapping>;
/** A shield zone as far as the bot needs it; it has no name of its own. */
export type ShieldZone = z.output<typeof shieldZone>;
/** The configuration and the endpoints of API Guardian (spec 2.2). */
export type Guardian = z.output<typeof guardian>;
export type GuardianConfiguration = z.output<typeof configuration>;
export type GuardianEndpoint = z.output<typeof endpoint>;
/** The parameters of an endpoint by where they are (spec 2.2). */
export type GuardianParameters = z.output<typeof parameters>;
/** What a category is set to after row 3; the platform's word, which may differ from the request's. */
export type BotCategoryAction = z.output<typeof categoryAction>;
/** A category with its action and its single bots (platform.md 3.4). */
export type BotCategory = z.output<typeof botCategory>;

/** The body of row 2. `content` is the OpenAPI definition's text; `enforceAuthorizationValidation` is always sent. */
export interface SpecificationUpload {
  content: string;
  enforceAuthorizationValidation: boolean;
}

const zonePath = (id: number) => `/shield/shield-zone/${numericId(id, 'shield zone')}`;

export function createShieldZones(transport: Transport) {
  function sendSpec(method: 'POST' | 'PATCH', id: number, upload: SpecificationUpload, options?: CallOptions) {
    if (Buffer.byteLength(upload.content) > MAX_SPECIFICATION_BYTES) {
      throw new UsageError('The OpenAPI definition is larger than 2 MB.', { argument: 'file' });
    }
    const { content, enforceAuthorizationValidation } = upload;
    return transport.write(
      {
        service: 'shield',
        method,
        path: `${zonePath(id)}/api-guardian/spec`,
        body: { content, enforceAuthorizationValidation },
      },
      guardianAnswer,
      options,
    );
  }

  return {
    /** Which shield zone belongs to which pull zone, for pickers. Source: platform.md 3.5. */
    async mapping(options?: CallOptions): Promise<ShieldZoneMapping[]> {
      return transport.read(
        { service: 'shield', method: 'GET', path: '/shield/shield-zones/pullzone-mapping' },
        mappingAnswer,
        options,
      );
    },

    /** The shield zone of a pull zone; `undefined` when it has none. Source: platform.md 3.5. */
    async getByPullZone(pullZoneId: number, options?: CallOptions): Promise<ShieldZone | undefined> {
      const path = `/shield/shield-zone/get-by-pullzone/${numericId(pullZoneId, 'pull zone')}`;
      try {
        return await transport.read({ service: 'shield', method: 'GET', path }, shieldZoneAnswer, options);
      } catch (error) {
        // A bare 404 means that the endpoint is missing; only the key says that there is no such shield zone.
        if (error instanceof PlatformError && error.key?.startsWith('not_found')) return undefined;
        throw error;
      }
    },

    /** Row 2: the first upload, always a POST. The platform refuses it when a definition exists. */
    async uploadSpec(id: number, upload: SpecificationUpload, options?: CallOptions): Promise<Done<Guardian>> {
      return sendSpec('POST', id, upload, options);
    },

    /** Replaces an existing definition by PATCH, which the specification does not have. Source: platform.md 3.3. */
    async updateSpec(id: number, upload: SpecificationUpload, options?: CallOptions): Promise<Done<Guardian>> {
      return sendSpec('PATCH', id, upload, options);
    },

    /** The present configuration and endpoints. Source: platform.md 3.3. */
    async guardian(id: number, options?: CallOptions): Promise<Guardian> {
      return transport.read(
        { service: 'shield', method: 'GET', path: `${zonePath(id)}/api-guardian` },
        guardianAnswer,
        options,
      );
    },

    /** Every category with its present action. Source: platform.md 3.4. */
    async botCategories(id: number, options?: CallOptions): Promise<BotCategory[]> {
      return transport.read(
        { service: 'shield', method: 'GET', path: `${zonePath(id)}/bot-categorization` },
        botCategoriesAnswer,
        options,
      );
    },

    /** Row 3. The answer's action may differ from the one asked for: compare. Throws `UsageError` outside 0 to 7. */
    async setBotCategoryAction(
      id: number,
      category: number,
      action: BotAction,
      options?: CallOptions,
    ): Promise<Done<BotCategoryAction>> {
      if (!Number.isInteger(category) || category < 0 || category > 7) {
        throw new UsageError(`The platform takes the bot categories 0 to 7 only, not ${category}.`, {
          argument: 'category',
        });
      }
      return transport.write(
        {
          service: 'shield',
          method: 'PUT',
          path: `${zonePath(id)}/bot-categorization/categories/${category}`,
          body: { [ACTION_PROPERTY]: action },
        },
        categoryAnswer,
        options,
      );
    },
  };
}
