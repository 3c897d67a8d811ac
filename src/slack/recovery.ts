import type { Logger } from 'pino';
import { expire, notified, recover } from '../changes/recover.ts';
import type { ChangeServices } from '../changes/services.ts';
import { isTakingBack, putBackDue } from '../changes/undo.ts';
import type { Reader } from '../operations/context.ts';
import type { Conversation } from './conversation.ts';

/**
 * One look at what a process that died has left, at what has expired, and at what is due to be put back. Everything is said on
 * its own: what cannot be said now is handed out again, and holds up nothing else. Throws only what the store throws.
 */
export function createRecovery(services: {
  changes: ChangeServices;
  conversation: Conversation;
  reader: () => Reader;
  log: Logger;
}): () => Promise<void> {
  const { changes, conversation, reader, log } = services;

  async function said(id: string, work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      log.error({ err: error, confirmation: id }, 'what became of it could not be said'),
    );
  }

  return async () => {
    for (const found of await recover(changes)) await said(found.confirmation.id, conversation.recovered(found));
    for (const confirmation of await expire(changes)) {
      // A putting back that was not begun in time is begun anew when it is due.
      if (isTakingBack(confirmation.id)) await notified(changes, confirmation.id);
      else await said(confirmation.id, conversation.expired(confirmation));
    }
    for (const end of await putBackDue(changes, reader())) await said(end.original.id, conversation.putBack(end));
  };
}
