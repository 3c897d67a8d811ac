import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { currentInteraction, newReference } from '../interaction.ts';
import type { Jobs } from '../store/jobs.ts';
import { secondsToWait } from './refusals.ts';

/** Work that the bot does by itself later. */
export interface Later {
  /** Chooses the function that does it. */
  kind: string;
  body: object;
  /** In milliseconds. */
  delay: number;
  /** Unique within the kind: only the first one with a key is kept. */
  key?: string;
}

/** The body of its job. */
export interface Kept {
  interaction: string;
  /** When it was kept, in Unix milliseconds. */
  at: number;
  body: object;
}

interface Keeping {
  store: { jobs: Pick<Jobs, 'add'> };
  now: () => Date;
}

/** Stores the work. Whichever process lives at that time does it. */
export async function keepForLater(
  { store, now }: Keeping,
  { kind, body, delay, key = randomUUID() }: Later,
): Promise<void> {
  const kept = keptOf(body, now);
  await store.jobs.add({ kind, key: `${kind}:${key}`, body: () => kept, delay });
}

/** The same, in place of the one with this key, unless that is being done. */
export const keepInstead = (
  { store, now }: { store: { jobs: Pick<Jobs, 'arm'> }; now: () => Date },
  { kind, body, delay, key }: Required<Later>,
): Promise<void> => store.jobs.arm(kind, `${kind}:${key}`, delay, keptOf(body, now));

const keptOf = (body: object, now: () => Date): Kept => ({
  interaction: currentInteraction()?.id ?? newReference(),
  at: now().getTime(),
  body,
});

/** Keeps what Slack refused until the time that Slack named. Throws the error if Slack named none. */
export async function keepUntilTaken(
  services: Keeping & { log: Logger },
  error: unknown,
  kept: Pick<Later, 'kind' | 'body'>,
): Promise<void> {
  const seconds = secondsToWait(error);
  if (seconds === undefined) throw error;
  await keepForLater(services, { ...kept, delay: seconds * 1000 });
  services.log.info({ err: error, seconds, kind: kept.kind }, 'Slack takes it later: it is kept until then');
}
