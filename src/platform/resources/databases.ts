import * as z from 'zod';
import { Secret } from '../../secret.ts';
import { PlatformShapeError } from '../errors.ts';
import { gatherPages } from '../pages.ts';
import {
  type Listed,
  listOf,
  maybe,
  maybeBoolean,
  maybeNumber,
  maybeString,
  recordsOf,
  shortText,
  textId,
} from '../shapes.ts';
import { type CallOptions, endpoint, forOne, type Transport } from '../transport.ts';

const database = z.object({
  id: shortText,
  name: maybeString,
  url: maybeString,
  block_reads: maybeBoolean,
  block_writes: maybeBoolean,
  size_max: maybeString,
  current_size: maybeString,
  size_max_bytes: maybeNumber,
  current_size_bytes: maybeNumber,
  storage_region: maybeString,
  primary_regions: listOf(shortText),
  replicas_regions: listOf(shortText),
});

const databasePage = z
  .object({
    databases: recordsOf(database),
    page_info: maybe(z.object({ total_items: maybeNumber, has_more_items: maybeBoolean })),
  })
  .transform(({ databases, page_info }) => ({
    Items: databases,
    HasMoreItems: page_info?.has_more_items,
    TotalItems: page_info?.total_items,
  }));

const databaseAnswer = z.object({ db: database }).transform(({ db }) => db);

const generated = z.object({
  token: z
    .string()
    .min(1)
    .transform((token) => Secret.of(token)),
});

/** If there is a `url`, it is used rather than a host built from the id. */
export type Database = z.output<typeof database>;

export type TokenAuthorization = 'full-access' | 'read-only';

/** docs/platform.md, Database control plane. `onSecret` gets each new token. */
export function createDatabases(transport: Transport, { onSecret }: { onSecret: (secret: Secret) => void }) {
  const one = forOne(transport, (id: string) => textId(id, 'database'));
  return {
    list: (options?: CallOptions): Promise<Listed<Database>> =>
      gatherPages(
        ({ id }) => id,
        (page, following) =>
          transport.read(
            // Source: the database OpenAPI file.
            { ...endpoint('GET {database_api_url}/v2/databases'), query: { page, per_page: 100 } },
            databasePage,
            following,
          ),
        options,
      ),

    get: one.read('GET {database_api_url}/v2/databases/{db_id}', databaseAnswer),

    /** Other tokens stay valid. `expires_at` null: never. Throws `PlatformShapeError` if the answer has no token; one may have been made. */
    async generateToken(
      id: string,
      body: { authorization: TokenAuthorization; expires_at: string | null },
      options?: CallOptions,
    ) {
      const call = endpoint('PUT {database_api_url}/v2/databases/{db_id}/auth/generate', textId(id, 'database'));
      const { answer } = await transport.write({ ...call, body }, generated, options);
      if (answer) {
        onSecret(answer.token);
        return answer;
      }
      throw new PlatformShapeError('the answer is empty, and a token that was made cannot be shown', call);
    },

    /** May end the tokens of all databases; the confirmation has to say so (docs/platform.md, Database tokens). */
    revokeTokens: one.change('POST {database_api_url}/v2/databases/{db_id}/auth/revoke'),
  };
}
