import { UsageError } from '../errors.ts';
import type { Context, ResolveContext } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { namesOf } from '../operations/policy-names.ts';
import { givenAs } from '../operations/usage.ts';
import type { Names } from '../policy/names.ts';

/** An operation's arguments as the things that they name. */
export interface Resolved {
  values: Record<string, unknown>;
  /** Texts that resolve to the very same things. */
  canonical: Record<string, string>;
  context: Context;
}

/** Looks up every argument. Throws UsageError that names the argument at fault. */
export async function resolve(
  operation: AnyOperation,
  given: Record<string, string>,
  context: Context,
  fresh: boolean,
): Promise<Resolved> {
  const resolveContext: ResolveContext = { ...context, given, fresh };
  const values: Record<string, unknown> = {};
  const canonical: Record<string, string> = {};
  for (const [key, kind] of Object.entries(operation.args)) {
    try {
      values[key] = await kind.resolve(given[key], resolveContext);
    } catch (error) {
      if (!(error instanceof UsageError) || error.argument !== undefined) throw error;
      throw new UsageError(error.message, {
        ...(error.hint === undefined ? {} : { hint: error.hint }),
        argument: key,
      });
    }
    const text = kind.textOf(values[key]);
    if (text !== undefined) canonical[key] = text;
  }
  return { values, canonical, context };
}

/** The arguments that can be known already: those that were given, and those that were left out and may be. */
export async function valuesOf(
  operation: AnyOperation,
  given: Readonly<Record<string, string>>,
  context: ResolveContext,
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [key, kind] of Object.entries(operation.args)) {
    const unknown = given[key] === undefined ? kind.required : kind.field.type === 'file';
    if (!unknown) values[key] = await kind.resolve(given[key], { ...context, given });
  }
  return values;
}

/** The names of the things that a command line is about, as far as they are given. */
export async function namesOfGiven(
  operation: AnyOperation,
  given: Readonly<Record<string, string>>,
  context: ResolveContext,
): Promise<Names> {
  return namesOf(operation, await valuesOf(operation, given, context));
}

/** `--for 30m`: after how many milliseconds the change is put back by itself. */
export function durationOf(operation: AnyOperation, values: Record<string, unknown>): number | undefined {
  const value = givenAs(operation, 'put back after', values);
  return typeof value === 'number' ? value : undefined;
}
