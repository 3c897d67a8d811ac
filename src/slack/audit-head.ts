import type { Logger } from 'pino';
import { message, note } from '../blocks/message.ts';
import { bold, code, mrkdwn } from '../blocks/mrkdwn.ts';
import type { Poster } from '../reports/post.ts';
import type { OpenStore } from '../store/store.ts';

/** Everything that the audit's head leaves the store with. */
export interface HeadServices {
  store: Pick<OpenStore, 'audit' | 'deliveries'>;
  poster: Pick<Poster, 'post'>;
  log: Logger;
  now(): Date;
  /** The id of a channel; without one, only the log has it. */
  auditChannel?: string | undefined;
}

/**
 * Logs the head of the audit and posts it, once a day over all replicas: whoever puts an older store back cannot take it back
 * there too. An audit that is not whole is said at once.
 */
export async function publishHead({ store, poster, log, now, auditChannel }: HeadServices): Promise<void> {
  const day = now().toISOString().slice(0, 10);
  const { entries, head, problems, rows = [] } = await store.audit.verify();
  const isWhole = problems.length === 0 && rows.length === 0;
  if (isWhole) log.info({ entries, head }, 'the audit is whole');
  else
    log.error({ problems: problems.slice(0, 20), rows: rows.slice(0, 20) }, 'somebody else has written to the store');
  if (auditChannel === undefined || (isWhole && entries === 0)) return;
  if (!(await store.deliveries.first(`audit head ${day}`))) return;
  const check = note(
    mrkdwn`${code(`/edge audit verify${isWhole ? ` --head ${head}` : ''}`)} ${isWhole ? 'says later whether the audit still has it' : 'says more'}.`,
  );
  const text = isWhole
    ? message(
        mrkdwn`${bold('The audit’s head')} after ${entries} ${entries === 1 ? 'entry' : 'entries'}: ${code(head ?? '')}`,
        check,
      )
    : message(
        mrkdwn`:warning: ${bold('Somebody else has written to the bot’s store.')} Nothing is done by what they wrote.`,
        check,
      );
  await poster.post({ channel: auditChannel, message: text, key: `audit head ${day}` });
}
