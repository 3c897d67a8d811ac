import type { WebClient } from '@slack/web-api';
import type { Logger } from 'pino';
import { message, note, section } from '../blocks/message.ts';
import { bold, code, mrkdwn } from '../blocks/mrkdwn.ts';
import { UsageError } from '../errors.ts';
import { slash } from '../own-name.ts';
import type { Poster } from '../reports/post.ts';
import type { Seen } from '../store/audit-chain.ts';
import type { Store } from '../store/store.ts';
import { DAY, HOUR, MINUTE } from '../time.ts';
import { type Identity, pagesOf } from './clients.ts';

interface HeadReading extends Pick<HeadWriting, 'store' | 'log' | 'now'> {
  client: WebClient;
  identity: Pick<Identity, 'userId'>;
}

/**
 * Reads back the head that was posted last, to notice a store that was put back.
 * Without it nothing that needs the audit is believed. A new store needs none: another replica may have begun it and not posted yet.
 */
export async function recallHead(services: HeadReading, channel: string): Promise<void> {
  const { store, log, now } = services;
  const isNew = (await store.audit.list({ limit: 1, until: new Date(now().getTime() - 2 * MINUTE) })).length === 0;
  let isMissing = false;
  async function read(): Promise<Seen | undefined> {
    const doubt = (detail: string, cause?: unknown) => {
      log.error({ channel, err: cause }, detail);
      return new UsageError(`I can’t tell whether my store is the newest copy: ${detail}.`, {
        hint: 'Tell whoever runs Edgewise: the log says why.',
      });
    };
    const head = await (isMissing ? undefined : newestHead(services, channel))?.catch((error: unknown) => {
      throw doubt('the head of the audit could not be read back from its channel', error);
    });
    isMissing = head === undefined && !isNew;
    if (isMissing) throw doubt('no head of the audit was found in its channel');
    return head?.number === 0 ? undefined : head;
  }
  await store.audit.expect(read);
}

async function newestHead({ client, identity }: HeadReading, channel: string): Promise<Seen | undefined> {
  const asked = { channel, limit: 200, include_all_metadata: true };
  for await (const { messages = [] } of pagesOf(50, (more) => client.conversations.history({ ...asked, ...more }))) {
    const head = messages.flatMap((one) => (one.user === identity.userId ? headIn(one) : []))[0];
    if (head !== undefined) return head;
  }
  return undefined;
}

function headIn({ metadata }: { metadata?: { event_payload?: object } }): Seen[] {
  const { slot } = (metadata?.event_payload ?? {}) as { slot?: unknown };
  const [, number, hash] = /^audit head \S+ (\d+) ([0-9a-f]{64})$/.exec(String(slot)) ?? [];
  return hash === undefined ? [] : [{ number: Number(number), hash }];
}

interface HeadWriting {
  store: Pick<Store, 'audit'>;
  poster: Pick<Poster, 'post'>;
  log: Logger;
  now(): Date;
  /** Id of a channel. Without one, only the log gets the head. */
  auditChannel?: string | undefined;
}

/** At a start, then once a day, and every hour until Slack takes it. Returns the milliseconds until the next time. */
export async function publishHead(services: HeadWriting): Promise<number> {
  try {
    await postHead(services);
    return DAY - (services.now().getTime() % DAY);
  } catch (error) {
    services.log.error({ err: error }, 'the head of the audit could not be posted');
    return HOUR;
  }
}

/**
 * Logs and posts the head of the audit, with what is wrong with the store. Whoever puts an older store back cannot take
 * the post back. A head is held back only if it may be older than the last.
 */
async function postHead({ store, poster, log, now, auditChannel }: HeadWriting): Promise<void> {
  const { entries, newest, problems, rows = [], doubt } = await store.audit.verify();
  const isIntact = problems.length === 0 && rows.length === 0 && doubt === undefined;
  if (isIntact) log.info({ entries, head: newest?.hash }, 'the audit is intact');
  else if (doubt === undefined)
    log.error({ problems: problems.slice(0, 20), rows: rows.slice(0, 20) }, 'somebody else has written to the store');
  if (auditChannel === undefined) return;
  const trouble =
    doubt === undefined
      ? mrkdwn`:warning: ${bold('Somebody else has written to the bot’s store.')} Edgewise ignores what they wrote; ${code(slash('audit verify'))} says more.`
      : mrkdwn`:warning: ${bold(doubt)} Until that is clear, I make no changes and post no reports. If this is the newest store, start Edgewise once with ${code('EDGEWISE_STORE_ADOPT=on')}.`;
  await poster.post({
    channel: auditChannel,
    message: message(
      !isIntact && section(trouble),
      newest !== undefined &&
        section(
          mrkdwn`${bold('The audit’s head')} after ${newest.number} ${newest.number === 1 ? 'entry' : 'entries'}: ${code(newest.hash)}`,
        ),
      newest !== undefined &&
        note(
          mrkdwn`Later, ${code(slash(`audit verify --head ${newest.hash}`))} tells you whether it is still in the audit.`,
        ),
    ),
    key: `audit head ${now().toISOString().slice(0, 10)}${newest === undefined ? '' : ` ${newest.number} ${newest.hash}`}`,
  });
}
