import { randomUUID } from 'node:crypto';
import { currentInteraction, newReference } from '../interaction.ts';
import type { Deliveries } from '../store/deliveries.ts';

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

/** Keeps it in the store: whichever process lives then does it. */
export function keepForLater(
  { store, now }: { store: { deliveries: Pick<Deliveries, 'later'> }; now: () => Date },
  { kind, body, delay, key = randomUUID() }: Later,
): Promise<void> {
  const interaction = currentInteraction()?.id ?? newReference();
  return store.deliveries.later(`${kind}:${key}`, { interaction, kind, at: now().getTime(), body }, delay);
}
