import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import { numericId } from '../ids.ts';
import { gatherPages } from '../pages.ts';
import { type Done, type Listed, listOf, maybe, maybeBoolean, maybeNumber, maybeString } from '../shapes.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** How long a variable's name and default value may be. Source: platform.md 4.1 (the script OpenAPI file). */
export const VARIABLE_LIMITS = { name: 256, defaultValue: 4096 } as const;

/** How many scripts a page of the picker holds; its largest. Source: platform.md 4.2. Pages count from 1: 0 is a 500. */
const PER_PAGE = 1000;

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
  MonthlyCost: maybeNumber,
  MonthlyRequestCount: maybeNumber,
  MonthlyCpuTime: maybeNumber,
});

const edgeScriptPage = z.object({
  Items: listOf(edgeScript),
  HasMoreItems: maybeBoolean,
  TotalItems: maybe(z.number()),
});

/** A variable of a script (spec 2.4). */
export type EdgeScriptVariable = z.output<typeof variable>;
/** An edge script, without its deployment key (platform.md 4.2). */
export type EdgeScript = z.output<typeof edgeScript>;

/** The body of row 4. The name is sent exactly as typed; `DefaultValue` only when it was given. */
export interface NewVariable {
  Name: string;
  Required: boolean;
  DefaultValue?: string | undefined;
}

export function createEdgeScripts(transport: Transport) {
  return {
    /** All scripts, for pickers. Source: platform.md 4.2. */
    async list(options?: CallOptions): Promise<Listed<EdgeScript>> {
      return gatherPages(
        (page, following) =>
          transport.read(
            { service: 'management', method: 'GET', path: '/compute/script', query: { page, perPage: PER_PAGE } },
            edgeScriptPage,
            following,
          ),
        options,
      );
    },

    /** One script with its variables. Source: platform.md 4.2. */
    async get(id: number, options?: CallOptions): Promise<EdgeScript> {
      return transport.read(
        { service: 'management', method: 'GET', path: `/compute/script/${numericId(id, 'script')}` },
        edgeScript,
        options,
      );
    },

    /** Row 4. Throws `UsageError` for a name or value that is too long or empty. */
    async addVariable(id: number, given: NewVariable, options?: CallOptions): Promise<Done<EdgeScriptVariable>> {
      if (given.Name.length === 0 || given.Name.length > VARIABLE_LIMITS.name) {
        throw new UsageError(`A variable's name has 1 to ${VARIABLE_LIMITS.name} characters.`, { argument: 'name' });
      }
      if ((given.DefaultValue?.length ?? 0) > VARIABLE_LIMITS.defaultValue) {
        throw new UsageError(`A variable's default value has at most ${VARIABLE_LIMITS.defaultValue} characters.`, {
          argument: 'default',
        });
      }
      const { Name, Required, DefaultValue } = given;
      return transport.write(
        {
          service: 'management',
          method: 'POST',
          path: `/compute/script/${numericId(id, 'script')}/variables/add`,
          body: DefaultValue === undefined ? { Name, Required } : { Name, Required, DefaultValue },
        },
        variable,
        options,
      );
    },
  };
}
