import { UsageError } from '../errors.ts';
import { BOT_ACTIONS, BOT_CATEGORIES } from './enums.ts';

/** The action of a whole bot category: none, block, allow. */
export type BotAction = 0 | 1 | 2;

/** The one category that exists but that no request takes. */
const SYSTEM = 255;

const plain = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');

const categoryNames = () =>
  Object.entries(BOT_CATEGORIES)
    .filter(([value]) => Number(value) !== SYSTEM)
    .map(([, name]) => name)
    .join(', ');

/** A bot category by name (any case) or number, 0 to 7, 0 None included. Throws `UsageError`, also for 255 System. */
export function parseBotCategory(text: string): number {
  const typed = plain(text);
  const found = Object.entries(BOT_CATEGORIES).find(([value, name]) => value === text.trim() || plain(name) === typed);
  if (!found) {
    throw new UsageError(`“${text.trim()}” is not a bot category.`, {
      hint: `Use a number from 0 to 7 or one of ${categoryNames()}.`,
      argument: 'category',
    });
  }
  const category = Number(found[0]);
  if (category === SYSTEM) {
    throw new UsageError('The category System (255) cannot be set: the platform takes the categories 0 to 7 only.', {
      hint: `Use one of ${categoryNames()}.`,
      argument: 'category',
    });
  }
  return category;
}

/** A category's action by name (any case) or number. Throws `UsageError`, also for `ignore`. */
export function parseBotAction(text: string): BotAction {
  const typed = plain(text);
  const found = Object.entries(BOT_ACTIONS).find(([value, name]) => value === text.trim() || plain(name) === typed);
  if (found) return Number(found[0]) as BotAction;
  if (typed === 'ignore' || text.trim() === '3') {
    throw new UsageError('A whole category cannot be set to Ignore: that action exists for single bots only.', {
      hint: 'Use none, block or allow.',
      argument: 'action',
    });
  }
  throw new UsageError(`“${text.trim()}” is not an action for a bot category.`, {
    hint: 'Use none, block or allow.',
    argument: 'action',
  });
}
