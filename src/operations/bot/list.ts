import { message } from '../../blocks/message.ts';
import { right, table } from '../../blocks/table.ts';
import { toType } from '../../own-name.ts';
import { BOT_ACTIONS, BOT_CATEGORIES, labelOf, SINGLE_BOT_ACTIONS } from '../../platform/enums.ts';
import { shieldZone, shieldZoneName } from '../arguments/resources/shield-zones.ts';
import { defineOperation } from '../operation.ts';
import { shown } from '../unreadable.ts';

/** `GET /shield/shield-zone/{shieldZoneId}/bot-categorization` */
export const listBots = defineOperation({
  name: 'bot list',
  summary: 'Show what happens to each category of bots',
  synonyms: { verbs: 'happens, blocked, allowed', nouns: 'crawlers, scrapers, categories, bot settings' },
  effect: 'read',
  args: { zone: shieldZone({ tenants: true }) },
  examples: ['bot list shop'],

  run: ({ zone }, { platform, signal }) =>
    shown('what bots are set to', `${toType(`bot set shield:${zone.shieldZoneId} …`)} still works.`, () =>
      platform.shieldZones.botCategories(zone.shieldZoneId, { signal }),
    ),

  render(categories, { zone }) {
    const single = categories.flatMap((category) =>
      category.bots
        .filter((bot) => bot.action !== undefined && bot.action !== 0)
        .map((bot) => [
          bot.userAgentMatch ?? `Bot ${bot.botId}`,
          labelOf(BOT_CATEGORIES, bot.category ?? category.category),
          labelOf(SINGLE_BOT_ACTIONS, bot.action ?? 0),
        ]),
    );
    return message(
      table({
        caption: `Bots on ${shieldZoneName(zone)}`,
        columns: ['Category', 'Action', right('Bots')],
        rows: [...categories]
          .sort((a, b) => a.category - b.category)
          .map((category) => [
            labelOf(BOT_CATEGORIES, category.category),
            category.categoryAction === undefined ? '–' : labelOf(BOT_ACTIONS, category.categoryAction),
            category.bots.length,
          ]),
      }),
      single.length > 0 &&
        table({
          caption: 'Single bots with their own action (it overrides the category)',
          columns: ['Bot', 'Category', 'Action'],
          rows: single,
        }),
    );
  },
});
