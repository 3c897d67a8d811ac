import { countOf, day } from '../../blocks/format.ts';
import { message, note, nothing } from '../../blocks/message.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import { UsageError } from '../../errors.ts';
import { labelOf } from '../../platform/enums.ts';
import { zoneNames } from '../linked-scripts.ts';
import { defineOperation } from '../operation.ts';

/** The bot does not know their deployment keys. */
export const listScripts = defineOperation({
  name: 'script list',
  summary: 'List the edge scripts',
  synonyms: { verbs: 'all, run', nouns: 'scripts, edge scripts, edge functions, functions' },
  effect: 'read',
  args: {},

  target: () => 'edge scripts',

  async run(_, context) {
    const { items, missing, partial } = await context.catalogue.scripts({ fresh: true });
    const scripts = items.map((script) => ({ ...script, zones: zoneNames(script, context) }));
    if (missing === undefined) return { scripts, partial };
    throw new UsageError(`The edge scripts cannot be listed: ${missing}.`, {
      hint: 'Scripts can still be given by their ids.',
    });
  },

  render({ scripts, partial }, _, reader) {
    const cut = partial && note('There are more than these.');
    if (scripts.length === 0) return nothing('There are no edge scripts.', cut);
    return message(
      table({
        caption: countOf(scripts.length, 'edge script', reader),
        columns: ['Name', right('Id'), 'Type', 'Zones', right('Variables'), 'Changed'],
        rows: scripts.map((script) => [
          script.Name,
          numberCell(script.Id),
          script.ScriptType === undefined ? '–' : labelOf({ 0: 'DNS', 1: 'CDN', 2: 'Middleware' }, script.ScriptType),
          script.zones.join(', '),
          script.EdgeScriptVariables?.length,
          dayOf(script.LastModified),
        ]),
      }),
      cut,
    );

    function dayOf(text: string | undefined): string {
      const date = new Date(text ?? '');
      return Number.isNaN(date.getTime()) ? (text ?? '–') : day(date, reader);
    }
  },
});
