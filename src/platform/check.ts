import { StartError } from '../start-error.ts';
import type { Platform } from './client.ts';
import { PlatformError } from './errors.ts';

/** Sends `GET /apikey`. Throws StartError if the key is refused, or PlatformFailure. */
export async function checkPlatform(platform: Platform, signal?: AbortSignal): Promise<string> {
  try {
    const { TotalItems } = await platform.apiKeys.list({ perPage: 5 }, { signal });
    return `${TotalItems ?? 'some'} ${TotalItems === 1 ? 'key' : 'keys'}`;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 401) throw error;
    throw new StartError(
      'refused',
      'The platform refuses PLATFORM_ACCESS_KEY (401). Copy the access key anew from the account’s settings.',
      { cause: error },
    );
  }
}
