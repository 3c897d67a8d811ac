import * as z from 'zod';
import { gatherPages } from '../pages.ts';
import {
  instant,
  listOf,
  maybe,
  maybeBoolean,
  maybeNumber,
  maybeString,
  numericId,
  recordsOf,
  shortText,
  textId,
  unknownAnswer,
} from '../shapes.ts';
import { type CallOptions, endpoint, forOne, type Transport } from '../transport.ts';

const variable = z.object({
  Id: z.number(),
  Name: maybeString,
  Required: maybeBoolean,
  DefaultValue: maybeString,
});

// Without the deployment key, which never leaves the parser.
const edgeScript = z.object({
  Id: z.number(),
  Name: maybeString,
  ScriptType: maybeNumber,
  LastModified: maybeString,
  DefaultHostname: maybeString,
  LinkedPullZones: listOf(z.object({ Id: z.number(), PullZoneName: maybeString, DefaultHostname: maybeString })),
  EdgeScriptVariables: maybe(z.unknown().refine(Boolean).pipe(recordsOf(variable))),
});

const edgeScriptPage = z.object({
  Items: recordsOf(edgeScript),
  HasMoreItems: maybeBoolean,
  TotalItems: maybe(z.number()),
});

/** Without the code, which may hold secrets, and without addresses of people. */
const release = z
  .object({
    Uuid: shortText,
    Note: maybeString,
    Author: maybeString,
    CommitSha: maybeString,
    Status: maybeNumber,
    Deleted: maybeBoolean,
    DateReleased: maybe(instant),
    DatePublished: maybe(instant),
    Code: maybe(z.string().transform((code) => Buffer.byteLength(code))),
  })
  .transform(({ Code, ...rest }) => ({ ...rest, size: Code }));

export type EdgeScript = z.output<typeof edgeScript>;

/** `Status` 1: it runs. `size`: of its code, in bytes. */
export type Release = z.output<typeof release>;

/** When it last went live. */
export const publishedAt = ({ DatePublished, DateReleased }: Release): Date | undefined =>
  DatePublished ?? DateReleased;

export function createEdgeScripts(transport: Transport) {
  const one = forOne(transport, (id: number) => numericId(id, 'script'));
  return {
    list: (options?: CallOptions) =>
      gatherPages(
        ({ Id }: EdgeScript) => Id,
        (page, following) =>
          transport.read(
            {
              ...endpoint('GET /compute/script'),
              // 1000 is the largest page. Page 0 gets a 500.
              query: { page, perPage: 1000, includeLinkedPullzones: true },
            },
            edgeScriptPage,
            following,
          ),
        options,
      ),

    get: one.read('GET /compute/script/{id}', edgeScript),
    addVariable: one.send('POST /compute/script/{id}/variables/add', variable),

    /** The newest ones, last published first. */
    async releases(id: number, options?: CallOptions): Promise<Release[]> {
      const asked = endpoint('GET /compute/script/{id}/releases', numericId(id, 'script'));
      const { records } = await transport.readRecords(
        // Few, because each brings its code.
        { ...asked, query: { page: 1, perPage: 50 } },
        { list: 'Items', schema: release, rest: z.object({}), most: 50 },
        options,
      );
      const at = (one: Release) => publishedAt(one)?.getTime() ?? 0;
      return records.filter(({ Deleted }) => Deleted !== true).sort((a, b) => at(b) - at(a));
    },

    /** `Note`: the one that the release has, so that it is kept. */
    async publish(id: number, uuid: string, body: { Note?: string | undefined }, options?: CallOptions) {
      const ids = [numericId(id, 'script'), textId(uuid, 'release')];
      const asked = endpoint('POST /compute/script/{id}/publish/{uuid}', ...ids);
      return transport.write({ ...asked, body }, unknownAnswer, options);
    },
  };
}
