import * as z from 'zod';
import { Secret } from '../../secret.ts';
import { listOf, maybe, maybeBoolean, maybeNumber, recordsOf, shortText } from '../shapes.ts';
import { type CallOptions, endpoint, type Transport } from '../transport.ts';

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

/** Show only `Key.masked()`. */
export type ApiKeyPage = z.output<typeof apiKeyPage>;

/** `onSecret` gets each listed key. */
export function createApiKeys(transport: Transport, { onSecret }: { onSecret: (secret: Secret) => void }) {
  return {
    /** Pages count from 1. The parameters are an extension. */
    async list(query: { page?: number | undefined; perPage?: number | undefined } = {}, options?: CallOptions) {
      const call = { ...endpoint('GET /apikey'), query: { ...query } };
      const answer = await transport.read(call, apiKeyPage, options);
      for (const { Key } of answer.Items) if (Key !== undefined) onSecret(Key);
      return answer;
    },
  };
}
