import { z } from 'zod';
import { gatherPages } from '../pages.ts';
import {
  type Done,
  type Listed,
  listOf,
  maybe,
  maybeBoolean,
  maybeNumber,
  maybeString,
  numericId,
  recordsOf,
} from '../shapes.ts';
import { type CallOptions, endpoint, type Transport } from '../transport.ts';

/** In characters. Source: the script OpenAPI file. */
export const VARIABLE_LIMITS = { name: 256, defaultValue: 4096 } as const;

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

type EdgeScriptVariable = z.output<typeof variable>;
export type EdgeScript = z.output<typeof edgeScript>;

/** `Name`: exactly as typed. */
export interface NewVariable {
  Name: string;
  Required: boolean;
  DefaultValue?: string | undefined;
}

export interface EdgeScripts {
  list(options?: CallOptions): Promise<Listed<EdgeScript>>;
  get(id: number, options?: CallOptions): Promise<EdgeScript>;
  addVariable(id: number, given: NewVariable, options?: CallOptions): Promise<Done<EdgeScriptVariable>>;
}

export function createEdgeScripts(transport: Transport): EdgeScripts {
  return {
    list: (options) =>
      gatherPages(
        ({ Id }) => Id,
        (page, following) =>
          transport.read(
            {
              ...endpoint('GET /compute/script'),
              // 1000 is the largest page. Page 0 gets a 500.
              query: { page, perPage: 1000, includeLinkedPullZones: true },
            },
            edgeScriptPage,
            following,
          ),
        options,
      ),

    async get(id, options) {
      return transport.read(endpoint('GET /compute/script/{id}', numericId(id, 'script')), edgeScript, options);
    },

    async addVariable(id, body, options) {
      const asked = endpoint('POST /compute/script/{id}/variables/add', numericId(id, 'script'));
      return transport.write({ ...asked, body }, variable, options);
    },
  };
}
