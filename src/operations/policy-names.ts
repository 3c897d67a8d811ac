import type { AnyOperation, Effect } from './operation.ts';
import { flagNameOf } from './usage.ts';

/** Subject (`zone`, `hostname`, `state`) → the things that are meant → the names and ids of each. See the policy. */
export type Names = Record<string, (readonly string[])[]>;

/** Of what a policy may speak with an operation: what its arguments name, else the arguments themselves. */
export function subjectsOf({ args }: Pick<AnyOperation, 'args'>): string[] {
  return [...new Set(Object.entries(args).flatMap(([key, kind]) => kind.names?.of ?? [flagNameOf(key)]))];
}

/** An operation as far as a policy has to know it. */
export function commandOf(operation: AnyOperation): { name: string; effect: Effect; subjects: string[] } {
  return { name: operation.name, effect: operation.effect, subjects: subjectsOf(operation) };
}

/**
 * What the resolved arguments name. A subject of an argument that is not among `values` (not even as undefined) is left
 * out: it is not known.
 */
export function namesOf(operation: Pick<AnyOperation, 'args'>, values: Readonly<Record<string, unknown>>): Names {
  const names = new Map<string, (readonly string[])[]>(subjectsOf(operation).map((subject) => [subject, []]));
  for (const [key, kind] of Object.entries(operation.args)) {
    const subjects = kind.names?.of ?? [flagNameOf(key)];
    if (!Object.hasOwn(values, key)) {
      for (const subject of subjects) names.delete(subject);
      continue;
    }
    const value = values[key];
    if (value === undefined) continue;
    const text = kind.textOf(value);
    const named = kind.names?.read(value) ?? (text === undefined ? {} : { [flagNameOf(key)]: [text] });
    for (const [subject, words] of Object.entries(named)) names.get(subject)?.push(words);
  }
  return Object.fromEntries(names);
}
