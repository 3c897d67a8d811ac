import type { WebClient } from '@slack/web-api';
import type { Logger } from 'pino';
import { message, note } from '../blocks/message.ts';
import { bold, code, mrkdwn } from '../blocks/mrkdwn.ts';
import type { Poster } from '../reports/post.ts';
import type { OpenStore } from '../store/store.ts';
import type { Identity } from './clients.ts';

/** Everything that the audit's head leaves the store with. */
export interface HeadServices {
  store: Pick<OpenStore, 'audit' | 'deliveries'>;
  poster: Pick<Poster, 'post'>;
  log: Logger;
  now(): Date;
  /** The id of a channel; without one, only the log has it. */
  auditChannel?: string | undefined;
  /** The store is taken as it is, whatever was posted before. */
  isAdopting?: boolean | undefined;
}

/** Begins the key of a message with the head: the day, the number of the entry and its hash follow. */
const KEY = 'audit head';
const MOST_PAGES = 10;

interface ReadingServices {
  store: Pick<OpenStore, 'audit'>;
  client: WebClient;
  identity: Pick<Identity, 'userId'>;
  log: Logger;
}

/**
 * Reads back the head that was posted last, so that a store which was put back in the meantime is noticed: nothing that the audit
 * has to say something about is believed then. Without an answer of Slack the bot goes on, and says so in the log.
 */
export async function recallHead({ store, client, identity, log }: ReadingServices, channel: string): Promise<void> {
  try {
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const more = cursor === undefined ? {} : { cursor };
      const asked = { channel, limit: 200, include_all_metadata: true, ...more };
      const { messages = [], response_metadata } = await client.conversations.history(asked);
      const head = messages.flatMap((one) => (one.user === identity.userId ? headIn(one) : []))[0];
      if (head !== undefined) return void store.audit.remember(head);
      cursor = response_metadata?.next_cursor;
      if (cursor === undefined || cursor === '') return;
    }
  } catch (error) {
    log.warn({ err: error, channel }, 'the head of the audit that was posted last could not be read back');
  }
}

function headIn({ metadata }: { metadata?: { event_payload?: object } }): { number: number; hash: string }[] {
  const { slot } = (metadata?.event_payload ?? {}) as { slot?: unknown };
  const [, number, hash] = /^audit head \S+ (\d+) ([0-9a-f]{64})$/.exec(String(slot)) ?? [];
  return hash === undefined ? [] : [{ number: Number(number), hash }];
}

/**
 * Logs the head of the audit and posts it, once a day over all replicas: whoever puts an older store back cannot take it back
 * there too. An audit that is not whole is said at once.
 */
export async function publishHead(services: HeadServices): Promise<void> {
  const { store, poster, log, now, auditChannel, isAdopting = false } = services;
  const day = now().toISOString().slice(0, 10);
  const { entries, head, problems, rows = [] } = await store.audit.verify();
  const isWhole = problems.length === 0 && rows.length === 0;
  if (isWhole) log.info({ entries, head }, 'the audit is whole');
  else
    log.error({ problems: problems.slice(0, 20), rows: rows.slice(0, 20) }, 'somebody else has written to the store');
  if (auditChannel === undefined || (isWhole && entries === 0)) return;
  if (!(await store.deliveries.first(`${KEY} ${day}`)) && !isAdopting) return;
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
  await poster.post({
    channel: auditChannel,
    message: text,
    key: `${KEY} ${day}${isWhole ? ` ${entries} ${head}` : ''}`,
  });
}
