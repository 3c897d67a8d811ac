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
        return { label: `${name} (${category})`, value: name, ...(description === undefined ? {} : { description }) };
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
        { label: 'None', value: 'none', description: 'Nothing in particular' },
        { label: 'Block', value: 'block', description: 'Answered with 403 at the edge' },
        { label: 'Allow', value: 'allow', description: 'Verified ones pass without challenges' },
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
