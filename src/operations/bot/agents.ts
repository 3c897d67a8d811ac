import type { BotCategory } from '../../platform/resources/shield-zones.ts';

/**
 * Well-known user agents by category, for platforms that do not list the bots of a category. Only words that the bots'
 * operators publish for recognising them. Source: the crawler pages of Google, Microsoft, OpenAI, Anthropic, Common Crawl,
 * Perplexity, Meta, X, LinkedIn, Pinterest, Slack, Telegram, Ahrefs, Semrush, Pingdom and UptimeRobot.
 */
const WELL_KNOWN: Readonly<Record<number, readonly string[]>> = {
  1: ['Googlebot', 'bingbot', 'AhrefsBot', 'SemrushBot'],
  2: ['GPTBot', 'ClaudeBot', 'CCBot', 'meta-externalagent'],
  3: ['ChatGPT-User', 'OAI-SearchBot', 'Claude-User', 'PerplexityBot'],
  4: ['Pingdom', 'UptimeRobot'],
  5: ['AdsBot-Google', 'Mediapartners-Google'],
  6: ['Slackbot-LinkExpanding', 'TelegramBot', 'facebookexternalhit'],
  7: ['Twitterbot', 'LinkedInBot', 'Pinterest'],
};

/** How many user agents are counted: each is a request under the logging limit. */
const MOST_AGENTS = 8;

/** The words by which the bots of a category are known, and whether the platform said so. `total`: how many there are. */
export interface Agents {
  words: string[];
  total: number;
  listed: boolean;
}

/** The user agents of a category: those that the platform lists for it, else the well-known ones. At most `MOST_AGENTS`. */
export function agentsOf(category: number, categories: readonly BotCategory[] | undefined): Agents {
  const own = categories
    ?.find((one) => one.category === category)
    ?.bots.map(({ userAgentMatch }) => userAgentMatch?.trim())
    .filter((word): word is string => word !== undefined && word !== '');
  const listed = own !== undefined && own.length > 0;
  const words = [...new Set(listed ? own : (WELL_KNOWN[category] ?? []))];
  return { words: words.slice(0, MOST_AGENTS), total: words.length, listed };
}
