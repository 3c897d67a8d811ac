import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import { Secret } from '../../secret.ts';
import { listOf, maybe, maybeBoolean, maybeNumber, shortText } from '../shapes.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** The two query parameters of `GET /apikey`, an extension. */
const PARAMETERS = { page: 'page', perPage: 'perPage' } as const;

/** The least and the most of each parameter. */
export const API_KEY_BOUNDS = { page: [1, 2_147_483_647], perPage: [5, 1000] } as const;

const apiKey = z.object({
  Id: z.number(),
  Key: maybe(z.string().transform((key) => Secret.of(key))),
  Roles: listOf(shortText),
});

const apiKeyPage = z.object({
  Items: listOf(apiKey),
  CurrentPage: maybeNumber,
  TotalItems: maybeNumber,
  HasMoreItems: maybeBoolean,
});

/** A key of the account. `Key` is a `Secret`: show `.masked()`. */
export type ApiKey = z.output<typeof apiKey>;
/** The answer of `GET /apikey`. */
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

/** The keys of the account. */
export interface ApiKeys {
  /** `GET /apikey`. Pages count from 1; what is not given is not sent. Throws `UsageError` outside the bounds. */
  list(query?: { page?: number; perPage?: number }, options?: CallOptions): Promise<ApiKeyPage>;
}

/** The account's keys; `onSecret` is told each key that is listed. */
export function createApiKeys(transport: Transport, { onSecret }: { onSecret: (secret: Secret) => void }): ApiKeys {
  return {
    async list(query = {}, options) {
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
