import type { Command, Names } from '../policy/names.ts';
import type { ArgumentKind } from './argument.ts';
import type { AnyOperation } from './operation.ts';
import { flagNameOf } from './usage.ts';

/** The subjects of a policy's predicates: the things that the arguments name, else the arguments themselves. */
export function subjectsOf({ args }: Pick<AnyOperation, 'args'>): string[] {
  return [...new Set(Object.entries(args).flatMap(([key, kind]) => subjectsIn(key, kind)))];
}

/** The subjects that an argument names. */
const subjectsIn = (key: string, kind: ArgumentKind<unknown>): readonly string[] => kind.names?.of ?? [flagNameOf(key)];

/** An operation as far as a policy has to know it. */
export function commandOf(operation: AnyOperation): Command {
  const { name, effect, permission, args } = operation;
  const required = Object.entries(args).filter(([, kind]) => kind.required);
  const always = required.flatMap(([key, kind]) => subjectsIn(key, kind));
  return { name, effect, subjects: subjectsOf(operation), always, permission };
}

/**
 * The things that the resolved arguments name. A subject of an argument that is not among `values` (not even as undefined) is left
 * out: it is not known.
 */
export function namesOf(operation: Pick<AnyOperation, 'args'>, values: Readonly<Record<string, unknown>>): Names {
  const names = new Map<string, (readonly string[])[]>(subjectsOf(operation).map((subject) => [subject, []]));
  for (const [key, kind] of Object.entries(operation.args)) {
    if (!Object.hasOwn(values, key)) {
      for (const subject of subjectsIn(key, kind)) names.delete(subject);
      continue;
    }
    const value = values[key];
    if (value === undefined) continue;
    const text = kind.textOf(value);
    const named = kind.names?.read(value) ?? (text === undefined ? {} : { [flagNameOf(key)]: [[text]] });
    for (const [subject, things] of Object.entries(named)) names.get(subject)?.push(...things);
  }
  return Object.fromEntries(names);
}
