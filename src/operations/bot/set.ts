import { count } from '../../blocks/format.ts';
import { type Message, message, note, section } from '../../blocks/message.ts';
import { bold, code, join, mrkdwn } from '../../blocks/mrkdwn.ts';
import {
  BOT_ACTIONS,
  BOT_CATEGORIES,
  type BotAction,
  labelOf,
  parseBotAction,
  parseBotCategory,
} from '../../platform/enums.ts';
import type { BotCategory } from '../../platform/resources/shield-zones.ts';
import { DAY } from '../../time.ts';
import { choice, forAWhile, parsed } from '../arguments/plain.ts';
import { type ShieldZoneRef, shieldZone, shieldZoneName } from '../arguments/resources/shield-zones.ts';
import type { Context } from '../context.ts';
import { type ArgumentKind, defineOperation, fromTo, type Option } from '../operation.ts';
import { recentRequests } from '../recent-requests.ts';
import { presentState, reasonOf, tried } from '../unreadable.ts';

/** By number: the categories that a request takes, and words for them. */
const CATEGORIES: readonly [description: string, ...also: string[]][] = [
  ['Bots without a category'],
  ['Search engines', 'search engine', 'search engines', 'google', 'googlebot', 'bing'],
  ['Collect content to train models', 'ai', 'scraper', 'scrapers', 'ai crawler', 'ai scraper', 'training'],
  ['Fetch pages for people who ask an AI tool', 'ai tool', 'assistant'],
  ['Monitoring and other tools', 'tools', 'monitoring', 'uptime'],
  ['Advertising', 'advertising', 'ad'],
  ['Link previews', 'link preview', 'previews'],
  ['Social networks', 'social network', 'social media', 'facebook'],
];

/** By name or number, 0 to 7. */
export function botCategory(): ArgumentKind<number> {
  return {
    ...parsed(parseBotCategory, (category) => labelOf(BOT_CATEGORIES, category)),
    label: 'Category',
    hint: `${CATEGORIES.map((_, category) => labelOf(BOT_CATEGORIES, category)).join(', ')}; or 0 to 7`,
    field: {
      type: 'select',
      options: CATEGORIES.map(([description, ...also], category): Option => {
        const value = labelOf(BOT_CATEGORIES, category);
        return { label: `${value} (${category})`, value, also, description };
      }),
    },
  };
}

/** By name or number, 0 to 2. */
function botAction(): ArgumentKind<BotAction> {
  return {
    ...choice('Action', [
      {
        label: 'None',
        value: 'none',
        description: 'Nothing in particular',
        also: [
          'unblock',
          'no longer block',
          'no longer blocked',
          'stop block',
          'reset',
          'not block anymore',
          'not block any more',
        ],
      },
      {
        label: 'Block',
        value: 'block',
        description: 'Answered with 403 at the edge',
        also: ['ban', 'kill', 'stop', 'deny', 'forbid', 'refuse', 'keep out', 'blacklist', 'reject'],
      },
      {
        label: 'Allow',
        value: 'allow',
        description: 'Verified ones pass without challenges',
        also: ['let', 'let through', 'let pass', 'let in', 'allow', 'whitelist', 'permit', 'accept', 'verified'],
      },
    ]),
    ...parsed(parseBotAction, (action) => labelOf(BOT_ACTIONS, action).toLowerCase()),
  };
}

/** The user agents that the platform lists for the category. */
function agentsOf(category: number, categories: readonly BotCategory[]) {
  const listed = categories.find((one) => one.category === category)?.bots ?? [];
  const words = new Set(listed.flatMap(({ userAgentMatch = '' }) => userAgentMatch.trim() || []));
  // Each is a request under the logging limit.
  return { words: [...words].slice(0, 8), total: words.size };
}

const untold = (why: string) => message(note(`I can’t tell how many requests come from these bots: ${why}.`));

async function seenMessage(shield: ShieldZoneRef, category: number, context: Context): Promise<Message> {
  const zoneId = shield.zone?.Id;
  if (zoneId === undefined) return untold('which pull zone this shield zone protects is not known');
  const { platform, signal } = context;
  const listed = await tried(platform.shieldZones.botCategories(shield.shieldZoneId, { signal }));
  if ('failure' in listed) return untold(reasonOf(listed.failure));
  const agents = agentsOf(category, listed.value);
  if (agents.words.length === 0) return untold('no user agents of this category are known');
  const limit = AbortSignal.timeout(10_000);
  const from = new Date(context.now.getTime() - DAY);
  const readings = await Promise.all(
    agents.words.map(async (word) => {
      const query = { from, userAgentContains: word };
      // One page for each user agent.
      const bounds = { pages: 1, perPage: 1_000, limit };
      return { word, reading: await recentRequests(zoneId, query, bounds, context) };
    }),
  );
  const [first] = readings.flatMap(({ reading }) => ('unread' in reading ? [reading.unread] : []));
  const read = readings.flatMap(({ word, reading }) => ('unread' in reading ? [] : [{ word, ...reading }]));
  if (read.length === 0) return untold(first ?? 'the logs were not read');

  // Two words may be in one user agent: count each request once.
  const ids = new Set(read.flatMap(({ records }) => records.map((record) => record.requestId ?? record)));
  const isWhole = read.length === readings.length && read.every((one) => one.isWhole);
  const lines = read.map(
    ({ word, records, isWhole: whole }) => mrkdwn`${code(word)} ${whole ? '' : 'at least '}${count(records.length)}`,
  );
  const total = mrkdwn`${isWhole ? '' : 'at least '}${bold(count(ids.size))} logged ${ids.size === 1 ? 'request' : 'requests'}`;
  const { words, total: all } = agents;
  const some = all > words.length ? `, the first ${words.length} of ${count(all)}` : '';
  return message(
    section(
      isWhole && ids.size === 0
        ? mrkdwn`No logged request came from these bots in the last 24 hours: ${join(words.map(code), ', ')}.`
        : mrkdwn`In the last 24 hours, ${total} came from bots of this category: ${join(lines, ', ')}.`,
    ),
    note(`Only these user agents are counted${some}.`),
  );
}

/** `PUT /shield/shield-zone/{shieldZoneId}/bot-categorization/categories/{category}` */
export const setBotCategory = defineOperation({
  name: 'bot set',
  summary: 'Set what happens to a category of bots',
  synonyms: {
    verbs: 'block, allow, ban, deny, stop, unblock, whitelist, blacklist, forbid, keep out, let pass, let through',
    nouns: 'bots, crawler, crawlers, scraper, scrapers, spiders, category, categories',
  },
  effect: 'write',
  args: { zone: shieldZone(), category: botCategory(), action: botAction(), for: forAWhile() },
  examples: ['bot set shop aiscraper block', 'bot set shield:12 2 allow', 'bot set shop tool block --for 2h'],

  target: ({ zone, category }) => `${labelOf(BOT_CATEGORIES, category)} bots on ${shieldZoneName(zone)}`,

  words({ target, before, after }) {
    const action = String(after.action);
    return {
      button: `Set to ${action}`,
      title: mrkdwn`Set ${code(target)} to ${bold(action)}`,
      done: mrkdwn`set ${code(target)}: ${fromTo(before?.action, action)}`,
    };
  },

  async preview({ zone, category, action }, { platform, signal }) {
    const present = await presentState(async () => {
      const categories = await platform.shieldZones.botCategories(zone.shieldZoneId, { signal });
      const now = categories.find((item) => item.category === category)?.categoryAction;
      // An unset category is not listed.
      return { action: labelOf(BOT_ACTIONS, now ?? 0) };
    });
    return {
      ...present,
      after: { action: labelOf(BOT_ACTIONS, action) },
      ...(zone.assumed === undefined ? {} : { warnings: [zone.assumed] }),
    };
  },

  /** Visitors feel a block. */
  preflight: async ({ zone, category, action }, context) =>
    action === 1 ? { details: await seenMessage(zone, category, context) } : {},

  run: ({ zone, category, action }, { platform, signal }) =>
    platform.shieldZones.setBotCategoryAction(zone.shieldZoneId, category, action, { signal }),

  render({ answer }, { zone, category, action }) {
    const name = labelOf(BOT_CATEGORIES, category);
    const asked = labelOf(BOT_ACTIONS, action);
    const where = shieldZoneName(zone);
    if (answer === undefined) return message();
    const other = answer.category === category ? undefined : labelOf(BOT_CATEGORIES, answer.category);
    if (answer.action === action && other === undefined) return message();
    return message(
      mrkdwn`⚠️ You asked for ${bold(asked)} for ${name} bots on ${where}, but the platform answered ${bold(
        labelOf(BOT_ACTIONS, answer.action),
      )}${other === undefined ? '' : mrkdwn` for ${other} bots`}.`,
    );
  },

  elsewhere({ zones: [zone], shieldZoneId, field }) {
    const category = Number(field(/(?:^|\.)category$/i)?.after ?? Number.NaN);
    const { before, after } = field(/(?:^|\.)(?:category_?)?action$/i) ?? {};
    const [was, is] = [before, after].map((value) => BOT_ACTIONS[Number(value || Number.NaN)]);
    if (shieldZoneId === undefined || !(category in CATEGORIES) || is === undefined) return undefined;
    const name = labelOf(BOT_CATEGORIES, category);
    return {
      target: `${name} bots on ${shieldZoneName({ shieldZoneId, ...(zone && { zone }) })}`,
      given: { zone: `shield:${shieldZoneId}`, category: name, action: is.toLowerCase() },
      before: was === undefined ? undefined : { action: was },
      after: { action: is },
    };
  },

  undo: ({ before }) => ({ action: String(before.action).toLowerCase() }),
});
