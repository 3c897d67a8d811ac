import { UsageError } from '../errors.ts';
import { PlatformConnectionError, PlatformError, PlatformShapeError } from '../platform/errors.ts';

/** Whether the platform (or a rule of its own that the client knows) is why something cannot be had. */
export function isPlatforms(error: unknown): error is Error {
  return (
    error instanceof PlatformError ||
    error instanceof PlatformConnectionError ||
    error instanceof PlatformShapeError ||
    // The settings may switch statistics of single zones off.
    error instanceof UsageError
  );
}
