import { count } from '../../blocks/format.ts';
import { type Message, message, note, section } from '../../blocks/message.ts';
import { bold, code, join, mrkdwn } from '../../blocks/mrkdwn.ts';
import { DAY } from '../../time.ts';
import type { ShieldZoneRef } from '../arguments/resources/shield-zones.ts';
import type { Context } from '../context.ts';
import { recentRequests } from '../recent-requests.ts';
import { tried } from '../unreadable.ts';
import { type Agents, agentsOf } from './agents.ts';

/** How far back, and how long the counting may take, in ms. */
const WHILE = DAY;
const PATIENCE = 10_000;

/** Records that are read for each user agent: one page. More are said to be more. */
const PER_AGENT = 1_000;

const untold = (why: string) =>
  message(note(`How many requests come from bots of this category could not be told: ${why}.`));

/** How many logged requests of the last day came from bots of the category, as far as the logs can tell. */
export async function seenMessage(shield: ShieldZoneRef, category: number, context: Context): Promise<Message> {
  const zoneId = shield.zone?.Id;
  if (zoneId === undefined) return untold('which pull zone this shield zone protects is not known');
  const { platform, signal } = context;
  const listed = await tried(platform.shieldZones.botCategories(shield.shieldZoneId, { signal }));
  const agents = agentsOf(category, 'value' in listed ? listed.value : undefined);
  if (agents.words.length === 0) return untold('no user agents of this category are known');
  const limit = AbortSignal.timeout(PATIENCE);
  const from = new Date(context.now.getTime() - WHILE);
  const readings = await Promise.all(
    agents.words.map(async (word) => {
      const query = { from, userAgentContains: word };
      const bounds = { pages: 1, perPage: PER_AGENT, limit };
      return { word, reading: await recentRequests(zoneId, query, bounds, context) };
    }),
  );
  const [first] = readings.flatMap(({ reading }) => ('unread' in reading ? [reading.unread] : []));
  const read = readings.flatMap(({ word, reading }) => ('unread' in reading ? [] : [{ word, ...reading }]));
  if (read.length === 0) return untold(first ?? 'the logs were not read');

  // Two words may be in one user agent: each request counts once.
  const ids = new Set(read.flatMap(({ records }) => records.map((record) => record.requestId ?? record)));
  const isWhole = read.length === readings.length && read.every((one) => one.isWhole);
  const lines = read.map(
    ({ word, records, isWhole: whole }) => mrkdwn`${code(word)} ${whole ? '' : 'at least '}${count(records.length)}`,
  );
  const total = mrkdwn`${isWhole ? '' : 'at least '}${bold(count(ids.size))} logged ${ids.size === 1 ? 'request' : 'requests'}`;
  return message(
    section(
      isWhole && ids.size === 0
        ? 'In the last 24 hours no logged request came from user agents of this category.'
        : mrkdwn`In the last 24 hours, ${total} came from user agents of this category: ${join(lines, ', ')}.`,
    ),
    note(scopeWords(agents, read.length)),
  );
}

function scopeWords({ words, total, listed }: Agents, read: number): string {
  const whose = listed ? 'The user agents are those that the platform lists' : 'The user agents are well-known ones';
  const some = total > words.length ? `, the first ${words.length} of ${count(total)}` : '';
  const unread = read < words.length ? `; ${words.length - read} could not be looked for` : '';
  return `${whose}${some}${unread}. Bots that call themselves otherwise are not seen in the logs.`;
}
