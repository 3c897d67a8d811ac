import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { currentInteraction, newReference } from '../interaction.ts';
import type { Jobs } from '../store/jobs.ts';
import { secondsToWait } from './refusals.ts';

/** Something that the bot does by itself at a later time. */
export interface Later {
  /** By this the listeners know what is to be done. */
  kind: string;
  body: object;
  /** In milliseconds. */
  delay: number;
  /** Told apart by this within the kind: what has the same one is kept once. */
  key?: string;
}

/** The body of its job. */
export interface Kept {
  interaction: string;
  /** When it was kept, as Unix milliseconds. */
  at: number;
  body: object;
}

interface Keeping {
  store: { jobs: Pick<Jobs, 'add'> };
  now: () => Date;
}

/** Keeps it in the store: whichever process lives then does it. */
export async function keepForLater(
  { store, now }: Keeping,
  { kind, body, delay, key = randomUUID() }: Later,
): Promise<void> {
  const kept: Kept = { interaction: currentInteraction()?.id ?? newReference(), at: now().getTime(), body };
  await store.jobs.add({ kind, key: `${kind}:${key}`, body: () => kept, delay });
}

/** Keeps what Slack has refused with a time until then. Throws the error where it has said none. */
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
