import { UsageError } from '../errors.ts';
import { PlatformConnectionError, PlatformError, PlatformShapeError } from '../platform/errors.ts';
import type { State } from './operation.ts';

/** Why something could not be read, as the end of a sentence; undefined for an error that is not the platform's. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof PlatformError) {
    return isMissing(error)
      ? 'the platform does not show it'
      : `the platform refused to show it (${error.status}: ${error.message.replace(/\.$/, '')})`;
  }
  if (error instanceof PlatformConnectionError) return 'the platform did not answer';
  if (error instanceof PlatformShapeError) return 'the platform’s answer could not be understood';
  return undefined;
}

/** A 404 that names no reason: the address is unknown, not only what was asked for. */
function isMissing(error: PlatformError): boolean {
  return error.status === 404 && error.key === undefined;
}

/**
 * The state before a change, for a preview: `unread` with the reason when the platform does not give it. What is not the
 * platform's fault is thrown.
 */
export async function presentState(read: () => Promise<State>): Promise<{ before?: State; unread?: string }> {
  try {
    return { before: await read() };
  } catch (error) {
    const unread = reasonOf(error);
    if (unread === undefined) throw error;
    return { unread };
  }
}

/** Reads what only some platforms have an address for: the bare 404 of one without it becomes a UsageError that says so. */
export async function shown<T>(what: string, hint: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof PlatformError) || !isMissing(error)) throw error;
    throw new UsageError(`This platform does not show ${what}, or there is none with this id.`, { hint });
  }
}
