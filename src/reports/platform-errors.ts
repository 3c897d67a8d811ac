import { UsageError } from '../errors.ts';
import { PlatformFailure } from '../platform/errors.ts';

/** True when the platform (or a rule of its own that the client knows) is why something cannot be had. */
export function isPlatforms(error: unknown): error is Error {
  // The settings may switch statistics of single zones off.
  return error instanceof PlatformFailure || error instanceof UsageError;
}
