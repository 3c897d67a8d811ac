import { UsageError } from '../errors.ts';
import { PlatformFailure } from '../platform/errors.ts';

/** An error of the platform, or a rule of the platform that the client enforces. */
export function isPlatforms(error: unknown): error is Error {
  // Such as statistics of single zones, which a setting can switch off.
  return error instanceof PlatformFailure || error instanceof UsageError;
}

/** `instead`, where the platform does not answer, or not to this key. */
export async function readOr<T>(instead: T, reading: T | Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!isPlatforms(error)) throw error;
    return instead;
  }
}
