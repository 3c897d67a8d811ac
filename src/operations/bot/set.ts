import { message } from '../../blocks/message.ts';
import { bold, code, mrkdwn } from '../../blocks/mrkdwn.ts';
import { BOT_ACTIONS, BOT_CATEGORIES, labelOf } from '../../platform/enums.ts';
import { forAWhile } from '../arguments/plain.ts';
import { shieldZone, shieldZoneName } from '../arguments/resources/shield-zones.ts';
import { defineOperation, fromTo } from '../operation.ts';
import { presentState } from '../unreadable.ts';
import { botAction, botCategory } from './category.ts';
import { seenMessage } from './seen.ts';

/** The action that keeps a category out. */
const BLOCK = 1;

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
      // A category that nobody has set is not listed: no action.
      return { action: labelOf(BOT_ACTIONS, now ?? 0) };
    });
    return {
      ...present,
      after: { action: labelOf(BOT_ACTIONS, action) },
      ...(zone.assumed === undefined ? {} : { warnings: [zone.assumed] }),
    };
  },

  /** Blocking is what visitors feel: it is worth knowing how many there are. */
  preflight: async ({ zone, category, action }, context) =>
    action === BLOCK ? { details: await seenMessage(zone, category, context) } : {},

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

  undo: ({ before }) => ({ action: String(before.action).toLowerCase() }),
});
