import { z } from 'zod';
import { Secret } from '../../secret.ts';
import { listOf, maybe, maybeBoolean, maybeNumber, recordsOf, shortText } from '../shapes.ts';
import { type CallOptions, endpoint, type Transport } from '../transport.ts';

/** The least and the most of each parameter. */
export const API_KEY_BOUNDS = { page: [1, 2_147_483_647], perPage: [5, 1000] } as const;

const apiKey = z.object({
  Id: z.number(),
  Key: maybe(z.string().transform((key) => Secret.of(key))),
  Roles: listOf(shortText),
});

const apiKeyPage = z.object({
  Items: recordsOf(apiKey),
  CurrentPage: maybeNumber,
  TotalItems: maybeNumber,
  HasMoreItems: maybeBoolean,
});

/** The answer of `GET /apikey`. `Key` is a `Secret`: show `.masked()`. */
export type ApiKeyPage = z.output<typeof apiKeyPage>;

/** The keys of the account. */
export interface ApiKeys {
  /** Pages count from 1; what is not given is not sent. The two parameters are an extension. */
  list(query?: { page?: number | undefined; perPage?: number | undefined }, options?: CallOptions): Promise<ApiKeyPage>;
}

/** The account's keys; `onSecret` is told each key that is listed. */
export function createApiKeys(transport: Transport, { onSecret }: { onSecret: (secret: Secret) => void }): ApiKeys {
  return {
    async list(query = {}, options) {
      const call = { ...endpoint('GET /apikey'), query: { ...query } };
      const answer = await transport.read(call, apiKeyPage, options);
      for (const { Key } of answer.Items) if (Key !== undefined) onSecret(Key);
      return answer;
    },
  };
}
