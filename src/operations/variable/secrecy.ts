import { MASK, SECRET_NAMES } from '../../secret.ts';

/** A variable's name says that its value is secret. */
export function looksSecret(name: string): boolean {
  // camelCase has no separators of its own.
  return SECRET_NAMES.variable.test(name.replace(/([a-z])([A-Z])/g, '$1_$2'));
}

/** A variable's value for a message that others may read. */
export function shownValue(name: string, value: string): string {
  return value !== '' && looksSecret(name) ? MASK : value;
}
