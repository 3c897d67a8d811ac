import { UsageError } from '../errors.ts';
import { PlatformFailure } from '../platform/errors.ts';

/** Or a rule of the platform's that the client knows. */
export function isPlatforms(error: unknown): error is Error {
  // The settings may switch statistics of single zones off.
  return error instanceof PlatformFailure || error instanceof UsageError;
}
