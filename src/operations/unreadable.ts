import { UsageError } from '../errors.ts';
import { unread } from '../interaction.ts';
import { mayPass, PlatformError, PlatformFailure, PlatformShapeError } from '../platform/errors.ts';

export function failureWords(
  failure: PlatformFailure,
  words: { refused: (error: PlatformError) => string; unanswered: string; unreadable: string },
): string {
  if (mayPass(failure)) unread(failure);
  if (failure instanceof PlatformError) return words.refused(failure);
  return failure instanceof PlatformShapeError ? words.unreadable : words.unanswered;
}

/** Completes a sentence. */
export function reasonOf(failure: PlatformFailure): string {
  return failureWords(failure, {
    refused: (error) =>
      isMissing(error)
        ? 'the platform does not show it'
        : `the platform refused to show it (${error.status}: ${error.message.replace(/\.$/, '')})`,
    unanswered: 'the platform did not answer',
    unreadable: 'the platform’s answer could not be understood',
  });
}

/** The platform does not know the address. */
function isMissing(error: PlatformError): boolean {
  return error.status === 404 && error.key === undefined;
}

/** Other errors are thrown. */
export async function tried<T>(reading: Promise<T>): Promise<{ value: T } | { failure: PlatformFailure }> {
  try {
    return { value: await reading };
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return { failure: error };
  }
}

/** For a preview. */
export async function presentState<S>(read: () => Promise<S>): Promise<{ before?: S; unread?: string }> {
  const found = await tried(read());
  return 'value' in found ? { before: found.value } : { unread: reasonOf(found.failure) };
}

/** A bare 404 becomes a UsageError: the platform may not have this address. */
export async function shown<T>(what: string, hint: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof PlatformError) || !isMissing(error)) throw error;
    throw new UsageError(`This platform does not show ${what}, or there is none with this id.`, { hint });
  }
}
