import type { ArgumentKind } from './argument.ts';
import type { AnyOperation } from './operation.ts';

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
