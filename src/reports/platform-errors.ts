import { UsageError } from '../errors.ts';
import { PlatformFailure } from '../platform/errors.ts';

/** An error of the platform, or a rule of the platform that the client enforces. */
export function isPlatforms(error: unknown): error is Error {
  // Such as statistics of single zones, which a setting can switch off.
  return error instanceof PlatformFailure || error instanceof UsageError;
}
