import { MASK } from '../../secret.ts';
import { isSecretName } from '../../secret-shapes.ts';

/** For a message that others may read. */
export function shownValue(name: string, value: string): string {
  return value !== '' && isSecretName(name) ? MASK : value;
}
