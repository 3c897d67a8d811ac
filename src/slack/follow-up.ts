import { operationNamed } from '../changes/context.ts';
import { followUp } from '../changes/look-again.ts';
import { UsageError } from '../errors.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { MINUTE } from '../time.ts';
import { keepForLater } from './later.ts';
import type { SlackServices } from './services.ts';
import { sayToEverybody } from './to-everybody.ts';

export const FOLLOW_UP = 'follow-up';

/** `since`: when it was made, in Unix milliseconds. */
interface Kept {
  id: string;
  channel: string;
  thread: string;
  since: number;
}

/** Whichever process lives in some minutes tells what is seen of a change. Never throws. */
export async function followLater(
  { store, operations, now, log }: SlackServices,
  { id, operation }: Confirmation,
  { channel, thread }: Pick<Kept, 'channel' | 'thread'>,
): Promise<void> {
  if (operationNamed({ operations }, operation)?.followUp === undefined) return;
  const body: Kept = { id, channel, thread, since: now().getTime() };
  // Caches fill, and logs come late.
  await keepForLater({ store, now }, { kind: FOLLOW_UP, key: id, body, delay: 5 * MINUTE }).catch((error: unknown) =>
    log.error({ err: error }, 'what is seen of a change will not be told'),
  );
}

/** Throws what the platform and Slack say. */
export async function showFollowUp(services: SlackServices, body: Readonly<Record<string, unknown>>): Promise<void> {
  const { id, channel, thread, since } = body as unknown as Kept;
  const { text, spoken } = (await followUp(services, id, new Date(since))) ?? {};
  if (text === undefined || spoken === undefined) return;
  const said = await sayToEverybody(services, spoken, { channel, thread }, text);
  if ('refused' in said) throw new UsageError(said.refused);
}
