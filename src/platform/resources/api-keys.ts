import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import { Secret } from '../../secret.ts';
import { listOf, maybe, maybeBoolean, maybeNumber } from '../shapes.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** The names of row 1's two query parameters (spec 2.1: not shown). Source: platform.md 2 (the core OpenAPI file). */
const PARAMETERS = { page: 'page', perPage: 'perPage' } as const;

/** Both ends count (spec 2.1). */
export const API_KEY_BOUNDS = { page: [1, 2_147_483_647], perPage: [5, 1000] } as const;

const apiKey = z.object({
  Id: z.number(),
  Key: maybe(z.string().transform((key) => Secret.of(key))),
  Roles: listOf(z.string()),
});

const apiKeyPage = z.object({
  Items: listOf(apiKey),
  CurrentPage: maybeNumber,
  TotalItems: maybeNumber,
  HasMoreItems: maybeBoolean,
});

/** An API key (spec 2.1). `Key` is a `Secret`: show `.masked()`. */
export type ApiKey = z.output<typeof apiKey>;
/** One page of row 1 (spec 2.1). */
export type ApiKeyPage = z.output<typeof apiKeyPage>;

function checkBounds(parameter: 'page' | 'perPage', value: number | undefined): void {
  if (value === undefined) return;
  const [least, most] = API_KEY_BOUNDS[parameter];
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const name = parameter === 'page' ? 'The page' : 'The number of keys per page';
  throw new UsageError(`${name} must be a whole number from ${least} to ${most}, not ${value}.`, {
    argument: parameter,
  });
}

export function createApiKeys(transport: Transport, { onSecret }: { onSecret: (secret: Secret) => void }) {
  return {
    /** Row 1. Pages count from 1; what is not given is not sent. Throws `UsageError` outside the bounds. */
    async list(query: { page?: number; perPage?: number } = {}, options?: CallOptions): Promise<ApiKeyPage> {
      checkBounds('page', query.page);
      checkBounds('perPage', query.perPage);
      const answer = await transport.read(
        {
          service: 'management',
          method: 'GET',
          path: '/apikey',
          query: { [PARAMETERS.page]: query.page, [PARAMETERS.perPage]: query.perPage },
        },
        apiKeyPage,
        options,
      );
      for (const { Key } of answer.Items) if (Key !== undefined) onSecret(Key);
      return answer;
    },
  };
}
