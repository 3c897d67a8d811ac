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
  /** Unique within the kind: only the first one with a key is kept, or the last one if it `replaces` what waits. */
  key?: string;
  replaces?: boolean;
}

/** The body of its job. */
export interface Kept {
  interaction: string;
  /** When it was kept, in Unix milliseconds. */
  at: number;
  body: object;
}

interface Keeping {
  store: { jobs: Pick<Jobs, 'add' | 'arm'> };
  now: () => Date;
}

/** Stores the work. Whichever process lives at that time does it. */
export async function keepForLater(
  { store: { jobs }, now }: Keeping,
  { kind, body, delay, key = randomUUID(), replaces = false }: Later,
): Promise<void> {
  const interaction = currentInteraction()?.id ?? newReference();
  const kept: Kept = { interaction, at: now().getTime(), body };
  if (replaces) await jobs.arm(kind, `${kind}:${key}`, delay, kept);
  else await jobs.add({ kind, key: `${kind}:${key}`, body: kept, delay });
}

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
