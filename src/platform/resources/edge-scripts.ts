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

/** How long a variable's name and default value may be, in characters. Source: the script OpenAPI file. */
export const VARIABLE_LIMITS = { name: 256, defaultValue: 4096 } as const;

const variable = z.object({
  Id: z.number(),
  Name: maybeString,
  Required: maybeBoolean,
  DefaultValue: maybeString,
});

// The script object also holds the deployment key: it is not in this list, so it never leaves the parser.
const edgeScript = z.object({
  Id: z.number(),
  Name: maybeString,
  ScriptType: maybeNumber,
  LastModified: maybeString,
  DefaultHostname: maybeString,
  LinkedPullZones: listOf(z.object({ Id: z.number(), PullZoneName: maybeString, DefaultHostname: maybeString })),
  EdgeScriptVariables: listOf(variable),
});

const edgeScriptPage = z.object({
  Items: recordsOf(edgeScript),
  HasMoreItems: maybeBoolean,
  TotalItems: maybe(z.number()),
});

/** A variable of a script. */
type EdgeScriptVariable = z.output<typeof variable>;
/** An edge script, without its deployment key. */
export type EdgeScript = z.output<typeof edgeScript>;

/** A variable to be added. The name is sent exactly as typed; `DefaultValue` only when it was given. */
export interface NewVariable {
  Name: string;
  Required: boolean;
  DefaultValue?: string | undefined;
}

/** The edge scripts and their variables. */
export interface EdgeScripts {
  /** All of them, for pickers. */
  list(options?: CallOptions): Promise<Listed<EdgeScript>>;
  /** One with its variables. */
  get(id: number, options?: CallOptions): Promise<EdgeScript>;
  addVariable(id: number, given: NewVariable, options?: CallOptions): Promise<Done<EdgeScriptVariable>>;
}

/** Edge scripts over a transport. */
export function createEdgeScripts(transport: Transport): EdgeScripts {
  return {
    list: (options) =>
      gatherPages(
        ({ Id }) => Id,
        (page, following) =>
          transport.read(
            {
              ...endpoint('GET /compute/script'),
              // The most scripts that a page of `GET /compute/script` holds. Pages count from 1: page 0 is answered with 500.
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
