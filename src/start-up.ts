import { checkPlatform } from './platform/check.ts';
import type { Platform } from './platform/client.ts';
import { untilAnswered, type Waiting } from './slack/patience.ts';
import { StartError } from './start-error.ts';
import { StoreError } from './store/store-error.ts';

type Patience = Omit<Waiting, 'what' | 'tried'>;

/** Turns an error into one that says what to do. Others stay as they are. */
export function portProblem(
  setting: string,
  { port, host }: { port: number; host: string | undefined },
  error: NodeJS.ErrnoException,
): unknown {
  const elsewhere = `HOST: ${host} is not an address of this machine. Set one that is, or leave it out.`;
  const taken = `${setting}: ${port} is taken by another process. End that one, or set another port.`;
  const closed = `${setting}: ${port} may not be opened by this user. Set a port of 1024 or higher.`;
  const { code } = error;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return new StartError('refused', elsewhere);
  if (code === 'EADDRINUSE') return new StartError('taken', taken);
  return code === 'EACCES' ? new StartError('refused', closed) : error;
}

/** Tries again until the store’s server answers, and logs each failure. Throws StartError. */
export function whenStoreAnswers<T>(work: () => Promise<T>, patience: Patience): Promise<T> {
  const absenceOf = (error: unknown) => {
    if (error instanceof StoreError) return { reason: error.message };
    throw error;
  };
  return untilAnswered(work, absenceOf, { ...patience, what: 'The server of the store', tried: 'STORE_URL' });
}

/** Asks the platform once, because the bot works without it. Throws StartError if the key is refused. */
export async function lookAtPlatform(platform: Platform, { log, signal }: Patience): Promise<void> {
  try {
    await checkPlatform(platform, AbortSignal.any([signal, AbortSignal.timeout(5_000)]));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StartError) throw error;
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    const reason = isLate ? 'no answer in time' : error instanceof Error ? error.message : error;
    log.warn({ reason }, 'The platform could not be reached: each command tries it again');
  }
}
