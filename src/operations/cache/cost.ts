import { countOf } from '../../blocks/format.ts';
import { type Message, message, note, section } from '../../blocks/message.ts';
import { bold, moment, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { insteadOf, UsageError } from '../../errors.ts';
import { HOUR } from '../../time.ts';
import type { Address } from '../arguments/resources/cached.ts';
import type { ZoneRef } from '../arguments/resources/zones.ts';
import type { Context } from '../context.ts';
import { recentRequests } from '../recent-requests.ts';
import { reasonOf, tried } from '../unreadable.ts';

const costMessage = (when: Words | string, hits: number, isWhole: boolean, which: string, zone: ZoneRef): Message =>
  message(
    section(
      isWhole && hits === 0
        ? mrkdwn`${when} the cache answered no requests ${which}.`
        : mrkdwn`${when} the cache answered ${bold(`${isWhole ? '' : 'at least '}${countOf(hits, 'request')}`)} ${which}; until it fills again, these go to the origin.`,
    ),
    shieldNote(zone),
  );

const untold = (why: string, zone: ZoneRef) =>
  message(note(`I can’t tell how many requests would reach the origin: ${why}.`), shieldNote(zone));

function shieldNote({ EnableOriginShield }: ZoneRef) {
  if (EnableOriginShield === undefined) return undefined;
  return note(
    EnableOriginShield
      ? 'The origin shield is on: the origin gets each request once.'
      : 'The origin shield is off: every region asks the origin.',
  );
}

export async function zoneCost(zone: ZoneRef, { platform, now, signal }: Context): Promise<Message> {
  // Statistics count whole hours.
  const dateFrom = new Date(now.getTime() - (now.getTime() % HOUR) - HOUR);
  const query = { pullZone: zone.Id, dateFrom, dateTo: now, hourly: true, exactRange: true };
  // Fails before it is sent if the settings switch statistics of single zones off.
  const read = await tried(platform.statistics.get(query, { signal })).catch(
    insteadOf((error) => error instanceof UsageError, undefined),
  );
  if (read === undefined) return untold('statistics of single zones are switched off', zone);
  if ('failure' in read) return untold(reasonOf(read.failure), zone);
  const { TotalRequestsServed, CacheHitRate } = read.value;
  if (TotalRequestsServed === undefined || CacheHitRate === undefined)
    return untold('the platform did not show it', zone);
  const hits = Math.round((TotalRequestsServed * CacheHitRate) / 100);
  return costMessage(mrkdwn`Since ${moment(dateFrom)}`, hits, true, 'of this zone', zone);
}

export async function addressCost({ url, path, isPrefix, zone }: Address, context: Context): Promise<Message> {
  const query = { from: new Date(context.now.getTime() - HOUR), urlContains: path, cacheStatus: ['HIT'] };
  const bounds = { pages: 2, perPage: 1_000, limit: AbortSignal.timeout(8_000) };
  const read = await recentRequests(zone.Id, query, bounds, context);
  if ('unread' in read) return untold(read.unread, zone);
  const { host } = new URL(url);
  // The log was searched for everything that contains the path.
  const hits = read.records.filter(({ url: asked = '' }) => {
    const one = URL.canParse(asked) ? new URL(asked) : undefined;
    return one?.host === host && (isPrefix ? one.pathname.startsWith(path) : one.pathname === path);
  });
  const which = isPrefix ? 'beneath this address' : 'for this address';
  return costMessage('In the last hour', hits.length, read.isWhole, which, zone);
}
