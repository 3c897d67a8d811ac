import {
  BOT_ACTIONS,
  BOT_CATEGORIES,
  type BotAction,
  labelOf,
  parseBotAction,
  parseBotCategory,
} from '../../platform/enums.ts';
import type { ArgumentKind, Option } from '../argument.ts';

/** The categories that a request takes. */
const CATEGORIES = [0, 1, 2, 3, 4, 5, 6, 7];

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  0: 'Bots without a category',
  1: 'Search engines',
  2: 'Collect content to train models',
  3: 'Fetch pages for people who ask an AI tool',
  4: 'Monitoring and other tools',
  5: 'Advertising',
  6: 'Link previews',
  7: 'Social networks',
};

/** Other words for them. */
const WORDS: Readonly<Record<number, readonly string[]>> = {
  1: ['search engine', 'search engines', 'google', 'googlebot', 'bing'],
  2: ['ai', 'scraper', 'scrapers', 'ai crawler', 'ai scraper', 'training'],
  3: ['ai tool', 'assistant'],
  4: ['tools', 'monitoring', 'uptime'],
  5: ['advertising', 'ad'],
  6: ['link preview', 'previews'],
  7: ['social network', 'social media', 'facebook'],
};

/** A bot category by name (any case) or number 0 to 7. */
export function botCategory(label = 'Category'): ArgumentKind<number> {
  return {
    label,
    hint: `${CATEGORIES.map((category) => labelOf(BOT_CATEGORIES, category)).join(', ')}; or 0 to 7`,
    shape: 'word',
    required: true,
    field: {
      type: 'select',
      options: CATEGORIES.map((category): Option => {
        const name = labelOf(BOT_CATEGORIES, category);
        const description = DESCRIPTIONS[category];
        const also = WORDS[category] ?? [];
        return {
          label: `${name} (${category})`,
          value: name,
          also,
          ...(description === undefined ? {} : { description }),
        };
      }),
    },
    check(text) {
      parseBotCategory(text);
    },
    resolve: (text) => parseBotCategory(text ?? ''),
    textOf: (category) => labelOf(BOT_CATEGORIES, category),
  };
}

/** The action of a whole category: none, block or allow, or 0 to 2. */
export function botAction(label = 'Action'): ArgumentKind<BotAction> {
  return {
    label,
    shape: 'word',
    required: true,
    field: {
      type: 'select',
      options: [
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
      ],
    },
    usage: 'none|block|allow',
    check(text) {
      parseBotAction(text);
    },
    resolve: (text) => parseBotAction(text ?? ''),
    textOf: (action) => labelOf(BOT_ACTIONS, action).toLowerCase(),
  };
}
