import type { Logger } from 'pino';
import { HOUR } from './durations.ts';
import { REFRESH_EVERY, type SlackDirectory } from './slack/directory.ts';
import type { OpenStore } from './store/store.ts';

/** How often what a process that died had begun is looked for, in milliseconds. */
const RECOVER_EVERY = 15_000;
const FORGET_EVERY = HOUR;

interface TimedServices {
  store: Pick<OpenStore, 'deliveries' | 'results' | 'confirmations' | 'ledger'>;
  directory: SlackDirectory;
  /** Ends what was begun and not ended; throws what the store throws. */
  recover(): Promise<void>;
  log: Logger;
}

/** Recovers (now and from then on), reads the directory again and forgets old rows. Returns a function that stops it all. */
export async function startTimers({ store, directory, recover, log }: TimedServices): Promise<() => void> {
  const recovered = () =>
    recover().catch((error: unknown) => log.error({ err: error }, 'what was begun could not be ended'));
  const refreshed = () =>
    directory.refresh().catch((error: unknown) => log.error({ err: error }, 'the directory could not be read'));
  const forgotten = () =>
    forget(store).catch((error: unknown) => log.error({ err: error }, 'old rows could not be removed'));
  const timers = [
    setInterval(recovered, RECOVER_EVERY),
    setInterval(refreshed, REFRESH_EVERY),
    setInterval(forgotten, FORGET_EVERY),
  ];
  await recovered();
  return () => timers.forEach(clearInterval);
}

async function forget({ deliveries, results, confirmations, ledger }: TimedServices['store']): Promise<void> {
  await deliveries.forget();
  await results.forget();
  await confirmations.forget();
  await ledger.forget();
}
