import { commandButton } from '../../blocks/buttons.ts';
import { count } from '../../blocks/format.ts';
import { actions, type Message, message, note } from '../../blocks/message.ts';
import { bold, code, moment, mrkdwn } from '../../blocks/mrkdwn.ts';
import type { Cached } from '../arguments/resources/cached.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import type { ZoneRef } from '../arguments/resources/zones.ts';
import type { Context } from '../context.ts';
import { recentRequests } from '../recent-requests.ts';

function meaningOf(misses: number, hits: number): string {
  if (misses === 0 && hits === 0) return 'No requests since then, or the log is late.';
  if (hits === 0) return 'Nothing comes from the cache yet: too few requests, or it is not cacheable.';
  if (misses === 0) return 'Nothing was fetched again, so the cache may still hold the old version. Purge it again.';
  return 'It was fetched again (MISS), and comes from the cache again (HIT).';
}

const unknown = (why: string) => message(note(`I can’t tell whether the cache is filling again: ${why}.`));

/** MISS and HIT in the log since a purge. */
export async function afterPurge(zone: ZoneRef, since: Date, context: Context, purged?: Cached): Promise<Message> {
  const path = purged !== undefined && 'path' in purged ? purged.path : undefined;
  const counted = async (status: string) => {
    const query = { from: since, cacheStatus: [status], urlContains: path };
    const bounds = { pages: 2, perPage: 1_000, limit: AbortSignal.timeout(12_000) };
    const read = await recentRequests(zone.Id, query, bounds, context);
    if ('unread' in read) return read;
    const { records, isWhole } = read;
    return { hits: records.length, text: `${isWhole ? '' : 'at least '}${count(records.length)} ${status}` };
  };
  const misses = await counted('MISS');
  if ('unread' in misses) return unknown(misses.unread);
  const hits = await counted('HIT');
  if ('unread' in hits) return unknown(hits.unread);
  const which = path === undefined ? mrkdwn`on ${nameWithId(zone)}` : mrkdwn`for ${code(path)} on ${nameWithId(zone)}`;
  return message(
    mrkdwn`Since the purge (${moment(since)}): ${bold(misses.text)}, ${bold(hits.text)} ${which}.`,
    note(meaningOf(misses.hits, hits.hits)),
    purged !== undefined && path === undefined && note('That is the whole zone: the log does not show tags.'),
    actions(
      commandButton(
        'See it in the log',
        `log search ${zone.Id} --from ${since.toISOString()}${path === undefined ? '' : ` --url "${path}"`}`,
      ),
    ),
  );
}
