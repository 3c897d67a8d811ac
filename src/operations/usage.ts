import type { ArgumentKind, ArgumentRole } from './argument.ts';
import type { AnyOperation } from './operation.ts';
import type { OperationListing } from './policy-view.ts';

/** `perPage` → `per-page`: how an argument is typed. */
export function flagNameOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Given by its place rather than by its name. */
export function isPositional(kind: ArgumentKind<unknown>): boolean {
  return kind.shape === 'word' || kind.shape === 'rest';
}

/** `ssl force <hostname> <on|off> [--zone <zone>]`: how an operation is typed. */
export function usageOf(operation: AnyOperation): string {
  const parts = Object.entries(operation.args).map(([key, kind]) => {
    const name = kind.usage ?? flagNameOf(key);
    if (isPositional(kind)) return kind.required ? `<${name}>` : `[${name}]`;
    return kind.shape === 'switch' ? `[--${flagNameOf(key)}]` : `[--${flagNameOf(key)} <${name}>]`;
  });
  return [operation.name, ...parts].join(' ');
}

/** An operation as help tells of it. */
export function listingOf(operation: AnyOperation): OperationListing {
  const { name, summary, effect, args, examples = [], offeredBy } = operation;
  return {
    name,
    summary,
    effect,
    usage: usageOf(operation),
    args: Object.entries(args).map(([key, kind]) => ({
      name: isPositional(kind) ? flagNameOf(key) : `--${flagNameOf(key)}`,
      label: kind.label,
      values: kind.usage?.split('|') ?? [],
      presence: kind.required ? 'required' : 'optional',
      hint: kind.hint,
    })),
    examples,
    offeredBy,
  };
}

/** The argument that has a role in an operation, by its key. Undefined: none has. */
export function argumentWith({ args }: Pick<AnyOperation, 'args'>, role: ArgumentRole): string | undefined {
  return Object.keys(args).find((key) => args[key]?.role === role);
}

/** The text or value that was given for the argument that has a role. Undefined: none has, or nothing was given. */
export function givenAs<T>(
  operation: Pick<AnyOperation, 'args'>,
  role: ArgumentRole,
  given: Readonly<Record<string, T>>,
): T | undefined {
  const key = argumentWith(operation, role);
  return key === undefined ? undefined : given[key];
}
