import { checkPlatform } from './platform/check.ts';
import type { Platform } from './platform/client.ts';
import { PlatformConnectionError, PlatformError } from './platform/errors.ts';
import { untilAnswered, type Waiting } from './slack/patience.ts';
import { StartError } from './start-error.ts';
import type { Store } from './store/store.ts';
import { StoreError } from './store/store-error.ts';

type Patience = Omit<Waiting, 'what' | 'tried'>;

/** What to do, or what was thrown. */
export function portProblem(
  setting: string,
  { port, host }: { port: number; host: string | undefined },
  error: NodeJS.ErrnoException,
): unknown {
  const { code } = error;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(
      'refused',
      `HOST: ${host} is not an address of this machine. Set one that is, or leave it out.`,
    );
  if (code === 'EADDRINUSE')
    return new StartError(
      'taken',
      `${setting}: ${port} is taken by another process. End that one, or set another port.`,
    );
  if (code === 'EACCES')
    return new StartError('refused', `${setting}: ${port} may not be opened by this user. Set one from 1024 on.`);
  return error;
}

/** Waits for its server, with a line a failure. Throws StartError. */
export function openWhenThere(open: () => Promise<Store>, patience: Patience): Promise<Store> {
  const absenceOf = (error: unknown) => {
    if (error instanceof StoreError) return { reason: error.message };
    throw error;
  };
  return untilAnswered(open, absenceOf, { ...patience, what: 'The server of the store', tried: 'STORE_URL' });
}

/** Resolves after the first answer or failure: the bot is of use without it. Throws StartError when the key is refused first. */
export function lookAtPlatform(platform: Platform, patience: Patience): Promise<void> {
  const { log, pauses, signal } = patience;
  // A start waits once.
  const look = () => checkPlatform(platform, AbortSignal.any([signal, AbortSignal.timeout(5_000)]));
  return new Promise((resolve, reject) => {
    let hasStarted = false;
    const absenceOf = (error: unknown) => {
      const reason = reasonOfAbsence(error);
      if (reason === undefined) throw error;
      hasStarted = true;
      resolve();
      return { reason };
    };
    const waiting = {
      ...patience,
      pauses: { ...pauses, most: pauses.slowly },
      what: 'The platform',
      tried: 'GET /apikey',
    };
    untilAnswered(look, absenceOf, waiting).then(
      () => resolve(),
      (error: unknown) => {
        if (error instanceof StartError && !hasStarted) return reject(error);
        if (!signal.aborted)
          log.warn({ reason: error instanceof Error ? error.message : error }, 'the platform says no');
        return resolve();
      },
    );
  });
}

/** What may pass, in words. */
function reasonOfAbsence(error: unknown): string | undefined {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'no answer in time';
  const isBusy = error instanceof PlatformError && (error.status >= 500 || error.status === 429);
  return isBusy || error instanceof PlatformConnectionError ? error.message : undefined;
}
